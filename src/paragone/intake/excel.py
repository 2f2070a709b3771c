"""Tables in .xlsx files: the first sheet that holds anything."""

import io
from collections.abc import Sequence
from pathlib import Path

from paragone.errors import MissingExtra, UnreadableFile
from paragone.intake.cell import as_text, is_missing
from paragone.intake.table import Table
from paragone.intake.text_file import read_bytes


def read_excel(path: Path) -> Table:
    """A table from the first sheet of a .xlsx file that is not empty; its first row that is not blank is the header.

    Raises:
        UnreadableFile: If it is absent, empty, truncated, or no spreadsheet.
        MissingExtra: If python-calamine is not installed.
    """
    try:
        import python_calamine as calamine
    except ImportError as error:
        raise MissingExtra(
            f"{path}: reading spreadsheets needs python-calamine; pip install 'paragone[excel]', or save it as CSV"
        ) from error
    content = read_bytes(path)
    try:
        book = calamine.CalamineWorkbook.from_object(io.BytesIO(content))
        sheets = ((name, book.get_sheet_by_name(name).to_python(skip_empty_area=False)) for name in book.sheet_names)
        name, rows = next(((name, rows) for name, rows in sheets if _numbered(rows)), ("", []))
    except (calamine.CalamineError, OSError) as error:
        raise UnreadableFile(f"{path} is not a whole spreadsheet ({error}); save it again, or as CSV") from error
    if not rows:
        raise UnreadableFile(f"{path} is empty; it needs a header row and rows")
    return _table(f"{path}, sheet {name!r}", _numbered(rows))


def _numbered(rows: Sequence[Sequence[object]]) -> list[tuple[int, Sequence[object]]]:
    """The rows that hold anything, with their numbers in the sheet."""
    return [(number, row) for number, row in enumerate(rows, 1) if not all(map(is_missing, row))]


def _table(name: str, rows: Sequence[tuple[int, Sequence[object]]]) -> Table:
    (_, header), *rest = rows
    names = ["" if is_missing(cell) else (as_text(cell) or str(cell)) for cell in header]
    width = max(place for place, text in enumerate(names, 1) if text)
    for number, row in rest:
        if not all(map(is_missing, row[width:])):
            raise UnreadableFile(f"{name}, row {number}: a cell lies beyond the last name of the header")
    cells = [tuple(None if is_missing(cell) else cell for cell in row[:width]) for _, row in rest]
    return Table(
        name=name, columns=tuple(names[:width]), rows=cells, unit="row", numbers=[number for number, _ in rest]
    )
