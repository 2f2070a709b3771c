"""Settings from the environment, which no other module reads, and from files called ``paragone.toml``.

Each setting is a variable ``PARAGONE_<NAME>``, or ``<name>`` in a file. Keys of model providers are not settings: the
providers' own libraries read them.
"""

import json
import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from paragone.domain.parameter import Bounds, Count, Positive, parameters, unknown
from paragone.errors import InvalidConfig
from paragone.judges.call_options import CallOptions

if TYPE_CHECKING:
    from paragone.domain.config_values import Sectioned
    from paragone.domain.tournament_config import TournamentSystemConfig

PREFIX = "PARAGONE_"
TOURNAMENT = "PARAGONE_TOURNAMENT"
"""Sets parameters of tournaments: one variable for each, ``PARAGONE_TOURNAMENT__SECTION__NAME``, or a JSON object."""

CONFIG = "PARAGONE_CONFIG"
"""Names the one file to read in place of those in the usual places; empty for none."""
FILE = "paragone.toml"
_TABLE = "tournament"
_HARMFUL = (
    ("judge", ("python:", "command:"), "runs a program"),
    ("judge", ("@",), "sends texts and keys to an address"),
    ("db", ("postgres",), "sends texts to a server"),
)
"""Settings that hold a mark, and what they then do: a folder that came from elsewhere may have its file in it."""

_CALLS = CallOptions()


@dataclass(frozen=True, kw_only=True, slots=True)
class Settings:
    """Defaults from the environment and from files; an option on the command line overrides them.

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


@dataclass(frozen=True, kw_only=True, slots=True)
class SettingReport:
    """A setting, and what sets it.

    Attributes:
        name: Its name.
        value: Its value; a password in it is left out.
        source: The variable or the file that sets it; empty for its default.
    """

    name: str
    value: str | float | None
    source: str


@cache
def settings() -> Settings:
    """The settings, read once.

    Raises:
        InvalidConfig: Naming the variable, or the file and line, that is wrong.
        UnreadableFile: If a file cannot be read.
    """
    return Settings(**{name: value for name, (value, _) in _set().items()})


def setting_reports() -> tuple[SettingReport, ...]:
    """Every setting with what sets it.

    Raises:
        InvalidConfig: As for ``settings``.
        UnreadableFile: As for ``settings``.
    """
    from paragone.ledger.databases.dialects import without_password

    sources, values = _set(), settings()

    def report(name: str) -> SettingReport:
        value = getattr(values, name)
        displayed = without_password(value) if name == "db" else value
        return SettingReport(name=name, value=displayed, source=sources[name][1] if name in sources else "")

    return tuple(map(report, parameters(Settings)))


def user_file() -> Path:
    """The file of the user's own settings, whether it exists or not: where this system keeps such files."""
    from platformdirs import user_config_path

    return user_config_path("paragone", appauthor=False) / FILE


def configuration_files() -> tuple[Path, ...]:
    """The files that settings come from; what a later one sets overrides an earlier one."""
    file = os.environ.get(CONFIG)
    if file is not None:
        return (Path(file),) if file else ()
    return tuple(path for path in (user_file(), Path(FILE)) if path.is_file())


def _set() -> dict[str, tuple[Any, str]]:
    """The settings that have a value, each with what sets it."""
    texts = {name.upper(): text for name, text in os.environ.items()}
    values = {name: (value, str(path)) for path in configuration_files() for name, value in _settings_in(path).items()}
    for name, parameter in parameters(Settings).items():
        variable = PREFIX + name.upper()
        if variable in texts:
            source = f"environment variable {variable}"
            values[name] = (parameter.settled(texts[variable], source, text=True), source)
    return values


def _settings_in(path: Path) -> dict[str, Any]:
    from paragone.intake.text_file import read_as

    is_own = CONFIG in os.environ or path != Path(FILE)
    return read_as(path, lambda values: dict(_checked(values, is_own=is_own)))


def _checked(values: Mapping[str, Any], *, is_own: bool) -> Iterator[tuple[str, Any]]:
    """The settings of a file, each checked on its own; the parameters of tournaments are left out."""
    by_name = parameters(Settings)
    for name, value in values.items():
        if name == _TABLE:
            continue
        if name not in by_name:
            raise unknown("setting", name, name, [*by_name, _TABLE])
        setting = by_name[name].settled(value, name)
        if not is_own:
            _require_harmless(name, str(setting))
        yield name, setting


def _require_harmless(name: str, value: str) -> None:
    """Refuse what a file in somebody else's folder could do harm with.

    Raises:
        InvalidConfig: If it runs a program, or sends texts or keys elsewhere.
    """
    for setting, marks, harm in _HARMFUL:
        if name == setting and any(mark in value.casefold() for mark in marks):
            raise InvalidConfig(
                f"this {name} {harm}, which the file of a folder may not do; name it in your own, {user_file()}, or by "
                f"{PREFIX}{name.upper()} or --{name}",
                key=name,
            )


def tournament_system(file: str | Path | None = None, **values: Any) -> "TournamentSystemConfig":  # noqa: ANN401 - plain values
    """The parameters of a tournament of hypotheses: from the arguments, else a file, the environment, the usual files.

    Args:
        file: A .toml or .json file of parameters.
        values: Parameters by section or by bare name, as ``system_of`` takes them; None counts as not given.

    Raises:
        UnreadableFile: If the file cannot be read.
        InvalidConfig: Naming the parameter that is wrong, and the file and line or the variable that sets it.
    """
    from paragone.domain.config_values import merged, sectioned, system_of
    from paragone.intake.configuration import read_sections
    from paragone.intake.text_file import read_as

    layers = [read_as(path, lambda values: sectioned(values.get(_TABLE, {}))) for path in configuration_files()]
    layers.append(_from_environment())
    if file is not None:
        layers.append(read_sections(file))
    layers.append(sectioned({name: value for name, value in values.items() if value is not None}))
    return system_of(merged(*layers))


def assigned(assignments: Iterable[str]) -> "Sectioned":
    """Parameters by section, from texts like ``scheduling.matches_per_round=20`` or ``k_factor=24``.

    Raises:
        InvalidConfig: If one is no assignment, or its parameter is unknown or out of range.
    """
    from paragone.domain.config_values import merged, sectioned

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
    from paragone.domain.config_values import sectioned

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
