"""Whether the best items contradict a column: it goes with the answers among all others, and the best are behind in it.

The prior has a column go with strengths along a line. One that is right for most items and wrong for the best hardly
harms the whole order, but ranks down those that matter. With the strengths by answers alone on the abscissa, the line
through all items but the best tenth says what the column of these should be on average; how many standard errors they
are off is Student's t of a prediction.

Source: N. R. Draper, H. Smith (1998), "Applied Regression Analysis", 3rd edition, chapter 3.1 (the mean of several new
observations).
"""

import math
from collections.abc import Sequence

import numpy as np

from paragone.domain.rounding import SHARE_DECIMALS
from paragone.ratings.evidence import Floats, Ints

BEST = 10
"""One item in so many is among the best that are looked at."""
LEAST_ITEMS = 50
"""Fewer items have too few best ones."""
FAR = 2.6
"""Standard errors that the best are behind from which it is not taken for chance (p = .005)."""


def contradicted(strength: Floats, columns: Sequence[Floats]) -> list[bool]:
    """For each column, whether the best items contradict it.

    Args:
        strength: Of each item by answers alone, in nats, shape (items,).
        columns: Of mean 0, shape (items,) each.
    """
    if strength.size < LEAST_ITEMS or not float(np.ptp(strength)) > 0.0:
        return [False for _ in columns]
    order = np.argsort(-strength, kind="stable")
    best, rest = np.split(order, [strength.size // BEST])
    return [_behind(strength, column, best, rest) for column in columns]


def _behind(strength: Floats, column: Floats, best: Ints, rest: Ints) -> bool:
    away, values = strength[rest] - strength[rest].mean(), column[rest] - column[rest].mean()
    size = math.fsum(away**2)
    if size == 0.0:
        return False
    slope = math.fsum(away * values) / size
    ahead = float(strength[best].mean() - strength[rest].mean())
    gap = math.copysign(1.0, slope) * float(column[best].mean() - column[rest].mean())
    scatter = math.fsum((values - slope * away) ** 2) / (rest.size - 2)
    error = math.sqrt(scatter * (1 / best.size + 1 / rest.size + ahead**2 / size))
    # Behind the others, and not merely less ahead than the line has it: a column may level off at the top.
    return round(gap, SHARE_DECIMALS) < 0.0 and round(gap - abs(slope) * ahead + FAR * error, SHARE_DECIMALS) < 0.0
