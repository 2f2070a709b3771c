"""The document's calibration score, and what K is multiplied by."""

import math

from paragone.errors import InvalidEvidence

LEAST = 5
"""Predictions below which nothing is scored."""
RAMP = 40
"""Further predictions after which the score counts in full."""


def mean_brier(count: int, brier_sum: float) -> float:
    """The mean Brier score, from 0, perfect, to 1; 1 without predictions.

    Args:
        count: Predictions.
        brier_sum: Sum of their Brier scores.
    """
    return brier_sum / count if count else 1.0


def calibration_score(count: int, brier_sum: float, *, ramp: int = RAMP) -> float:
    """The document's score, from 0 to 1, higher being better; 0 below five predictions.

    One less the mean Brier score, of which half counts from five predictions on, and all after ``ramp`` more. It
    rewards more than calibration: who foretells sure things well, or many of them, scores high.

    Args:
        count: Predictions.
        brier_sum: Sum of their Brier scores.
        ramp: Predictions after the fifth from which it counts in full.

    Source: document A, "Calibration Score".
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

    Source: document A, "Calibration-Based K-Factor".
    """
    if math.isnan(quality):
        raise InvalidEvidence("the quality of a calibration is a number from 0 to 1, not NaN")
    return max(1.0, min(2.0, 2.0 - quality))
