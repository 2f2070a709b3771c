"""Tables in .csv and .tsv files."""

import csv
import io
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from paragone.errors import UnreadableFile
from paragone.intake.table import Table
from paragone.intake.text_file import read_text

_DELIMITERS = (",", ";", "\t", "|")


def read_csv(path: Path, encoding: str | None = None) -> Table:
    """A table from a .csv file; the delimiter is the one of ``, ; |`` and tab that divides its header best.

    Raises:
        UnreadableFile: If it cannot be read, is empty, has a quote that is never closed, or rows of unequal length.
    """
    text = read_text(path, encoding)
    return parse_delimited(text, name=str(path), delimiter=sniff(text))


def read_tsv(path: Path, encoding: str | None = None) -> Table:
    """A table from a .tsv file.

    Raises:
        UnreadableFile: As for `read_csv`.
    """
    return parse_delimited(read_text(path, encoding), name=str(path), delimiter="\t")


def sniff(text: str) -> str:
    """The delimiter that divides the header into the most fields; a comma where none divides it."""
    header = next((line for line in text.splitlines() if line.strip()), "")
    return max(_DELIMITERS, key=lambda delimiter: len(next(csv.reader([header], delimiter=delimiter), [])))


def parse_delimited(text: str, *, name: str, delimiter: str) -> Table:
    """A table from delimited text whose first line that is not blank is the header.

    Raises:
        UnreadableFile: If it is empty, has a quote that is never closed, or rows of unequal length.
    """
    if "\n" not in text:
        text = text.replace("\r", "\n")  # line ends of the oldest Macs, which the csv module does not know
    lines = DelimitedLines(io.StringIO(text, newline=""), name=name, delimiter=delimiter)
    records = list(lines.rows())
    return Table(
        name=name,
        columns=lines.columns,
        rows=[row for _, row in records],
        unit="line",
        numbers=[number for number, _ in records],
        delimited=True,
    )


class DelimitedLines:
    """Delimited text, read one row after the other.

    Args:
        lines: The text, with the line ends as they are.
        name: What to call it in messages.
        delimiter: What divides fields.

    Attributes:
        columns: The names in the header, the first line that is not blank; blank names at its end are left out.

    Raises:
        UnreadableFile: If it is empty.
    """

    def __init__(self, lines: Iterable[str], *, name: str, delimiter: str) -> None:
        self._name = name
        self._delimiter = delimiter
        self._records = _records(lines, name, delimiter)
        with _fields_of_any_length():
            header = next(self._records, None)
        if header is None:
            raise UnreadableFile(f"{name} is empty; it needs a header line and rows")
        self.columns = tuple(cell.strip() for cell in _without_blank_end(header[1], 0))

    def rows(self) -> Iterator[tuple[int, tuple[object, ...]]]:
        """Each row that is left with the line on which it starts; blank lines and rows are left out.

        Raises:
            UnreadableFile: If a quote is never closed, or a row has not as many fields as the header, blank ones at its
                end not counted.
        """
        width = len(self.columns)
        with _fields_of_any_length():
            for line, cells in self._records:
                record = _without_blank_end(cells, width)
                if len(record) != width:
                    raise UnreadableFile(
                        f"{self._name}, line {line}: {len(record)} fields where the header has {width}; "
                        f'put a field that holds {_spoken(self._delimiter)} or a line break in "quotes"'
                    )
                yield line, tuple(record)


def _records(lines: Iterable[str], name: str, delimiter: str) -> Iterator[tuple[int, list[str]]]:
    """Each record with the line on which it starts; those that hold nothing are left out."""
    reader = csv.reader(lines, delimiter=delimiter, strict=True)
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
        if any(cell.strip() for cell in record):
            yield line, record
        line = reader.line_num + 1


def _without_blank_end(record: list[str], least: int) -> list[str]:
    """A record without the blank fields at its end, which spreadsheets write; ``least`` fields are kept."""
    end = len(record)
    while end > least and not record[end - 1].strip():
        end -= 1
    return record[:end]


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
