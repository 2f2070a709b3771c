"""Settings from the environment; the only module that reads it.

Each setting is a variable ``PARAGONE_<NAME>``. Keys of model providers are not settings: the providers' own libraries
read them, so that they pass through nothing of ours.
"""

import os
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from pydantic import Field, ValidationError
from pydantic_settings import BaseSettings, SettingsConfigDict

from paragone.domain.system_values import Sectioned, merged, sectioned, system_of
from paragone.domain.tournament_config import TournamentSystemConfig
from paragone.errors import InvalidConfig


class Settings(BaseSettings):
    """What the environment may set; an option on the command line goes before it.

    Attributes:
        db: File or URL of the ledger.
        judge: Judge spec for commands that need one.
        concurrency: Judge calls at once.
        timeout: Seconds a call may take.
        attempts: Tries a call before it counts as failed.
        patience: Seconds that a run waits for a ledger that cannot be written.
        spool: Folder for the file in which answers wait meanwhile.
        tournament: Parameters of tournaments of hypotheses, as ``PARAGONE_TOURNAMENT__SECTION__NAME``.
    """

    model_config = SettingsConfigDict(
        env_prefix="PARAGONE_", env_nested_delimiter="__", env_ignore_empty=False, frozen=True, extra="ignore"
    )

    db: str = Field(default="paragone.db", min_length=1, repr=False)  # a URL may hold a password
    judge: str | None = None
    concurrency: int = Field(default=8, ge=1)
    timeout: float = Field(default=300.0, gt=0)
    attempts: int = Field(default=3, ge=1)
    patience: float = Field(default=120.0, ge=0)
    spool: Path | None = None
    tournament: dict[str, Any] | None = None


def environment() -> Mapping[str, str]:
    """The environment's variables, for those who must know which are there."""
    return os.environ


@cache
def settings() -> Settings:
    """The settings, read once.

    Raises:
        InvalidConfig: Naming the variable that is wrong.
    """
    try:
        return Settings()
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        name = "_".join(str(part) for part in first["loc"]).upper()
        raise InvalidConfig(f"environment variable PARAGONE_{name}: {first['msg'].lower()}") from None


def tournament_system(file: str | Path | None = None, **said: Any) -> TournamentSystemConfig:  # noqa: ANN401 - plain values
    """The parameters of a tournament of hypotheses: what is said here, else in a file, else in the environment.

    Args:
        file: A .toml or .json file of parameters.
        said: Parameters by section or by bare name, as ``system_of`` takes them; None is not said.

    Raises:
        UnreadableFile: If the file cannot be read.
        InvalidConfig: Naming the parameter that is wrong, and the file and line or the variable that says it.
    """
    from paragone.intake.configuration import read_sections

    layers = [_from_environment()]
    if file is not None:
        layers.append(read_sections(file))
    layers.append(sectioned({name: value for name, value in said.items() if value is not None}))
    return system_of(merged(*layers))


def assigned(assignments: Iterable[str]) -> Sectioned:
    """Parameters by section, from texts like ``scheduling.matches_per_round=20`` or ``k_factor=24``.

    Raises:
        InvalidConfig: If one is no assignment, or its parameter is unknown or out of its range.
    """
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


def _from_environment() -> Sectioned:
    found = settings().tournament or {}
    try:
        return sectioned(found, text=True)
    except InvalidConfig as error:
        variable = "__".join(["PARAGONE_TOURNAMENT", *error.key.upper().split(".")])
        raise InvalidConfig(f"environment variable {variable}: {error}", key=error.key) from error
