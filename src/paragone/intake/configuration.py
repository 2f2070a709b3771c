"""Files of a tournament's parameters: TOML or JSON in, TOML out."""

import json
import textwrap
from collections.abc import Iterator
from pathlib import Path

from paragone.domain.config_values import SECTIONS, Sectioned, sectioned, system_of, values_of
from paragone.domain.parameter import Parameter, parameters
from paragone.domain.tournament_config import TournamentSystemConfig
from paragone.intake.text_file import read_as

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
