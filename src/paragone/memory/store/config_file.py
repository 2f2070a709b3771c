"""``memory.toml``: a store's configuration, read with errors that name key and line, and written with comments."""

import json
import math
import textwrap
from collections.abc import Iterator, Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any, Literal, NoReturn, get_args, get_origin, get_type_hints

from paragone.domain.parameter import meanings, unknown
from paragone.errors import InvalidConfig
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
    made: dict[str, Any] = {name: _section(kind, values.get(name, {}), name) for name, kind in sections.items()}
    return MemoryConfig(**made)


def sections_of() -> Mapping[str, type[Any]]:
    """The class of each section of the configuration, in its order."""
    hints = get_type_hints(MemoryConfig)
    return {each.name: hints[each.name] for each in fields(MemoryConfig)}


def keys_of(kind: type[Any]) -> Mapping[str, str]:
    """The keys of a section, each with what it is and, where its values are some words, those."""
    said, hints = meanings(kind), get_type_hints(kind)
    words = {name: get_args(hint) for name, hint in hints.items() if get_origin(hint) is Literal}
    return {
        each.name: said.get(each.name, "") + (f" One of {', '.join(words[each.name])}." if each.name in words else "")
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
    if kind is not str and name not in (known := [str(each) for each in kind]):
        raise unknown("key", f"{where}.{name}", name, known)
    return kind(name)


def _plain(value: object, kind: type, where: str) -> object:
    if kind is float and isinstance(value, int) and not isinstance(value, bool):
        value = float(value)
    is_right = isinstance(value, kind) and (kind is bool or not isinstance(value, bool))
    if not is_right or (isinstance(value, float) and not math.isfinite(value)):
        _refuse(_NOUNS[kind], value, where)
    return value


def _refuse(wanted: str, value: object, where: str) -> NoReturn:
    raise InvalidConfig(f"{where} must be {wanted}, not {value!r}", key=where)


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
