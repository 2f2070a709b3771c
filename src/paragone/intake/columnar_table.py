"""A table by columns, each as numbers of its distinct cells, as dictionaries of Arrow are: a cell is looked at once.

A million votes on a thousand items name a thousand ids: what a cell means is found out once for each of these, and what
rows say is arithmetic on arrays.
"""

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from paragone.intake.table import InputTable
from paragone.intake.table_chunks import table_chunks
from paragone.intake.table_files import reading_parquet
from paragone.intake.text_file import display_name

Numbers = NDArray[np.int32]
_AT_ONCE = 20_000


@dataclass(frozen=True, kw_only=True, eq=False, slots=True)
class DictionaryColumn:
    """The cells of one column.

    Attributes:
        codes: The number of each row's cell, shape (rows,).
        cells: The different cells.
    """

    codes: Numbers
    cells: Sequence[object]


@dataclass(frozen=True, kw_only=True, eq=False, slots=True)
class ColumnarTable:
    """A table by columns.

    Attributes:
        head: The table without its rows: its name, its columns and their unit.
        columns: Those columns that were asked for, by their index.
        row_numbers: The number of each row in the source, from 1.
    """

    head: InputTable
    columns: dict[int, DictionaryColumn]
    row_numbers: Sequence[int]

    def __len__(self) -> int:
        """How many rows there are."""
        return len(self.row_numbers)

    def rows(self, indices: Sequence[int]) -> InputTable:
        """A table of some rows, with the cells of the columns that were asked for and None in the others."""
        width = range(len(self.head.columns))
        rows = [tuple(self._cell(column, row) for column in width) for row in indices]
        return _like(self.head, rows, [self.row_numbers[row] for row in indices])

    def _cell(self, column: int, row: int) -> object:
        coded = self.columns.get(column)
        return None if coded is None else coded.cells[coded.codes[row]]


Chosen = Callable[[InputTable], Iterable[int]]
"""Which columns of a table are wanted, by index; the table has no rows."""


def columnar_table(source: object, chosen: Chosen, *, name: str, encoding: str | None = None) -> ColumnarTable | None:
    """A source by columns; None where it has no rows.

    Parquet files and frames that speak Arrow (pandas, polars, pyarrow, DuckDB relations) are read column by column, and
    each distinct cell of theirs becomes an object once. Anything else is read row by row.

    Args:
        source: As for ``table_chunks``.
        chosen: Which columns are wanted.
        name: What to call it in messages if it is not a file.
        encoding: Of a text file.

    Raises:
        UnreadableFile: If it cannot be read.
    """
    if isinstance(source, str | Path) and Path(source).suffix.lower() == ".parquet":
        return _of_parquet(Path(source), chosen)
    arrow = _arrow_table(source)
    if arrow is not None:
        table = _of_arrow(arrow, chosen, name)
        if table is not None:
            return table if len(table) else None
    return _of_rows(table_chunks(source, name=name, size=_AT_ONCE, encoding=encoding), chosen)


def _of_parquet(path: Path, chosen: Chosen) -> ColumnarTable | None:
    with reading_parquet(path) as file:
        names = tuple(file.schema_arrow.names)
        head = InputTable(name=display_name(path), columns=names, rows=[], unit="row", numbers=[])
        columns_read = sorted(set(chosen(head)))
        if not file.metadata.num_rows:
            return None
        texts = _texts(file.schema_arrow, columns_read)
    with reading_parquet(path, dictionaries=texts) as file:  # as numbers of their texts, which is how they are stored
        if any("." in names[at] for at in columns_read):  # where a point leads into a nested column
            read = file.read().select(columns_read)
        else:
            read = file.read(columns=[names[at] for at in columns_read]).select([names[at] for at in columns_read])
        columns = {at: _of_arrow_column(column) for at, column in zip(columns_read, read.columns, strict=True)}
        return ColumnarTable(head=head, columns=columns, row_numbers=range(1, read.num_rows + 1))


def _texts(schema: Any, columns: Sequence[int]) -> list[str]:  # noqa: ANN401
    """Those columns that hold texts and nothing nested."""
    import pyarrow as pa

    fields = [schema.field(at) for at in columns]
    return [field.name for field in fields if pa.types.is_string(field.type) or pa.types.is_large_string(field.type)]


def _arrow_table(source: object) -> Any:  # noqa: ANN401 - pyarrow has no types
    """A frame as a table of Arrow's; None where it is none, or where that cannot be said in Arrow's types."""
    if not hasattr(source, "__arrow_c_stream__") or find_spec("pyarrow") is None:
        return None
    import pyarrow as pa

    try:
        return source if isinstance(source, pa.Table) else pa.table(source)
    except (pa.ArrowException, TypeError, ValueError):  # such as a column of numbers and words
        return None


