"""The words that keyword search goes by: identifiers whole and in parts, paths, and any language's letters."""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable
from functools import lru_cache

_RUN = re.compile(r"\w+")
_PART = re.compile(r"[^\W\d_]+|\d+")
_HUMP = re.compile(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_IDEOGRAPHS = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]+")
LONGEST = 64
"""Letters of a word that count: what is longer is no word, but data."""
_STOP = (
    "a an and are as at be but by for from how if in into is it its no not of on or such than that the their then "
    "there these they this to was what when where which who will with"
)
STOP = frozenset(_STOP.split())
"""Words of a question that say nothing of what is asked for; in code many of them are keywords, and everywhere."""


def words(text: str) -> list[str]:
    """The words of a text, in its order: ``getUserName2`` is itself, ``get``, ``user``, ``name`` and ``2``."""
    return [word for run in _RUN.findall(text) for word in parts(run)]


def asked(query: str) -> list[str]:
    """The words of a question: those that say something, or all where none does."""
    found = words(query)
    return [word for word in found if word not in STOP] or found


def counts(texts: Iterable[str]) -> Counter[str]:
    """How often each word occurs in some texts together."""
    found: Counter[str] = Counter()
    for run, number in Counter(run for text in texts for run in _RUN.findall(text)).items():
        for word in parts(run):
            found[word] += number
    return found


@lru_cache(maxsize=200_000)
def parts(run: str) -> tuple[str, ...]:
    """What a run of letters, digits and underscores stands for: itself, then its parts where it has several.

    Case and width do not count, nor does an English plural's ending. Writing without spaces is cut into pairs of
    characters.
    """
    run = unicodedata.normalize("NFKC", run)
    pieces = [piece for part in _PART.findall(run) for piece in _HUMP.split(part)]
    found = [_singular(word) for piece in pieces for word in _without_spaces(piece.casefold())]
    whole = run.strip("_").casefold()
    return tuple(word[:LONGEST] for word in ([whole, *found] if len(found) > 1 else found) if word)


def _singular(word: str) -> str:
    if len(word) < 4 or not word.endswith("s") or word.endswith(("ss", "us", "is")):
        return word
    return f"{word[:-3]}y" if word.endswith("ies") else word[:-1]


def _without_spaces(word: str) -> list[str]:
    if word.isascii() or not _IDEOGRAPHS.search(word):
        return [word]
    return [word[at : at + 2] for at in range(max(len(word) - 1, 1))]
