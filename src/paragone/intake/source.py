"""Where tables come from: files by their extension, frames and mappings by their shape."""

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

from paragone.errors import UnreadableFile
from paragone.intake.delimited import read_csv, read_tsv
from paragone.intake.excel import read_excel
from paragone.intake.frame import is_frame, read_frame
from paragone.intake.json_file import read_json, read_json_lines
from paragone.intake.parquet import read_parquet
from paragone.intake.table import Table

TEXTS: Mapping[str, Callable[[Path, str | None], Table]] = {
    ".csv": read_csv,
    ".tsv": read_tsv,
    ".jsonl": read_json_lines,
    ".json": read_json,
}
"""Kinds of files that are text, in some encoding."""

READERS: Mapping[str, Callable[[Path, str | None], Table]] = {
    **TEXTS,
    ".parquet": lambda path, _: read_parquet(path),
    ".xlsx": lambda path, _: read_excel(path),
}


def read_table(path: str | Path, encoding: str | None = None) -> Table:
    """A table from a .csv, .tsv, .jsonl, .json, .parquet or .xlsx file.

    Args:
        path: The file.
        encoding: Its encoding, where it is text; None takes UTF-8, and UTF-16 and UTF-32 that show themselves.

    Raises:
        UnreadableFile: If it is absent, empty, undecodable, truncated, ragged, or of an unknown kind.
        MissingExtra: If what reads its kind is not installed.
    """
    path = Path(path)
    reader = READERS.get(path.suffix.lower())
    if reader is None and not path.exists():
        raise UnreadableFile(f"{path}: no such file")
    if reader is None and path.is_dir():
        raise UnreadableFile(f"{path} is a folder, and a file is wanted: {', '.join(READERS)}")
    if reader is None:
        kind = f"files of kind {path.suffix}" if path.suffix else "files without an extension"
        raise UnreadableFile(f"{path}: {kind} cannot be read as tables; known are {', '.join(READERS)}")
    return reader(path, encoding)


def tabulate(source: object, *, name: str, encoding: str | None = None) -> Table:
    """A table from a path, a data frame, or a collection of mappings.

    Args:
        source: What the caller handed over.
        name: What to call it in messages where it is not a file.
        encoding: Of a text file; see ``read_table``.

    Raises:
        UnreadableFile: If it is none of these, or a file that cannot be read.
    """
    if isinstance(source, str | Path):
        return read_table(source, encoding)
    if is_frame(source):
        try:
            return read_frame(source, name=name)
        except TypeError as error:
            raise UnreadableFile(f"{name}: {type(source).__name__} is not a data frame with columns") from error
    if isinstance(source, Iterable) and not isinstance(source, Mapping):
        return Table.of_records(
            ((number, _mapping(entry, name, number)) for number, entry in enumerate(source, 1)), name=name, unit="entry"
        )
    raise UnreadableFile(f"{name}: a path, a data frame or a list of mappings is wanted, not {type(source).__name__}")


def _mapping(entry: object, name: str, number: int) -> Mapping[str, object]:
    if not isinstance(entry, Mapping):
        raise UnreadableFile(f"{name}, entry {number}: a mapping is wanted, not {type(entry).__name__}")
    return {str(key): value for key, value in entry.items()}
