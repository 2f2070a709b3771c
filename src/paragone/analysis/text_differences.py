"""What differs between two versions of a text, word by word."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import groupby
from typing import Literal

MOST_WORDS = 3_000
"""Words and gaps of a version that are compared one by one; longer texts are compared by lines."""
_PIECES = re.compile(r"\w+|\s+|[^\w\s]")


@dataclass(frozen=True, kw_only=True, slots=True)
class TextDifference:
    """A part of two versions.

    Attributes:
        kind: ``same``, ``removed`` for what only the older version has, ``added`` for what only the newer has.
        text: The part.
    """

    kind: Literal["same", "removed", "added"]
    text: str


def differences(older: str, newer: str) -> tuple[TextDifference, ...]:
    """The parts of two versions in their order.

    Those that are ``same`` or ``removed`` make up the older version, those that are ``same`` or ``added`` the newer.
    They are words up to ``MOST_WORDS``, else lines, so that the time has a bound.

    Args:
        older: One version.
        newer: The other.
    """
    before, after = _PIECES.findall(older), _PIECES.findall(newer)
    if max(len(before), len(after)) > MOST_WORDS:
        before, after = older.splitlines(keepends=True), newer.splitlines(keepends=True)
    return tuple(_joined(_parts(before, after)))


def _parts(before: Sequence[str], after: Sequence[str]) -> Iterator[TextDifference]:
    start = _common(before, after)
    end = _common(before[start:][::-1], after[start:][::-1])
    middle = slice(start, len(before) - end), slice(start, len(after) - end)
    yield TextDifference(kind="same", text="".join(before[:start]))
    yield from _matched(before[middle[0]], after[middle[1]])
    yield TextDifference(kind="same", text="".join(before[len(before) - end :]))


def _common(before: Sequence[str], after: Sequence[str]) -> int:
    """How many pieces both begin with."""
    pairs = zip(before, after, strict=False)
    return next((at for at, (old, new) in enumerate(pairs) if old != new), min(len(before), len(after)))


def _matched(before: Sequence[str], after: Sequence[str]) -> Iterator[TextDifference]:
    # Words that fill the text are not used to find matches ("autojunk"): the time would grow with the cube of them.
    for kind, old, old_end, new, new_end in SequenceMatcher(None, before, after).get_opcodes():
        if kind == "equal":
            yield TextDifference(kind="same", text="".join(before[old:old_end]))
        else:
            yield TextDifference(kind="removed", text="".join(before[old:old_end]))
            yield TextDifference(kind="added", text="".join(after[new:new_end]))


def _joined(parts: Iterator[TextDifference]) -> Iterator[TextDifference]:
    """The parts that are not empty, with neighbours of one kind made one."""
    for kind, alike in groupby((part for part in parts if part.text), key=lambda part: part.kind):
        yield TextDifference(kind=kind, text="".join(part.text for part in alike))
