"""The door for a single call: ``rank`` and ``arank``."""

import os
from typing import Unpack

from paragone.domain import Board
from paragone.tournaments.brief import BriefOptions
from paragone.tournaments.door import IN_MEMORY, Tournament, synchronously
from paragone.tournaments.running.opening import AnyJudge
from paragone.tournaments.running.pace import Pace
from paragone.tournaments.running.progress import Observer, unobserved


async def arank(
    items: object,
    criteria: str,
    *,
    judge: AnyJudge,
    observer: Observer = unobserved,
    pace: Pace | None = None,
    db: str | os.PathLike[str] = IN_MEMORY,
    **options: Unpack[BriefOptions],
) -> Board:
    """Rank items with a judge.

    Args:
        items: See ``Tournament.create``.
        criteria: What "better" means, in words.
        judge: A judge spec such as ``"local"``, a judge, or a function ``(first, second, criteria)``.
        observer: Told of every verdict and every round.
        pace: How calls are made.
        db: File or URL of the ledger; in memory where nothing is said.
        options: See ``BriefOptions``: pairing, budget, top, winner, confidence, seed, ...

    Returns:
        The board; ``board.stopped`` says why it stopped.
    """
    with Tournament.create(items, criteria=criteria, judge=judge, db=db, **options) as tournament:
        return await tournament.arun(observer, pace)


def rank(
    items: object,
    criteria: str,
    *,
    judge: AnyJudge,
    observer: Observer = unobserved,
    pace: Pace | None = None,
    db: str | os.PathLike[str] = IN_MEMORY,
    **options: Unpack[BriefOptions],
) -> Board:
    """``arank`` for callers that are not async; works inside a notebook too."""
    return synchronously(arank(items, criteria, judge=judge, observer=observer, pace=pace, db=db, **options))
