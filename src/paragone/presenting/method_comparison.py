"""Several methods side by side, in tables."""

from collections.abc import Iterator
from typing import Any

from paragone.domain.method_comparison import ComparedMethod, MethodComparison, MovedItem, ScoredItem
from paragone.domain.text import visible
from paragone.presenting.table import Column, Table, number, text

_CAUSES = {"opponents": "opponents' strength", "matches": "number of matches", "form": "later results"}


def compared(comparison: MethodComparison, rows: int | None = None) -> Iterator[str | Table[Any]]:
    """All of it, for the terminal: ranks, agreement, and what explains the difference."""
    yield "rank by each method:"
    yield ranks(comparison).first(rows)
    yield ""
    yield "agreement, Kendall's tau-b:"
    yield agreement(comparison)
    yield ""
    yield f"what ranks gained against {comparison.methods[0].name} correlate with (Spearman's correlation):"
    yield explanation(comparison)
    if comparison.moved:
        yield ""
        yield "ranks that move most:"
        yield moved(comparison)
        for item in comparison.moved:
            yield from (f"{visible(item.id)}: {visible(reason)}" for reason in item.reasons)


def ranks(comparison: MethodComparison) -> Table[ScoredItem]:
    """A line an item, with its rank by each method."""

    def rank(name: str) -> Column[ScoredItem]:
        return number(name, lambda item: item.ranks[name], "")

    methods = [rank(method.name) for method in comparison.methods]
    columns = (*methods, number("matches", lambda item: item.matches), text("item", lambda item: item.id))
    return Table(title="Rank by each method", rows=comparison.items, columns=columns)


def agreement(comparison: MethodComparison) -> Table[tuple[str, tuple[float | None, ...]]]:
    """Tau-b of each two methods."""
    names = [method.name for method in comparison.methods]

    def tau(at: int) -> Column[tuple[str, tuple[float | None, ...]]]:
        return number(names[at], lambda row: row[1][at], ".2f", absent="-")

    columns = (text("", lambda row: row[0]), *map(tau, range(len(names))))
    return Table(title="Agreement", rows=list(zip(names, comparison.agreement, strict=True)), columns=columns)


def explanation(comparison: MethodComparison) -> Table[ComparedMethod]:
    """A line a method with what its differences go with."""

    def cause(name: str, title: str) -> Column[ComparedMethod]:
        return number(title, lambda method: method.explained.get(name), "+.2f", absent="-")

    return Table(
        title="What explains the difference",
        rows=comparison.methods[1:],
        columns=(
            text("method", lambda method: method.name),
            *(cause(name, title) for name, title in _CAUSES.items()),
            text("what it is", lambda method: f"{method.title}, {method.by}{method.note and '; '}{method.note}"),
        ),
    )


def moved(comparison: MethodComparison) -> Table[MovedItem]:
    """A line for each item whose rank moves."""
    return Table(
        title="Ranks that move most",
        rows=comparison.moved,
        columns=(
            text("item", lambda item: item.id),
            number("best", lambda item: item.highest, ""),
            text("by", lambda item: ", ".join(item.above)),
            number("worst", lambda item: item.lowest, ""),
            text("by", lambda item: ", ".join(item.below)),
        ),
    )
