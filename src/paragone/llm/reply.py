"""Read a model's reply: the one JSON object in it, and the probability of its label."""

import json
import math
import re
from collections.abc import Sequence
from typing import Any

from paragone.llm.client import Token

_TAG = r"(?:seed:)?(?:think(?:ing)?|thought|reasoning)"
_OPENING = rf"(?:<{_TAG}\b[^>]*>|◁{_TAG}▷|\[THINK\]|<\|channel\|>analysis)"
_CLOSING = rf"(?:</{_TAG}>|◁/{_TAG}▷|\[/THINK\]|<\|channel\|>final<\|message\|>)"
"""Around thoughts: tags of DeepSeek, Qwen, Magistral, Kimi, Seed; channels of gpt-oss where a server leaves them. Other
words in square brackets are headings, as in ``[Reasoning] ...``, and part of the answer."""
_OPENED = re.compile(rf"\A\s*{_OPENING}", re.IGNORECASE)
_CLOSED = re.compile(
    rf"\A(?!\s*\{{).*?{_CLOSING}(?:\s*{_OPENING}.*?{_CLOSING})*",
    re.DOTALL | re.IGNORECASE,
)
"""Thoughts at the beginning; the first opening tag is not in the answer where it was part of the prompt."""


class _Repeated(Exception):
    """A key stands twice in one object."""


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    mapping = dict(pairs)
    if len(mapping) != len(pairs):
        raise _Repeated
    return mapping


_DECODER = json.JSONDecoder(object_pairs_hook=_unique, strict=False)  # line breaks within a rationale are no harm


def _objects(text: str) -> list[dict[str, Any]]:
    """The JSON objects in a text that are not inside another, at most two of them."""
    objects: list[dict[str, Any]] = []
    start = text.find("{")
    while start >= 0 and len(objects) < 2:
        try:
            value, end = _DECODER.raw_decode(text, start)
            objects.append(value)
        except ValueError:
            end = start + 1
        start = text.find("{", end)
    return objects


def has_thought(text: str) -> bool:
    """Whether a text begins with a thought, such as a ``<think>`` block, closed or not."""
    return bool(_OPENED.match(text) or _CLOSED.match(text))


def without_thought(text: str) -> str:
    """A text without the thoughts that it begins with; empty where they were cut before their end."""
    rest = _CLOSED.sub("", text, count=1)
    return "" if _OPENED.match(rest) else rest


def find_object(text: str) -> dict[str, Any] | None:
    """The one JSON object in a text, wherever it stands; None where there is none, or more than one.

    Prose and code fences around it are skipped, as are leading ``<think>`` blocks and the like; what is
    thought is not the answer, also where the block was cut before its end. Two objects are not chosen
    between: which of them is the answer would be a guess. An object with a repeated key is not an answer either.
    """
    try:
        objects = _objects(without_thought(text))
    except (_Repeated, RecursionError):
        return None
    return objects[0] if len(objects) == 1 else None


def probability_between(tokens: Sequence[Token], key: str, yes: str, no: str) -> float | None:
    """Probability of one label against another at the place where a JSON answer names one.

    Everything else that might have stood there, other labels included, is left out of the count. A label that is not
    among the alternatives listed is given the least probability listed: it has no more, so the result errs towards a
    half.

    Args:
        tokens: The answer's tokens, with their alternatives.
        key: The answer's key whose value is the label, such as ``verdict``.
        yes: The label whose probability is wanted.
        no: The label against it; begins with another letter.

    Returns:
        The probability in [0, 1]; None where the tokens do not tell.
    """
    alternatives = _alternatives(tokens, key)
    masses = {label: _mass(alternatives, label) for label in (yes, no)}
    if not any(masses.values()):
        return None
    least = min(math.exp(logprob) for _, logprob in alternatives)
    first, second = (masses[label] or least for label in (yes, no))
    return first / (first + second)


def _alternatives(tokens: Sequence[Token], key: str) -> list[tuple[str, float]]:
    """What might have stood as the key's value: beginnings of values, with log-probabilities."""
    text = b"".join(token.text for token in tokens)
    opening = re.search(rb'"%s"\s*:\s*"' % re.escape(key.encode()), text)
    if opening is None:
        return []
    begin = 0
    for token in tokens:
        if begin + len(token.text) > opening.end():
            lead = token.text[: opening.end() - begin]
            return [
                (other[len(lead) :].decode("utf-8", "replace"), logprob)
                for other, logprob in token.alternatives
                if other.startswith(lead) and not math.isnan(logprob)
            ]
        begin += len(token.text)
    return []


def _mass(alternatives: Sequence[tuple[str, float]], label: str) -> float:
    """Probability of the tokens that begin a label, or hold it whole."""
    return sum(
        math.exp(logprob)
        for text, logprob in alternatives
        if text.strip() and (label.startswith(text.lower()) or text.lower().startswith(label))
    )
