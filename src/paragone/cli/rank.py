"""``paragone rank`` and ``paragone resume``: the main job."""

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, cast

import typer

from paragone.cli import completion, options
from paragone.cli.interruption import AS_IT_WAS, NOTHING, interruptible

if TYPE_CHECKING:
    from paragone.tournaments.tournament_settings import Extension


class PairingName(StrEnum):
    """Pairing policies by their names on the command line."""

    INFORMATIVE = "informative"
    SWISS = "swiss"
    ROUND_ROBIN = "round-robin"
    WEIGHTED = "weighted"


class Draws(StrEnum):
    """What a draw means in Swiss."""

    LOSS = "loss"
    REPLAY = "replay"
    NONE = "none"


Criteria = Annotated[str, typer.Option("--criteria", "-c", help="What makes one item better than another, in words.")]
JudgeSpec = Annotated[
    str | None,
    typer.Option(
        "--judge",
        "-j",
        metavar="SPEC",
        help="Who decides; see `paragone judges`.  [env PARAGONE_JUDGE]",
        autocompletion=completion.judges,
    ),
]
Items = Annotated[
    Path,
    typer.Argument(
        metavar="ITEMS", help="A .txt, .csv, .tsv, .json, .jsonl or .parquet file, or a folder of text files."
    ),
]
Pairing = Annotated[PairingName, typer.Option(help="Who meets whom.")]
Budget = Annotated[
    int | None, typer.Option("--budget", "-n", min=1, help="Comparisons at the most; informative takes 10 an item.")
]
Top = Annotated[int | None, typer.Option("--top", min=1, metavar="K", help="Settle who is in the top K.")]
Winner = Annotated[bool, typer.Option("--winner", help="Settle who is the best.")]
WholeOrder = Annotated[
    bool, typer.Option("--whole-order", help="Settle the whole order, without looking harder at the top.")
]
Confidence = Annotated[float, typer.Option(help="Stop once the forecast for that ranking reaches this.")]
Seed = Annotated[int | None, typer.Option(min=0, help="Makes a run reproducible; random where not given.")]
IdColumn = Annotated[str | None, typer.Option(help="Column that holds the ids.")]
TextColumn = Annotated[str | None, typer.Option(help="Column that holds the texts.")]
GroupSize = Annotated[
    str,
    typer.Option(metavar="K|auto", help="Items put in order in one call; 2 are pairs, auto has a pilot choose."),
]
Name = Annotated[str | None, typer.Option(help="The tournament is called this and a number.")]
Orders = Annotated[
    int | None, typer.Option(min=1, help="Comparisons a match, in alternating order; 2 in Swiss, else 1.")
]
Losses = Annotated[int, typer.Option(min=1, help="Losses that eliminate, in Swiss.")]
InCaseOfDraw = Annotated[Draws, typer.Option(help="What a draw is in Swiss: a loss for both, replayed, or nothing.")]
MaxCost = Annotated[float | None, typer.Option(min=0.0, help="US dollars at the most.")]
MaxTokens = Annotated[int | None, typer.Option(min=1, help="Tokens at the most, sent and received.")]
Price = Annotated[
    tuple[float, float] | None,
    typer.Option(metavar="IN OUT", help="US dollars a million tokens sent and received, where not known."),
]


def register(app: typer.Typer) -> None:
    """Add the commands."""
    app.command()(rank)
    app.command()(resume)


@interruptible(NOTHING)
def rank(
    items: Items,
    criteria: Criteria,
    judge: JudgeSpec = None,
    pairing: Pairing = PairingName.INFORMATIVE,
    budget: Budget = None,
    top: Top = None,
    winner: Winner = False,
    whole_order: WholeOrder = False,
    confidence: Confidence = 0.9,
    db: options.Database = None,
    seed: Seed = None,
    as_json: options.Json = False,
    out: options.Out = None,
    id_column: IdColumn = None,
    text_column: TextColumn = None,
    encoding: options.Encoding = None,
    group_size: GroupSize = "2",
    name: Name = None,
    orders: Orders = None,
    losses: Losses = 2,
    draws: InCaseOfDraw = Draws.LOSS,
    max_cost: MaxCost = None,
    max_tokens: MaxTokens = None,
    price: Price = None,
    concurrency: options.Concurrency = None,
    per_minute: options.PerMinute = None,
    timeout: options.Timeout = None,
    attempts: options.Attempts = None,
    rows: options.Rows = None,
    quiet: options.Quiet = False,
) -> None:
    """Rank ITEMS by comparing them, and say how sure the ranking is.

    Every answer is kept in the ledger as it arrives: an interrupted run goes on with `paragone resume`.
    """
    from paragone.cli.session import judge_for, pace_for, run
    from paragone.intake.items import read_items
    from paragone.presenting.board_files import check
    from paragone.settings import settings, tournament_system
    from paragone.tournaments.tournament import Tournament

    if out is not None:
        check(out)
    pace = pace_for(concurrency, per_minute, timeout, attempts)
    begun = Tournament.create(
        read_items(items, id_column=id_column, text_column=text_column, encoding=encoding),
        judge=judge_for(judge),
        db=db or settings().db,
        name=name or items.stem,
        criteria=criteria,
        pairing=pairing.value,
        system=tournament_system() if pairing is PairingName.WEIGHTED else None,
        budget=budget,
        top=top,
        winner=winner,
        whole_order=whole_order,
        confidence=confidence,
        seed=seed,
        comparison_rounds=orders,
        elimination_count=losses,
        draws=draws.value,
        group_size=_group_size(group_size),
        max_cost=max_cost,
        max_tokens=max_tokens,
        price=price,
    )
    with begun as tournament:
        run(tournament, pace, as_json=as_json, out=out, rows=rows, quiet=quiet)


def _group_size(given: str) -> int | str:
    """A number where it is one; whatever else is left to be judged with the other settings."""
    return int(given) if given.isdecimal() else given


@interruptible(AS_IT_WAS)
def resume(
    tournament: options.Chosen = None,
    judge: JudgeSpec = None,
    budget: Annotated[
        int | None, typer.Option("--budget", "-n", min=1, help="A new total of comparisons, to go on beyond the old.")
    ] = None,
    confidence: Annotated[float | None, typer.Option(help="A new confidence to stop at.")] = None,
    max_cost: Annotated[float | None, typer.Option(min=0.0, help="A new limit in US dollars.")] = None,
    max_tokens: Annotated[int | None, typer.Option(min=1, help="A new limit in tokens.")] = None,
    db: options.Database = None,
    as_json: options.Json = False,
    out: options.Out = None,
    concurrency: options.Concurrency = None,
    per_minute: options.PerMinute = None,
    timeout: options.Timeout = None,
    attempts: options.Attempts = None,
    rows: options.Rows = None,
    quiet: options.Quiet = False,
) -> None:
    """Go on with a tournament where it was interrupted, or beyond its old budget."""
    from paragone.cli.session import pace_for, run
    from paragone.presenting.board_files import check
    from paragone.settings import settings
    from paragone.tournaments.tournament import Tournament

    if out is not None:
        check(out)
    pace = pace_for(concurrency, per_minute, timeout, attempts)
    changes = {"budget": budget, "confidence": confidence, "max_cost": max_cost, "max_tokens": max_tokens}
    given = cast("Extension", {key: value for key, value in changes.items() if value is not None})
    opened = Tournament.open(db or settings().db, tournament, judge=judge)
    with opened as found:
        if given:
            found.extend(**given)
        run(found, pace, as_json=as_json, out=out, rows=rows, quiet=quiet)
