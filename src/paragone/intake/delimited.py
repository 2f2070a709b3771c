"""Tables in .csv and .tsv files."""

import csv
import io
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from paragone.errors import UnreadableFile
from paragone.intake.table import Table
from paragone.intake.text_file import read_text

_DELIMITERS = (",", ";", "\t")


def read_csv(path: Path) -> Table:
    """A table from a .csv file; the delimiter is the one of ``, ;`` and tab that divides its header best.

    Raises:
        UnreadableFile: If it cannot be read, is empty, has a quote that is never closed, or rows of unequal length.
    """
    text = read_text(path)
    return parse_delimited(text, name=str(path), delimiter=sniff(text))


def read_tsv(path: Path) -> Table:
    """A table from a .tsv file.

    Raises:
        UnreadableFile: As for `read_csv`.
    """
    return parse_delimited(read_text(path), name=str(path), delimiter="\t")


def sniff(text: str) -> str:
    """The delimiter that divides the header into the most fields; a comma where none divides it."""
    header = next((line for line in text.splitlines() if line.strip()), "")
    return max(_DELIMITERS, key=lambda delimiter: len(next(csv.reader([header], delimiter=delimiter), [])))


def parse_delimited(text: str, *, name: str, delimiter: str) -> Table:
    """A table from delimited text whose first line that is not blank is the header.

    Raises:
        UnreadableFile: If it is empty, has a quote that is never closed, or rows of unequal length.
    """
    with _fields_of_any_length():
        records = list(_records(text, name, delimiter))
    if not records:
        raise UnreadableFile(f"{name} is empty; it needs a header line and rows")
    columns = tuple(cell.strip() for cell in records[0][1])
    for line, record in records[1:]:
        if len(record) != len(columns):
            raise UnreadableFile(
                f"{name}, line {line}: {len(record)} fields where the header has {len(columns)}; "
                f'put a field that holds {_spoken(delimiter)} or a line break in "quotes"'
            )
    rows = [tuple[object, ...](record) for _, record in records[1:]]
    return Table(name=name, columns=columns, rows=rows, unit="line", numbers=[line for line, _ in records[1:]])


def _records(text: str, name: str, delimiter: str) -> Iterator[tuple[int, list[str]]]:
    """Each record with the line on which it starts; blank lines are left out."""
    if "\n" not in text:
        text = text.replace("\r", "\n")  # line ends of the oldest Macs, which the csv module does not know
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    line = 1
    while True:
        try:
            record = next(reader, None)
        except csv.Error as error:
            raise UnreadableFile(
                f'{name}, line {line}: {error}; close every "quote", and double a quote inside one'
            ) from error
        if record is None:
            return
        if record and (len(record) > 1 or record[0].strip()):
            yield line, record
        line = reader.line_num + 1


def _spoken(delimiter: str) -> str:
    return "a tab" if delimiter == "\t" else f"'{delimiter}'"


@contextmanager
def _fields_of_any_length() -> Iterator[None]:
    """Lift the csv module's limit of 128 KiB a field while reading: items have a limit of their own."""
    before = csv.field_size_limit(sys.maxsize)
    try:
        yield
    finally:
        csv.field_size_limit(before)
