"""Whether a ranking has settled: how alike successive rankings are, and what another round still changes.

Likeness is Kendall's tau-b: 1 where two rankings agree on every pair, 0 where they agree on as many as they disagree
on; pairs that are tied in one of them count for neither. Spearman's rho is there for those who have a threshold in it.
Both are O(n log n). ``scipy.stats`` has them too, but takes seconds to load, and a tournament asks after each round;
tests hold the two against each other.

Two rankings are also alike where hardly anything was played between them, so stability is asked of several rounds in a
row, and of items that have played at all.

Source: M. G. Kendall (1945), "The treatment of ties in ranking problems", Biometrika 33; W. R. Knight (1966), "A
computer method for calculating Kendall's tau with ungrouped data", Journal of the American Statistical Association 61.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import NormalDist
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from paragone.domain.rounding import SHARE_DECIMALS

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


def kendall(first: Floats, second: Floats) -> float:
    """Kendall's tau-b, from -1 to 1; NaN where one of both ties everything.

    Args:
        first: Shape (items,).
        second: The same.
    """
    x, y = _dense(first), _dense(second)
    pairs = x.size * (x.size - 1) // 2
    tied, also_tied, both = (_tied(column) for column in (x, y, _dense(x * (x.size + 1) + y)))
    # Sorted by x, and by y where x ties, so that ties in x make no inversions: what is left are the discordant pairs.
    order = np.lexsort((y, x))
    discordant = inversions(y[order])
    # Pairs tied in either ranking are neither; those tied in both were taken off twice.
    concordant = pairs - tied - also_tied + both - discordant
    scale = math.sqrt((pairs - tied) * (pairs - also_tied))
    return round((concordant - discordant) / scale, SHARE_DECIMALS) if scale else math.nan


def spearman(first: Floats, second: Floats) -> float:
    """Spearman's rho: the correlation of mean ranks; NaN where one of both ties everything.

    Args:
        first: Shape (items,).
        second: The same.
    """
    x, y = (ranks - ranks.mean() for ranks in map(mean_ranks, (first, second)))
    scale = math.sqrt(float(x @ x) * float(y @ y))
    return round(float(x @ y / scale), SHARE_DECIMALS) if scale else math.nan


def mean_ranks(values: Floats) -> Floats:
    """Ranks from 1 upwards; equal values share the mean of theirs."""
    _, group, count = np.unique(values, return_inverse=True, return_counts=True)
    ranks: Floats = (np.cumsum(count) - (count - 1) / 2)[group]
    return ranks


def inversions(values: Ints) -> int:
    """How many pairs stand in the wrong order: the larger one first.

    By the highest bit in which the two differ: the larger has it set.

    Args:
        values: Whole numbers from 0 up, shape (items,).
    """
    total, highest = 0, int(values.max(initial=0)).bit_length()
    for bit in range(highest):
        prefix = values >> (bit + 1)
        order = np.argsort(prefix, kind="stable")
        grouped, is_set = prefix[order], (values[order] >> bit) & 1
        starts = np.flatnonzero(np.append(True, grouped[1:] != grouped[:-1]))
        before = np.cumsum(is_set) - is_set
        within = before - np.repeat(before[starts], np.diff(np.append(starts, grouped.size)))
        total += int(within[is_set == 0].sum())
    return total


def _dense(values: NDArray[np.float64] | Ints) -> Ints:
    """The rank of each among the different values, from 0."""
    ranks: Ints = np.unique(values, return_inverse=True)[1].astype(np.int64)
    return ranks


def _tied(values: Ints) -> int:
    """Pairs of equal values."""
    count = np.bincount(values)
    return int((count * (count - 1) // 2).sum())


Correlation = Literal["kendall", "spearman"]

SURE = 0.95
"""Level of the intervals of trends."""
_SMALLEST = 1e-3  # disagreements below this count as this
LEAST_ROUNDS = 3
"""Rounds that a trend takes."""


@dataclass(frozen=True, kw_only=True, slots=True)
class RoundTrend:
    """Where a number goes from round to round: Theil and Sen's slope, the median of all pairs'.

    Attributes:
        slope: Change a round, as a share of the median.
        low: Lower end of its 95 % interval.
        high: Upper end.
    """

    slope: float
    low: float
    high: float

    @property
    def word(self) -> str:
        """``falling``, ``rising``, or ``steady`` where the interval holds 0."""
        return "falling" if self.high < 0 else "rising" if self.low > 0 else "steady"


class Sweep:
    """Says when everyone has played once, on average: between rounds in which few play, any ranking is stable.

    Args:
        items: How many play.
    """

    def __init__(self, items: int) -> None:
        self._items = items
        self._matches = 0

    def ends_with(self, matches: int) -> bool:
        """Count in the matches of another round; whether a sweep is over with it, so that the next one begins."""
        self._matches += matches
        if 2 * self._matches < self._items:
            return False
        self._matches = 0
        return True


@dataclass(frozen=True, kw_only=True, slots=True)
class Convergence:
    """How a ranking settled, over rounds.

    Attributes:
        stability: Rank correlation of each round's ranking with that of the round before, from the second round on.
        top_stability: Share of the top that stayed in it, of the same rounds.
        top: How many the top is.
        changes: Mean size of a rating change in each round, in Elo points; NaN for a round without any.
        trend: Where these go; None before there are three rounds with changes.
        rate: Share by which the disagreement of successive rankings shrinks a round; None before three can be told.
        threshold: Correlation from which a round counts as stable.
        stable_rounds: Last rounds in a row that were.
    """

    stability: tuple[float, ...]
    top_stability: tuple[float, ...]
    top: int
    changes: tuple[float, ...]
    trend: RoundTrend | None
    rate: float | None
    threshold: float
    stable_rounds: int

    @property
    def mean_top_stability(self) -> float | None:
        """Mean share of the top that stayed in it from one round to the next."""
        return float(np.mean(self.top_stability)) if self.top_stability else None


def rank_stability(before: ArrayLike, after: ArrayLike, *, by: Correlation = "kendall") -> float:
    """Rank correlation of two ratings of the same items, from -1 to 1.

    Args:
        before: Ratings, shape (items,).
        after: Ratings of the same items in the same order.
        by: ``kendall`` for tau-b, ``spearman`` for rho with mean ranks. Ties are allowed in both.

    Returns:
        The correlation; 1 where both tie all items or there are fewer than two, 0 where only one of them does.

    Raises:
        ValueError: If the lengths differ or a rating is not finite.
    """
    first, second = _checked(before), _checked(after)
    if first.shape != second.shape:
        raise ValueError(f"two rankings of the same items: {first.size} ratings and {second.size}")
    flat = [values.size < 2 or float(np.ptp(values)) == 0.0 for values in (first, second)]
    if any(flat):
        return 1.0 if all(flat) else 0.0
    return kendall(first, second) if by == "kendall" else spearman(first, second)


def top_stability(before: ArrayLike, after: ArrayLike, top: int = 10) -> float:
    """Share of the first ``top`` that are still among them.

    Items of equal rating count as placed in the order given; with no more items than ``top`` the share is 1.

    Args:
        before: Ratings, shape (items,).
        after: Ratings of the same items in the same order.
        top: How many the top is.
    """
    first, second = _checked(before), _checked(after)
    count = min(top, first.size)
    if count == 0:
        return 1.0
    return len(set(_first(first, count)) & set(_first(second, count))) / count


def stable_rounds(stability: Sequence[float], threshold: float = 0.95) -> int:
    """How many of the last rounds in a row reach the threshold."""
    count = 0
    for value in reversed(stability):
        if not value >= threshold:
            break
        count += 1
    return count


def trend(values: Sequence[float]) -> RoundTrend | None:
    """Where a positive number goes from round to round; None for fewer than three of them.

    Args:
        values: One a round, in order; those that are not finite are passed over.
    """
    rounds, numbers = _known(values)
    middle = float(np.median(numbers)) if numbers.size else 0.0
    if numbers.size < LEAST_ROUNDS or middle == 0.0:
        return None
    slope, low, high = (part / middle for part in _theil_sen(rounds, numbers))
    return RoundTrend(slope=slope, low=low, high=high)


def convergence_rate(stability: Sequence[float]) -> float | None:
    """The share by which the disagreement (1 - correlation) of successive rankings shrinks a round.

    Least squares on its logarithm: 0.5 where it halves each round, 0 where it stays, negative where it grows.

    Args:
        stability: Rank correlation with the round before, one a round.

    Returns:
        The rate; None for fewer than three rounds.
    """
    rounds, numbers = _known(stability)
    if numbers.size < LEAST_ROUNDS:
        return None
    # A constant rate r makes the disagreement (1 - r)^round: a line in its logarithm.
    slope = np.polyfit(rounds, np.log(np.maximum(1.0 - numbers, _SMALLEST)), 1)[0]
    return 1.0 - math.exp(float(slope))


def convergence(
    ratings: Sequence[ArrayLike],
    changes: Sequence[float] = (),
    *,
    threshold: float = 0.95,
    top: int = 10,
    by: Correlation = "kendall",
) -> Convergence:
    """How a ranking settled.

    Args:
        ratings: Ratings of the same items after each round, shape (items,) each.
        changes: Mean size of a rating change in each round, in Elo points.
        threshold: Correlation from which a round counts as stable.
        top: How many the top is.
        by: See ``rank_stability``.
    """
    tables = [_checked(table) for table in ratings]
    steps = list(pairwise(tables))
    stability = tuple(rank_stability(before, after, by=by) for before, after in steps)
    return Convergence(
        stability=stability,
        top_stability=tuple(top_stability(before, after, top) for before, after in steps),
        top=top,
        changes=tuple(changes),
        trend=trend(changes),
        rate=convergence_rate(stability),
        threshold=threshold,
        stable_rounds=stable_rounds(stability, threshold),
    )


def in_words(
    result: Convergence, *, rounds: int = 3, step: str = "round", is_stable: bool | None = None, because: str = ""
) -> str:
    """What there is to say about it, in a sentence: whether the ranking is stable, and what another round brings.

    Args:
        result: How the ranking moved.
        rounds: How often in a row it must have stayed as it was.
        step: What lies between two rankings: a round, or what else was taken for one.
        is_stable: Whether it counts as stable; None if that follows from the rankings alone.
        because: Why it does, or does not, beside the rankings.
    """
    if not result.stability:
        return f"one {step} says nothing about convergence yet"
    last = f"rank correlation with the {step} before {result.stability[-1]:.3f}"
    reason = f"{because}; " if because else ""
    if result.stable_rounds >= rounds if is_stable is None else is_stable:
        stability = f"stable: {reason}{last}, at least {result.threshold:g} for {result.stable_rounds} {step}s"
    else:
        stability = (
            f"not yet stable: {reason}{last}, at least {result.threshold:g} for {result.stable_rounds} of {rounds} "
            f"{step}s"
        )
    top = f"{result.top_stability[-1]:.0%} of the top {result.top} stayed in it"
    moves = "" if result.trend is None else f"; rating changes are {result.trend.word}"
    return f"{stability}; {top}{moves}"


def _theil_sen(at: Floats, values: Floats) -> tuple[float, float, float]:
    """The median of the slopes of all pairs, and its interval by the distribution of Kendall's tau.

    Source: P. K. Sen (1968), "Estimates of the regression coefficient based on Kendall's tau", Journal of the American
    Statistical Association 63.
    """
    first, second = np.triu_indices(at.size, 1)
    slopes = np.sort((values[second] - values[first]) / (at[second] - at[first]))
    count = at.size
    # n (n - 1) (2 n + 5) / 18 is the variance of Kendall's S without ties: how many of the sorted slopes may lie on the
    # other side of the true one by chance.
    reach = NormalDist().inv_cdf((1 + SURE) / 2) * math.sqrt(count * (count - 1) * (2 * count + 5) / 18)
    low, high = round((slopes.size - reach) / 2) - 1, round((slopes.size + reach) / 2)
    ends = float(slopes[low]) if low >= 0 else -math.inf, float(slopes[high]) if high < slopes.size else math.inf
    return float(np.median(slopes)), *ends


def _checked(ratings: ArrayLike) -> Floats:
    values = np.asarray(ratings, dtype=np.float64)
    if values.ndim != 1 or not np.isfinite(values).all():
        raise ValueError(f"ratings are finite numbers in one dimension, not of shape {values.shape}")
    return values


def _first(ratings: Floats, count: int) -> list[int]:
    indices: list[int] = np.argsort(-ratings, kind="stable")[:count].tolist()
    return indices


def _known(values: Sequence[float]) -> tuple[Floats, Floats]:
    """The rounds, from 0, of the values that are finite, and these."""
    table = np.asarray(values, dtype=np.float64)
    rounds = np.flatnonzero(np.isfinite(table))
    return rounds.astype(np.float64), table[rounds]
