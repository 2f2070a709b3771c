"""Over- and underconfidence: how far the mean confidence lies above the accuracy."""

from collections.abc import Callable
from math import sqrt
from statistics import NormalDist

from paragone.analysis.calibration.forecasts import Forecasts
from paragone.analysis.calibration.logits import chances, log_odds
from paragone.analysis.calibration.measure import Measure

_REACH = 40.0
"""Shift, in nats, by which every chance is 0 or 1."""
_STEPS = 60


def bias(forecasts: Forecasts, level: float = 0.95) -> Measure:
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
        """Standard deviations by which the correct ones are more than such a shift makes."""
        chance = chances(odds + shift)
        spread = sqrt(float((chance * (1 - chance)).sum()))
        return (correct - float(chance.sum())) / spread if spread else 0.0

    said, right = forecasts.mean_confidence, correct / count

    def accuracy(shift: float) -> float:
        return float(chances(odds + shift).mean())

    least = 0.0 if correct == 0 else min(right, accuracy(_crossing(surprise, z)))
    most = 1.0 if correct == count else max(right, accuracy(_crossing(surprise, -z)))
    return Measure(value=said - right, low=said - most, high=said - least)


def _crossing(falling: Callable[[float], float], level: float) -> float:
    """Where a falling function reaches a level."""
    low, high = -_REACH, _REACH
    for _ in range(_STEPS):
        middle = (low + high) / 2
        low, high = (middle, high) if falling(middle) > level else (low, middle)
    return (low + high) / 2
