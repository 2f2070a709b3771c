"""Reads and writes ``memory.toml``; errors name key and line, and changing a value keeps comments."""

import json
import math
import re
import textwrap
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any, Literal, NoReturn, get_args, get_origin, get_type_hints

from paragone.domain.parameter import meanings, unknown
from paragone.errors import InvalidConfig, UnreadableFile, Unwritable
from paragone.files import swap_in
from paragone.intake.configuration import line_of, parse_toml
from paragone.intake.text_file import read_text
from paragone.memory.store.config import MemoryConfig

_WIDTH = 118
_NOUNS = {bool: "true or false", int: "a whole number", float: "a number", str: "a text"}


def read_config(path: Path) -> MemoryConfig:
    """A store's configuration; what the file leaves out has its default.

    Raises:
        UnreadableFile: If it is absent or no TOML; the message names the line.
        InvalidConfig: If a key is unknown, or its value cannot be; the message names it, and its line.
    """
    text = read_text(path)
    values = parse_toml(path, text)
    try:
        return config_of(values)
    except InvalidConfig as error:
        line = line_of(error.key, text)
        raise InvalidConfig(f"{path}{f', line {line}' if line else ''}: {error}", key=error.key) from error


def config_of(values: Mapping[str, Any]) -> MemoryConfig:
    """The configuration that plain values make, by section and key.

    Raises:
        InvalidConfig: If a section or a key is unknown, or a value cannot be.
    """
    sections = sections_of()
    for section in values:
        if section not in sections:
            raise unknown("section", section, section, sections)
    section_values: dict[str, Any] = {
        name: _section(kind, values.get(name, {}), name) for name, kind in sections.items()
    }
    return MemoryConfig(**section_values)


def sections_of() -> Mapping[str, type[Any]]:
    """The class of each section of the configuration, in its order."""
    hints = get_type_hints(MemoryConfig)
    return {each.name: hints[each.name] for each in fields(MemoryConfig)}


def keys_of(kind: type[Any]) -> Mapping[str, str]:
    """The keys of a section, each with what it is and, where its values are some words, those."""
    descriptions, hints = meanings(kind), get_type_hints(kind)
    words = {name: get_args(hint) for name, hint in hints.items() if get_origin(hint) is Literal}
    return {
        each.name: descriptions.get(each.name, "")
        + (f" One of {', '.join(words[each.name])}." if each.name in words else "")
        for each in fields(kind)
    }


def as_toml(config: MemoryConfig) -> str:
    """A configuration as a file: every key with what it is, commented out where it has its default."""
    return "\n".join(_lines(config)) + "\n"


def _section(kind: type[Any], values: object, section: str) -> object:
    if not isinstance(values, Mapping):
        raise InvalidConfig(f"{section} must be a table of keys, [{section}], not {values!r}", key=section)
    hints, defaults = get_type_hints(kind), kind()
    for name in values:
        if name not in hints:
            raise unknown("key", f"{section}.{name}", name, hints)
    settled = {}
    for name, value in values.items():
        settled[name] = _settled(value, hints[name], getattr(defaults, name), f"{section}.{name}")
    try:
        return kind(**settled)
    except InvalidConfig as error:
        raise InvalidConfig(f"{section}: {error}", key=f"{section}.{error.key}") from error


def _settled(value: object, hint: Any, default: object, where: str) -> Any:  # noqa: ANN401 - its kind of value
    """A value as its key's type has it; a table keeps the defaults of what it leaves out."""
    origin, parts = get_origin(hint), get_args(hint)
    if origin is tuple:
        if not isinstance(value, list):
            _refuse("a list of texts", value, where)
        return tuple(_settled(entry, parts[0], None, where) for entry in value)
    if isinstance(default, Mapping):
        if not isinstance(value, Mapping):
            _refuse("a table", value, where)
        keys = {name: _key(parts[0], name, where) for name in value}
        own = {keys[name]: _settled(entry, parts[1], None, f"{where}.{name}") for name, entry in value.items()}
        return {**default, **own}
    if origin is Literal:
        return value if value in parts else _refuse(" or ".join(map(repr, parts)), value, where)
    return _plain(value, hint, where)


def _key(kind: Any, name: str, where: str) -> Any:  # noqa: ANN401 - a text, or one of an enumeration
    if kind is not str and name not in (allowed := [str(each) for each in kind]):
        raise unknown("key", f"{where}.{name}", name, allowed)
    return kind(name)


def _plain(value: object, kind: type, where: str) -> object:
    if kind is float and isinstance(value, int) and not isinstance(value, bool):
        value = float(value)
    is_right = isinstance(value, kind) and (kind is bool or not isinstance(value, bool))
    if not is_right or (isinstance(value, float) and not math.isfinite(value)):
        _refuse(_NOUNS[kind], value, where)
    return value


def _refuse(expected: str, value: object, where: str) -> NoReturn:
    raise InvalidConfig(f"{where} must be {expected}, not {value!r}", key=where)


def _lines(config: MemoryConfig) -> Iterator[str]:
    yield "# What this store is configured to do. What is left out, or commented out, has its default, which is shown."
    for section, kind in sections_of().items():
        yield from ("", f"[{section}]")
        own, default = getattr(config, section), kind()
        for name, meaning in keys_of(kind).items():
            yield from ("# " + line for line in textwrap.wrap(meaning.replace("``", ""), _WIDTH))
            value = getattr(own, name)
            mark = "# " if value == getattr(default, name) else ""
            yield f"{mark}{name} = {toml_value(value)}"


def toml_value(value: object) -> str:
    """A value of a configuration in TOML, on one line."""
    if isinstance(value, Mapping):
        inner = ", ".join(f"{toml_value(str(key))} = {toml_value(entry)}" for key, entry in value.items())
        return f"{{ {inner} }}" if inner else "{}"
    if isinstance(value, tuple):
        return f"[{', '.join(map(toml_value, value))}]"
    if isinstance(value, str | bool):
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    return repr(value)


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
    literal = f'"{value}"' if isinstance(value, str) else repr(value)
    return f"{key} = {literal}" + (f"  # {' '.join(note.split())}" if note else "")


def with_setting(text: str, table: str, key: str, line: str) -> str:
    """The text of a configuration with a line for a key: in its place, in that of its hint, or in a new one."""
    lines = text.removesuffix("\n").split("\n") if text else []
    begin = next((number for number, row in enumerate(lines) if _heads(row, table)), None)
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
    nested = _expected(inner, table[1:], key, value) if isinstance(inner, dict) else None
    return None if nested is None else {**values, table[0]: nested}
