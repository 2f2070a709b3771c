"""Sequential Elo over columns: the loops of ``elo_arrays``, for plain Python and numba alike.

They check what they read, since a pass of its own over ten million rows takes as long as the matches. They change
``ratings`` in place and return the number of the first match that cannot be, -1 where all were played. ``ahead`` is by
how many matches or entrants they ask for ratings before they need them (``compiled.prefetch``).
"""

import math

import numpy as np
from numpy.typing import NDArray

from paragone.ratings.elo import LEAST_WEIGHT, NATS_PER_POINT
from paragone.ratings.loops.compiled import loop, prefetch

Numbers = NDArray[np.float64] | NDArray[np.float32] | list[float]
Indices = NDArray[np.int64] | NDArray[np.int32] | list[int]
Floats = NDArray[np.float64] | list[float]
Rows = tuple[Floats, Floats, Floats, Floats, Floats]

WIDEST = 500.0
"""Nats between the ratings of one match up to which one exponential an item can tell them all apart."""


@loop
def play(  # noqa: C901 - one pass; what is None is left out of the machine code
    ratings: Floats,
    pairs: tuple[Indices, Indices],
    score: Numbers,
    weight: Floats | None,
    k_of: Floats | None,
    advantage: Floats | None,
    rows: Rows | None,
    limits: tuple[float, float, float],
    ahead: int,
) -> int:
    """Matches of two.

    Args:
        ratings: Rating of each item.
        pairs: The two items of each match.
        score: Score of the first, in [0, 1].
        weight: Weight of each match.
        k_of: K of each match.
        advantage: What each first item is expected to play above its rating.
        rows: Where to note old and new rating of the first, old and new rating of the second, and the first's
            expected score.
        limits: K where matches have none of their own, floor and ceiling.
        ahead: See above.
    """
    a, b = pairs
    k, floor, ceiling = limits
    items, count = len(ratings), len(a)
    for m in range(count):
        if m + ahead < count:
            prefetch(ratings, a[m + ahead])
            prefetch(ratings, b[m + ahead])
        i, j, s = a[m], b[m], score[m]
        # As a negated conjunction, since every comparison with NaN is false: a NaN score is refused as well.
        if not (0 <= i < items and 0 <= j < items and i != j and 0.0 <= s <= 1.0):
            return m
        if k_of is not None:
            k = k_of[m]
            if not 0.0 <= k < math.inf:
                return m
        k_now = k
        if weight is not None:
            if math.isnan(weight[m]):
                return m
            k_now *= min(max(weight[m], LEAST_WEIGHT), 1.0)
        old_i, old_j = ratings[i], ratings[j]
        lead = old_i - old_j
        if advantage is not None:
            if not math.isfinite(advantage[m]):
                return m
            lead = old_i + advantage[m] - old_j
        nats = lead * NATS_PER_POINT
        # exp(-|x|) cannot overflow; the better side expects 1 / (1 + odds), the other odds / (1 + odds).
        odds = math.exp(-abs(nats))
        expected = (1.0 if nats >= 0.0 else odds) / (1.0 + odds)
        change = k_now * (s - expected)
        ratings[i] = min(max(old_i + change, floor), ceiling)
        ratings[j] = min(max(old_j - change, floor), ceiling)
        if rows is not None:
            rows[0][m], rows[1][m] = old_i, ratings[i]
            rows[2][m], rows[3][m] = old_j, ratings[j]
            rows[4][m] = expected
    return -1


@loop
def share(score: float, other: float) -> float:
    """What the first takes of two scores; -1 where one of them cannot be."""
    total = score + other
    if not (score >= 0.0 and other >= 0.0 and total < math.inf):
        return -1.0
    return score / total if total > 0.0 else 0.5


@loop
def weigh(ratings: Floats, entrants: Indices, low: int, high: int, odds: Floats) -> bool:
    """The odds of the entrants in [low, high), the best one's 1; False where they are too far apart for that."""
    best = worst = ratings[entrants[low]]
    for p in range(low + 1, high):
        best, worst = max(best, ratings[entrants[p]]), min(worst, ratings[entrants[p]])
    near = (best - worst) * NATS_PER_POINT < WIDEST
    if near:
        for p in range(low, high):
            odds[p - low] = math.exp((ratings[entrants[p]] - best) * NATS_PER_POINT)
    return near


@loop
def play_several(  # noqa: C901, PLR0912 - one pass
    ratings: Floats,
    entrants: Indices,
    offsets: Indices,
    score: Numbers | None,
    weight: Floats | None,
    scratch: tuple[Floats, Floats],
    limits: tuple[float, float, float],
    ahead: int,
) -> int:
    """Matches of several: every pair counts as a match, all from the ratings before it.

    One exponential an item, not one a pair: with odds ``w = 10 ** (rating / 400)`` the expected score is
    ``w / (w + w_other)``.

    Args:
        ratings: Rating of each item.
        entrants: The items of all matches, one match after the other.
        offsets: Where each match begins in ``entrants``, and where the last one ends.
        score: What each entrant scored; where None they are in the order in which they came out, the best first.
        weight: Weight of each match.
        scratch: Two arrays as long as the largest match.
        limits: K, floor and ceiling.
        ahead: See above.
    """
    odds, surprise = scratch
    k, floor, ceiling = limits
    items = len(ratings)
    for m in range(len(offsets) - 1):
        low, high = offsets[m], offsets[m + 1]
        for p in range(low + ahead, min(high + ahead, len(entrants))):
            prefetch(ratings, entrants[p])
        for p in range(low, high):
            if not 0 <= entrants[p] < items:
                return m
            surprise[p - low] = 0.0
        near = weigh(ratings, entrants, low, high, odds)
        for p in range(low, high):
            for q in range(p + 1, high):
                if entrants[p] == entrants[q]:
                    return m
                score_of_pair = 1.0 if score is None else share(score[p], score[q])
                if score_of_pair < 0.0:
                    return m
                if near:
                    expected = odds[p - low] / (odds[p - low] + odds[q - low])
                else:
                    nats = (ratings[entrants[p]] - ratings[entrants[q]]) * NATS_PER_POINT
                    other = math.exp(-abs(nats))
                    expected = (1.0 if nats >= 0.0 else other) / (1.0 + other)
                surprise[p - low] += score_of_pair - expected
                surprise[q - low] -= score_of_pair - expected
        k_now = k
        if weight is not None:
            if math.isnan(weight[m]):
                return m
            k_now *= min(max(weight[m], LEAST_WEIGHT), 1.0)
        for p in range(low, high):
            new = ratings[entrants[p]] + k_now * surprise[p - low]
            ratings[entrants[p]] = min(max(new, floor), ceiling)
    return -1
