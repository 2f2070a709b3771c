"""Rank correlation of two columns of numbers, ties allowed, in O(n log^2 n).

``scipy.stats`` has the same, and takes seconds to load where this is asked after each round of a tournament; tests hold
the two against each other.

Source: M. G. Kendall (1945), "The treatment of ties in ranking problems", Biometrika 33; W. R. Knight (1966), "A
computer method for calculating Kendall's tau with ungrouped data", Journal of the American Statistical Association 61.
"""

import math

import numpy as np
from numpy.typing import NDArray

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
    order = np.lexsort((y, x))
    discordant = inversions(y[order])
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
