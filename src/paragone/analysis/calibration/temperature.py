"""Temperature: how much too extreme confidences are, in one number."""

from collections.abc import Callable
from math import exp
from statistics import NormalDist

import numpy as np

from paragone.analysis.calibration.forecasts import Forecasts
from paragone.analysis.calibration.logits import log_odds
from paragone.analysis.calibration.measure import Measure

PRIOR = 1.0
"""Standard deviation of the prior of the logarithm: 95 % between 1/7 and 7, as if little else could be."""
_REACH = 6.0
_GRID = 49
_STEPS = 40


def temperature(forecasts: Forecasts, level: float = 0.95) -> Measure:
    """What all log-odds are to be divided by: above 1 the confidences are too extreme, below 1 too timid.

    Estimated by maximum likelihood with a weak prior around 1, so that it stays finite where all were right. The
    interval is that of the likelihood ratio. Confidences of 0 and 1 count as .001 and .999. Those of one half say
    nothing of it; where there are no others the interval is the prior's.

    Args:
        forecasts: One or more.
        level: Probability that the interval is meant to hold.

    Source: C. Guo, G. Pleiss, Y. Sun, K. Q. Weinberger, "On calibration of modern neural networks", ICML 2017.
    """
    towards = np.where(forecasts.correct == 1.0, 1.0, -1.0) * log_odds(forecasts.confidence)

    def likelihood(log_t: float) -> float:
        return -float(np.logaddexp(0.0, -towards * exp(-log_t)).sum()) - 0.5 * (log_t / PRIOR) ** 2

    best = _highest(likelihood)
    z = NormalDist().inv_cdf((1 + level) / 2)
    least = likelihood(best) - 0.5 * z * z
    low, high = (_edge(likelihood, best, far, least) for far in (-_REACH, _REACH))
    return Measure(value=exp(best), low=exp(low), high=exp(high))


def _highest(function: Callable[[float], float]) -> float:
    """Where a function is highest within reach: the best of a grid, and thirds of what lies around it."""
    grid = np.linspace(-_REACH, _REACH, _GRID).tolist()
    best = max(range(_GRID), key=lambda place: function(grid[place]))
    low, high = grid[max(0, best - 1)], grid[min(_GRID - 1, best + 1)]
    for _ in range(_STEPS):
        third = (high - low) / 3
        low, high = (low + third, high) if function(low + third) < function(high - third) else (low, high - third)
    return float((low + high) / 2)


def _edge(function: Callable[[float], float], inside: float, outside: float, least: float) -> float:
    """Where a function falls below a value on the way outwards; the end of the way where it does not."""
    if function(outside) >= least:
        return outside
    for _ in range(_STEPS):
        middle = (inside + outside) / 2
        inside, outside = (middle, outside) if function(middle) >= least else (inside, middle)
    return (inside + outside) / 2
