"""Tables that are too large to hold at once: the same rows as ``table_files`` reads, some at a time."""

import codecs
from collections.abc import Iterable, Iterator, Mapping, Sized
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import IO

from paragone.errors import UnreadableFile
from paragone.intake.table import InputTable
from paragone.intake.table_files import (
    TEXTS,
    DelimitedLines,
    parquet_rows,
    parse_line,
    read_parquet_batches,
    sniff,
    tabulate,
)
from paragone.intake.text_file import UTF8, display_name, encoding_of, undecodable

_BEGINNING = 1 << 20
"""Bytes of a file that are looked at to find out what it is like."""


def table_chunks(source: object, *, name: str, size: int, encoding: str | None = None) -> Iterator[InputTable]:
    """A table in parts of ``size`` rows, the last one with fewer; all have the same columns.

    Files in .csv, .tsv, .jsonl and .parquet are read as they are asked for. What else there is, is held whole.

    Args:
        source: As for ``tabulate``.
        name: What to call it in messages where it is not a file.
        size: Rows a part.
        encoding: Of a text file; see ``read_table``.

    Raises:
        UnreadableFile: If it cannot be read; while the parts are taken, where what is wrong comes late.
    """
    path = Path(source) if isinstance(source, str | Path) else None
    suffix = "" if path is None else path.suffix.lower()
    if path is not None and suffix in (".csv", ".tsv") and not _is_of_the_oldest_macs(path):
        return _delimited(path, size, encoding)
    if path is not None and suffix == ".jsonl":
        return _json_lines(path, size, encoding)
    if path is not None and suffix == ".parquet":
        return read_parquet_batches(path, size)
    return _parts(tabulate(source, name=name, encoding=encoding), size)


def text_encoding(source: object, encoding: str | None = None) -> str | None:
    """In what encoding ``table_chunks`` reads a text file; None for anything else, and for UTF-8.

    Raises:
        UnreadableFile: If the file cannot be read.
        InvalidConfig: If there is no such encoding.
    """
    if not isinstance(source, str | Path) or Path(source).suffix.lower() not in TEXTS:
        return None
    chosen = encoding_of(_beginning(Path(source)), display_name(Path(source)), encoding)
    return None if chosen == UTF8 else chosen


def row_count(source: object) -> int | None:
    """About how many rows a table has; None where only reading it would tell.

    A row that holds line breaks counts as several, and the header as one.
    """
    if not isinstance(source, str | Path):
        return len(source) if isinstance(source, Sized) else None
    path = Path(source)
    if path.suffix.lower() == ".parquet":
        return parquet_rows(path)
    if path.suffix.lower() not in TEXTS:
        return None
    with path.open("rb") as file:
        return sum(block.count(b"\n") for block in iter(lambda: file.read(_BEGINNING), b""))


def _parts(table: InputTable, size: int) -> Iterator[InputTable]:
    for start in range(0, len(table.rows), size):
        within = slice(start, start + size)
        yield InputTable(
            name=table.name,
            columns=table.columns,
            rows=table.rows[within],
            unit=table.unit,
            numbers=table.numbers[within],
        )


def _delimited(path: Path, size: int, encoding: str | None) -> Iterator[InputTable]:
    if path.suffix.lower() == ".tsv":
        delimiter = "\t"
    else:
        with _text(path, encoding, newline="") as file:
            delimiter = sniff(file.read(_BEGINNING))
    with _text(path, encoding, newline="") as file:
        lines = DelimitedLines(file, name=display_name(path), delimiter=delimiter)
        yield from _numbered(lines.rows(), lines.columns, display_name(path), size)


def _json_lines(path: Path, size: int, encoding: str | None) -> Iterator[InputTable]:
    names: dict[str, None] = {}  # a line may lack a column, so that only all of them tell which there are
    with _text(path, encoding, newline="\n") as file:
        for _, record in _objects(file, display_name(path)):
            names.update(dict.fromkeys(record))
    if not names:
        raise UnreadableFile(f"{display_name(path)} is empty; it needs one JSON object a line")
    columns = tuple(names)
    with _text(path, encoding, newline="\n") as file:
        rows = ((number, tuple(map(record.get, columns))) for number, record in _objects(file, display_name(path)))
        yield from _numbered(rows, columns, display_name(path), size)


def _objects(lines: Iterable[str], name: str) -> Iterator[tuple[int, Mapping[str, object]]]:
    return (
        (number, parse_line(line, f"{name}, line {number}")) for number, line in enumerate(lines, 1) if line.strip()
    )


def _numbered(
    rows: Iterator[tuple[int, tuple[object, ...]]], columns: tuple[str, ...], name: str, size: int
) -> Iterator[InputTable]:
    while part := list(islice(rows, size)):
        yield InputTable(
            name=name,
            columns=columns,
            rows=[row for _, row in part],
            unit="line",
            numbers=[number for number, _ in part],
        )


@contextmanager
def _text(path: Path, encoding: str | None, *, newline: str) -> Iterator[IO[str]]:
    """A text file, without its byte order mark.

    Raises:
        UnreadableFile: If it cannot be opened, or, in the block, decoded.
        InvalidConfig: If there is no such encoding.
    """
    chosen = encoding_of(_beginning(path), display_name(path), encoding)
    try:
        with path.open(encoding=chosen, newline=newline) as file:
            if file.read(1) != "\ufeff":
                file.seek(0)
            yield file
    except UnicodeError as error:
        raise _undecodable(path, chosen, error) from None  # its place counts from somewhere in the middle
    except OSError as error:
        raise UnreadableFile(f"{path} cannot be read: {error.strerror or error}") from error


def _undecodable(path: Path, encoding: str, error: UnicodeError) -> UnreadableFile:
    with path.open("rb") as file:
        decoder = codecs.getincrementaldecoder(encoding)()
        for number, line in enumerate(file, 1):
            try:
                decoder.decode(line)
            except UnicodeError as here:
                return undecodable(display_name(path), number, here, encoding)
    return undecodable(display_name(path), number, error, encoding)  # it ends within a character


def _is_of_the_oldest_macs(path: Path) -> bool:
    beginning = _beginning(path)
    return b"\r" in beginning and b"\n" not in beginning


def _beginning(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            head = file.read(_BEGINNING)
    except FileNotFoundError as error:
        raise UnreadableFile(f"{path}: no such file") from error
    except IsADirectoryError as error:
        raise UnreadableFile(f"{path} is a folder; expected a file") from error
    except OSError as error:
        raise UnreadableFile(f"{path} cannot be read: {error.strerror or error}") from error
    return head
