"""The logarithmic score, which punishes false certainty without a limit."""

from dataclasses import dataclass

import numpy as np

from paragone.analysis.calibration.forecasts import Floats, Forecasts
from paragone.analysis.calibration.logits import EPSILON, clipped
from paragone.analysis.calibration.measure import Measure


@dataclass(frozen=True, kw_only=True, slots=True)
class LogScore:
    """Mean of the negative logarithm of the chance that was given to what came, in nats; 0 is perfect.

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


def log_losses(forecasts: Forecasts) -> Floats:
    """Clipped logarithmic score of each, shape (predictions,)."""
    chance = clipped(forecasts.confidence)
    losses: Floats = -np.log(np.where(forecasts.correct == 1.0, chance, 1 - chance))
    return losses


def falsely_certain(forecasts: Forecasts) -> int:
    """Predictions at 0 that came true, and at 1 that did not."""
    return int(np.count_nonzero(np.abs(forecasts.confidence - forecasts.correct) == 1.0))
