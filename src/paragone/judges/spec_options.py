"""Kinds of specs, and the options in specs, ``?name=value&name=value``: their meaning, parsing and errors."""

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from paragone.domain.suggestions import did_you_mean
from paragone.errors import UnknownJudge


@dataclass(frozen=True, kw_only=True, slots=True)
class Option:
    """An option of a spec.

    Attributes:
        name: Its name.
        form: A value of it, as it is written.
        help: What it means, in a line.
        read: Makes the value of the text; raises ``ValueError`` with what it must be.
    """

    name: str
    form: str
    help: str
    read: Callable[[str], Any]


@dataclass(frozen=True, kw_only=True, slots=True)
class SpecKind:
    """A kind of judge or advocate.

    Attributes:
        name: What its specs begin with.
        form: How its specs are written.
        help: What it is, in a line.
        options: What may follow a question mark in its specs.
    """

    name: str
    form: str
    help: str
    options: tuple[Option, ...] = ()


def read_options(spec: str, query: str, options: Iterable[Option]) -> dict[str, Any]:
    """The values of the options that follow a question mark, by name.

    Args:
        spec: The spec, for messages.
        query: The options.
        options: The options allowed.

    Raises:
        UnknownJudge: If one is unknown, repeated, or has an invalid value.
    """
    option_by_name = {option.name: option for option in options}
    values: dict[str, Any] = {}
    for part in query.split("&"):
        name, equals, text = part.partition("=")
        if name not in option_by_name:
            hint = did_you_mean(name, option_by_name) or "."
            raise UnknownJudge(f"{spec} has no option {name!r}{hint} Its options are {', '.join(option_by_name)}")
        if not equals or name in values:
            fault = (
                "stands there twice" if name in values else f"needs a value, as in {name}={option_by_name[name].form}"
            )
            raise UnknownJudge(f"in {spec} the option {name} {fault}")
        try:
            values[name] = option_by_name[name].read(text)
        except ValueError as error:
            raise UnknownJudge(f"in {spec} the option {name} cannot be {text!r}: write {error}") from None
    return values


def whole(least: int) -> Callable[[str], int]:
    """Reads whole numbers."""

    def read(text: str) -> int:
        if not text.isdecimal() or int(text) < least:
            raise ValueError(f"a whole number from {least} up")
        return int(text)

    return read


def number(words: str = "a number", least: float = -math.inf, most: float = math.inf) -> Callable[[str], float]:
    """Reads numbers in a range, which ``words`` describe."""

    def read(text: str) -> float:
        try:
            value = float(text)
        except ValueError:
            value = math.nan
        if not least <= value <= most:
            raise ValueError(words)
        return value

    return read


def choice(*names: str) -> Callable[[str], str]:
    """Reads one of some names."""

    def read(text: str) -> str:
        if text not in names:
            raise ValueError(f"one of {', '.join(names)}{did_you_mean(text, names) or '.'}")
        return text

    return read


def flag(text: str) -> bool:
    """Reads yes and no.

    Raises:
        ValueError: If it is neither.
    """
    return choice("yes", "no")(text) == "yes"
