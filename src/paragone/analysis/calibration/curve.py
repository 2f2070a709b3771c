"""The reliability curve: how often predictions of about one confidence came true, and what chance would show."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from paragone.analysis.calibration.buckets import Bucket
from paragone.analysis.calibration.chance import Simulated
from paragone.analysis.quality.foresight import wilson


@dataclass(frozen=True, kw_only=True, slots=True)
class CurvePoint:
    """One bucket of the curve.

    Attributes:
        bucket: Its predictions.
        low: Lower end of the interval of its accuracy (Wilson's).
        high: Upper end.
        chance_low: Lower end of the accuracies that perfect calibration would show.
        chance_high: Upper end.
    """

    bucket: Bucket
    low: float
    high: float
    chance_low: float
    chance_high: float


@dataclass(frozen=True, kw_only=True, slots=True)
class Band:
    """Where the recalibrated confidences would lie by chance, if all confidences were right.

    Attributes:
        confidence: Some of the confidences, rising.
        low: Lower end at each.
        high: Upper end at each.
    """

    confidence: tuple[float, ...]
    low: tuple[float, ...]
    high: tuple[float, ...]


def curve(made: Sequence[Bucket], simulated: Simulated, level: float) -> tuple[CurvePoint, ...]:
    """The curve over the buckets that have predictions.

    Args:
        made: The buckets.
        simulated: Draws under perfect calibration, in the order of the buckets.
        level: Probability that intervals and bands are meant to hold, each by itself.
    """
    tails = np.quantile(simulated.accuracy, [(1 - level) / 2, (1 + level) / 2], axis=0)
    return tuple(
        CurvePoint(bucket=bucket, low=low, high=high, chance_low=least, chance_high=most)
        for bucket, (least, most) in zip(made, tails.T.tolist(), strict=True)
        for low, high in [wilson(bucket.accuracy, bucket.predictions, level)]
    )


def band(simulated: Simulated, level: float) -> Band:
    """Where the recalibration would lie by chance, at each of some confidences.

    Args:
        simulated: Draws under perfect calibration.
        level: Probability with which it lies there, at each confidence by itself.
    """
    low, high = np.quantile(simulated.worth, [(1 - level) / 2, (1 + level) / 2], axis=0).tolist()
    return Band(confidence=tuple(simulated.points.tolist()), low=tuple(low), high=tuple(high))
