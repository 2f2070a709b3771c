"""Changes one line of a person's ``memory.toml``; comments and everything else stay as they are."""

import re
import tomllib
from pathlib import Path
from typing import Any

from paragone.errors import InvalidConfig, UnreadableFile, Unwritable
from paragone.files import swap_in

_ANY_TABLE = re.compile(r"^\s*\[")


def change(path: Path, table: str, key: str, value: str | float, *, note: str = "") -> None:
    """Have a key of a table say something from now on.

    Args:
        path: The file.
        table: The table, such as ``ratings.thresholds``; it is made at the end where there is none.
        key: The key.
        value: What it says.
        note: For the comment behind it, put on one line.

    Raises:
        UnreadableFile: If the file cannot be read, or is no TOML.
        InvalidConfig: If the file is written so that this cannot be done by one line; it stays as it was.
        Unwritable: If it cannot be written.
    """
    try:
        before = path.read_bytes().decode("utf-8")
        values = tomllib.loads(before)
    except OSError as error:
        raise UnreadableFile(f"{path} cannot be read: {error.strerror}") from error
    except ValueError as error:
        raise UnreadableFile(f"{path} is no TOML: {error}") from error
    line = setting(key, value, note)
    after = with_setting(before, table, key, line)
    expected = _expected(values, table.split("."), key, value)
    if expected is None or _values(after) != expected:
        raise InvalidConfig(f"{path} cannot be changed safely: write {setting(key, value)} under [{table}] yourself")
    try:
        swap_in(after, path, durable=True)
    except OSError as error:
        raise Unwritable(f"{path} cannot be written: {error.strerror}") from error


def setting(key: str, value: str | float, note: str = "") -> str:
    """The line that sets a key."""
    told = f'"{value}"' if isinstance(value, str) else repr(value)
    return f"{key} = {told}" + (f"  # {' '.join(note.split())}" if note else "")


def with_setting(text: str, table: str, key: str, line: str) -> str:
    """The text of a configuration with a line for a key: in its place, in that of its hint, or in a new one."""
    lines = text.removesuffix("\n").split("\n") if text else []
    begin = next((number for number, found in enumerate(lines) if _heads(found, table)), None)
    if begin is None:
        above = [text.rstrip(), ""] if text.strip() else []
        return "\n".join([*above, f"[{table}]", line]) + "\n"
    end = next((number for number in range(begin + 1, len(lines)) if _ANY_TABLE.match(lines[number])), len(lines))
    for pattern in (rf"""^\s*["']?{re.escape(key)}["']?\s*=""", rf"^\s*#\s*{re.escape(key)}\s*="):
        for number in range(begin + 1, end):
            if re.match(pattern, lines[number]):
                return "\n".join([*lines[:number], line, *lines[number + 1 :]]) + "\n"
    return "\n".join([*lines[: begin + 1], line, *lines[begin + 1 :]]) + "\n"


def _heads(line: str, table: str) -> bool:
    name = r"\s*\.\s*".join(map(re.escape, table.split(".")))
    return re.match(rf"^\s*\[\s*{name}\s*\]\s*(#.*)?$", line) is not None


def _values(text: str) -> dict[str, Any] | None:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return None


def _expected(values: dict[str, Any], table: list[str], key: str, value: str | float) -> dict[str, Any] | None:
    """What the file says with the key; None where something else has the table's name."""
    if not table:
        return {**values, key: value}
    inner = values.get(table[0], {})
    told = _expected(inner, table[1:], key, value) if isinstance(inner, dict) else None
    return None if told is None else {**values, table[0]: told}
