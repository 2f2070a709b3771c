"""What tables are made of; every text in a cell is untrusted, and escaped by the page."""

from dataclasses import dataclass, replace

from paragone.domain.text import visible
from paragone.presenting.figures import cut

SHORT, LONG = 130, 5000
"""Letters of a text in a table, and of what unfolds below it."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Cell:
    """What stands in one place.

    Attributes:
        text: The text.
        style: ``n`` for numbers, ``k`` for what must not break, ``a`` for names, ``t`` for texts, ``form`` for recent
            form.
        key: What it is sorted by; its text where None.
        head: What stands before the text in bold.
        more: What unfolds below it.
    """

    text: str
    style: str = ""
    key: float | None = None
    head: str = ""
    more: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class Column:
    """A column of a table."""

    name: str
    number: bool = False


@dataclass(frozen=True, kw_only=True, slots=True)
class Table:
    """A table in its place on the page."""

    section: str
    title: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[Cell, ...], ...]
    note: str = ""
    sortable: bool = True


def number(value: float | None, form: str = ",.0f") -> Cell:
    """A number; empty where there is none."""
    if value is None:
        return Cell(text="", style="n")
    return Cell(text=format(value, form), style="n", key=value)


def item(id: str, text: str) -> Cell:
    """An item: its id, as much of its text as fits, and the rest below it."""
    id, line = visible(id), visible(text[: LONG + 1])
    if line in ("", id):
        return Cell(text=id, style="t")
    if len(line) <= SHORT:
        return Cell(text=line, head=id, style="t")
    return Cell(text=cut(line, SHORT), head=id, more=cut(text, LONG), style="t")


def columns(*names: str) -> tuple[Column, ...]:
    """Columns by their names; a ``#`` before one says that it holds numbers."""
    return tuple(Column(name=name.removeprefix("#"), number=name.startswith("#")) for name in names)


def without_empty_columns(table: Table) -> Table:
    """The table without columns in which nothing stands."""
    filled = [index for index in range(len(table.columns)) if any(row[index].text for row in table.rows)]
    return replace(
        table,
        columns=tuple(table.columns[index] for index in filled),
        rows=tuple(tuple(row[index] for index in filled) for row in table.rows),
    )
