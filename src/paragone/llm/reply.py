"""Read a model's reply: the one JSON object in it, and the probability of its label."""

import json
import math
import re
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any

from paragone.llm.client import Token

_TAG = r"(?i:(?:\w+[:_])?(?:think(?:ing)?|thought|reasoning))"
_OPENINGS = (
    rf"<{_TAG}\b[^<>]*>",
    rf"◁{_TAG}▷",
    r"\[(?i:THINK)\]",
    r"<\|start\|>assistant<\|channel\|>(?:analysis|commentary)",
    r"<\|channel\|>(?:analysis|commentary)",
    r"analysis(?=[A-Z])",
    r"<\|channel>thought",
    r"<\|begin_of_thought\|>",
    r"<\|START_THINKING\|>",
    r"Here(?: is|'s) my thought process:",
)
_CLOSINGS = (
    rf"</{_TAG}>",
    rf"◁/{_TAG}▷",
    r"\[/(?i:THINK)\]",
    r"<\|channel\|>final[^<>]*(?:<\|constrain\|>[^<>]*)?<\|message\|>",
    r"assistantfinal",
    r"<channel\|>",
    r"<\|end_of_thought\|>",
    r"<\|END_THINKING\|>",
    r"Here(?: is|'s) my response:",
    r"\[BEGIN FINAL RESPONSE\]",
)
"""Around thoughts: tags of DeepSeek, Qwen, GLM, EXAONE, Seed, MiniMax and others; Kimi; Magistral; the channels of
gpt-oss, with their marks and without; Gemma; OpenThinker; Command A; Granite; Apriel. Other words in square brackets
are headings, as in ``[Reasoning] ...``, and part of the answer."""
_OBJECT = r"\{(?=\s*(?:\}|\"(?:[^\"\\]|\\.)*+\"\s*:))"
_BRACE = re.compile(_OBJECT, re.DOTALL)
_CLOSING = re.compile("|".join(_CLOSINGS))
_MARK = re.compile("|".join((*_OPENINGS, *_CLOSINGS, _OBJECT)), re.DOTALL)
"""All begin with a letter or sign that is fixed, so that a long thought is searched fast."""
_TAIL = re.compile(r"(?:[\s`]|<[^<>]*>|\[/THINK\]|◁/think▷)*", re.IGNORECASE)
"""What may follow the last object of an answer: the end of a code block, and tags."""


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    mapping = dict(pairs)
    if len(mapping) != len(pairs):
        raise ValueError("a key stands twice in one object")
    return mapping


_DECODER = json.JSONDecoder(strict=False)  # line breaks within a rationale are no harm
_STRICTER = json.JSONDecoder(object_pairs_hook=_unique, strict=False)


def _object_end(text: str, brace: int) -> int:
    """Where the JSON object that begins with a brace ends; behind the brace where that begins none."""
    try:
        return _DECODER.raw_decode(text, brace)[1]
    except ValueError:
        return brace + 1
    except RecursionError:  # too deep for an answer, and to look at what is inside
        return len(text)


def _objects(text: str) -> Iterator[slice]:
    """The JSON objects in a text that are not inside another."""
    position = 0
    while brace := _BRACE.search(text, position):
        position = _object_end(text, brace.start())
        if position > brace.end():
            yield slice(brace.start(), position)


def _marks(text: str) -> Iterator[re.Match[str]]:
    """Where thoughts begin and end; an object may quote such marks from the texts that it is about."""
    position = 0
    while mark := _MARK.search(text, position):
        position = mark.end()
        if mark[0] == "{":
            position = _object_end(text, mark.start())
        else:
            yield mark


def _without_thoughts(text: str) -> str:
    answer, begin, thinking = "", 0, False
    for mark in _marks(text):
        if _CLOSING.fullmatch(mark[0]):
            answer = answer if thinking else ""  # the opening mark was part of the prompt
            begin, thinking = mark.end(), False
        elif not thinking:
            answer, thinking = answer + text[begin : mark.start()], True
    return answer if thinking else answer + text[begin:]


def _conclusion(text: str) -> str:
    """The JSON object that a text ends with; empty where it ends with anything else."""
    return next((text[span] for span in _objects(text) if _TAIL.fullmatch(text, span.stop)), "")


def answer_in(text: str, thought: str = "", *, finished: bool = True) -> str:
    """The answer in what a model said: what is left without its thoughts, blanks around it removed.

    A thought is no answer, whatever draft it holds. But some models do not close their thoughts, and some servers take
    an answer for part of one; so where nothing else was said, a JSON object at the very end is the answer.

    Args:
        text: What the model said. Untrusted.
        thought: What the server took for its thought. Untrusted.
        finished: Whether the model ended by itself. What it was thinking when it was cut is a draft.
    """
    answer = _without_thoughts(text).strip()
    if answer or not finished:
        return answer
    return _conclusion(text) or _conclusion(thought)


def find_object(answer: str) -> dict[str, Any] | None:
    """The one JSON object in an answer, wherever it stands; None where there is none, or more than one.

    Prose and code fences around it are skipped. Two objects are not chosen between: which of them is the answer would
    be a guess. An object with a repeated key is not an answer either.
    """
    objects = list(islice(_objects(answer), 2))
    if len(objects) != 1:
        return None
    try:
        value: dict[str, Any] = _STRICTER.decode(answer[objects[0]])
    except (ValueError, RecursionError):
        return None
    return value


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
