"""Whose match is worth most by the specified weights: similarity, recency, rating proximity, and activity balance.

Items are indices into arrays. Opponents are looked for among neighbours in rating, among those that are alike, and
wherever somebody asked for a match; only among few items is every pair looked at. So a round is cheap among 100,000.

Source: the tournament and Ranking Agent specifications, "Match Selection Algorithm".
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from paragone.domain.rounding import SHARE_DECIMALS, rounded

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Flags = NDArray[np.bool_]

EVERY_PAIR = 200
"""Among so many items all pairs are looked at."""

REACH = 12
"""Neighbours in rating on either side that are looked at beyond that."""

ENOUGH = 4
"""Opponents without a redundant match that an item should have among those looked at; else it looks farther."""

SEEKERS = 4
"""How many times the matches of a round are looked for from each end: the least played, the best rated, the nearest."""

CERTAIN = 0.95
"""An outcome that is expected with this probability between trusted ratings is practically certain."""

HALF_AGE = 3.0
"""Rounds in which the bonus of a new item halves."""

_SPREAD = 400.0


@dataclass(frozen=True, kw_only=True, slots=True)
class Weights:
    """What each part of a pair's score is worth. The defaults are the specifications'.

    Attributes:
        similarity: Of items that are alike.
        recency: Of items that are new.
        rating_proximity: Of ratings that are close.
        activity: Of items that have played less than others; a correction on top of the other three.
    """

    similarity: float = 0.3
    recency: float = 0.2
    rating_proximity: float = 0.5
    activity: float = 0.1


@dataclass(frozen=True, kw_only=True)
class Field:
    """Those who may play. All arrays have shape (items,).

    Attributes:
        rating: The running Elo.
        matches: Matches played.
        age: Rounds since the item could first play, from 0.
        luck: Random numbers; they decide between equals, and nothing else.
        trusted: Matches from which a rating is trusted.
    """

    rating: Floats
    matches: Ints
    age: Floats
    luck: Floats
    trusted: int = 5

    @property
    def size(self) -> int:
        """How many may play."""
        return self.rating.size

    @cached_property
    def by_rating(self) -> Ints:
        """The items, best rated first."""
        return np.lexsort((self.luck, -self.rating))

    @cached_property
    def by_need(self) -> Ints:
        """The items, least played first, among those the youngest."""
        return np.lexsort((self.luck, self.age, self.matches))


@dataclass(frozen=True, kw_only=True, slots=True)
class PlayablePairs:
    """Matches that could be played, each pair once. All arrays have shape (pairs,).

    Attributes:
        a: The lower index.
        b: The higher index.
        similarity: How alike they are, from 0 to 1.
        meetings: How often they have met.
    """

    a: Ints
    b: Ints
    similarity: Floats
    meetings: Ints

    def those(self, flags: Flags) -> "PlayablePairs":
        """Some of them. Shape of the flags (pairs,)."""
        return PlayablePairs(
            a=self.a[flags], b=self.b[flags], similarity=self.similarity[flags], meetings=self.meetings[flags]
        )


def expected(gap: Floats) -> Floats:
    """The score that the better rated is expected to make, by the size of the gap in Elo points."""
    return rounded(1.0 / (1.0 + 10.0 ** (-np.abs(gap) / _SPREAD)), SHARE_DECIMALS)


def openness(gap: Floats) -> Floats:
    """How open a match is, from 0 to 1: the variance of its outcome relative to that between equals."""
    chance = expected(gap)
    # p (1 - p) is the variance of the outcome, 1/4 between equals.
    return np.asarray(4.0 * chance * (1.0 - chance))


def newness(age: Floats) -> Floats:
    """The bonus of new items, from 0 to 1; it halves every three rounds."""
    return np.asarray(0.5 ** (age / HALF_AGE))


def idleness(matches: Ints) -> Floats:
    """How much an item lacks matches, from 0 to 1: 1 for none, about a half for as many as the others."""
    mean = matches.mean() if matches.size else 0.0
    return np.asarray(1.0 / (1.0 + matches / (1.0 + mean)))


def scores(field: Field, pairs: PlayablePairs, weights: Weights) -> Floats:
    """What each match is worth: the weighted sum, where a pair's recency and idleness are the mean of its two's."""
    a, b = pairs.a, pairs.b
    new, idle = newness(field.age), idleness(field.matches)
    total = (
        weights.similarity * pairs.similarity
        + weights.recency * (new[a] + new[b]) / 2.0
        + weights.rating_proximity * openness(field.rating[a] - field.rating[b])
        + weights.activity * (idle[a] + idle[b]) / 2.0
    )
    return rounded(total, SHARE_DECIMALS)


def foregone(field: Field, pairs: PlayablePairs) -> Flags:
    """Whether a match's outcome is practically certain; never where one of the ratings is not to be trusted yet."""
    a, b = pairs.a, pairs.b
    reliable = np.minimum(field.matches[a], field.matches[b]) >= field.trusted
    return np.asarray(reliable & (expected(field.rating[a] - field.rating[b]) >= CERTAIN))


def seekers(field: Field, size: int, weights: Weights) -> Ints:
    """The items for whom opponents are looked for; all of them where they are few.

    Otherwise the least played, the best rated, and the pairs of neighbours in rating that are worth most.

    Args:
        field: Those who may play.
        size: Matches wanted.
        weights: The weights.
    """
    if field.size <= max(EVERY_PAIR, 2 * SEEKERS * size):
        return np.arange(field.size)
    most = SEEKERS * size
    order = field.by_rating
    none = np.zeros(field.size - 1)
    beside = PlayablePairs(a=order[:-1], b=order[1:], similarity=none, meetings=none.astype(np.int64))
    best = np.lexsort((field.luck[:-1], -scores(field, beside, weights)))[: most // 2]
    return np.unique(np.concatenate([field.by_need[:most], order[:most], beside.a[best], beside.b[best]]))


def within_reach(field: Field, who: Ints, reach: int) -> Ints:
    """Pairs of some items with their neighbours in rating, as codes ``a * items + b`` with a < b, ascending."""
    items = field.size
    if items <= EVERY_PAIR:
        a, b = np.triu_indices(items, k=1)
        return np.asarray(a * items + b)
    order = field.by_rating
    position = np.empty(items, dtype=np.int64)
    position[order] = np.arange(items)
    steps = np.concatenate([np.arange(-reach, 0), np.arange(1, reach + 1)])
    neighbour = position[who][:, np.newaxis] + steps
    inside = (neighbour >= 0) & (neighbour < items)
    opponents = order[neighbour[inside]]
    ones = np.broadcast_to(who[:, np.newaxis], neighbour.shape)[inside]
    return codes(ones, opponents, items)


def codes(a: Ints, b: Ints, items: int) -> Ints:
    """Pairs as numbers ``a * items + b`` with a < b, each once, ascending."""
    return np.unique(np.minimum(a, b) * items + np.maximum(a, b))
