"""``paragone rank`` and ``paragone resume``: rank items by comparing them."""

from typing import TYPE_CHECKING, Annotated, cast

import typer

from paragone.cli import options
from paragone.cli.terminal import interruptible
from paragone.domain import Draws, PairingPolicy

if TYPE_CHECKING:
    from paragone.wire.live import RunLimits

NOTHING_WRITTEN = "nothing was asked and nothing was written"
UNCHANGED = "nothing was asked, and the tournament is unchanged"


@interruptible(NOTHING_WRITTEN)
def rank(
    items: options.ItemFile,
    criteria: Annotated[str, typer.Option("--criteria", "-c", help="What makes one item better than another.")],
    columns: options.Columns,
    limits: options.Limits,
    run: options.Run,
    judge: options.JudgeSpec = None,
    pairing: Annotated[PairingPolicy, typer.Option(help="How opponents are chosen.")] = PairingPolicy.INFORMATIVE,
    top: Annotated[
        int | None, typer.Option("--top", min=1, metavar="K", help="Settle which items are the top K.")
    ] = None,
    winner: Annotated[bool, typer.Option("--winner", help="Settle which item is the best.")] = False,
    whole_order: Annotated[
        bool, typer.Option("--whole-order", help="Settle the whole order, without extra effort at the top.")
    ] = False,
    confidence: Annotated[float, typer.Option(help="Stop when the ranking is this probable.")] = 0.9,
    group_size: Annotated[
        str, typer.Option(metavar="K|auto", help="Items that the judge orders in one call; auto runs a pilot.")
    ] = "2",
    orders: options.Orders = None,
    losses: Annotated[int, typer.Option(min=1, help="Losses that eliminate an item, in Swiss.")] = 2,
    draws: Annotated[Draws, typer.Option(help="What a draw is in Swiss: a loss for both, replayed, or nothing.")] = (
        Draws.LOSS
    ),
    seed: options.Seed = None,
    name: options.Name = None,
    db: options.Database = None,
) -> None:
    """Rank ITEMS by comparing them, and show how certain the ranking is.

    Answers are recorded as they arrive; `paragone resume` continues an interrupted run.
    """
    from paragone.cli.session import judge_spec, play
    from paragone.settings import tournament_system
    from paragone.tournaments.tournament import Tournament

    pace = run.pace()
    created = Tournament.create(
        columns.read(items),
        judge=judge_spec(judge),
        db=options.db_url(db),
        name=name or items.stem,
        criteria=criteria,
        pairing=pairing.value,
        system=tournament_system() if pairing is PairingPolicy.WEIGHTED else None,
        budget=limits.budget,
        top=top,
        winner=winner,
        whole_order=whole_order,
        confidence=confidence,
        seed=seed,
        comparison_rounds=orders,
        elimination_count=losses,
        draws=draws.value,
        group_size=int(group_size) if group_size.isdecimal() else group_size,
        max_cost=limits.max_cost,
        max_tokens=limits.max_tokens,
        price=limits.price,
    )
    with created as tournament:
        play(tournament, run, pace)


@interruptible(UNCHANGED)
def resume(
    stored: options.Stored,
    run: options.Run,
    judge: options.JudgeSpec = None,
    budget: Annotated[
        int | None, typer.Option("--budget", "-n", min=1, help="A new total of comparisons, beyond the old one.")
    ] = None,
    confidence: Annotated[float | None, typer.Option(help="A new confidence to stop at.")] = None,
    max_cost: Annotated[float | None, typer.Option(min=0.0, help="A new limit in US dollars.")] = None,
    max_tokens: Annotated[int | None, typer.Option(min=1, help="A new limit in tokens.")] = None,
) -> None:
    """Continue an interrupted tournament, or extend its budget."""
    from paragone.cli.session import play

    pace = run.pace()
    changes = {"budget": budget, "confidence": confidence, "max_cost": max_cost, "max_tokens": max_tokens}
    extension = cast("RunLimits", {name: value for name, value in changes.items() if value is not None})
    with stored.opened(judge=judge) as tournament:
        if extension:
            tournament.extend(**extension)
        play(tournament, run, pace)
