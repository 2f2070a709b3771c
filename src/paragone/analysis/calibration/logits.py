"""Confidences on the scale of log-odds, where those of 0 and 1 would be infinite."""

import numpy as np

from paragone.analysis.calibration.forecasts import Floats

EPSILON = 0.001
"""How near to 0 and 1 a confidence counts where its logarithm is taken: 100 % stands for 99.9 %."""


def clipped(confidence: Floats) -> Floats:
    """Confidences within ``[EPSILON, 1 - EPSILON]``."""
    return np.clip(confidence, EPSILON, 1 - EPSILON)


def log_odds(confidence: Floats) -> Floats:
    """Log-odds of the clipped confidences, in nats."""
    within = clipped(confidence)
    odds: Floats = np.log(within) - np.log1p(-within)
    return odds


def chances(log_odds: Floats) -> Floats:
    """The chances that have these log-odds."""
    made: Floats = 0.5 * (1.0 + np.tanh(0.5 * log_odds))
    return made
