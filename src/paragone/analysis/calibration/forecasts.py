"""Predictions with stated confidences, their log-odds, and a number with its interval."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from paragone.errors import InvalidEvidence

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class Forecasts:
    """Predictions whose outcome is known, by rising confidence: their order says nothing, and so changes nothing.

    Attributes:
        confidence: The chance that each was given, in [0, 1], shape (predictions,).
        correct: 1.0 for those that came true, 0.0 for the others, shape (predictions,).
    """

    confidence: Floats
    correct: Floats

    @classmethod
    def of(cls, confidence: Sequence[float] | Floats, correct: Sequence[bool] | NDArray[np.bool_]) -> "Forecasts":
        """Predictions from two columns of one length, in any order.

        Raises:
            InvalidEvidence: If the lengths differ, a confidence lies outside of [0, 1], or an outcome is neither true
                nor false.
        """
        stated, came = np.asarray(confidence, dtype=np.float64), np.asarray(correct, dtype=np.float64)
        if stated.ndim != 1 or stated.shape != came.shape:
            raise InvalidEvidence(f"{stated.shape} confidences have {came.shape} outcomes; each takes one")
        if not np.all((stated >= 0.0) & (stated <= 1.0)):
            wrong = float(stated[~((stated >= 0.0) & (stated <= 1.0))][0])
            raise InvalidEvidence(f"a confidence lies in [0, 1], not {wrong}")
        if not np.all((came == 0.0) | (came == 1.0)):
            raise InvalidEvidence("a prediction came true or did not; an outcome is neither 0 nor 1")
        order = np.lexsort((came, stated))
        return cls(confidence=stated[order], correct=came[order])

    def __len__(self) -> int:
        return self.confidence.size

    @property
    def accuracy(self) -> float:
        """Share that came true."""
        return float(self.correct.mean())

    @property
    def mean_confidence(self) -> float:
        """Mean of the confidences."""
        return float(self.confidence.mean())

    @property
    def brier(self) -> Floats:
        """Brier score of each, shape (predictions,)."""
        scores: Floats = (self.confidence - self.correct) ** 2
        return scores

    def all(self, outcome: float) -> "Forecasts":
        """The same, as if all had come true, for an outcome of 1, or none, for 0."""
        return Forecasts(confidence=self.confidence, correct=np.full(len(self), outcome))


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
    probability: Floats = 0.5 * (1.0 + np.tanh(0.5 * log_odds))
    return probability
