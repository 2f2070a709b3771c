"""How far chance moves the figures of a calibration: for a perfectly calibrated agent, and for the one at hand.

The null distribution has the same confidences with simulated outcomes. Intervals come from a bootstrap. Of five
predictions that all came true it would draw nothing else, and its interval would be a point. So one that came true and
one that did not are added to those that are drawn from, with the confidences of all. Intervals of Brier scores of five
predictions then hold the truth in 96 to 99 % instead of 41 to 84; with two hundred it makes no difference.

Source: A. Agresti, B. A. Coull (1998), "Approximate is better than exact for interval estimation of binomial
proportions", The American Statistician 52, who add two of each to a share.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from paragone.analysis.calibration.forecasts import (
    COUNT,
    MIDPOINTS,
    Floats,
    Ints,
    ResolvedForecasts,
    bucket_of,
)
from paragone.analysis.calibration.scores import log_losses
from paragone.wire.calibration import Chance, Measure

MOST_POINTS = 101
"""Points at which the band of the recalibration is known."""
_CELLS = 1_000_000
"""Outcomes that are drawn at a time, for the sake of memory."""


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class Simulated:
    """Errors and curves of draws under perfect calibration.

    Attributes:
        accuracy: Share that came true in each bucket that has any prediction, shape (draws, buckets).
        ece: Expected calibration error by mean confidences, shape (draws,).
        ece_by_midpoints: The same by the middles of the buckets, shape (draws,).
        miscalibration: CORP's, shape (draws,).
        points: Confidences at which the recalibration was looked at, rising, shape (points,).
        worth: What they were worth, recalibrated, shape (draws, points).
    """

    accuracy: Floats
    ece: Floats
    ece_by_midpoints: Floats
    miscalibration: Floats
    points: Floats
    worth: Floats


def simulate(forecasts: ResolvedForecasts, rng: np.random.Generator, draws: int) -> Simulated:
    """Draw the outcomes of predictions as often as asked, each as likely as was said.

    Args:
        forecasts: One or more.
        rng: Draws them.
        draws: How often.
    """
    atoms = _Atoms.of(forecasts)
    points = np.unique(np.linspace(0, atoms.count.size - 1, MOST_POINTS).round().astype(np.int64))
    parts = [_errors(atoms, came, points) for came in _outcomes(forecasts, atoms.start, rng, draws)]
    accuracy, error, error_of_middles, miscalibration, worth = map(np.concatenate, zip(*parts, strict=True))
    return Simulated(
        accuracy=accuracy,
        ece=error,
        ece_by_midpoints=error_of_middles,
        miscalibration=miscalibration,
        points=atoms.confidence[points],
        worth=worth,
    )


def against(error: float, drawn: Floats, level: float) -> Chance:
    """A measured error against those by chance.

    Args:
        error: The error.
        drawn: Those by chance, shape (draws,).
        level: Of the quantile.
    """
    as_large = np.count_nonzero(drawn >= error - 1e-12)
    return Chance(
        expected=float(drawn.mean()),
        high=float(np.quantile(drawn, level)),
        # The error itself counts as one of the draws, so that a p-value is never 0.
        p_value=(1 + int(as_large)) / (1 + drawn.size),
    )


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class _Atoms:
    """Distinct confidences, rising: where each begins among all, and how many there are of it."""

    confidence: Floats
    start: Ints
    count: Floats

    @classmethod
    def of(cls, forecasts: ResolvedForecasts) -> "_Atoms":
        confidence, start, count = np.unique(forecasts.confidence, return_index=True, return_counts=True)
        return cls(confidence=confidence, start=start, count=count.astype(np.float64))


def _outcomes(forecasts: ResolvedForecasts, start: Ints, rng: np.random.Generator, draws: int) -> Iterator[Floats]:
    """How many came true of each distinct confidence, some draws at a time, shape (draws, distinct)."""
    step = max(1, _CELLS // len(forecasts))
    for begin in range(0, draws, step):
        came = rng.random((min(step, draws - begin), len(forecasts))) < forecasts.confidence
        yield np.add.reduceat(came, start, axis=1, dtype=np.float64)


def _errors(atoms: _Atoms, came: Floats, points: Ints) -> tuple[Floats, ...]:
    """Of some draws: accuracy by bucket, both calibration errors, miscalibration, and the recalibration at points."""
    bucket, total = bucket_of(atoms.confidence), atoms.count.sum()
    edges = np.flatnonzero(np.diff(bucket, prepend=-1))
    weight = np.add.reduceat(atoms.count, edges)
    stated = np.add.reduceat(atoms.count * atoms.confidence, edges)
    in_bucket = np.add.reduceat(came, edges, axis=1)
    worth, miscalibration = _recalibrated(atoms, came)
    return (
        in_bucket / weight,
        np.abs(in_bucket - stated).sum(axis=1) / total,
        np.abs(in_bucket - weight * MIDPOINTS[bucket[edges]]).sum(axis=1) / total,
        miscalibration,
        worth[:, points],
    )


def _recalibrated(atoms: _Atoms, came: Floats) -> tuple[Floats, Floats]:
    """What each distinct confidence is worth in each draw, and how much the recalibration takes off the Brier score.

    All draws are one regression: each lies wholly above the one before it, so that no two can be pooled.
    """
    from scipy.optimize import isotonic_regression

    shares = came / atoms.count
    # Shares lie in [0, 1]: 2 more for each draw puts it wholly above the one before.
    above = 2.0 * np.arange(len(shares))[:, None]
    joined = isotonic_regression((shares + above).ravel(), weights=np.tile(atoms.count, len(shares))).x
    worth = joined.reshape(shares.shape) - above
    # (c - s)^2 - (w - s)^2 = (c - w) (c + w - 2 s), for confidence c, worth w and share s.
    gain = (atoms.confidence - worth) * (atoms.confidence + worth - 2 * shares)
    return worth, gain @ atoms.count / atoms.count.sum()


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class Resampled:
    """Scores of samples that were drawn from the predictions, with replacement, shape (draws,) each.

    Attributes:
        brier: Mean Brier score.
        log_score: Mean clipped logarithmic score.
        ece: Expected calibration error by mean confidences; larger than that of the predictions themselves, on average,
            since what a sample repeats is noise.
        ece_by_midpoints: The same by the middles of the buckets.
    """

    brier: Floats
    log_score: Floats
    ece: Floats
    ece_by_midpoints: Floats


def resample(forecasts: ResolvedForecasts, rng: np.random.Generator, draws: int) -> Resampled:
    """Draw as many predictions as there are, as often as asked.

    Args:
        forecasts: One or more.
        rng: Draws them.
        draws: How often.
    """
    right, wrong = (_table(forecasts.all(outcome)).mean(axis=0) for outcome in (1.0, 0.0))
    table = np.vstack([_table(forecasts), right, wrong])
    means = np.concatenate([weights @ table for weights in _weights(len(forecasts), rng, draws)]) / len(forecasts)
    return Resampled(
        brier=means[:, 0],
        log_score=means[:, 1],
        ece=np.abs(means[:, 2 : 2 + COUNT]).sum(axis=1),
        ece_by_midpoints=np.abs(means[:, 2 + COUNT :]).sum(axis=1),
    )


def _table(forecasts: ResolvedForecasts) -> Floats:
    """What each prediction adds to both scores, and to both gaps in its bucket, shape (predictions, 2 + 2 buckets)."""
    bucket = bucket_of(forecasts.confidence)
    within = bucket[:, None] == np.arange(COUNT)
    gap = (forecasts.confidence - forecasts.correct)[:, None] * within
    gap_of_middle = (MIDPOINTS[bucket] - forecasts.correct)[:, None] * within
    return np.column_stack([forecasts.brier, log_losses(forecasts), gap, gap_of_middle])


def measured(value: float, drawn: Floats, level: float) -> Measure:
    """A value with the percentile interval of its draws, as far as it has to go to hold the value.

    Args:
        value: The measured value.
        drawn: Its values in the draws, shape (draws,).
        level: Probability that the interval is meant to hold.
    """
    low, high = np.quantile(drawn, [(1 - level) / 2, (1 + level) / 2]).tolist()
    return Measure(value=value, low=min(low, value), high=max(high, value))


def _weights(count: int, rng: np.random.Generator, draws: int) -> Iterator[Floats]:
    """How often each prediction, and the two more, are in each sample, some samples at a time.

    Shape (samples, predictions + 2).
    """
    step, among = max(1, _CELLS // count), count + 2
    for begin in range(0, draws, step):
        rows = min(step, draws - begin)
        drawn = rng.integers(among, size=(rows, count)) + among * np.arange(rows)[:, None]
        yield np.bincount(drawn.ravel(), minlength=rows * among).reshape(rows, among).astype(np.float64)
