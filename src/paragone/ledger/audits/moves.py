"""Moves of ratings as columns, to be compared with what was recorded; and how a difference is told."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from paragone.domain import GLOBAL, Rating, RatingChange
from paragone.ledger.played import unstored
from paragone.wire.audit import Difference

TOLERANCE = 1e-6
"""Elo points by which a recomputed rating may differ: mathematical libraries differ in the last bit."""

NUMBERS = ("old", "new", "k", "expected", "score", "clamped")
"""What a move has besides its item and its match."""

_BY_MATCHES = ("rating_change", "track_change")

Floats = NDArray[np.float64]


@dataclass(kw_only=True, slots=True)
class Moves:
    """Rating changes as columns."""

    items: Sequence[str]
    matches: Sequence[str]
    numbers: Floats = field(default_factory=lambda: np.empty((len(NUMBERS), 0)))

    def __len__(self) -> int:
        return len(self.items)

    def __getitem__(self, place: int) -> RatingChange | None:
        """The change at a place, as a noun; None after the last."""
        if place >= len(self):
            return None
        values = dict(zip(NUMBERS, self.numbers[:, place].tolist(), strict=True))
        (item,), (match,) = unstored([self.items[place]]), unstored([self.matches[place]])
        return RatingChange(item=item, match=match, **values)

    def first_difference(self, other: "Moves") -> int | None:
        """Where two sequences of changes differ first; None if they do not."""
        common = min(len(self), len(other))
        same = np.abs(self.numbers[:, :common] - other.numbers[:, :common]) <= TOLERANCE
        agree = same.all(axis=0)
        agree &= np.fromiter(map(str.__eq__, self.items, other.items), bool, common)
        agree &= np.fromiter(map(str.__eq__, self.matches, other.matches), bool, common)
        if not agree.all():
            return int(np.argmin(agree))
        return None if len(self) == len(other) else common


def wrong_change(pool: str, there: RatingChange | None, expected: RatingChange | None, *, table: str) -> Difference:
    """The difference between a recorded move and the one that follows from the evidence.

    Args:
        pool: The pool.
        there: What was recorded, if anything.
        expected: What follows, if anything does.
        table: Where it is recorded.
    """
    named = there or expected
    if named is None:
        raise ValueError("nothing differs from nothing")
    what = "match" if table in _BY_MATCHES else table
    message = f"{what} {named.match!r} moved {named.item!r} by {there}, and the evidence says {expected}"
    return Difference(pool=pool, table=table, row=named.match, message=message)


def wrong_record(pool: str, item: str, there: Rating | None, rightful: Rating | None) -> Difference:
    """The difference between a rating, of whatever track, and the one that follows from the evidence."""
    named = there or rightful
    domain = "" if named is None or named.track == GLOBAL else named.track
    message = f"the rating of {item!r}{domain and f' in {domain!r}'} is {there}, and the evidence says {rightful}"
    return Difference(pool=pool, table="track_rating" if domain else "rating", row=item, message=message)
