"""Tables in .json and .jsonl files."""

import json
from collections.abc import Mapping
from pathlib import Path

from paragone.errors import UnreadableFile
from paragone.intake.table import Table
from paragone.intake.text_file import read_text


def read_json_lines(path: Path, encoding: str | None = None) -> Table:
    """A table from a .jsonl file: one object a line; blank lines are left out.

    Raises:
        UnreadableFile: If it cannot be read, is empty, or a line is not a whole JSON object.
    """
    lines = [(number, line) for number, line in enumerate(read_text(path, encoding).split("\n"), 1) if line.strip()]
    if not lines:
        raise UnreadableFile(f"{path} is empty; it needs one JSON object a line")
    records = ((number, parse_line(line, f"{path}, line {number}")) for number, line in lines)
    return Table.of_records(records, name=str(path), unit="line")


def read_json(path: Path, encoding: str | None = None) -> Table:
    """A table from a .json file: an array of objects.

    Raises:
        UnreadableFile: If it cannot be read, is empty, is not whole JSON, or is not an array of objects.
    """
    text = read_text(path, encoding)
    if not text.strip():
        raise UnreadableFile(f"{path} is empty; it needs a JSON array of objects")
    value = _parsed(text, str(path))
    if not isinstance(value, list):
        raise UnreadableFile(f"{path} holds {_kind(value)}; it needs a JSON array of objects")
    records = ((number, _checked(entry, f"{path}, entry {number}")) for number, entry in enumerate(value, 1))
    return Table.of_records(records, name=str(path), unit="entry")


def parse_line(line: str, where: str) -> Mapping[str, object]:
    """The object that a line of a .jsonl file holds; ``where`` names the line in messages.

    Raises:
        UnreadableFile: If it is not a whole JSON object.
    """
    return _checked(_parsed(line, where), where)


def _checked(value: object, where: str) -> Mapping[str, object]:
    if not isinstance(value, dict):
        raise UnreadableFile(f"{where}: {_kind(value)} where an object like {{...}} is wanted")
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