def _of_arrow(arrow: Any, chosen: Chosen, name: str) -> ColumnarTable | None:  # noqa: ANN401
    """A table of Arrow's by columns; None where a column holds lists or the like."""
    import pyarrow as pa

    head = InputTable(name=name, columns=tuple(map(str, arrow.column_names)), rows=[], unit="row", numbers=[])
    columns_read = sorted(set(chosen(head)))
    try:
        columns = {at: _of_arrow_column(arrow.column(at)) for at in columns_read}
    except pa.ArrowException:
        return None
    return ColumnarTable(head=head, columns=columns, row_numbers=range(1, arrow.num_rows + 1))


def _of_arrow_column(column: Any) -> DictionaryColumn:  # noqa: ANN401
    """A column of Arrow's: numbers of its distinct values, of which an empty cell (None) is one."""
    import pyarrow as pa

    if pa.types.is_nested(column.type):  # lists and structures, which Arrow does not compare: each for itself
        cells = column.to_pylist()
        return DictionaryColumn(codes=np.arange(len(cells), dtype=np.int32), cells=cells)
    parts = [chunk if pa.types.is_dictionary(chunk.type) else chunk.dictionary_encode() for chunk in column.chunks]
    cells = [None]
    numbers: dict[Hashable, int] = {}
    codes = [np.zeros(0, np.int32)]
    for part in parts:
        own = np.empty(len(part.dictionary) + 1, np.int32)
        own[:-1] = [_number(cell, numbers, cells) for cell in part.dictionary.to_pylist()]
        own[-1] = 0
        indices = part.indices
        missing = indices.null_count
        flat = (indices.fill_null(len(part.dictionary)) if missing else indices).to_numpy(zero_copy_only=False)
        codes.append(own[flat])
    return DictionaryColumn(codes=np.concatenate(codes), cells=cells)


def _of_rows(tables: Iterator[InputTable], chosen: Chosen) -> ColumnarTable | None:
    """Tables of rows, one after the other, by columns."""
    head: InputTable | None = None
    columns_read: list[int] = []
    cells: dict[int, list[object]] = {}
    numbers: dict[int, dict[Hashable, int]] = {}
    codes: dict[int, list[Numbers]] = {}
    row_numbers: list[int] = []
    for table in tables:
        if head is None:
            head = _like(table, [], [])
            columns_read = sorted(set(chosen(head)))
            cells, numbers, codes = (
                {at: [] for at in columns_read},
                {at: {} for at in columns_read},
                {at: [] for at in columns_read},
            )
        for at in columns_read:
            codes[at].append(_coded([row[at] for row in table.rows], numbers[at], cells[at]))
        row_numbers.extend(table.numbers)
    if head is None or not row_numbers:
        return None
    columns = {at: DictionaryColumn(codes=np.concatenate(codes[at]), cells=cells[at]) for at in columns_read}
    return ColumnarTable(head=head, columns=columns, row_numbers=row_numbers)


def _coded(column: Sequence[object], numbers: dict[Hashable, int], cells: list[object]) -> Numbers:
    """The number of each cell among the distinct ones, to which new ones are added."""
    if set(map(type, column)) == {str}:  # as in text files
        for cell in dict.fromkeys(column):
            _number(cell, numbers, cells)
        return np.fromiter(map(numbers.__getitem__, column), np.int32, len(column))
    number_of = numbers.get
    numbered = [number_of(cell) if type(cell) is str else None for cell in column]
    return np.fromiter(
        (_number(cell, numbers, cells) if at is None else at for cell, at in zip(column, numbered, strict=True)),
        np.int32,
        len(column),
    )


def _number(cell: object, numbers: dict[Hashable, int], cells: list[object]) -> int:
    """The number of a cell. Words are their own keys; 1, 1.0 and True are equal and not the same."""
    key: Hashable = cell if type(cell) is str else (type(cell), cell)
    try:
        at = numbers.setdefault(key, len(cells))
    except TypeError:  # a list or a mapping: each for itself
        at = len(cells)
    if at == len(cells):
        cells.append(cell)
    return at


def _like(table: InputTable, rows: Sequence[tuple[object, ...]], numbers: Sequence[int]) -> InputTable:
    return InputTable(
        name=table.name,
        columns=table.columns,
        rows=rows,
        unit=table.unit,
        numbers=numbers,
        delimited=table.delimited,
    )
