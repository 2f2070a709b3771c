"""``paragone memory board``: content by its rating."""

from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from paragone.cli import options
from paragone.cli.json_out import print_json
from paragone.cli.memory import opening
from paragone.cli.memory.standing_json import rating_json, time_json
from paragone.domain.content import Content, ContentKind, ContentTier

if TYPE_CHECKING:
    from paragone.memory.boards import ContentBoard
    from paragone.memory.scores import ContentRating


class Kind(StrEnum):
    """Which content a board is of. Each kind is a pool of its own, so ratings of one compare."""

    FILE = "file"
    SYMBOL = "symbol"
    ADR = "adr"
    VECTOR = "vector"
    ALL = "all"


class By(StrEnum):
    """What a board is ordered by."""

    RATING = "rating"
    ELO = "elo"
    NEED = "need"
    R = "r"


_NARROW = 76
"""Columns of a terminal below which a row has only what comes first: the rest would leave no room for paths."""
_COLUMNS = ("rating", "Elo", "need", "R", "tier", "uses", "last use", "content")
_FIRST = ("rating", "R", "uses", "content")
_NUMBERS = frozenset({"rating", "Elo", "need", "R", "uses"})


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(board)


def board(
    kind: Annotated[Kind, typer.Option("--kind", help="Of which kind; ratings of one kind compare.")] = Kind.FILE,
    by: Annotated[
        By,
        typer.Option("--by", help="By the rating that counts as configured, by the running Elo, by need, or by R."),
    ] = By.RATING,
    tier: Annotated[ContentTier | None, typer.Option("--tier", help="Of one tier only.")] = None,
    limit: Annotated[int, typer.Option("--limit", "-n", min=1, metavar="N", help="Show so many at the most.")] = 20,
    offset: Annotated[int, typer.Option("--offset", min=0, metavar="N", help="Pass over so many.")] = 0,
    root: opening.Root = opening.HERE,
    store: opening.Store = None,
    as_json: options.Json = False,
) -> None:
    """Print content by its rating, the highest first; what nobody has touched yet is there, too."""
    with opening.opened(root, store) as memory:
        found = memory.board(
            None if kind is Kind.ALL else kind.value, by=by.value, tier=tier, limit=limit, offset=offset
        )
    if as_json:
        rows = [rating_json(one) for one in found.rows]
        print_json({"kind": found.kind, "by": by, "as_of": time_json(found.as_of), "total": found.total, "rows": rows})
    else:
        _print(found, offset)


def _print(found: "ContentBoard", offset: int) -> None:
    from paragone.cli.show import out, print_table

    if not found.total:
        typer.echo("there is no such content in the index or the logs; paragone memory index reads the files")
        return
    shown = _COLUMNS if out().width >= _NARROW else _FIRST
    at = [_COLUMNS.index(name) for name in shown]
    lines = [_line(one, found.as_of) for one in found.rows]
    print_table(shown, [tuple(line[n] for n in at) for line in lines], right=_NUMBERS)
    left = found.total - offset - len(found.rows)
    if left > 0:
        typer.echo(f"... {left:,} more; see --limit and --offset")


def _line(one: "ContentRating", as_of: float) -> tuple[str, ...]:
    return (
        f"{one.rating:.0f}",
        f"{one.elo:.0f}",
        f"{one.need:.0f}",
        "unknown" if one.r is None else f"{one.r:.2f}",
        one.tier,
        f"{one.uses:,}",
        ago(one.last_use, as_of),
        _name(one.content),
    )


def _name(one: Content) -> str:
    """What it is called; a chunk's hash says nothing without its file."""
    return f"{one.path} {one.id}" if one.kind is ContentKind.VECTOR else one.id


def ago(time: float | None, as_of: float) -> str:
    """How long ago something was, in words."""
    if time is None:
        return "never"
    seconds = max(as_of - time, 0.0)
    for unit, length in (("d", 86_400.0), ("h", 3_600.0), ("min", 60.0)):
        if seconds >= length:
            return f"{seconds / length:.0f} {unit} ago"
    return "just now"
