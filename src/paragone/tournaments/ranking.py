"""``rank`` and ``arank``: a tournament in one call. What runs it is loaded when they are called."""

import os
from typing import TYPE_CHECKING, Unpack

if TYPE_CHECKING:
    from paragone.domain import Board
    from paragone.judges.call_options import CallOptions
    from paragone.tournaments.running.control import Observer
    from paragone.tournaments.running.participants import AnyJudge
    from paragone.tournaments.side_information import Names
    from paragone.tournaments.tournament_settings import TournamentOptions


async def arank(
    items: object,
    criteria: str,
    *,
    judge: "AnyJudge",
    observer: "Observer | None" = None,
    pace: "CallOptions | None" = None,
    db: str | os.PathLike[str] = "sqlite://",
    use: "Names" = None,
    adjust_for: "Names" = None,
    columns: object = None,
    **options: "Unpack[TournamentOptions]",
) -> "Board":
    """Rank items with a judge.

    Args:
        items: See ``Tournament.create``.
        criteria: What "better" means, in words.
        judge: A judge spec such as ``"local"``, a judge, or a function ``(first, second, criteria)``.
        observer: Called after every verdict and every round.
        pace: How calls are made.
        db: File or URL of the ledger; in memory by default.
        use: Columns of the items that may count, as far as answers bear them out; see ``Tournament.create``.
        adjust_for: Columns that must not count.
        columns: Where the columns stand, if not with the items.
        options: See ``TournamentOptions``: pairing, budget, top, winner, confidence, seed, ...

    Returns:
        The board; ``board.stopped`` says why it stopped.
    """
    from paragone.tournaments.running.control import unobserved
    from paragone.tournaments.tournament import Tournament

    with Tournament.create(
        items, criteria=criteria, judge=judge, db=db, use=use, adjust_for=adjust_for, columns=columns, **options
    ) as tournament:
        return await tournament.arun(unobserved if observer is None else observer, pace)


def rank(
    items: object,
    criteria: str,
    *,
    judge: "AnyJudge",
    observer: "Observer | None" = None,
    pace: "CallOptions | None" = None,
    db: str | os.PathLike[str] = "sqlite://",
    use: "Names" = None,
    adjust_for: "Names" = None,
    columns: object = None,
    **options: "Unpack[TournamentOptions]",
) -> "Board":
    """Blocking version of ``arank``; works in a notebook too."""
    from paragone.tournaments.blocking import synchronously

    return synchronously(
        arank(
            items,
            criteria,
            judge=judge,
            observer=observer,
            pace=pace,
            db=db,
            use=use,
            adjust_for=adjust_for,
            columns=columns,
            **options,
        )
    )
