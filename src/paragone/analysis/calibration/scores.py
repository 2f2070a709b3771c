"""Scores of calibration, each a number with an interval.

The document's calibration score and its factor on K; bias (mean confidence less accuracy); temperature (how much too
extreme the confidences are); and the logarithmic score, which punishes false certainty without limit.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from math import exp, sqrt
from statistics import NormalDist

import numpy as np

from paragone.analysis.calibration.forecasts import EPSILON, Floats, ResolvedForecasts, chances, clipped, log_odds
from paragone.domain.brier import mean_brier
from paragone.errors import InvalidEvidence
from paragone.wire.calibration import Measure

LEAST = 5
"""Predictions below which nothing is scored."""
RAMP = 40
"""Further predictions after which the score counts in full."""


def calibration_score(count: int, brier_sum: float, *, ramp: int = RAMP) -> float:
    """The document's score, from 0 to 1, higher being better; 0 below five predictions.

    One less the mean Brier score, of which half counts from five predictions on, and all after ``ramp`` more. It
    rewards more than calibration: an agent that predicts sure things, or many things, scores high.

    Args:
        count: Predictions.
        brier_sum: Sum of their Brier scores.
        ramp: Predictions after the fifth from which it counts in full.

    Source: Aragora's specification, "Calibration Score".
    """
    if count < LEAST:
        return 0.0
    return (1.0 - mean_brier(count, brier_sum)) * trust(count, ramp=ramp)


def trust(count: int, *, ramp: int = RAMP) -> float:
    """How much of the score counts, by the number of predictions: 0 below five, then from a half to 1."""
    return 0.0 if count < LEAST else min(1.0, 0.5 + 0.5 * (count - LEAST) / ramp)


def k_multiplier(quality: float) -> float:
    """What K is multiplied by, from 1 to 2: the poorer the calibration, the more a rating moves.

    Args:
        quality: Of the calibration, from 0, poor, to 1; what lies outside counts as the nearer end.

    Raises:
        InvalidEvidence: If the quality is not a number.

    Source: Aragora's specification, "Calibration-Based K-Factor".
    """
    if math.isnan(quality):
        raise InvalidEvidence("the quality of a calibration is a number from 0 to 1, not NaN")
    return max(1.0, min(2.0, 2.0 - quality))


@dataclass(frozen=True, kw_only=True, slots=True)
class LogScore:
    """Mean negative log probability that was given to the outcome, in nats; 0 is perfect.

    Attributes:
        clipped: The mean, with confidences held within ``[epsilon, 1 - epsilon]``.
        infinite: Predictions at 0 that came true, and at 1 that did not: one of them makes the score infinite.
        epsilon: How near to 0 and 1 a confidence counts.
    """

    clipped: Measure
    infinite: int
    epsilon: float = EPSILON

    @property
    def value(self) -> float:
        """The mean as it is: infinite where certainty was false, or without those the clipped one."""
        return float("inf") if self.infinite else self.clipped.value


def log_losses(forecasts: ResolvedForecasts) -> Floats:
    """Clipped logarithmic score of each, shape (predictions,)."""
    chance = clipped(forecasts.confidence)
    losses: Floats = -np.log(np.where(forecasts.correct == 1.0, chance, 1 - chance))
    return losses


def falsely_certain(forecasts: ResolvedForecasts) -> int:
    """Predictions at 0 that came true, and at 1 that did not."""
    return int(np.count_nonzero(np.abs(forecasts.confidence - forecasts.correct) == 1.0))


_REACH = 40.0
"""Shift, in nats, by which every chance is 0 or 1."""
_STEPS = 60


def bias(forecasts: ResolvedForecasts, level: float = 0.95) -> Measure:
    """Mean confidence less accuracy, from -1 to 1: above 0 is overconfident.

    The interval is a score interval given the confidences: it holds the shifts of all log-odds under which the number
    of correct ones is no surprise. Where all confidences are alike it is Wilson's. A plain bootstrap would call five
    correct predictions at .9 underconfident for certain, since it has never seen a wrong one.

    Args:
        forecasts: One or more.
        level: Probability that the interval is meant to hold.

    Source: D. R. Cox, "Two further applications of a model for binary regression", Biometrika 1958.
    """
    odds, count, correct = log_odds(forecasts.confidence), len(forecasts), float(forecasts.correct.sum())
    z = NormalDist().inv_cdf((1 + level) / 2)

    def surprise(shift: float) -> float:
        """By how many standard deviations the number of correct ones exceeds what such a shift would make."""
        chance = chances(odds + shift)
        spread = sqrt(float((chance * (1 - chance)).sum()))
        return (correct - float(chance.sum())) / spread if spread else 0.0

    stated, right = forecasts.mean_confidence, correct / count

    def accuracy(shift: float) -> float:
        return float(chances(odds + shift).mean())

    least = 0.0 if correct == 0 else min(right, accuracy(_crossing(surprise, z)))
    most = 1.0 if correct == count else max(right, accuracy(_crossing(surprise, -z)))
    return Measure(value=stated - right, low=stated - most, high=stated - least)


def _crossing(falling: Callable[[float], float], level: float) -> float:
    """Where a falling function reaches a level."""
    low, high = -_REACH, _REACH
    for _ in range(_STEPS):
        middle = (low + high) / 2
        low, high = (middle, high) if falling(middle) > level else (low, middle)
    return (low + high) / 2


PRIOR = 1.0
"""Standard deviation of the prior of the logarithm: 95 % between 1/7 and 7, as if little else could be."""
_TEMPERATURE_REACH = 6.0
_GRID = 49
_TEMPERATURE_STEPS = 40


def temperature(forecasts: ResolvedForecasts, level: float = 0.95) -> Measure:
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
    low, high = (_edge(likelihood, best, far, least) for far in (-_TEMPERATURE_REACH, _TEMPERATURE_REACH))
    return Measure(value=exp(best), low=exp(low), high=exp(high))


def _highest(function: Callable[[float], float]) -> float:
    """Where a function is highest within reach: the best of a grid, and thirds of what lies around it."""
    grid = np.linspace(-_TEMPERATURE_REACH, _TEMPERATURE_REACH, _GRID).tolist()
    best = max(range(_GRID), key=lambda index: function(grid[index]))
    low, high = grid[max(0, best - 1)], grid[min(_GRID - 1, best + 1)]
    for _ in range(_TEMPERATURE_STEPS):
        third = (high - low) / 3
        low, high = (low + third, high) if function(low + third) < function(high - third) else (low, high - third)
    return float((low + high) / 2)


def _edge(function: Callable[[float], float], inside: float, outside: float, least: float) -> float:
    """Where a function falls below a value on the way outwards; the end of the way where it does not."""
    if function(outside) >= least:
        return outside
    for _ in range(_TEMPERATURE_STEPS):
        middle = (inside + outside) / 2
        inside, outside = (middle, outside) if function(middle) >= least else (inside, middle)
    return (inside + outside) / 2
