"""Tables in .parquet files."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from paragone.errors import MissingExtra, UnreadableFile
from paragone.intake.table import Table
from paragone.intake.text_file import read_bytes


def read_parquet(path: Path) -> Table:
    """A table from a .parquet file.

    Raises:
        UnreadableFile: If it is absent, truncated, or not Parquet.
        MissingExtra: If pyarrow is not installed.
    """
    pa, parquet = _pyarrow(path)
    content = read_bytes(path)
    if not content:
        raise UnreadableFile(f"{path} is empty")
    try:
        frame = parquet.read_table(pa.BufferReader(content))
        rows = list(zip(*(column.to_pylist() for column in frame.columns), strict=True))
    except (pa.ArrowException, OSError) as error:
        raise UnreadableFile(f"{path} is not a whole Parquet file ({error}); write it again") from error
    return Table(
        name=str(path), columns=tuple(frame.column_names), rows=rows, unit="row", numbers=range(1, len(rows) + 1)
    )


def read_parquet_batches(path: Path, size: int) -> Iterator[Table]:
    """The table of a .parquet file in parts of ``size`` rows, read as they are asked for.

    Raises:
        UnreadableFile: If it is absent, truncated, or not Parquet.
        MissingExtra: If pyarrow is not installed.
    """
    pa, parquet = _pyarrow(path)
    try:
        with parquet.ParquetFile(path) as file:
            first = 1
            for rows, columns in _batches(file, size):
                numbers = range(first, first + len(rows))
                yield Table(name=str(path), columns=columns, rows=rows, unit="row", numbers=numbers)
                first += len(rows)
    except FileNotFoundError as error:
        raise UnreadableFile(f"{path}: no such file") from error
    except IsADirectoryError as error:
        raise UnreadableFile(f"{path} is a folder, and a file is wanted") from error
    except (pa.ArrowException, OSError) as error:
        raise UnreadableFile(f"{path} is not a whole Parquet file ({error}); write it again") from error


def parquet_rows(path: Path) -> int:
    """How many rows a .parquet file says it has."""
    _, parquet = _pyarrow(path)
    return int(parquet.read_metadata(path).num_rows)


def _batches(file: Any, size: int) -> Iterator[tuple[list[tuple[object, ...]], tuple[str, ...]]]:  # noqa: ANN401
    waiting: list[tuple[object, ...]] = []  # a batch ends with its group of rows, however few they are
    columns = tuple(file.schema_arrow.names)
    for batch in file.iter_batches(batch_size=size):
        waiting.extend(zip(*(column.to_pylist() for column in batch.columns), strict=True))
        while len(waiting) >= size:
            yield waiting[:size], columns
            waiting = waiting[size:]
    if waiting:
        yield waiting, columns


def _pyarrow(path: Path) -> tuple[Any, Any]:
    try:
        import pyarrow as pa
        from pyarrow import parquet
    except ImportError as error:
        raise MissingExtra(f"{path}: reading Parquet needs pyarrow; pip install 'paragone[parquet]'") from error
    return pa, parquet
