"""The matches of a round, chosen from those that could be played.

Wishes come first: matches that somebody asked for. Then each part of the round takes what it is kept for, and the rest
goes by worth. A match is redundant where its two have met or its outcome is practically certain; such a one is played
only where nothing better is left. Each item plays once, and more often only where there are too few items.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from paragone.pairing.matching import largest_matching
from paragone.pairing.weighted import Flags, Floats, Ints

MOST = 3
"""Matches of one item in one round, where there are too few items for one each."""

REARRANGED = 200
"""Among so many items the pairs of a round are rearranged where that avoids redundant matches."""

ANYBODY = -1
"""The opponent of a wish that names none."""

IndexPair = tuple[int, int]


@dataclass(frozen=True, kw_only=True, slots=True)
class Offers:
    """Matches that could be played, the better ones first. All arrays have shape (pairs,).

    Attributes:
        a: The lower index of each pair.
        b: The higher index.
        redundant: Whether the two have met, or the outcome is practically certain.
    """

    a: Ints
    b: Ints
    redundant: Flags

    @classmethod
    def of(cls, a: Ints, b: Ints, *, worth: Floats, meetings: Ints, foregone: Flags, luck: Floats) -> "Offers":
        """Put matches in order: open ones before foregone ones, then fewer meetings, then worth, then luck."""
        order = np.lexsort((luck, -worth, meetings, foregone))
        return cls(a=a[order], b=b[order], redundant=(foregone | (meetings > 0))[order])


@dataclass(frozen=True, kw_only=True, slots=True)
class RoundPart:
    """A part of a round.

    Attributes:
        matches: How many it holds.
        members: The items it is for: each match has at least one of them. Shape (items,).
    """

    matches: int
    members: Flags


@dataclass(frozen=True, kw_only=True, slots=True)
class WeightedRound:
    """What was chosen.

    Attributes:
        pairs: The matches, the more important first.
        granted: For each wish, the match that grants it, or None.
    """

    pairs: tuple[IndexPair, ...]
    granted: tuple[IndexPair | None, ...]


def most_each(items: int, size: int) -> int:
    """Matches of one item in a round: one where there are enough items, never more than three."""
    return min(MOST, max(1, math.ceil(2 * size / max(items, 1))))


def choose(
    offers: Offers, *, items: int, size: int, wishes: Sequence[IndexPair] = (), parts: Sequence[RoundPart] = ()
) -> WeightedRound:
    """Choose the matches of a round.

    Args:
        offers: Matches that could be played, the better ones first.
        items: Number of items.
        size: Matches wanted; there may be fewer.
        wishes: Item and opponent, or ``ANYBODY``, the more urgent first. A wish is granted whatever has been played.
        parts: What the round is kept for, in order; what they leave goes by worth.
    """
    making = _Making(offers, items, size)
    granted = tuple([making.grant(item, opponent) for item, opponent in wishes])
    capacity = [part.matches for part in parts]
    for limit in range(1, making.most + 1):
        for at, part in enumerate(parts):
            capacity[at] -= making.take(limit, most=capacity[at], members=part.members)
        making.take(limit)
        if limit == 1:
            making.rearrange()
    for limit in range(1, making.most + 1):
        making.take(limit, redundant=True)
    return WeightedRound(pairs=tuple(making.pairs), granted=granted)


class _Making:
    """A round in the making."""

    def __init__(self, offers: Offers, items: int, size: int) -> None:
        self.pairs: dict[IndexPair, None] = {}  # a set that remembers the order of its making
        self.most = most_each(items, size)
        self._offers = offers
        self._size = size
        self._used = [0] * items
        self._wished: set[IndexPair] = set()
        self._fresh = np.flatnonzero(~offers.redundant)
        self._left = np.flatnonzero(offers.redundant)

    def grant(self, item: int, opponent: int) -> IndexPair | None:
        """The match that grants a wish; None where the round has no room for it."""
        pair = self._best_for(item) if opponent == ANYBODY else ordered(item, opponent)
        if pair is None or pair in self.pairs:
            return pair
        if len(self.pairs) >= self._size or not self._free(*pair, self.most):
            return None
        self._add(*pair)
        self._wished.add(pair)
        return pair

    def take(
        self, limit: int, *, most: int | None = None, members: Flags | None = None, redundant: bool = False
    ) -> int:
        """Take the best offers to items with fewer than ``limit`` matches; returns how many were taken."""
        capacity = self._size - len(self.pairs)
        capacity = capacity if most is None else min(capacity, most)
        offers = self._left if redundant else self._fresh
        if members is not None:
            offers = offers[members[self._offers.a[offers]] | members[self._offers.b[offers]]]
        count = 0
        for a, b in self._pairs_at(offers) if capacity > 0 else ():
            if self._free(a, b, limit):
                self._add(a, b)
                count += 1
                if count == capacity:
                    break
        return count

    def rearrange(self) -> None:
        """Pair otherwise where that makes room for more matches that are not redundant, each item playing once."""
        if len(self.pairs) >= min(self._size, len(self._used) // 2) or len(self._used) > REARRANGED:
            return
        open_pairs = dict.fromkeys(self._pairs_at(self._fresh))
        busy = {item for pair in self._wished for item in pair}
        start = {x: y for a, b in self.pairs if (a, b) not in self._wished for x, y in ((a, b), (b, a))}
        players = [item for item in range(len(self._used)) if item not in busy]
        mate = largest_matching(players, lambda u, v: ordered(u, v) in open_pairs, start)
        if len(mate) > len(start):
            matched = {ordered(u, v) for u, v in mate.items()} | self._wished
            ranked = [*self.pairs, *open_pairs]
            self._begin_again(list(dict.fromkeys(pair for pair in ranked if pair in matched))[: self._size])

    def _begin_again(self, pairs: Iterable[IndexPair]) -> None:
        self.pairs, self._used = {}, [0] * len(self._used)
        for a, b in pairs:
            self._add(a, b)

    def _best_for(self, item: int) -> IndexPair | None:
        offers = self._offers
        indices = np.flatnonzero((offers.a == item) | (offers.b == item))
        return next((pair for pair in self._pairs_at(indices) if self._free(*pair, self.most)), None)

    def _pairs_at(self, indices: Ints) -> Iterable[IndexPair]:
        return zip(self._offers.a[indices].tolist(), self._offers.b[indices].tolist(), strict=True)

    def _free(self, a: int, b: int, limit: int) -> bool:
        return max(self._used[a], self._used[b]) < limit and (a, b) not in self.pairs

    def _add(self, a: int, b: int) -> None:
        self.pairs[a, b] = None
        self._used[a] += 1
        self._used[b] += 1


def ordered(a: int, b: int) -> IndexPair:
    """A pair with the lower index first."""
    return (a, b) if a < b else (b, a)
