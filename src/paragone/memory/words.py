"""The words of texts, names and queries, by which content is searched and past queries are remembered."""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable
from functools import lru_cache

_IDENTIFIER = re.compile(r"\w+")
_PART = re.compile(r"[^\W\d_]+|\d+")
_CAMEL_CASE = re.compile(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_IDEOGRAPHS = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]+")
MAX_WORD_LENGTH = 64
"""Letters of a word that count: longer ones are data."""
_STOP = (
    "a an and are as at be but by for from how if in into is it its no not of on or such than that the their then "
    "there these they this to was what when where which who will with"
)
STOP = frozenset(_STOP.split())
"""Stop words; many are keywords of programming languages, so they are everywhere in code."""


def words(text: str) -> list[str]:
    """The words of a text, in order: ``getUserName2`` is itself, ``get``, ``user``, ``name`` and ``2``."""
    return [word for run in _IDENTIFIER.findall(text) for word in parts(run)]


def query_terms(query: str) -> list[str]:
    """The words of a query without stop words, or all if there are no others."""
    tokens = words(query)
    return [word for word in tokens if word not in STOP] or tokens


def counts(texts: Iterable[str]) -> Counter[str]:
    """How often each word occurs in some texts together."""
    totals: Counter[str] = Counter()
    for run, number in Counter(run for text in texts for run in _IDENTIFIER.findall(text)).items():
        for word in parts(run):
            totals[word] += number
    return totals


@lru_cache(maxsize=200_000)
def parts(run: str) -> tuple[str, ...]:
    """The words in a run of letters, digits and underscores: itself, then its parts if there are several.

    Case, width and an English plural's ending are ignored. Writing without spaces is cut into pairs of characters.
    """
    run = unicodedata.normalize("NFKC", run)
    pieces = [piece for part in _PART.findall(run) for piece in _CAMEL_CASE.split(part)]
    subwords = [_singular(word) for piece in pieces for word in _without_spaces(piece.casefold())]
    folded = run.strip("_").casefold()
    return tuple(word[:MAX_WORD_LENGTH] for word in ([folded, *subwords] if len(subwords) > 1 else subwords) if word)


def _singular(word: str) -> str:
    if len(word) < 4 or not word.endswith("s") or word.endswith(("ss", "us", "is")):
        return word
    return f"{word[:-3]}y" if word.endswith("ies") else word[:-1]


def _without_spaces(word: str) -> list[str]:
    if word.isascii() or not _IDEOGRAPHS.search(word):
        return [word]
    return [word[at : at + 2] for at in range(max(len(word) - 1, 1))]
