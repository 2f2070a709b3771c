"""Whether predictions hold: how often favourites won, by their chance before the match."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import sqrt
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from paragone.domain import RatingChange

Floats = NDArray[np.float64]

EDGES = (0.5, 0.55, 0.6, 0.65, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95, 1.0)
LEAST = 8
"""Forecasts that a bin holds at least; thinner ones are joined with the next."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Bin:
    """Forecasts of about the same probability, and how often they came true.

    Attributes:
        expected: Their mean.
        observed: How often the favourite won, a draw being a half.
        low: Lower end of its interval.
        high: Upper end.
        count: How many.
    """

    expected: float
    observed: float
    low: float
    high: float
    count: int


def elo_forecasts(changes: Iterable[RatingChange], counted: Iterable[str]) -> tuple[Floats, Floats]:
    """What the running Elo predicted of each match, and the result.

    Args:
        changes: Every move of a rating, in the order of record.
        counted: Ids of the matches between two that stand.

    Returns:
        Chance of one side and its score, shape (matches,) each.
    """
    uncounted, forecasts = set(counted), []
    for change in changes:
        if change.match in uncounted:
            uncounted.discard(change.match)  # the other side's move says the same again
            forecasts.append((change.expected, change.score))
    table = np.array(forecasts, dtype=np.float64).reshape(-1, 2)
    return table[:, 0], table[:, 1]


def bins(expected: Floats, score: Floats, *, level: float = 0.95) -> tuple[Bin, ...]:
    """Forecasts of the favourite, in bins of about the same chance, with how often it won.

    Args:
        expected: Chance of one side, shape (matches,).
        score: What it scored: 1, 0.5 or 0.
        level: Probability that the intervals are meant to hold (Wilson's, draws counting as halves).
    """
    chance = np.maximum(expected, 1 - expected)
    won = np.where(expected >= 0.5, score, 1 - score)
    bin_of = np.clip(np.searchsorted(EDGES, chance, side="right") - 1, 0, len(EDGES) - 2)
    groups = _joined([np.flatnonzero(bin_of == number) for number in range(len(EDGES) - 1)])
    return tuple(_bin(chance[group], won[group], level) for group in groups)


def _joined(groups: Sequence[NDArray[np.int64]]) -> list[NDArray[np.int64]]:
    """Groups of at least ``LEAST``, each thin one joined with those behind it; what is left over with the last."""
    merged: list[NDArray[np.int64]] = []
    open_ = np.zeros(0, dtype=np.int64)
    for group in groups:
        open_ = np.concatenate([open_, group])
        if open_.size >= LEAST:
            merged.append(open_)
            open_ = np.zeros(0, dtype=np.int64)
    if open_.size and merged:
        merged[-1] = np.concatenate([merged[-1], open_])
    return merged


def _bin(chance: Floats, won: Floats, level: float) -> Bin:
    count, share = won.size, float(won.mean())
    low, high = wilson(share, count, level)
    return Bin(expected=float(chance.mean()), observed=share, low=low, high=high, count=count)


def wilson(share: float, count: int, level: float = 0.95) -> tuple[float, float]:
    """Wilson's interval of a share; of none it is everything.

    Args:
        share: What was seen, from 0 to 1.
        count: Of how many.
        level: Probability that it is meant to hold.

    Source: E. B. Wilson (1927), "Probable inference, the law of succession, and statistical inference", JASA 22.
    """
    if count == 0:
        return 0.0, 1.0
    # The ends solve |share - p| = z sqrt(p (1 - p) / n) for p. Unlike share +- z * error, they stay within [0, 1] and
    # leave room around a share of 0 or 1. Rounding could still put an end past the share itself, hence min and max.
    z = NormalDist().inv_cdf((1 + level) / 2)
    middle = (share + z * z / (2 * count)) / (1 + z * z / count)
    reach = z / (1 + z * z / count) * sqrt(share * (1 - share) / count + z * z / (4 * count * count))
    return max(0.0, min(share, middle - reach)), min(1.0, max(share, middle + reach))
