"""What is wrong with a value that somebody gave, in words."""

import re
from collections.abc import Iterable, Mapping
from typing import Any

from paragone.domain.suggestions import did_you_mean
from paragone.domain.text import visible

LONGEST = 80
"""Characters of a wrong value that a message repeats."""

_LIMITS = {"ge": "at least", "le": "at most", "gt": "more than", "lt": "less than"}
_KINDS = {"int_": "a whole number", "float_": "a number", "finite_": "a number", "bool_": "true or false"}
_MESSAGES = {
    " after validation": "",
    "a valid dictionary or object to extract fields from": "an object",
    "Field required": "is missing",
    "Extra inputs are not permitted": "there is no such field",
}
"""Our words for those of pydantic."""
_SUBJECT = re.compile(r"^(Input|Value|String|List|Tuple|Set|Dictionary) should")
_CHOICE = re.compile(r"Value error, .* is not one of (.*?)\.?", re.DOTALL)
_NAME = re.compile(r"'([^']*)'")


def listed(names: Iterable[str]) -> str:
    """Names as a choice: ``a, b or c``."""
    *first, last = names
    return f"{', '.join(first)} or {last}" if first else last


def quoted(value: object) -> str:
    """A value as a message repeats it: on one line, and not endless."""
    text = visible(str(value))
    return repr(text if len(text) <= LONGEST else f"{text[:LONGEST]}...")


def expectation(detail: Mapping[str, Any]) -> str:
    """What a value must be and is not, after its name: ``must be at least 1, not '0'``.

    Args:
        detail: What pydantic found, with ``type``, ``msg``, ``input`` and perhaps ``ctx``. Its own words are kept only
            where the kind is a rare one.
    """
    value, limits = detail.get("input"), detail.get("ctx") or {}
    if limits.get("min_length") == 1:
        return "must not be empty"
    for name, words in _LIMITS.items():
        if name in limits:
            return f"must be {words} {limits[name]}, not {quoted(value)}"
    names = _choices(detail, str(limits.get("expected", "")))
    if names:
        return f"must be {listed(names)}, not {quoted(value)}{did_you_mean(str(value), names)}"
    for kind, words in _KINDS.items():
        if detail["type"].startswith(kind):
            return f"must be {words}, not {quoted(value)}"
    message = _SUBJECT.sub("must", visible(detail["msg"]).removeprefix("Value error, ").rstrip("."))
    if isinstance(value, str) and detail["type"] in {"too_short", "too_long"}:  # of a text that was checked before
        message = message.replace(" item", " character")
    for pydantic, ours in _MESSAGES.items():
        message = message.replace(pydantic, ours)
    return message


def _choices(detail: Mapping[str, Any], expected: str) -> list[str]:
    if detail["type"] in {"literal_error", "enum"}:
        return _NAME.findall(expected)
    choice = _CHOICE.fullmatch(detail["msg"])
    return [] if choice is None else _NAME.findall(choice[1])
