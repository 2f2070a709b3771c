"""Read tables from files (CSV, JSON, Excel, Parquet), data frames and mappings.

``READERS`` has a function for each kind of file. What other tools export is told apart in ``tool_exports``.
"""

import csv
import io
import json
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from paragone import extras
from paragone.errors import ParagoneError, UnreadableFile
from paragone.intake.table import InputTable, as_text, is_frame, is_missing, read_frame
from paragone.intake.text_file import display_name, read_bytes, read_text
from paragone.plugins import Registry, require_callable


def read_parquet(path: Path) -> InputTable:
    """A table from a .parquet file.

    Raises:
        UnreadableFile: If it is absent, truncated, or not Parquet.
        MissingExtra: If pyarrow is not installed.
    """
    pa, parquet = _pyarrow(path)
    content = read_bytes(path)
    if not content:
        raise UnreadableFile(f"{display_name(path)} is empty")
    try:
        frame = parquet.ParquetFile(pa.BufferReader(content)).read()  # parquet.read_table would load pandas, too
        rows = list(zip(*(column.to_pylist() for column in frame.columns), strict=True))
    except (pa.ArrowException, OSError) as error:
        raise UnreadableFile(f"{display_name(path)} is not a whole Parquet file ({error}); write it again") from error
    return InputTable(
        name=display_name(path),
        columns=tuple(frame.column_names),
        rows=rows,
        unit="row",
        numbers=range(1, len(rows) + 1),
    )


def read_parquet_batches(path: Path, size: int) -> Iterator[InputTable]:
    """The table of a .parquet file in parts of ``size`` rows, read as they are asked for.

    Raises:
        UnreadableFile: If it is absent, truncated, or not Parquet.
        MissingExtra: If pyarrow is not installed.
    """
    with reading_parquet(path) as file:
        first = 1
        for rows, columns in _batches(file, size):
            numbers = range(first, first + len(rows))
            yield InputTable(name=display_name(path), columns=columns, rows=rows, unit="row", numbers=numbers)
            first += len(rows)


@contextmanager
def reading_parquet(path: Path, *, dictionaries: Sequence[str] = ()) -> Iterator[Any]:
    """An open .parquet file, as pyarrow has it.

    Args:
        path: The file.
        dictionaries: Columns of texts that are to be read as numbers of their different texts.

    Raises:
        UnreadableFile: If it is absent, truncated, or not Parquet, also while it is read.
        MissingExtra: If pyarrow is not installed.
    """
    pa, parquet = _pyarrow(path)
    try:
        with parquet.ParquetFile(path, read_dictionary=list(dictionaries)) as file:
            yield file
    except FileNotFoundError as error:
        raise UnreadableFile(f"{path}: no such file") from error
    except IsADirectoryError as error:
        raise UnreadableFile(f"{path} is a folder; expected a file") from error
    except (pa.ArrowException, OSError) as error:
        raise UnreadableFile(f"{display_name(path)} is not a whole Parquet file ({error}); write it again") from error


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
    with extras.importing(f"{path}: reading Parquet needs", "pyarrow"):
        import pyarrow as pa
        from pyarrow import parquet
    return pa, parquet


def read_excel(path: Path) -> InputTable:
    """A table from the first sheet of a .xlsx file that is not empty; its first row that is not blank is the header.

    Raises:
        UnreadableFile: If it is absent, empty, truncated, or no spreadsheet.
        MissingExtra: If python-calamine is not installed.
    """
    with extras.importing(f"{path}: reading spreadsheets needs", "python-calamine", instead=", or save it as CSV"):
        import python_calamine as calamine
    content = read_bytes(path)
    try:
        book = calamine.CalamineWorkbook.from_object(io.BytesIO(content))
        sheets = ((name, book.get_sheet_by_name(name).to_python(skip_empty_area=False)) for name in book.sheet_names)
        name, rows = next(((name, rows) for name, rows in sheets if _numbered(rows)), ("", []))
    except (calamine.CalamineError, OSError) as error:
        raise UnreadableFile(
            f"{display_name(path)} is not a whole spreadsheet ({error}); save it again, or as CSV"
        ) from error
    if not rows:
        raise UnreadableFile(f"{display_name(path)} is empty; it needs a header row and rows")
    return _table(f"{display_name(path)}, sheet {name!r}", _numbered(rows))


def _numbered(rows: Sequence[Sequence[object]]) -> list[tuple[int, Sequence[object]]]:
    """The rows that hold anything, with their numbers in the sheet."""
    return [(number, row) for number, row in enumerate(rows, 1) if not all(map(is_missing, row))]


