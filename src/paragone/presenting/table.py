"""Tables, declared once: a column says how it shows a row; the terminal and the page lay the table out.

Every text in a cell is untrusted: the layout makes it harmless.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Generic, TypeVar

from paragone.domain.text import cut, visible

Row = TypeVar("Row")
Row_contra = TypeVar("Row_contra", contravariant=True)

SHORT, LONG = 130, 5000
"""Characters of a text in a table, and of the part that unfolds below it."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Cell:
    """One cell.

    Attributes:
        text: The text.
        style: ``n`` for numbers, ``k`` for what must not break, ``a`` for names, ``t`` for texts, ``form`` for recent
            form.
        key: What it is sorted by; its text where None.
        head: Bold text before the text.
        more: Text that unfolds below it.
        mark: Stands behind a number without moving it: digits line up with those of numbers that have none.
    """

    text: str
    style: str = ""
    key: float | None = None
    head: str = ""
    more: str = ""
    mark: str = ""


@dataclass(frozen=True, slots=True)
class Column(Generic[Row_contra]):
    """A column.

    Attributes:
        name: Its heading, in lower case unless it is a name.
        cell: A row's cell.
        number: Whether cells are aligned to the right and never broken.
    """

    name: str
    cell: Callable[[Row_contra], Cell]
    number: bool = False


@dataclass(frozen=True, kw_only=True, slots=True)
class Table(Generic[Row]):
    """Rows under declared columns.

    Attributes:
        columns: The columns.
        rows: The rows.
        title: Its title.
        section: The section of a page that it belongs to.
        note: How to read it.
        sortable: Whether a page lets its reader sort it.
    """

    columns: Sequence[Column[Row]]
    rows: Sequence[Row]
    title: str = ""
    section: str = ""
    note: str = ""
    sortable: bool = True

    @property
    def lines(self) -> list[list[Cell]]:
        """The cells, row by row."""
        return [[column.cell(row) for column in self.columns] for row in self.rows]

    def first(self, most: int | None) -> "Table[Row]":
        """The table with at most so many rows."""
        return replace(self, rows=self.rows[:most])

    def filled(self) -> "Table[Row]":
        """The table without columns that are empty in every row."""
        lines = self.lines
        has_text = [any(line[at].text for line in lines) for at in range(len(self.columns))]
        return replace(self, columns=[column for column, has in zip(self.columns, has_text, strict=True) if has])


def table(rows: Sequence[Row], *columns: Column[Row]) -> Table[Row]:
    """A table without a title, as the terminal prints it."""
    return Table(columns=columns, rows=rows)


def apart(tables: Iterable[Table[Any]]) -> Iterator[str | Table[Any]]:
    """The tables that have rows, each below an empty line."""
    for each in tables:
        if each.rows:
            yield from ("", each)


def text(name: str, value: Callable[[Row], str | None], style: str = "") -> Column[Row]:
    """A column of words; None is an empty cell."""
    return Column(name, lambda row: Cell(text=value(row) or "", style=style))


def number(name: str, value: Callable[[Row], float | None], form: str = ",.0f", *, absent: str = "") -> Column[Row]:
    """A column of numbers in a format; ``absent`` stands for None."""

    def cell(row: Row) -> Cell:
        figure = value(row)
        return Cell(text=absent if figure is None else format(figure, form), style="n", key=figure)

    return Column(name, cell, number=True)


def numbers(
    name: str,
    value: Callable[[Row], str | None],
    key: Callable[[Row], float | None] = lambda _: None,
    mark: Callable[[Row], str] = lambda _: "",
) -> Column[Row]:
    """A column of ranges, records and the like, aligned as numbers are.

    Args:
        name: Its heading.
        value: The text of a row's cell; None is an empty cell.
        key: What it is sorted by.
        mark: What stands behind it.
    """

    def cell(row: Row) -> Cell:
        return Cell(text=value(row) or "", style="n", key=key(row), mark=mark(row))

    return Column(name, cell, number=True)


def rank(name: str, value: Callable[[Row], int | None], is_shared: Callable[[Row], bool]) -> Column[Row]:
    """A column of ranks; '=' marks one that others have, too. None is an empty cell."""

    def mark(row: Row) -> str:
        return "=" if value(row) is not None and is_shared(row) else ""

    return numbers(name, lambda row: str(value(row) or ""), value, mark)


def item(name: str, value: Callable[[Row], tuple[str, str]]) -> Column[Row]:
    """A column of items by id and text: as much of the text as fits, and the rest below it."""

    def cell(row: Row) -> Cell:
        id, full = value(row)
        id, line = visible(id), visible(full[: LONG + 1])
        if line in ("", id):
            return Cell(text=id, style="t")
        if len(line) <= SHORT:
            return Cell(text=line, head=id, style="t")
        return Cell(text=cut(line, SHORT), head=id, more=cut(full, LONG), style="t")

    return Column(name, cell)


def facts(section: str, title: str, rows: Iterable[tuple[str, str]], *, note: str = "") -> Table[tuple[str, str]]:
    """A table of names and values."""
    columns: tuple[Column[tuple[str, str]], ...] = (
        text("what", lambda row: row[0], "k"),
        text("value", lambda row: row[1]),
    )
    return Table(section=section, title=title, note=note, columns=columns, rows=tuple(rows), sortable=False)
