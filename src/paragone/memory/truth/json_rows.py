"""JSON lines that people and programs write: each an object, errors with the file and the line."""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path

from paragone.errors import InvalidRecord, UnreadableFile

Row = Mapping[str, object]


def objects(path: Path) -> Iterator[tuple[str, Row]]:
    """Each object of a file with where it stands, as ``FILE:LINE``; empty lines are passed over.

    Raises:
        UnreadableFile: If the file is absent or no UTF-8.
        InvalidRecord: If a line is no JSON object.
    """
    try:
        text = path.read_text("utf-8-sig")
    except OSError as error:
        raise UnreadableFile(f"{path} cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise UnreadableFile(f"{path} is not written in UTF-8 ({error.reason} at byte {error.start})") from error
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip():
            yield f"{path}:{number}", _object(line, f"{path}:{number}")


def text_in(row: Row, name: str, where: str, *, default: str | None = None) -> str:
    """A text of an object.

    Raises:
        InvalidRecord: If it is not there and has no default, or is none.
    """
    value = row.get(name, default)
    if not isinstance(value, str) or (default is None and not value.strip()):
        raise InvalidRecord(f'{where}: "{name}" must be a text')
    return value


def _object(line: str, where: str) -> Row:
    try:
        row = json.loads(line)
    except ValueError as error:
        raise InvalidRecord(f"{where} is no JSON: {error}") from error
    except RecursionError as error:
        raise InvalidRecord(f"{where} is nested too deeply") from error
    if not isinstance(row, dict):
        raise InvalidRecord(f"{where} is no JSON object")
    return row