def _table(name: str, rows: Sequence[tuple[int, Sequence[object]]]) -> InputTable:
    (_, header), *rest = rows
    names = ["" if is_missing(cell) else (as_text(cell) or str(cell)) for cell in header]
    width = max(position for position, text in enumerate(names, 1) if text)
    for number, row in rest:
        if not all(map(is_missing, row[width:])):
            raise UnreadableFile(f"{name}, row {number}: a cell lies beyond the last name of the header")
    cells = [tuple(None if is_missing(cell) else cell for cell in row[:width]) for _, row in rest]
    return InputTable(
        name=name, columns=tuple(names[:width]), rows=cells, unit="row", numbers=[number for number, _ in rest]
    )


def read_json_lines(path: Path, encoding: str | None = None) -> InputTable:
    """A table from a .jsonl file: one object a line; blank lines are left out.

    Raises:
        UnreadableFile: If it cannot be read, is empty, or a line is not a whole JSON object.
    """
    name = display_name(path)
    lines = [(number, line) for number, line in enumerate(read_text(path, encoding).split("\n"), 1) if line.strip()]
    if not lines:
        raise UnreadableFile(f"{name} is empty; it needs one JSON object a line")
    records = ((number, parse_line(line, f"{name}, line {number}")) for number, line in lines)
    return InputTable.of_records(records, name=name, unit="line")


def read_json(path: Path, encoding: str | None = None) -> InputTable:
    """A table from a .json file: an array of objects or texts, alone or as the only array in an object.

    Raises:
        UnreadableFile: If it cannot be read, is empty, is not complete JSON, or is not an array of objects.
    """
    name = display_name(path)
    text = read_text(path, encoding)
    if not text.strip():
        raise UnreadableFile(f"{name} is empty; it needs a JSON array of objects")
    value = _parsed(text, name)
    if isinstance(value, dict):
        arrays = [each for each in value.values() if isinstance(each, list)]
        value = arrays[0] if len(arrays) == 1 and all(isinstance(each, dict) for each in arrays[0]) else value
    if not isinstance(value, list):
        raise UnreadableFile(f"{name} holds {_kind(value)}; it needs a JSON array of objects")
    records = ((number, _checked(entry, f"{name}, entry {number}")) for number, entry in enumerate(value, 1))
    return InputTable.of_records(records, name=name, unit="entry")


def parse_line(line: str, where: str) -> Mapping[str, object]:
    """The object that a line of a .jsonl file holds, or its text; ``where`` names the line in messages.

    Raises:
        UnreadableFile: If it is not a whole JSON object.
    """
    return _checked(_parsed(line, where), where)


def _checked(value: object, where: str) -> Mapping[str, object]:
    if isinstance(value, str):
        return {"text": value}
    if not isinstance(value, dict):
        raise UnreadableFile(f"{where}: {_kind(value)}; expected an object like {{...}}")
    return value


def _parsed(text: str, where: str) -> object:
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        inside = f", line {error.lineno}" if "\n" in text.strip() else ""
        raise UnreadableFile(
            f"{where}{inside}: not valid JSON ({error.msg} at column {error.colno}); is the file whole?"
        ) from error
    except (ValueError, RecursionError) as error:
        raise UnreadableFile(f"{where}: JSON that cannot be read ({error})") from error


def _kind(value: object) -> str:
    names = {dict: "an object", list: "an array", str: "a string", bool: "a truth value", type(None): "null"}
    return names.get(type(value), "a number")


_DELIMITERS = (",", ";", "\t", "|")
_SEPARATOR_LINE = ["sep=", ""]
"""The line that names the delimiter, such as ``sep=;``, which some files have for Excel above the header."""


def read_csv(path: Path, encoding: str | None = None) -> InputTable:
    """A table from a .csv file; the delimiter is the one of ``, ; |`` and tab that divides its header best.

    Raises:
        UnreadableFile: If it cannot be read, is empty, has a quote that is never closed, or rows of unequal length.
    """
    text = read_text(path, encoding)
    return parse_delimited(text, name=display_name(path), delimiter=sniff(text))


def read_tsv(path: Path, encoding: str | None = None) -> InputTable:
    """A table from a .tsv file.

    Raises:
        UnreadableFile: As for `read_csv`.
    """
    return parse_delimited(read_text(path, encoding), name=display_name(path), delimiter="\t")


def sniff(text: str) -> str:
    """The delimiter that divides the header into the most fields; a comma where none divides it."""
    header = next((line for line in text.splitlines() if line.strip()), "")
    return max(_DELIMITERS, key=lambda delimiter: len(next(csv.reader([header], delimiter=delimiter), [])))


