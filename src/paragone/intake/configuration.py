"""Files of a tournament's parameters: TOML or JSON in, TOML out."""

import json
import re
import textwrap
import tomllib
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, TypeVar

from paragone.domain.config_values import SECTIONS, Sectioned, sectioned, system_of, values_of
from paragone.domain.parameter import Parameter, parameters
from paragone.domain.tournament_config import TournamentSystemConfig
from paragone.errors import InvalidConfig, UnreadableFile
from paragone.intake.text_file import read_text

T = TypeVar("T")
Values = Mapping[str, Any]

_WIDTH = 118


def read_configuration(path: str | Path) -> TournamentSystemConfig:
    """The parameters of a tournament from a .toml or .json file; absent ones take their defaults.

    Raises:
        UnreadableFile: If it is absent, of another kind, or cannot be parsed; the message names the line.
        InvalidConfig: If a parameter is unknown or out of its range; the message names it and, where it is in the
            file, the line.
    """
    return read_as(Path(path), system_of)


def read_sections(path: str | Path) -> Sectioned:
    """Only the parameters that a file sets, by section, each checked on its own.

    Raises:
        UnreadableFile: As for ``read_configuration``.
        InvalidConfig: As for ``read_configuration``, except for rules that involve several parameters.
    """
    return read_as(Path(path), sectioned)


def as_toml(config: TournamentSystemConfig) -> str:
    """A template with all parameters and their descriptions; those not set are commented out."""
    return "\n".join(_lines(config)) + "\n"


def read_as(path: Path, reading: Callable[[Values], T]) -> T:
    """What is made of the values of a .toml or .json file.

    Args:
        path: The file.
        reading: Makes it; the errors that it raises are given the file and the line.

    Raises:
        UnreadableFile: If it is absent, of another kind, or cannot be parsed; the message names the line.
        InvalidConfig: If ``reading`` raises it.
    """
    parsers = {".toml": parse_toml, ".json": _parse_json}
    if path.suffix.lower() not in parsers:
        raise UnreadableFile(f"{path}: parameters are read from {' and '.join(parsers)} files")
    text = read_text(path)
    values = parsers[path.suffix.lower()](path, text)
    try:
        return reading(values)
    except InvalidConfig as error:
        line = line_of(error.key, text)
        raise InvalidConfig(f"{path}{f', line {line}' if line else ''}: {error}", key=error.key) from error


def parse_toml(path: Path, text: str) -> Values:
    """Parse a TOML file.

    Raises:
        UnreadableFile: If it is not valid TOML; the message names the line.
    """
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise UnreadableFile(f"{path}: not valid TOML: {error}") from error
    except (ValueError, RecursionError) as error:
        raise UnreadableFile(f"{path}: TOML that cannot be read ({error})") from error


def _parse_json(path: Path, text: str) -> Values:
    try:
        values = json.loads(text, object_pairs_hook=_once)
    except json.JSONDecodeError as error:
        raise UnreadableFile(
            f"{path}, line {error.lineno}: not valid JSON ({error.msg} at column {error.colno})"
        ) from error
    except (ValueError, RecursionError) as error:
        raise UnreadableFile(f"{path}: JSON that cannot be read ({error})") from error
    if not isinstance(values, dict):
        raise UnreadableFile(f"{path}: expected an object of parameters, {{...}}")
    return values


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object without repeated keys: TOML refuses them itself, JSON would keep the last."""
    mapping: dict[str, Any] = {}
    for name, value in pairs:
        if name in mapping:
            raise ValueError(f"{name} is there twice")
        mapping[name] = value
    return mapping


def line_of(key: str, text: str) -> int | None:
    """The line of a parameter, from 1; None where the text does not set it.

    Neither parser keeps the lines of keys, so the section is searched for, then the name after it.
    """
    uncommented = "\n".join("" if line.lstrip().startswith("#") else line for line in text.split("\n"))
    *sections, name = key.split(".")
    start = 0
    for section in sections:
        match = _named(section).search(uncommented, start)
        start = match.start(1) if match else start
    match = _named(name).search(uncommented, start) or _named(name).search(uncommented)
    return uncommented.count("\n", 0, match.start(1)) + 1 if match and name else None


def _named(name: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![\w-])({re.escape(name)})[\"']?\s*[\].=:]")


def _lines(config: TournamentSystemConfig) -> Iterator[str]:
    yield "# The parameters of a tournament of hypotheses. What is left out has its default."
    for section, values in values_of(config).items():
        yield from ("", f"[{section}]")
        for name, value in values.items():
            yield from _entry(parameters(SECTIONS[section])[name], value)


def _entry(parameter: Parameter, value: object) -> Iterator[str]:
    meaning = f"{parameter.meaning.replace('``', '')} {parameter.words[0].upper()}{parameter.words[1:]}."
    yield from ("# " + line for line in textwrap.wrap(meaning, _WIDTH))
    yield f"# {parameter.name} =" if value is None else f"{parameter.name} = {_toml(value)}"


def _toml(value: object) -> str:
    if isinstance(value, dict):
        return f"{{ {', '.join(f'{key} = {_toml(entry)}' for key, entry in value.items())} }}"
    return json.dumps(value) if isinstance(value, str | bool) else repr(value)
