"""Checks of arguments, before anything is opened or computed."""

import math
import operator
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, SupportsFloat, SupportsIndex, TypeVar

from paragone.domain.names import LONGEST_ID, domain_problem, name_problem
from paragone.errors import InvalidConfig, InvalidEvidence

MOST = 1_000_000_000
"""The largest count and K: more than can happen, and little enough for databases to sum."""

_Made = TypeVar("_Made")


def pool(name: object) -> str:
    """The name of a pool.

    Raises:
        InvalidEvidence: If the name is invalid.
    """
    text = _text(name, "the name of a pool")
    return _unless(name_problem(text, "the name of a pool"), text)


def agent(name: object) -> str:
    """The name of an agent.

    Raises:
        InvalidEvidence: If the name is invalid.
    """
    text = _text(name, "the name of an agent")
    return _unless(name_problem(text), text)


def agents(names: Iterable[str]) -> list[str]:
    """The names of agents, in their order.

    Raises:
        InvalidEvidence: If a name is invalid, or it is no list.
    """
    if isinstance(names, str):
        raise InvalidEvidence(f"expected a list of names, not the single name {names!r}")
    return [agent(name) for name in names]


def pair(a: object, b: object) -> tuple[str, str]:
    """The names of two agents.

    Raises:
        InvalidEvidence: If a name is invalid, or both are the same.
    """
    if a == b:
        raise InvalidEvidence(f"expected two different agents, not {a!r} and itself")
    return agent(a), agent(b)


def domain(name: object) -> str:
    """The name of a domain.

    Raises:
        InvalidEvidence: If the name is invalid.
    """
    text = _text(name, "the name of a domain")
    return _unless(domain_problem(text), text)


def optional_domain(name: object) -> str:
    """The name of a domain; empty for none.

    Raises:
        InvalidEvidence: If the name is invalid.
    """
    return "" if name is None or name == "" else domain(name)


def identifier(id: object, what: str) -> str:
    """The id of evidence, which counts once.

    Raises:
        InvalidEvidence: If it is blank, too long or has control characters.
    """
    text = _text(id, what)
    return _unless(name_problem(text, what, LONGEST_ID), text)


def identifiers(ids: Iterable[object], what: str) -> list[str]:
    """The ids of several pieces of evidence."""
    return [identifier(id, what) for id in ids]


def optional_identifier(id: object, what: str) -> str:
    """The id of evidence; empty for none."""
    return "" if id is None or id == "" else identifier(id, what)


def number(value: object, what: str, *, most: float = math.inf) -> float:
    """A finite number, at most ``most``.

    Raises:
        InvalidEvidence: If it is not.
    """
    parsed = _float(value)
    if parsed is not None and math.isfinite(parsed) and parsed > most:
        raise InvalidEvidence(f"{what} is at most {most:,}, not {value!r}")
    if parsed is None or not math.isfinite(parsed):
        raise InvalidEvidence(f"{what} is a finite number, not {value!r}")
    return parsed


def clamped(value: object, low: float, high: float, what: str) -> float:
    """A number, clamped to a range as in Aragora's specification.

    Raises:
        InvalidEvidence: If it is not a number; NaN has no nearest bound.
    """
    parsed = _float(value)
    if parsed is None or math.isnan(parsed):
        raise InvalidEvidence(f"{what} is a number, not {value!r}")
    return max(low, min(high, parsed))


def count(value: object, what: str) -> int:
    """A whole number from 0 to ``MOST``.

    Raises:
        InvalidEvidence: If it is not.
    """
    if not isinstance(value, int | SupportsIndex):
        raise InvalidEvidence(f"{what} is a whole number, not {value!r}")
    parsed = operator.index(value)
    if not 0 <= parsed <= MOST:
        raise InvalidEvidence(f"{what} is a whole number from 0 to {MOST:,}, not {value!r}")
    return parsed


def limit(value: object) -> int:
    """The limit of a list.

    Raises:
        InvalidEvidence: If it is not a whole number, 0 or more.
    """
    return count(min(value, MOST) if isinstance(value, int) else value, "the limit")


def flag(value: object, what: str) -> bool:
    """A boolean, or 0 or 1.

    Raises:
        InvalidEvidence: If it is neither.
    """
    if _float(value) not in (0.0, 1.0):
        raise InvalidEvidence(f"{what} is true or false, not {value!r}")
    return bool(value)


def words(value: object, what: str) -> str:
    """Any text; empty for none.

    Raises:
        InvalidEvidence: If it is not a text.
    """
    return "" if value is None else _text(value, what)


@contextmanager
def refused() -> Iterator[None]:
    """Raise the ``ValueError`` of a domain class as ``InvalidEvidence``."""
    try:
        yield
    except InvalidEvidence:
        raise
    except ValueError as error:
        raise InvalidEvidence(str(error)) from None


def each(what: str, calls: Iterable[Mapping[str, Any]], make: Callable[[Mapping[str, Any]], _Made]) -> list[_Made]:
    """What ``make`` makes of each of several calls, given as mappings.

    Raises:
        InvalidEvidence: If one is invalid; the message numbers it from 1, if there are several.
    """
    listed = list(calls)
    return [_made(f"{what} {number}: " if len(listed) > 1 else "", call, make) for number, call in enumerate(listed, 1)]


def patience(value: object) -> float:
    """Seconds to wait for others.

    Raises:
        InvalidConfig: If it is not a number, 0 or more.
    """
    seconds = _float(value)
    if seconds is None or not seconds >= 0:
        raise InvalidConfig(f"patience is a number of seconds, 0 or more, not {value!r}", key="patience")
    return seconds


def _made(where: str, call: object, make: Callable[[Mapping[str, Any]], _Made]) -> _Made:
    if not isinstance(call, Mapping):
        raise InvalidEvidence(f"{where}expected a mapping from argument to value, not {call!r}")
    try:
        return make(call)
    except InvalidEvidence as error:
        raise InvalidEvidence(f"{where}{error}") from None


def _text(value: object, what: str) -> str:
    if not isinstance(value, str):
        raise InvalidEvidence(f"{what} is a text, not {value!r}")
    return value


def _unless(problem: str | None, name: str) -> str:
    if problem is not None:
        raise InvalidEvidence(problem)
    return name


def _float(value: object) -> float | None:
    """A number as a float; None for anything else, also for text that looks like a number."""
    if not isinstance(value, float | int | SupportsFloat):
        return None
    try:
        return float(value)
    except (TypeError, ValueError, OverflowError):  # of an array, of a signalling NaN, of an int beyond all floats
        return None
