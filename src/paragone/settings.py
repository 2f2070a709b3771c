"""Settings from the environment; the only module that reads it.

Each setting is a variable ``PARAGONE_<NAME>``. Keys of model providers are not settings: the providers' own libraries
read them.
"""

import json
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from paragone.domain.parameter import Bounds, Count, Positive, parameters
from paragone.errors import InvalidConfig
from paragone.tournaments.call_options import CallOptions

if TYPE_CHECKING:
    from paragone.domain.system_values import Sectioned
    from paragone.domain.tournament_config import TournamentSystemConfig

PREFIX = "PARAGONE_"
TOURNAMENT = "PARAGONE_TOURNAMENT"
"""Sets parameters of tournaments: one variable for each, ``PARAGONE_TOURNAMENT__SECTION__NAME``, or a JSON object."""

_CALLS = CallOptions()


@dataclass(frozen=True, kw_only=True, slots=True)
class Settings:
    """Defaults from the environment; an option on the command line overrides them.

    Attributes:
        db: The ledger: a file or a URL.
        judge: The judge; `paragone judges` lists them.
        concurrency: Judge calls at the same time.
        timeout: Seconds that a call may take.
        attempts: Attempts before a call counts as failed.
        patience: Seconds to wait for a ledger that cannot be written.
        spool: Folder for the file that keeps answers meanwhile.
    """

    db: str = field(default="paragone.db", repr=False)  # a URL may hold a password
    judge: str | None = None
    concurrency: Count = _CALLS.concurrency
    timeout: Positive = _CALLS.timeout
    attempts: Count = _CALLS.attempts
    patience: Annotated[float, Bounds(least=0)] = _CALLS.patience
    spool: str | None = None


def environment() -> Mapping[str, str]:
    """The environment's variables, for callers that need to know which are set."""
    return os.environ


@cache
def settings() -> Settings:
    """The settings, read once.

    Raises:
        InvalidConfig: Naming the variable that is wrong.
    """
    texts = {name.upper(): text for name, text in os.environ.items()}
    values = {
        name: parameter.settled(texts[variable], f"environment variable {variable}", text=True)
        for name, parameter in parameters(Settings).items()
        if (variable := PREFIX + name.upper()) in texts
    }
    return Settings(**values)


def tournament_system(file: str | Path | None = None, **values: Any) -> "TournamentSystemConfig":  # noqa: ANN401 - plain values
    """The parameters of a tournament of hypotheses: from the arguments, else a file, else the environment.

    Args:
        file: A .toml or .json file of parameters.
        values: Parameters by section or by bare name, as ``system_of`` takes them; None counts as not given.

    Raises:
        UnreadableFile: If the file cannot be read.
        InvalidConfig: Naming the parameter that is wrong, and the file and line or the variable that sets it.
    """
    from paragone.domain.system_values import merged, sectioned, system_of
    from paragone.intake.configuration import read_sections

    layers = [_from_environment()]
    if file is not None:
        layers.append(read_sections(file))
    layers.append(sectioned({name: value for name, value in values.items() if value is not None}))
    return system_of(merged(*layers))


def assigned(assignments: Iterable[str]) -> "Sectioned":
    """Parameters by section, from texts like ``scheduling.matches_per_round=20`` or ``k_factor=24``.

    Raises:
        InvalidConfig: If one is no assignment, or its parameter is unknown or out of range.
    """
    from paragone.domain.system_values import merged, sectioned

    layers = []
    for assignment in assignments:
        name, sign, value = assignment.partition("=")
        if not sign or not name.strip():
            raise InvalidConfig(f"a parameter is set as NAME=VALUE, not {assignment!r}")
        layers.append(sectioned(_nested(name.strip().split("."), value.strip()), text=True))
    return merged(*layers)


def _nested(path: list[str], value: str) -> dict[str, Any]:
    first, *rest = path
    return {first: _nested(rest, value) if rest else value}


def _from_environment() -> "Sectioned":
    from paragone.domain.system_values import sectioned

    try:
        return sectioned(_tournament_values(), text=True)
    except InvalidConfig as error:
        path = error.key.upper().split(".") if error.key else ()
        raise InvalidConfig(f"environment variable {'__'.join([TOURNAMENT, *path])}: {error}", key=error.key) from error


def _tournament_values() -> dict[str, Any]:
    """The parameters that the environment sets, as nested tables with names in lower case."""
    texts = {name.upper(): text for name, text in os.environ.items() if name.upper().startswith(TOURNAMENT)}
    values = _object(texts.pop(TOURNAMENT, "{}"))
    for variable, text in sorted(texts.items()):
        marker, *path, name = variable.lower().split("__")
        if marker != TOURNAMENT.lower():
            continue
        table = values
        for key in path:
            table = table.setdefault(key, {})
        table[name] = text
    return values


def _object(text: str) -> dict[str, Any]:
    """All parameters in one variable, as a JSON object.

    Raises:
        InvalidConfig: If it is none.
    """
    try:
        values = json.loads(text)
    except ValueError:
        values = None
    if not isinstance(values, dict):
        raise InvalidConfig("it must be a JSON object; or set parameters one at a time, as __SECTION__NAME")
    return values
