"""Files, written whole or not at all: JSON, flat records as CSV and JSON lines, and reports by their endings."""

import csv
import io
import json
import os
import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from paragone.domain.text import harmless, whole
from paragone.errors import InvalidConfig, Unwritable
from paragone.files import swap_in


def as_json(values: object) -> str:
    """Plain values as one JSON object; numbers are not rounded."""
    return json.dumps(values, ensure_ascii=False, indent=2, allow_nan=False) + "\n"


def require_format(path: Path, formats: Iterable[str], what: str) -> None:
    """Refuse a file that could not be written, before anything is computed.

    Args:
        path: The file.
        formats: The endings that it may have.
        what: What is to be written, with its verb, such as ``a board is``.

    Raises:
        InvalidConfig: If its ending names no format.
        Unwritable: If its folder does not exist or may not be written.
    """
    if path.suffix.lower() not in formats:
        raise InvalidConfig(f"{path}: {what} written as {', '.join(formats)}; end the name in one of these")
    require_writable(path)


def require_writable(path: Path) -> None:
    """Refuse a file that could not be written, before anything is computed.

    Raises:
        Unwritable: If it is a folder, or its folder does not exist or may not be written.
    """
    folder = path.absolute().parent
    if path.is_dir():
        raise Unwritable(f"{path} cannot be written: it is a folder; name a file")
    if not folder.is_dir() or not os.access(folder, os.W_OK):
        raise Unwritable(f"{path} cannot be written: its folder must exist and be writable")


def save(content: str | bytes, path: Path) -> None:
    """Write a text or a picture beside the file and swap it in.

    Raises:
        Unwritable: If the file cannot be written.
    """
    try:
        swap_in(whole(content) if isinstance(content, str) else content, path)
    except OSError as error:
        raise Unwritable(f"{path} cannot be written: {error.strerror}") from error


FORMULA = "=+-@\N{MINUS SIGN}"
"""A text that begins with one of these is a formula to a spreadsheet, and texts are untrusted."""


def as_jsonl(records: Sequence[Mapping[str, Any]]) -> str:
    """One JSON object a line."""
    return whole("".join(json.dumps(record, ensure_ascii=False, allow_nan=False) + "\n" for record in records))


def as_csv(records: Sequence[Mapping[str, Any]], columns: Sequence[str] = ()) -> str:
    """Records under a header; texts that a spreadsheet would compute begin with ``'``.

    Args:
        records: The records, all with the same names.
        columns: Those to write; all where empty.
    """
    out = io.StringIO()
    names = columns or (list(records[0]) if records else [])
    table = csv.DictWriter(out, names, lineterminator="\n", extrasaction="ignore" if columns else "raise")
    table.writeheader()
    table.writerows(_cells(record) for record in records)
    return out.getvalue()


def write_records(records: Sequence[Mapping[str, Any]], path: Path) -> None:
    """Write records whole or not at all, as .jsonl or .csv.

    Raises:
        InvalidConfig: If the ending names neither.
        Unwritable: If the file cannot be written.
    """
    formats = {".jsonl": as_jsonl, ".csv": as_csv}
    require_format(path, formats, "records are")
    save(formats[path.suffix.lower()](records), path)


def _cells(record: Mapping[str, Any]) -> dict[str, object]:
    return {key: _cell(value) for key, value in record.items()}


def _cell(value: object) -> object:
    """A value in a CSV file: nothing that a spreadsheet or a terminal would execute; numbers unchanged.

    CSV is for people; JSON has every text verbatim.
    """
    if isinstance(value, (list, tuple, dict)):
        return harmless(json.dumps(value, ensure_ascii=False))
    if not isinstance(value, str):
        return value
    text = harmless(value)  # a lone carriage return, for example, would end the row
    return f"'{text}" if _is_formula(text) else text


def _is_formula(text: str) -> bool:
    """Whether a spreadsheet may evaluate a text: some skip blanks, and some accept full-width signs."""
    sign = text.lstrip()[:1]
    return text[:1] in ("\t", "\n") or (sign != "" and unicodedata.normalize("NFKC", sign) in FORMULA)


FORMATS = (".html", ".json", ".csv")


def require_report_file(path: Path, formats: Iterable[str] = FORMATS, what: str = "a report is") -> None:
    """Refuse the file of a report that could not be written, before anything is computed.

    Args:
        path: The file.
        formats: The endings that it may have.
        what: What is to be written, with its verb.

    Raises:
        InvalidConfig: If its ending names no format.
        Unwritable: If its folder does not exist or may not be written.
        MissingExtra: If it is HTML and plotly is not installed.
    """
    require_format(path, formats, what)
    if path.suffix.lower() == ".html":
        from paragone.presenting.page import plotly_js

        plotly_js()


def write_report(path: str | os.PathLike[str], formats: Mapping[str, Callable[[], str]], what: str) -> None:
    """Write a report whole or not at all, in the format that the file's ending names.

    Args:
        path: The file.
        formats: Makes the text of each format, by its ending.
        what: What is to be written, with its verb.

    Raises:
        InvalidConfig: If the ending names no format.
        Unwritable: If the file cannot be written.
        MissingExtra: If it is HTML and plotly is not installed.
    """
    target = Path(path)
    require_report_file(target, formats, what)
    save(formats[target.suffix.lower()](), target)
