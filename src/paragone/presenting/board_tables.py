"""A board in tables: columns of every leaderboard, slices, win rates, suggestions."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, TypeAlias

from paragone.domain import (
    Board,
    BoardRow,
    BootstrapRow,
    GoldSuggestion,
    SliceRow,
)
from paragone.domain.board import TableRow
from paragone.domain.text import cut, visible
from paragone.presenting.table import Column, Table, item, number, numbers, rank, text

if TYPE_CHECKING:
    from paragone.wire.agent import AgentRow

_NAME = 12  # characters of a slice or an item at the head of a column
ACROSS = 8
"""Slices, or opponents, that a terminal shows side by side; a page and JSON have them all."""

Ranked: TypeAlias = "BoardRow | AgentRow"
"""A row of a leaderboard: of items, hypotheses or agents. Figures that no fit gives are None."""

BETWEEN: Column[Ranked] = numbers(
    "between", lambda row: span(row.rank_low, row.rank_high, "d", "-"), lambda row: row.rank_low
)
ELO: Column[Ranked] = number("Elo", lambda row: row.elo, ".0f")


def written_ranks(rows: Iterable[Any]) -> Callable[[Any], str]:
    """Writes the rank of each of the rows; '=' marks one that several of them share. None is empty."""
    cell = ranks(rows).cell
    return lambda row: cell(row).text + cell(row).mark


def ranks(rows: Iterable[Any]) -> Column[Any]:
    """The rank of each of the rows; '=' marks one that several of them share."""
    sharing = Counter(row.rank for row in rows)
    return rank("rank", lambda row: row.rank, lambda row: sharing[row.rank] > 1)


def interval(level: float) -> Column[Ranked]:
    """The interval of the strength, sorted by its width."""
    return numbers(f"{level:.0%} interval", lambda row: span(row.low, row.high), lambda row: width(row.low, row.high))


def record(draws: str = "T") -> Column[Ranked]:
    """Wins, losses and ties, sorted by the share of wins."""
    return numbers(
        f"W-L-{draws}",
        lambda row: f"{row.wins}-{row.losses}-{row.ties}",
        lambda row: row.wins / max(1, row.wins + row.losses + row.ties),
    )


def span(low: float | None, high: float | None, form: str = ".0f", between: str = " to ") -> str:
    """An interval in words; empty where there is none."""
    return "" if low is None or high is None else f"{low:{form}}{between}{high:{form}}"


def width(low: float | None, high: float | None) -> float | None:
    """How wide an interval is; None where there is none."""
    return None if low is None or high is None else high - low


def ranked_items(board: Board, *, elo: bool | None = None) -> Table[BoardRow]:
    """The items, best first.

    Args:
        board: The board.
        elo: Whether to show the running Elo; by default where it is informative.
    """
    columns: tuple[Column[BoardRow], ...] = (
        ranks(board.items),
        BETWEEN,
        number("strength", lambda row: row.rating, ".0f"),
        interval(board.level),
        *([ELO] if (board.is_elo_telling if elo is None else elo) else ()),
        record(),
        *_without(board),
        item("item", lambda row: (row.id, row.text)),
    )
    return Table(columns=columns, rows=board.items)


def _without(board: Board) -> tuple[Column[BoardRow], ...]:
    """Rank and strength by answers alone, where columns have a part in the board."""
    if board.side is None:
        return ()
    plain, cell = {row.id: row for row in board.side.without}, ranks(board.side.without).cell
    return (
        Column("rank without", lambda row: cell(plain[row.id]), number=True),
        number("strength without", lambda row: plain[row.id].rating, ".0f"),
    )


def wins(board: Board) -> Table[TableRow]:
    """The items by wins, as in a Swiss tournament."""
    columns: tuple[Column[TableRow], ...] = (
        ranks(board.table),
        number("wins", lambda row: row.wins),
        number("losses", lambda row: row.losses),
        text("item", lambda row: row.id),
    )
    return Table(columns=columns, rows=board.table)


def bootstrapped(board: Board) -> Table[BootstrapRow]:
    """Bootstrap intervals beside those of the posterior, in the order of the board; no rows unless they were made."""
    row_of = {row.id: row for row in board.items}
    columns: tuple[Column[BootstrapRow], ...] = (
        numbers("between", lambda row: span(row.rank_low, row.rank_high, "d", "-"), lambda row: row.rank_low),
        numbers(f"{board.level:.0%} interval", lambda row: span(row.low, row.high), lambda row: row.low),
        numbers(
            "by the fit (posterior)",
            lambda row: span(row_of[row.id].low, row_of[row.id].high),
            lambda row: row_of[row.id].low,
        ),
        item("item", lambda row: (row.id, row_of[row.id].text)),
    )
    return Table(columns=columns, rows=() if board.bootstrap is None else board.bootstrap.items)


def sliced(board: Board, most: int | None = None) -> Table[BoardRow]:
    """Ranks by slice beside those of the whole; no rows unless the votes were cut, into at most so many slices."""
    report = board.slices
    if report is None or len(report.slices) > (most or len(report.slices)):
        return Table(columns=(), rows=())
    rows_by_slice = [(each.name, {row.id: row for row in each.rows}) for each in report.slices]
    columns: tuple[Column[BoardRow], ...] = (
        ranks(board.items),
        *(
            numbers(cut(visible(name), _NAME), partial(_place, rows), lambda row, rows=rows: rows[row.id].rank)  # type: ignore[misc]
            for name, rows in rows_by_slice
        ),
        item("item", lambda row: (row.id, row.text)),
    )
    return Table(columns=columns, rows=board.items)


def _place(rows: Mapping[str, SliceRow], row: BoardRow) -> str:
    """Rank in a slice with its interval; + or - where the item is clearly better or worse there than elsewhere."""
    own = rows[row.id]
    mark = "" if not own.differs else " +" if own.apart > 0 else " -"
    return f"{own.rank} ({own.rank_low}-{own.rank_high}){mark}"


def rates(board: Board, most: int | None = None) -> Table[tuple[str, Sequence[float | None]]]:
    """How often the row's item beat the column's, of the best so many; no rows unless that was asked for."""
    table = board.win_rates
    if table is None:
        return Table(columns=(), rows=())
    columns: list[Column[tuple[str, Sequence[float | None]]]] = [text("item", lambda row: row[0])]
    for at, id in enumerate(table.ids[:most]):
        columns.append(numbers(cut(visible(id), _NAME), partial(_rate, at), lambda row, at=at: row[1][at]))  # type: ignore[misc]
    return Table(columns=columns, rows=list(zip(table.ids, table.rates, strict=True))[:most], sortable=False)


def _rate(at: int, row: tuple[str, Sequence[float | None]]) -> str:
    share = row[1][at]
    return "" if share is None else f"{share:.0%}"


def suggestions(board: Board) -> Table[GoldSuggestion]:
    """The pairs that a person should decide, the most telling first."""
    columns: tuple[Column[GoldSuggestion], ...] = (
        number("chance that a is better", lambda pair: pair.probability, ".2f"),
        text("a", lambda pair: pair.a),
        text("b", lambda pair: pair.b),
    )
    return Table(columns=columns, rows=board.suggestions)
