"""A tournament's parameters from plain values: by section, under the names of the Ranking Agent, or bare."""

from collections.abc import Iterator, Mapping
from dataclasses import fields
from functools import cache
from typing import Any

from paragone.domain.parameter import Parameter, parameters, unknown
from paragone.domain.tournament_config import (
    OptimizationConfig,
    PatternConfig,
    PolicyConfig,
    RankingConfig,
    SchedulingConfig,
    TournamentConfig,
    TournamentSystemConfig,
)
from paragone.errors import InvalidConfig

SECTIONS: Mapping[str, type[Any]] = {
    "tournament_parameters": TournamentConfig,
    "scheduling": SchedulingConfig,
    "optimization": OptimizationConfig,
    "pattern_analysis": PatternConfig,
    "policy": PolicyConfig,
}
RANKING = "ranking"
"""A section under the Ranking Agent specification's names; that of tournaments has the same in its sections."""

Sectioned = dict[str, dict[str, Any]]
Values = Mapping[str, Any]


def system_of(values: Values) -> TournamentSystemConfig:
    """The parameters from plain values.

    Args:
        values: Sections, tables of parameters by name; ``ranking`` is a section under the Ranking Agent's names. A
            parameter may also stand beside them by its bare name, as in the specifications' own flat configurations.

    Raises:
        InvalidConfig: Naming the key that is unknown, whose value is out of range, or that is said twice and differs.
    """
    sections = sectioned(values)
    return TournamentSystemConfig(
        **{name: kind(**sections[name]) for name, kind in SECTIONS.items() if name in sections}
    )


def sectioned(values: Values, *, text: bool = False) -> Sectioned:
    """Plain values in the specified sections, each checked by itself; of a table as much of it as is given.

    Args:
        values: As for ``system_of``.
        text: Whether words are to be read as what they stand for, as from the environment.

    Raises:
        InvalidConfig: As ``system_of``, but for what only several parameters together can violate.
    """
    sections: Sectioned = {}
    spelled: dict[tuple[str, str], str] = {}
    for where, section, name, value in _placed(values):
        canonical = _parameter(section, name).settled(value, where, text=text)
        before = spelled.setdefault((section, name), where)
        if sections.setdefault(section, {}).setdefault(name, canonical) != canonical:
            raise InvalidConfig(f"{before} and {where} are the same parameter and differ; say it once", key=where)
    return sections


def merged(*layers: Sectioned) -> Sectioned:
    """Layers of values as one; of what several say, the last one holds, in tables entry by entry."""
    sections: Sectioned = {}
    for layer in layers:
        for section, values in layer.items():
            own = sections.setdefault(section, {})
            for name, value in values.items():
                both = isinstance(value, dict) and isinstance(own.get(name), dict)
                own[name] = {**own[name], **value} if both else value
    return sections


def values_of(config: TournamentSystemConfig) -> Sectioned:
    """All parameters as plain values, by section; ``system_of`` makes the same configuration of them."""
    return {
        section: {name: _plain(getattr(getattr(config, section), name)) for name in parameters(kind)}
        for section, kind in SECTIONS.items()
    }


def _plain(value: object) -> object:
    return {str(key): entry for key, entry in value.items()} if isinstance(value, dict) else value


def _placed(values: Values) -> Iterator[tuple[str, str, str, Any]]:
    """How each value is spelled, and where it belongs: section and name."""
    for name, value in values.items():
        if name in (*SECTIONS, RANKING):
            if not isinstance(value, Mapping):
                raise InvalidConfig(f"{name} is a table of parameters, not {value!r}", key=name)
            yield from _of_section(name, value)
        elif name in _bare():
            yield name, *_bare()[name], value
        else:
            hint = f"the sections are {', '.join(SECTIONS)}, and `paragone tournament config` prints what is in them"
            raise unknown("section or parameter", str(name), str(name), (*SECTIONS, RANKING, *_bare()), otherwise=hint)


def _of_section(section: str, values: Values) -> Iterator[tuple[str, str, str, Any]]:
    kind = RankingConfig if section == RANKING else SECTIONS[section]
    for name, value in values.items():
        where = f"{section}.{name}"
        if name not in parameters(kind):
            raise unknown("parameter", where, str(name), parameters(kind))
        yield where, *(_bare()[name] if section == RANKING else (section, name)), value


@cache
def _bare() -> Mapping[str, tuple[str, str]]:
    """Section and name of each parameter by its bare name, the Ranking Agent's included; no two sections share one."""
    own = {each.name: (section, each.name) for section, kind in SECTIONS.items() for each in fields(kind)}
    return {**own, "initial_elo": ("tournament_parameters", "initial_elo_rating")}


def _parameter(section: str, name: str) -> Parameter:
    return parameters(SECTIONS[section])[name]
