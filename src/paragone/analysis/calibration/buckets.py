"""Confidences in buckets of a tenth, and the expected calibration error over them."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from paragone.analysis.calibration.forecasts import Floats, Forecasts, Ints

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
        correct: Those that came true.
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
    places: Ints = np.floor(np.round(confidence * COUNT, _DIGITS)).astype(np.int64)
    return np.minimum(places, COUNT - 1)


def buckets(forecasts: Forecasts) -> tuple[Bucket, ...]:
    """The buckets in which there is any prediction, the lowest first.

    Source: document A, "Confidence Buckets".
    """
    place = bucket_of(forecasts.confidence)
    count = np.bincount(place, minlength=COUNT)
    correct, said, brier = (
        np.bincount(place, weights=column, minlength=COUNT)
        for column in (forecasts.correct, forecasts.confidence, forecasts.brier)
    )
    return tuple(
        Bucket(
            start=number / COUNT,
            end=(number + 1) / COUNT,
            predictions=int(count[number]),
            correct=round(correct[number]),
            mean_confidence=float(said[number] / count[number]),
            brier_score=float(brier[number] / count[number]),
        )
        for number in np.flatnonzero(count).tolist()
    )


def ece(made: Sequence[Bucket]) -> float:
    """Expected calibration error, from 0 to 1: accuracy against the mean of what was said, over all buckets.

    Without predictions it is 1, the worst, as where the document's code comes from.

    Source: M. P. Naeini, G. F. Cooper, M. Hauskrecht, "Obtaining well calibrated probabilities using Bayesian binning",
        AAAI 2015.
    """
    return _mean_gap(made, [bucket.mean_confidence for bucket in made])


def ece_by_midpoints(made: Sequence[Bucket]) -> float:
    """The same against the middles of the buckets, which is the document's form.

    Who says 0.91 and is right 91 times in 100 has an error of .04 by it.

    Source: document A, "Confidence Buckets".
    """
    return _mean_gap(made, [bucket.expected_accuracy for bucket in made])


def _mean_gap(made: Sequence[Bucket], expected: Sequence[float]) -> float:
    total = sum(bucket.predictions for bucket in made)
    if not total:
        return 1.0
    gaps = (b.predictions * abs(b.accuracy - said) for b, said in zip(made, expected, strict=True))
    return sum(gaps) / total
