"""Tables in .parquet files."""

from pathlib import Path

from paragone.errors import MissingExtra, UnreadableFile
from paragone.intake.table import Table
from paragone.intake.text_file import read_bytes


def read_parquet(path: Path) -> Table:
    """A table from a .parquet file.

    Raises:
        UnreadableFile: If it is absent, truncated, or not Parquet.
        MissingExtra: If pyarrow is not installed.
    """
    try:
        import pyarrow as pa
        from pyarrow import parquet
    except ImportError as error:
        raise MissingExtra(f"{path}: reading Parquet needs pyarrow; pip install 'paragone[parquet]'") from error
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
