"""Columns of items, or of votes, as numbers: what is written in a cell, and on what scale it is taken."""

import math
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from paragone.domain.side_column import SideColumn
from paragone.errors import InvalidItems, UnknownColumn
from paragone.intake.items import ID_NAMES, TEXT_NAMES, id_of
from paragone.intake.table import NO, YES, InputTable, as_number, as_text, is_missing, spelling

Floats = NDArray[np.float64]

MOST_KINDS = 12
"""The largest number of different words that a column may hold."""
_SKEWED = 1.0
"""The skewness from which a positive column is taken on a logarithmic scale, if that makes it less skewed."""
_MORE_ID_NAMES = ("model", "model_name", "player", "team", "agent", "repository", "repo", "url", "hypothesis_id")


@dataclass(frozen=True, kw_only=True, slots=True)
class Encoded:
    """A column of a table as numbers.

    Attributes:
        columns: Name and numbers of each column that it becomes, shape (rows,); NaN where a cell is empty.
        notes: On what scale it is taken and what is left out, in sentences.
    """

    columns: tuple[tuple[str, Floats], ...]
    notes: tuple[str, ...]


def encoded(name: str, cells: Sequence[object], source: str) -> Encoded:
    """Cells as numbers: numbers as they are or their logarithms, yes and no as 1 and 0, words as one column each.

    Args:
        name: The column's name.
        cells: One a row.
        source: What to call the table in messages.

    Raises:
        InvalidItems: If the cells are too many different words.
    """
    missing = sum(map(is_missing, cells))
    notes = [f"{missing} of {len(cells)} cells of {name!r} are empty and count as average"] if missing else []
    present = [cell for cell in cells if not is_missing(cell)]
    if not present or len({as_text(cell) or str(cell) for cell in present}) == 1:
        return Encoded(columns=(), notes=(f"{name!r} is left out: it is the same everywhere",))
    if all(_said(cell) is not None for cell in present):
        values = np.array([math.nan if is_missing(cell) else float(_said(cell) or 0) for cell in cells])
        return Encoded(columns=((name, values),), notes=tuple(notes))
    numbers = [None if is_missing(cell) else as_number(cell) for cell in cells]
    if all(number is not None and math.isfinite(number) for cell, number in _pairs(cells, numbers)):
        values = np.array([math.nan if number is None else number for number in numbers])
        scaled, note = _scaled(name, values)
        return Encoded(columns=(scaled,), notes=(*notes, *note))
    return Encoded(columns=_kinds(name, cells, source), notes=tuple(notes))


def _pairs(cells: Sequence[object], numbers: Sequence[float | None]) -> list[tuple[object, float | None]]:
    return [pair for pair in zip(cells, numbers, strict=True) if not is_missing(pair[0])]


def _said(cell: object) -> bool | None:
    """Whether a cell says yes or no in words; None for anything else, numbers among them."""
    if isinstance(cell, bool | np.bool_):
        return bool(cell)
    if not isinstance(cell, str) or as_number(cell) is not None:
        return None
    word = cell.strip().casefold()
    return word in YES if word in YES | NO else None


def _scaled(name: str, values: Floats) -> tuple[tuple[str, Floats], tuple[str, ...]]:
    """The numbers, or their logarithms where they are positive and skewed, and those are less so."""
    present = values[~np.isnan(values)]
    if present.min() < 0.0 or (skewness := _skewness(present)) <= _SKEWED:
        return (name, values), ()
    logs = np.log(values) if present.min() > 0.0 else np.log1p(values)
    if abs(_skewness(logs[~np.isnan(logs)])) >= skewness:
        return (name, values), ()
    note = f"{name!r} is skewed to the right, so its logarithm is taken"
    return (f"log {name}", logs), (note,)


def _skewness(values: Floats) -> float:
    away = values - values.mean()
    scale = float(np.sqrt((away**2).mean()))
    return float((away**3).mean()) / scale**3 if scale > 0.0 else 0.0


def _kinds(name: str, cells: Sequence[object], source: str) -> tuple[tuple[str, Floats], ...]:
    words = [None if is_missing(cell) else as_text(cell) or str(cell) for cell in cells]
    counts = Counter(word for word in words if word is not None)
    if len(counts) > min(MOST_KINDS, len(cells) // 2):
        raise InvalidItems(
            f"{source}: the column {name!r} holds {len(counts)} different words; a column that counts is of numbers, "
            f"of yes and no, or of at most {MOST_KINDS} kinds, each of two items or more"
        )
    kinds = sorted(counts)[1:] if len(counts) == 2 else sorted(counts)  # of two, one says it all
    return tuple(
        (f"{name} = {kind}", np.array([math.nan if word is None else float(word == kind) for word in words]))
        for kind in kinds
    )


def id_at(table: InputTable) -> int | None:
    """The index of the column that names the item of each row; None if there is none."""
    at = table.found(ID_NAMES, option="--id-column")
    if at is not None:
        return at
    return next((index for index, column in enumerate(table.columns) if spelling(column) in _MORE_ID_NAMES), None)


def row_ids(table: InputTable, *, id_column: str | None = None, text_column: str | None = None) -> list[str]:
    """The id of each row's item, as items of this table have it; a table without texts will do.

    Raises:
        UnknownColumn: If there is no column of ids.
    """
    at = table.named(id_column, "id_column") if id_column is not None else id_at(table)
    if at is not None:
        return [as_text(cell) or "" for cell in table.cells(at)]
    texts = table.named(text_column, "text_column") if text_column is not None else None
    if texts is None:
        texts = table.found(TEXT_NAMES, option="--text-column")
    if texts is None:
        raise UnknownColumn(f"{table.name} has no column for the ids of its items; it has {table.listing()}")
    return [id_of(as_text(cell) or "") for cell in table.cells(texts)]


def side_columns(
    table: InputTable, name: str, ids: Sequence[str], *, items: Collection[str], counts: bool, option: str
) -> tuple[tuple[SideColumn, ...], tuple[str, ...]]:
    """A column of a table of items, as asked for by name, and how it was read.

    Args:
        table: The table.
        name: The column that was asked for.
        ids: The id of each row's item.
        items: Ids of the items that are ranked.
        counts: Whether it may count, or is to be taken out.
        option: The option in which it was named, for messages.

    Raises:
        UnknownColumn: If there is none; suggests the nearest.
        InvalidItems: If it holds too many different words.
    """
    at = table.named(name, option)
    rows = [row for row, id in enumerate(ids) if id in items]
    column = encoded(table.columns[at], [table.rows[row][at] for row in rows], table.name)
    absent = len(set(items) - {ids[row] for row in rows})
    notes = column.notes
    if absent and column.columns:
        notes = (*notes, f"{absent} of {len(items)} items have no row in {table.name} and count as average")
    return tuple(
        SideColumn(
            group=name,
            name=title,
            values=tuple((ids[row], float(v)) for row, v in zip(rows, values, strict=True) if not math.isnan(v)),
            counts=counts,
        )
        for title, values in column.columns
    ), notes
