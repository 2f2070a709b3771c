"""Find the one JSON object in a model's answer."""

import json
import re
from typing import Any

_OPENED = re.compile(r"\A\s*<think(?:ing)?>")
_CLOSED = re.compile(r"\A(?!\s*\{).*?</think(?:ing)?>", re.DOTALL)
"""A thought at the beginning; its opening tag may have been part of the prompt, and then it is not in the answer."""


class _Repeated(Exception):
    """A key stands twice in one object."""


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise _Repeated
    return found


_DECODER = json.JSONDecoder(object_pairs_hook=_unique)


def _objects(text: str) -> list[dict[str, Any]]:
    """The JSON objects in a text that are not inside another, at most two of them."""
    found: list[dict[str, Any]] = []
    start = text.find("{")
    while start >= 0 and len(found) < 2:
        try:
            value, end = _DECODER.raw_decode(text, start)
            found.append(value)
        except ValueError:
            end = start + 1
        start = text.find("{", end)
    return found


def has_thought(text: str) -> bool:
    """Whether a text begins with a ``<think>`` block, closed or not."""
    return bool(_OPENED.match(text) or _CLOSED.match(text))


def without_thought(text: str) -> str:
    """A text without the ``<think>`` block that it begins with; empty where that was cut before its end."""
    rest = _CLOSED.sub("", text, count=1)
    return "" if _OPENED.match(rest) and rest == text else rest


def find_object(text: str) -> dict[str, Any] | None:
    """The one JSON object in a text, wherever it stands; None where there is none, or more than one.

    Prose and code fences around it are skipped, as is a leading ``<think>`` block; what is thought is not
    the answer, also where the block was cut before its end. Two objects are not chosen
    between: which of them is the answer would be a guess. An object with a repeated key is not an answer either.
    """
    try:
        found = _objects(without_thought(text))
    except (_Repeated, RecursionError):
        return None
    return found[0] if len(found) == 1 else None
