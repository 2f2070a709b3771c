"""Predictions with stated confidences: by buckets of a tenth, and by CORP.

The expected calibration error over the buckets, and the Brier score in parts by the best recalibration that keeps the
order of the confidences (isotonic regression).
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from paragone.errors import InvalidEvidence

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class ResolvedForecasts:
    """Predictions whose outcome is known, by rising confidence; the order in which they were made does not matter.

    Attributes:
        confidence: The chance that each was given, in [0, 1], shape (predictions,).
        correct: 1.0 for those that came true, 0.0 for the others, shape (predictions,).
    """

    confidence: Floats
    correct: Floats

    @classmethod
    def of(
        cls, confidence: Sequence[float] | Floats, correct: Sequence[bool] | NDArray[np.bool_]
    ) -> "ResolvedForecasts":
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

    def all(self, outcome: float) -> "ResolvedForecasts":
        """The same, as if all had come true, for an outcome of 1, or none, for 0."""
        return ResolvedForecasts(confidence=self.confidence, correct=np.full(len(self), outcome))


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


COUNT = 10
"""Buckets."""
MIDPOINTS = (np.arange(COUNT) + 0.5) / COUNT
"""The accuracy that the document expects in each."""
_DIGITS = 9
"""Decimals of a tenth that count: 1 - 0.9 is a hair below 0.1 as floats go, and means 0.1."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Bucket:
    """Predictions of about the same confidence.

    Attributes:
        start: Lowest confidence in it.
        end: Where the next begins; 1.0 falls in the last.
        predictions: How many.
        correct: Predictions that came true.
        mean_confidence: Mean of what was said.
        brier_score: Mean Brier score.
    """

    start: float
    end: float
    predictions: int
    correct: int
    mean_confidence: float
    brier_score: float

    @property
    def key(self) -> str:
        """Its name, as ``0.8-0.9``."""
        return f"{self.start:.1f}-{self.end:.1f}"

    @property
    def accuracy(self) -> float:
        """Share that came true."""
        return self.correct / self.predictions

    @property
    def expected_accuracy(self) -> float:
        """The middle of the bucket, which the document expects."""
        return round((self.start + self.end) / 2, 3)


def bucket_of(confidence: Floats) -> Ints:
    """The bucket of each confidence, from 0 to 9; 1.0 falls in the last."""
    # (1 - 0.9) * 10 is 0.9999999999999998: rounded before the floor, or it would fall into the bucket below.
    number: Ints = np.floor(np.round(confidence * COUNT, _DIGITS)).astype(np.int64)
    return np.minimum(number, COUNT - 1)


def buckets(forecasts: ResolvedForecasts) -> tuple[Bucket, ...]:
    """The buckets that hold predictions, lowest first.

    Source: Aragora's specification, "Confidence Buckets".
    """
    number_of = bucket_of(forecasts.confidence)
    count = np.bincount(number_of, minlength=COUNT)
    correct, confidence, brier = (
        np.bincount(number_of, weights=column, minlength=COUNT)
        for column in (forecasts.correct, forecasts.confidence, forecasts.brier)
    )
    return tuple(
        Bucket(
            start=number / COUNT,
            end=(number + 1) / COUNT,
            predictions=int(count[number]),
            correct=round(correct[number]),
            mean_confidence=float(confidence[number] / count[number]),
            brier_score=float(brier[number] / count[number]),
        )
        for number in np.flatnonzero(count).tolist()
    )


def ece(bins: Sequence[Bucket]) -> float:
    """Expected calibration error, from 0 to 1: the gap between accuracy and mean confidence, over all buckets.

    Without predictions it is 1, the worst, as where Aragora's code comes from.

    Source: M. P. Naeini, G. F. Cooper, M. Hauskrecht, "Obtaining well calibrated probabilities using Bayesian binning",
        AAAI 2015.
    """
    return _mean_gap(bins, [bucket.mean_confidence for bucket in bins])


def ece_by_midpoints(bins: Sequence[Bucket]) -> float:
    """The same with the middle of each bucket as its confidence, as the document has it.

    Who says 0.91 and is right 91 times in 100 has an error of .04 by it.

    Source: Aragora's specification, "Confidence Buckets".
    """
    return _mean_gap(bins, [bucket.expected_accuracy for bucket in bins])


def _mean_gap(bins: Sequence[Bucket], expected: Sequence[float]) -> float:
    total = sum(bucket.predictions for bucket in bins)
    if not total:
        return 1.0
    gaps = (b.predictions * abs(b.accuracy - stated) for b, stated in zip(bins, expected, strict=True))
    return sum(gaps) / total


@dataclass(frozen=True, kw_only=True, slots=True)
class Corp:
    """The Brier score as miscalibration - discrimination + uncertainty, and the recalibration that it rests on.

    Attributes:
        miscalibration: What recalibrating would take off the score; 0 or more, also by chance.
        discrimination: What the recalibrated confidences are better by than the accuracy said of every one.
        uncertainty: Brier score of that: accuracy x (1 - accuracy).
        confidence: Confidences at the corners of the recalibration, rising.
        recalibrated: What they are worth; between two corners lies a straight line.
    """

    miscalibration: float
    discrimination: float
    uncertainty: float
    confidence: tuple[float, ...]
    recalibrated: tuple[float, ...]

    @property
    def brier(self) -> float:
        """The score: the sum of its parts."""
        return self.miscalibration - self.discrimination + self.uncertainty

    def worth(self, confidence: float) -> float:
        """What a confidence is worth, recalibrated; beyond all that were said, as much as the nearest.

        Without predictions it is worth what it says.
        """
        return confidence if not self.confidence else float(np.interp(confidence, self.confidence, self.recalibrated))


def corp(forecasts: ResolvedForecasts) -> Corp:
    """Take the Brier score apart.

    Args:
        forecasts: One or more.

    Source: T. Dimitriadis, T. Gneiting, A. I. Jordan, "Stable reliability diagrams for probabilistic classifiers",
        PNAS 2021.
    """
    # The best recalibration that keeps the order: what it takes off the score is miscalibration, and what it is better
    # by than the constant forecast is discrimination.
    stated, recalibration = _isotonic(forecasts)
    worth = np.interp(forecasts.confidence, stated, recalibration)
    score = float(forecasts.brier.mean())
    recalibrated = float(((worth - forecasts.correct) ** 2).mean())
    base = forecasts.accuracy * (1 - forecasts.accuracy)
    return Corp(
        miscalibration=score - recalibrated,
        discrimination=base - recalibrated,
        uncertainty=base,
        confidence=tuple(stated.tolist()),
        recalibrated=tuple(recalibration.tolist()),
    )


def _isotonic(forecasts: ResolvedForecasts) -> tuple[Floats, Floats]:
    """The ends of the blocks of confidences that are pooled, and the share that came true in each."""
    from scipy.optimize import isotonic_regression

    same = np.finfo(np.float64).resolution  # .1 + .2 and .3 are one confidence
    start = np.flatnonzero(np.diff(forecasts.confidence, prepend=-1.0) >= same)
    count = np.diff(start, append=len(forecasts)).astype(np.float64)
    share = np.add.reduceat(forecasts.correct, start) / count
    pooled = np.clip(isotonic_regression(share, weights=count).x, 0.0, 1.0)
    is_end = np.ones(len(pooled), dtype=np.bool_)
    is_end[1:-1] = (pooled[1:-1] != pooled[:-2]) | (pooled[1:-1] != pooled[2:])
    return forecasts.confidence[start][is_end], pooled[is_end]
