"""Predictions as columns: what was said, and whether it came."""

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
        said, came = np.asarray(confidence, dtype=np.float64), np.asarray(correct, dtype=np.float64)
        if said.ndim != 1 or said.shape != came.shape:
            raise InvalidEvidence(f"{said.shape} confidences have {came.shape} outcomes; each takes one")
        if not np.all((said >= 0.0) & (said <= 1.0)):
            wrong = float(said[~((said >= 0.0) & (said <= 1.0))][0])
            raise InvalidEvidence(f"a confidence lies in [0, 1], not {wrong}")
        if not np.all((came == 0.0) | (came == 1.0)):
            raise InvalidEvidence("a prediction came true or did not; an outcome is neither 0 nor 1")
        order = np.lexsort((came, said))
        return cls(confidence=said[order], correct=came[order])

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
