"""Options of the commands that read recorded votes."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from paragone.domain.text import visible
from paragone.errors import InvalidConfig

if TYPE_CHECKING:
    from collections.abc import Sequence

    from paragone.intake.vote import VoteOptions

File = Annotated[
    Path, typer.Argument(metavar="FILE", help="A .csv, .tsv, .jsonl, .json, .parquet or .xlsx file of comparisons.")
]
SideA = Annotated[str | None, typer.Option("--a", metavar="NAME", help="Column of one side.")]
SideB = Annotated[str | None, typer.Option("--b", metavar="NAME", help="Column of the other side.")]
Winner = Annotated[
    str | None,
    typer.Option(
        "--winner", metavar="NAME", help="Column of the result: a, b, tie, left, right, an id, or a score of a."
    ),
]
Loser = Annotated[
    str | None,
    typer.Option("--loser", metavar="NAME", help="Column of the loser, where --winner names who won and no side."),
]
Draw = Annotated[str | None, typer.Option("--draw", metavar="NAME", help="Column that says true where nobody won.")]
Weight = Annotated[str | None, typer.Option("--weight", metavar="NAME", help="Column of weights.")]
Judge = Annotated[str | None, typer.Option("--judge", metavar="NAME", help="Column that names who judged.")]
NoJudge = Annotated[bool, typer.Option("--no-judge", help="Leave out a column called judge.")]
Position = Annotated[
    bool,
    typer.Option("--position/--no-position", help="Side a was shown first: fit a position term for each judge."),
]
Repeats = Annotated[
    bool | None,
    typer.Option(
        "--repeats/--no-repeats",
        help="Answers to one pair by one judge may be repeats of one question, or are independent. By default they "
        "may be where judges are named, or with --position.",
    ),
]
Strict = Annotated[
    bool,
    typer.Option(
        "--strict", help="Refuse the file for any row that cannot be evidence; else up to 1 in 20 is skipped."
    ),
]


def vote_options(
    *,
    a: str | None,
    b: str | None,
    winner: str | None,
    loser: str | None,
    draw: str | None,
    weight: str | None,
    judge: str | None,
    no_judge: bool,
    position: bool,
    repeats: bool | None,
    strict: bool,
    encoding: str | None,
    plain: bool = False,
    l2: float = 0.0,
) -> "VoteOptions":
    """What was asked for, as one value.

    Raises:
        InvalidConfig: If options contradict each other.
    """
    from paragone.intake.vote import VoteOptions

    if no_judge and judge is not None:
        raise InvalidConfig("--judge and --no-judge exclude each other")
    return VoteOptions(
        a=a,
        b=b,
        winner=winner,
        loser=loser,
        draw=draw,
        weight=weight,
        judge=False if no_judge else judge,
        position=position,
        repeats=repeats,
        strict=strict,
        encoding=encoding,
        plain=plain,
        l2=l2,
    )


def print_notes(notes: "Sequence[str]") -> None:
    """How votes were read, on standard error."""
    for note in notes:
        typer.echo(visible(note), err=True)
