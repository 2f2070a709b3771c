"""Cheap traits of a text, such as its length: what may carry a judge, or say something of its quality.

They are columns of items, or differences between the sides of votes. What winners have in common is looked for among
the traits of ``analysis.patterns``.
"""

import math
import re
from collections.abc import Callable, Mapping
from functools import partial

_WORD = re.compile(r"\w+")
_SENTENCE = re.compile(r"[.!?]+(?:\s|$)")
_MARKDOWN = re.compile(r"^\s{0,3}(?:#{1,6}\s|[-*+]\s|\d+[.)]\s|>|```)|\*\*[^*\n]+\*\*|`[^`\n]+`", re.MULTILINE)


def length(text: str) -> float:
    """Logarithm of the number of characters."""
    return math.log1p(len(text))


def markdown(text: str) -> float:
    """Logarithm of the number of headings, list items, bold and code passages."""
    return math.log1p(len(_MARKDOWN.findall(text)))


def sentence_length(text: str) -> float:
    """Logarithm of the words in a sentence."""
    return math.log1p(len(_WORD.findall(text)) / max(1, len(_SENTENCE.findall(text))))


def word_length(text: str) -> float:
    """Characters in a word."""
    words = _WORD.findall(text)
    return sum(map(len, words)) / max(1, len(words))


def variety(text: str) -> float:
    """Share of the words that are different ones."""
    words = _WORD.findall(text.casefold())
    return len(set(words)) / max(1, len(words))


def _share(of: Callable[[str], bool], text: str) -> float:
    return sum(map(of, text)) / max(1, len(text))


TRAITS: Mapping[str, Callable[[str], float]] = {
    "length": length,
    "markdown": markdown,
    "sentence length": sentence_length,
    "word length": word_length,
    "variety": variety,
    "digits": partial(_share, str.isdigit),
    "capitals": partial(_share, str.isupper),
    "punctuation": partial(_share, lambda character: character in ",;:()\"'"),
    "questions": partial(_share, lambda character: character == "?"),
}
"""The traits by name; the first, which carries judges most often, counts on its own."""
