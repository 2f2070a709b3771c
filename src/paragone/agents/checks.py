"""What callers give: checked here, before anything is opened or asked, and refused in words."""

import math
import operator
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, SupportsFloat, SupportsIndex, TypeVar

from paragone.domain.names import LONGEST_ID, domain_problem, name_problem
from paragone.errors import InvalidConfig, InvalidEvidence

MOST = 1_000_000_000
"""The largest count, and the largest K: beyond all that can happen, within all that databases can add up."""

_Made = TypeVar("_Made")


def pool(name: object) -> str:
    """The name of a pool.

    Raises:
        InvalidEvidence: If nothing can be called so.
    """
    text = _text(name, "the name of a pool")
    return _unless(name_problem(text, "the name of a pool"), text)


def agent(name: object) -> str:
    """The name of an agent.

    Raises:
        InvalidEvidence: If nothing can be called so.
    """
    text = _text(name, "the name of an agent")
    return _unless(name_problem(text), text)


def agents(names: Iterable[str]) -> list[str]:
    """The names of agents, in their order.

    Raises:
        InvalidEvidence: If nothing can be called so, or it is no list.
    """
    if isinstance(names, str):
        raise InvalidEvidence(f"a list of names is asked for, not the one name {names!r}")
    return [agent(name) for name in names]


def pair(a: object, b: object) -> tuple[str, str]:
    """The names of two agents.

    Raises:
        InvalidEvidence: If nothing can be called so, or both are the same.
    """
    if a == b:
        raise InvalidEvidence(f"two different agents are asked for, not {a!r} and itself")
    return agent(a), agent(b)


def domain(name: object) -> str:
    """The name of a domain.

    Raises:
        InvalidEvidence: If no domain can be called so.
    """
    text = _text(name, "the name of a domain")
    return _unless(domain_problem(text), text)


def optional_domain(name: object) -> str:
    """The name of a domain; empty for none.

    Raises:
        InvalidEvidence: If no domain can be called so.
    """
    return "" if name is None or name == "" else domain(name)


def identifier(id: object, what: str) -> str:
    """The id of something that counts once.

    Raises:
        InvalidEvidence: If it is blank, overlong or holds control characters.
    """
    text = _text(id, what)
    return _unless(name_problem(text, what, LONGEST_ID), text)


def identifiers(ids: Iterable[object], what: str) -> list[str]:
    """The ids of several things that count once each."""
    return [identifier(id, what) for id in ids]


def optional_identifier(id: object, what: str) -> str:
    """The id of something that counts once; empty for none."""
    return "" if id is None or id == "" else identifier(id, what)


def number(value: object, what: str, *, most: float = math.inf) -> float:
    """A finite number, of a certain size at most.

    Raises:
        InvalidEvidence: If it is none, or larger.
    """
    parsed = _float(value)
    if parsed is not None and math.isfinite(parsed) and parsed > most:
        raise InvalidEvidence(f"{what} is at most {most:,}, not {value!r}")
    if parsed is None or not math.isfinite(parsed):
        raise InvalidEvidence(f"{what} is a finite number, not {value!r}")
    return parsed


def clamped(value: object, low: float, high: float, what: str) -> float:
    """A number, brought into a range as document A has it.

    Raises:
        InvalidEvidence: If it is none: no bound is nearer to what is not a number than the other.
    """
    parsed = _float(value)
    if parsed is None or math.isnan(parsed):
        raise InvalidEvidence(f"{what} is a number, not {value!r}")
    return max(low, min(high, parsed))


def count(value: object, what: str) -> int:
    """A whole number from 0 to ``MOST``.

    Raises:
        InvalidEvidence: If it is none.
    """
    if not isinstance(value, int | SupportsIndex):
        raise InvalidEvidence(f"{what} is a whole number, not {value!r}")
    parsed = operator.index(value)
    if not 0 <= parsed <= MOST:
        raise InvalidEvidence(f"{what} is a whole number from 0 to {MOST:,}, not {value!r}")
    return parsed


def limit(value: object) -> int:
    """How many are asked for, at most.

    Raises:
        InvalidEvidence: If it is no whole number, 0 or more.
    """
    return count(min(value, MOST) if isinstance(value, int) else value, "the limit")


def flag(value: object, what: str) -> bool:
    """Yes or no: a boolean, or a number that is 0 or 1.

    Raises:
        InvalidEvidence: If it is neither.
    """
    if _float(value) not in (0.0, 1.0):
        raise InvalidEvidence(f"{what} is true or false, not {value!r}")
    return bool(value)


def words(value: object, what: str) -> str:
    """Any text; empty for none.

    Raises:
        InvalidEvidence: If it is something else.
    """
    return "" if value is None else _text(value, what)


@contextmanager
def refused() -> Iterator[None]:
    """What a noun cannot be, said as evidence that cannot be."""
    try:
        yield
    except InvalidEvidence:
        raise
    except ValueError as error:
        raise InvalidEvidence(str(error)) from None


def each(what: str, calls: Iterable[Mapping[str, Any]], make: Callable[[Mapping[str, Any]], _Made]) -> list[_Made]:
    """What is made of each of many calls, given as mappings.

    Raises:
        InvalidEvidence: If nothing can be made of one; it is said which, from 1 on, where there are more than one.
    """
    listed = list(calls)
    return [_made(f"{what} {number}: " if len(listed) > 1 else "", call, make) for number, call in enumerate(listed, 1)]


def patience(value: object) -> float:
    """Seconds to wait for others.

    Raises:
        InvalidConfig: If it is no number, 0 or more.
    """
    seconds = _float(value)
    if seconds is None or not seconds >= 0:
        raise InvalidConfig(f"patience is a number of seconds, 0 or more, not {value!r}", key="patience")
    return seconds


def _made(where: str, call: object, make: Callable[[Mapping[str, Any]], _Made]) -> _Made:
    if not isinstance(call, Mapping):
        raise InvalidEvidence(f"{where}a mapping from argument to value is asked for, not {call!r}")
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
    """A number as a float; None for what is none, texts that look like one among it."""
    if not isinstance(value, float | int | SupportsFloat):
        return None
    try:
        return float(value)
    except (TypeError, ValueError, OverflowError):  # of an array, of a signalling NaN, of an int beyond all floats
        return None
