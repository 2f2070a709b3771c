"""Intervals for ratings and for ranks, from the posterior of a fit.

Both speak of an item against the average of its pool. The absolute level is pinned by the prior alone, and no judge
said anything about it, so its uncertainty is left out of both.
"""

from statistics import NormalDist

import numpy as np

from paragone.domain.rounding import STRENGTH_DECIMALS, in_order, rounded
from paragone.errors import InvalidConfig
from paragone.ratings.evidence import Floats, Ints
from paragone.ratings.fit_types import Fit


def rating_intervals(fit: Fit, level: float = 0.95, draws: Floats | None = None) -> tuple[Floats, Floats]:
    """Lower and upper ends of each strength's interval in nats, shape (items,) each.

    Quantiles of the draws hold the truth as often as they say where evidence is thin and the posterior far from
    Gaussian; without draws, the ends are those of the Gaussian.

    Args:
        fit: The fit.
        level: Probability that a strength lies within.
        draws: Posterior draws of the strengths, shape (count, items). An interval is stretched to hold the strength.

    Raises:
        InvalidConfig: If the level does not lie strictly between 0 and 1.
    """
    if draws is not None:
        tail = (1 - _checked(level)) / 2
        low, high = np.quantile(draws, [tail, 1 - tail], axis=0)
        return np.minimum(low, fit.strength), np.maximum(high, fit.strength)
    reach = NormalDist().inv_cdf((1 + _checked(level)) / 2) * fit.standard_error
    return fit.strength - reach, fit.strength + reach


def ranks(strength: Floats) -> Ints:
    """Rank of each item from 1, best first; items of equal strength share the best of their ranks.

    Args:
        strength: In nats, equal where it is the same to ``STRENGTH_DECIMALS``, shape (items,).
    """
    strength = rounded(strength, STRENGTH_DECIMALS)
    order = np.argsort(-strength, kind="stable")
    falls = np.append(True, np.diff(strength[order]) < 0)
    shared = np.maximum.accumulate(np.where(falls, np.arange(order.size), 0))
    result = np.empty(order.size, dtype=np.int64)
    result[order] = shared + 1
    return result


def rank_intervals(draws: Floats, level: float = 0.95, reported: Ints | None = None) -> tuple[Ints, Ints]:
    """Best and worst rank of each item's interval, shape (items,) each.

    Args:
        draws: Posterior draws of the strengths, shape (count, items); one of equal items allows for any order.
        level: Probability that an item's rank lies within.
        reported: Ranks shown beside the intervals; an interval is stretched to hold its own.

    Raises:
        InvalidConfig: If the level does not lie strictly between 0 and 1.
    """
    tail = (1 - _checked(level)) / 2
    rank = np.empty(draws.shape, dtype=np.int64)
    np.put_along_axis(rank, in_order(-draws)[0], np.arange(1, draws.shape[1] + 1)[None], axis=1)
    equal = np.flatnonzero(draws.max(axis=1) == draws.min(axis=1))
    rank[equal] = _any_places(equal.size, draws.shape[1])
    rank.sort(axis=0)
    # tail * draws may come out a hair below a whole number; the cut must not jump by one for that.
    cut = int(round(tail * len(draws), 9))
    best, worst = rank[cut], rank[len(draws) - 1 - cut]
    if reported is None:
        return best, worst
    return np.minimum(best, reported), np.maximum(worst, reported)


def _any_places(count: int, items: int) -> Ints:
    """Places of items that are all equal: each item is at every place equally often, shape (count, items)."""
    turns = np.arange(count) * items // max(count, 1)
    rank: Ints = (np.arange(items) + turns[:, None]) % items + 1
    return rank


def _checked(level: float) -> float:
    if not 0.0 < level < 1.0:
        raise InvalidConfig(f"an interval's level lies strictly between 0 and 1, not {level}")
    return level
