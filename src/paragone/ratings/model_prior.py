"""Ratings of a model as a prior that people's votes correct.

A model that rates everything agrees with people more or less, or the other way round. With x its ratings (mean 0,
standard deviation 1) and rho the correlation of people's strengths with them, strengths are, before people's votes,
N(spread rho x, spread^2 (1 - rho^2)). Fits under all correlations of a grid are averaged by their evidence and by what
is held of models before: most are some good, one in five is none, one in ten is upside down.

Items that the model does not rate have the prior of the average item.

Source: A. Gelman, J. B. Carlin, H. S. Stern, D. B. Dunson, A. Vehtari, D. B. Rubin (2013), "Bayesian Data Analysis",
3rd edition, chapters 5 and 15.
"""

import math

import numpy as np

from paragone.domain.gold import PriorAgreement
from paragone.domain.rounding import SHARE_DECIMALS
from paragone.errors import InvalidConfig
from paragone.ratings.evidence import Floats
from paragone.ratings.fit_types import Fit
from paragone.ratings.side_information import MOST_ITEMS, Centre

CORRELATIONS = {-0.9: 0.03, -0.5: 0.07, 0.0: 0.2, 0.3: 0.15, 0.5: 0.15, 0.7: 0.15, 0.8: 0.1, 0.9: 0.1, 0.95: 0.05}
"""What a model's ratings may have to do with people's, and how likely each is before any vote."""
LEAST_RATED = 3


def centres(ratings: Floats) -> tuple[Centre, ...]:
    """Where strengths are expected, for each correlation.

    Args:
        ratings: Of each item, on any scale; NaN where there is none; shape (items,).

    Raises:
        InvalidConfig: If too few items are rated, all alike, or there are too many items.
    """
    standard, rated = _standard(ratings), np.isfinite(ratings)
    return tuple(
        Centre(
            mean=correlation * standard,
            variance=np.where(rated, 1 - correlation**2, 1.0),
            rest=1 - correlation**2,
            log_weight=math.log(weight),
        )
        for correlation, weight in CORRELATIONS.items()
    )


def _standard(ratings: Floats) -> Floats:
    """The ratings with a mean of 0 and a standard deviation of 1; 0 where there is none."""
    rated = np.isfinite(ratings)
    if ratings.size > MOST_ITEMS:
        raise InvalidConfig(f"a prior can be had for up to {MOST_ITEMS} items, not {ratings.size}")
    if np.count_nonzero(rated) < LEAST_RATED:
        raise InvalidConfig(f"the prior rates {np.count_nonzero(rated)} of these items; it takes {LEAST_RATED} or more")
    spread = float(ratings[rated].std())
    if not spread > 0.0:
        raise InvalidConfig("the prior rates all items alike, and so says nothing; leave it out")
    return np.where(rated, (np.nan_to_num(ratings) - ratings[rated].mean()) / spread, 0.0)


def agreement(fitted: Fit, items: int) -> PriorAgreement | None:
    """How the ratings of so many items went with the votes, from a fit around ``centres``; None for any other.

    Beside columns there are several parts for each correlation; without a prior there are never so many.
    """
    parts = fitted.parts or (() if fitted.mode is None else fitted.mode.parts)
    if not parts or len(parts) % len(CORRELATIONS):
        return None
    weight = np.array([part.weight for part in parts]).reshape(len(CORRELATIONS), -1).sum(axis=1)
    weight /= weight.sum()
    grid = np.array(list(CORRELATIONS))
    below = np.cumsum(weight)
    mean, useless = float(weight @ grid), float(weight[grid == 0.0].sum())
    ends = (float(grid[np.searchsorted(np.round(below, 9), tail)]) for tail in (0.05, 0.95))
    low, high = ends
    return PriorAgreement(
        items=items,
        correlation=round(mean, SHARE_DECIMALS),
        low=low,
        high=high,
        useless=round(useless, SHARE_DECIMALS),
        inverted=round(float(weight[grid < 0.0].sum()), SHARE_DECIMALS),
    )