def parse_delimited(text: str, *, name: str, delimiter: str) -> InputTable:
    """A table from delimited text whose first line that is not blank is the header.

    Raises:
        UnreadableFile: If it is empty, has a quote that is never closed, or rows of unequal length.
    """
    if "\n" not in text:
        text = text.replace("\r", "\n")  # line ends of the oldest Macs, which the csv module does not know
    lines = DelimitedLines(io.StringIO(text, newline=""), name=name, delimiter=delimiter)
    records = list(lines.rows())
    return InputTable(
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
            if header is not None and header[1] == _SEPARATOR_LINE:
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
                    remedy = (
                        f"leave {self.columns[0]!r} out if it stands above the names of the columns"
                        if width == 1
                        else f'put a field that holds {_spoken(self._delimiter)} or a line break in "quotes"'
                    )
                    raise UnreadableFile(
                        f"{self._name}, line {line}: {len(record)} fields where the header has {width}; {remedy}"
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
        if any(map(str.strip, record)):
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


TEXTS: Mapping[str, Callable[[Path, str | None], InputTable]] = {
    ".csv": read_csv,
    ".tsv": read_tsv,
    ".jsonl": read_json_lines,
    ".json": read_json,
}
"""Kinds of files that are text, in some encoding."""


def read_rows(path: Path, read: Callable[[Path], Iterable[Mapping[str, object]]]) -> InputTable:
    """A table from a file that a function makes rows of.

    Raises:
        UnreadableFile: If it is absent or empty, or the function fails.
    """
    if not path.is_file():
        raise UnreadableFile(f"{path}: no such file")
    try:
        rows = [(number, _mapping(row, str(path), number)) for number, row in enumerate(read(path), 1)]
    except ParagoneError:
        raise
    except Exception as error:  # a plugin's reader may raise anything
        raise UnreadableFile(
            f"{path}: the plugin for {path.suffix} files cannot read it ({type(error).__name__}: {error})"
        ) from error
    if not rows:
        raise UnreadableFile(f"{display_name(path)} is empty; it needs rows")
    return InputTable.of_records(rows, name=display_name(path), unit="row")


def _of_plugin(ending: str, read: object) -> Callable[[Path, str | None], InputTable]:
    require_callable(ending, read)
    return lambda path, _: read_rows(path, read)  # type: ignore[arg-type]


_PACKED = frozenset({".gz", ".bz2", ".xz", ".zst", ".zip", ".7z", ".tar", ".tgz"})
READERS: Registry[Callable[[Path, str | None], InputTable]] = Registry(
    "readers",
    {**TEXTS, ".parquet": lambda path, _: read_parquet(path), ".xlsx": lambda path, _: read_excel(path)},
    _of_plugin,
    reserved=frozenset({"txt", "zip", "eval", "toml"}),
    prefix=".",
)
"""What reads files of an ending as tables."""


def read_table(path: str | Path, encoding: str | None = None) -> InputTable:
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
        raise UnreadableFile(f"{path} is a folder; expected a file: {', '.join(READERS)}")
    if reader is None:
        kind = f"files of kind {path.suffix}" if path.suffix else "files without an extension"
        remedy = "unpack it first" if path.suffix.lower() in _PACKED else f"known are {', '.join(READERS)}"
        raise UnreadableFile(f"{display_name(path)}: {kind} cannot be read as tables; {remedy}")
    return reader(path, encoding)


def refuse_content(source: object, *, name: str) -> None:
    """Refuse what a file holds where its path should be.

    Raises:
        UnreadableFile: If it is an open file, bytes or a text of several lines.
    """
    if hasattr(source, "read"):
        kind = "an open file"
    elif isinstance(source, bytes | bytearray):
        kind = "bytes"
    elif isinstance(source, str) and "\n" in source:
        kind = "a text of several lines"
    else:
        return
    raise UnreadableFile(
        f"{name}: {kind} where a path should be; give the path, or rows as a data frame or mappings (csv.DictReader)"
    )


def tabulate(source: object, *, name: str, encoding: str | None = None) -> InputTable:
    """A table from a path, a data frame, a mapping of columns, or a collection of mappings.

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
        return InputTable.of_records(
            ((number, _mapping(entry, name, number)) for number, entry in enumerate(source, 1)), name=name, unit="entry"
        )
    if isinstance(source, Mapping) and all(isinstance(cells, list | tuple) for cells in source.values()):
        return _of_columns({str(column): cells for column, cells in source.items()}, name)
    raise UnreadableFile(f"{name}: expected a path, a data frame or a list of mappings, not {type(source).__name__}")


def _of_columns(columns: Mapping[str, Sequence[object]], name: str) -> InputTable:
    lengths = {column: len(cells) for column, cells in columns.items()}
    if len(set(lengths.values())) > 1:
        raise UnreadableFile(f"{name}: columns of different lengths: {lengths}")
    rows = list(zip(*columns.values(), strict=True))
    return InputTable(name=name, columns=tuple(columns), rows=rows, unit="row", numbers=range(1, len(rows) + 1))


def _mapping(entry: object, name: str, number: int) -> Mapping[str, object]:
    if not isinstance(entry, Mapping):
        raise UnreadableFile(f"{name}, entry {number}: expected a mapping, not {type(entry).__name__}")
    return {str(key): value for key, value in entry.items()}
