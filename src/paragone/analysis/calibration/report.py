"""The calibration report of one agent: scores, reliability curve, and the verdict in words."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from math import exp, log
from statistics import NormalDist

import numpy as np

from paragone.analysis.calibration.forecasts import (
    EPSILON,
    Bucket,
    Corp,
    ResolvedForecasts,
    buckets,
    corp,
    ece,
    ece_by_midpoints,
)
from paragone.analysis.calibration.null_distribution import Simulated, against, measured, resample, simulate
from paragone.analysis.calibration.scores import (
    LEAST,
    PRIOR,
    LogScore,
    bias,
    falsely_certain,
    log_losses,
    temperature,
    trust,
)
from paragone.analysis.quality.forecast_quality import wilson
from paragone.domain.record import FrozenDict
from paragone.errors import InvalidConfig, InvalidEvidence
from paragone.wire.calibration import Chance, Measure


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
class ChanceBand:
    """Where recalibrated confidences would lie by chance if all stated confidences were right.

    Attributes:
        confidence: Some of the confidences, rising.
        low: Lower end at each.
        high: Upper end at each.
    """

    confidence: tuple[float, ...]
    low: tuple[float, ...]
    high: tuple[float, ...]


def curve(bins: Sequence[Bucket], simulated: Simulated, level: float) -> tuple[CurvePoint, ...]:
    """The curve over the buckets that have predictions.

    Args:
        bins: The buckets.
        simulated: Draws under perfect calibration, in the order of the buckets.
        level: Probability that intervals and bands are meant to hold, each by itself.
    """
    tails = np.quantile(simulated.accuracy, [(1 - level) / 2, (1 + level) / 2], axis=0)
    return tuple(
        CurvePoint(bucket=bucket, low=low, high=high, chance_low=least, chance_high=most)
        for bucket, (least, most) in zip(bins, tails.T.tolist(), strict=True)
        for low, high in [wilson(bucket.accuracy, bucket.predictions, level)]
    )


def band(simulated: Simulated, level: float) -> ChanceBand:
    """Where the recalibration would lie by chance, at each of some confidences.

    Args:
        simulated: Draws under perfect calibration.
        level: Probability with which it lies there, at each confidence by itself.
    """
    low, high = np.quantile(simulated.worth, [(1 - level) / 2, (1 + level) / 2], axis=0).tolist()
    return ChanceBand(confidence=tuple(simulated.points.tolist()), low=tuple(low), high=tuple(high))


class CalibrationFinding(StrEnum):
    """A finding of the report."""

    TOO_FEW = "too_few"
    OVERCONFIDENT = "overconfident"
    UNDERCONFIDENT = "underconfident"
    MISCALIBRATED = "miscalibrated"
    CALIBRATED = "calibrated"


def finding(count: int, bias: Measure, chance: Chance, level: float) -> CalibrationFinding:
    """The result of a calibration.

    First comes whether the bias is more than chance; then whether the miscalibration is, which also tells of
    confidences that are wrong in both directions.

    Args:
        count: Predictions.
        bias: Mean confidence less accuracy.
        chance: Of the miscalibration.
        level: Of the intervals; what chance makes less often than the rest counts as found.
    """
    if count < LEAST:
        return CalibrationFinding.TOO_FEW
    if bias.excludes(0.0):
        return CalibrationFinding.OVERCONFIDENT if bias.value > 0 else CalibrationFinding.UNDERCONFIDENT
    return CalibrationFinding.MISCALIBRATED if chance.p_value <= 1 - level else CalibrationFinding.CALIBRATED


def in_words(
    result: CalibrationFinding, count: int, bias: Measure, temperature: Measure, miscalibration: float, chance: Chance
) -> str:
    """The finding with the number that it rests on, as ``overconfident by .12 [.05, .19]``.

    Args:
        result: The finding.
        count: Predictions.
        bias: Mean confidence less accuracy.
        temperature: What the log-odds are to be divided by.
        miscalibration: CORP's.
        chance: What that would be by chance.
    """
    if result is CalibrationFinding.TOO_FEW:
        return f"too few predictions: {count} of {LEAST}"
    if result is CalibrationFinding.CALIBRATED:
        return "no miscalibration beyond chance"
    if result is not CalibrationFinding.MISCALIBRATED:
        ends = sorted((abs(bias.low), abs(bias.high)))
        return f"{result} by {_short(abs(bias.value))} [{_short(ends[0])}, {_short(ends[1])}]"
    if not temperature.excludes(1.0):
        return f"miscalibrated by {miscalibration:.3f} of the Brier score, where chance makes {chance.expected:.3f}"
    how = "extreme" if temperature.value > 1 else "timid"
    ends_of_it = f"[{temperature.low:.1f}, {temperature.high:.1f}]"
    return f"confidences too {how}: temperature {temperature.value:.1f} {ends_of_it}"


def _short(value: float) -> str:
    """A share to two places, without the nought before the point."""
    return f"{value:.2f}".removeprefix("0")


DRAWS = 1000
"""Draws of the bootstrap, and of the outcomes under perfect calibration."""


@dataclass(frozen=True, kw_only=True, slots=True)
class CalibrationReport:
    """How well the confidences of one agent fit the outcomes of its predictions.

    Without any prediction nothing is known: every interval is all that is possible.

    Attributes:
        predictions: Predictions whose outcome is known.
        correct: Predictions that came true.
        mean_confidence: Mean of what was said; 0 without predictions.
        finding: The result, in a word.
        verdict: The same in words, with the number that it rests on.
        score: The document's score, higher being better; 0 below five predictions.
        brier: Mean Brier score, from 0, perfect, to 1.
        log_score: Mean logarithmic score.
        bias: Mean confidence less accuracy: above 0 is overconfident. Its interval is a score interval.
        temperature: What the log-odds are to be divided by: above 1 the confidences are too extreme. Its interval is
            that of the likelihood ratio.
        ece: Expected calibration error against the mean of what was said in each bucket. Its interval lies too high;
            ``ece_by_chance`` says whether there is an error at all.
        ece_by_midpoints: The document's form of it, against the middles of the buckets.
        ece_by_chance: What ``ece`` would be by chance.
        ece_by_midpoints_by_chance: What ``ece_by_midpoints`` would be by chance.
        corp: The Brier score in parts, and what each confidence is worth.
        miscalibration_by_chance: What ``corp.miscalibration`` would be by chance.
        curve: The reliability curve, a point for each bucket that has predictions.
        band: Where the recalibrated confidences would lie by chance.
        level: What the intervals are meant to hold. Those not said to be others are percentiles of a bootstrap.
        draws: Draws of the bootstrap, and of the outcomes under perfect calibration.
        seed: Of both.
        domains: The same of each domain by itself, by name.
    """

    predictions: int
    correct: int
    mean_confidence: float
    finding: CalibrationFinding
    verdict: str
    score: Measure
    brier: Measure
    log_score: LogScore
    bias: Measure
    temperature: Measure
    ece: Measure
    ece_by_midpoints: Measure
    ece_by_chance: Chance
    ece_by_midpoints_by_chance: Chance
    corp: Corp
    miscalibration_by_chance: Chance
    curve: tuple[CurvePoint, ...]
    band: ChanceBand
    level: float
    draws: int
    seed: int
    domains: Mapping[str, "CalibrationReport"] = field(default_factory=FrozenDict)

    @property
    def accuracy(self) -> float:
        """Share that came true; 0 without predictions."""
        return self.correct / self.predictions if self.predictions else 0.0


def calibrate(
    confidence: Sequence[float],
    correct: Sequence[bool],
    domain: Sequence[str] = (),
    *,
    seed: int = 0,
    draws: int = DRAWS,
    level: float = 0.95,
) -> CalibrationReport:
    """Report on the calibration of one agent; the order of its predictions does not matter.

    Args:
        confidence: The chance that each prediction was given, in [0, 1].
        correct: Whether it came true.
        domain: What it was about, for reports of each domain; empty where that is not known of any, and an empty name
            where it is not known of one.
        seed: Seeds what is drawn.
        draws: Draws of the bootstrap, and of the outcomes under perfect calibration.
        level: Probability that intervals are meant to hold.

    Raises:
        InvalidEvidence: If the columns differ in length, a confidence lies outside of [0, 1], or an outcome is neither
            true nor false.
        InvalidConfig: If there is no draw, or the level is not between 0 and 1.
    """
    if draws < 1 or not 0.0 < level < 1.0:
        raise InvalidConfig(f"one or more draws, and a level between 0 and 1: not {draws} and {level}")
    forecasts = ResolvedForecasts.of(confidence, correct)
    if not len(domain):
        return _report(forecasts, seed, draws, level)
    if len(domain) != len(forecasts):
        raise InvalidEvidence(f"{len(forecasts)} predictions have {len(domain)} domains; each takes one")
    stated, came, about = np.asarray(confidence, float), np.asarray(correct, bool), np.asarray(domain, object)
    domains = {
        name: _report(ResolvedForecasts.of(stated[about == name], came[about == name]), seed, draws, level)
        for name in sorted(set(domain) - {""})
    }
    return replace(_report(forecasts, seed, draws, level), domains=FrozenDict(domains))


def _report(forecasts: ResolvedForecasts, seed: int, draws: int, level: float) -> CalibrationReport:
    if not len(forecasts):
        return _nothing_known(seed, draws, level)
    bins, parts = buckets(forecasts), corp(forecasts)
    simulated = simulate(forecasts, np.random.default_rng([seed, 0]), draws)
    resampled = resample(forecasts, np.random.default_rng([seed, 1]), draws)
    brier = measured(float(forecasts.brier.mean()), resampled.brier, level)
    log_score = measured(float(log_losses(forecasts).mean()), resampled.log_score, level)
    lean, heat = bias(forecasts, level), temperature(forecasts, level)
    error, error_of_middles = ece(bins), ece_by_midpoints(bins)
    by_chance = against(parts.miscalibration, simulated.miscalibration, level)
    result = finding(len(forecasts), lean, by_chance, level)
    return CalibrationReport(
        predictions=len(forecasts),
        correct=int(forecasts.correct.sum()),
        mean_confidence=forecasts.mean_confidence,
        finding=result,
        verdict=in_words(result, len(forecasts), lean, heat, parts.miscalibration, by_chance),
        score=_score(len(forecasts), brier),
        brier=brier,
        log_score=LogScore(clipped=log_score, infinite=falsely_certain(forecasts)),
        bias=lean,
        temperature=heat,
        ece=measured(error, resampled.ece, level),
        ece_by_midpoints=measured(error_of_middles, resampled.ece_by_midpoints, level),
        ece_by_chance=against(error, simulated.ece, level),
        ece_by_midpoints_by_chance=against(error_of_middles, simulated.ece_by_midpoints, level),
        corp=parts,
        miscalibration_by_chance=by_chance,
        curve=curve(bins, simulated, level),
        band=band(simulated, level),
        level=level,
        draws=draws,
        seed=seed,
    )


def _score(count: int, brier: Measure) -> Measure:
    """The document's score: it falls as the Brier score rises."""
    counts = trust(count)
    return Measure(value=counts * (1 - brier.value), low=counts * (1 - brier.high), high=counts * (1 - brier.low))


def _nothing_known(seed: int, draws: int, level: float) -> CalibrationReport:
    """The report of an agent without predictions."""
    share, unknown = Measure(value=1.0, low=0.0, high=1.0), Chance(expected=1.0, high=1.0, p_value=1.0)
    worst, far = -log(EPSILON), PRIOR * NormalDist().inv_cdf((1 + level) / 2)
    lean, heat = Measure(value=0.0, low=-1.0, high=1.0), Measure(value=1.0, low=exp(-far), high=exp(far))
    return CalibrationReport(
        predictions=0,
        correct=0,
        mean_confidence=0.0,
        finding=CalibrationFinding.TOO_FEW,
        verdict=in_words(CalibrationFinding.TOO_FEW, 0, lean, heat, 0.0, unknown),
        score=Measure(value=0.0, low=0.0, high=0.0),
        brier=share,
        log_score=LogScore(clipped=Measure(value=worst, low=0.0, high=worst), infinite=0),
        bias=lean,
        temperature=heat,
        ece=share,
        ece_by_midpoints=share,
        ece_by_chance=unknown,
        ece_by_midpoints_by_chance=unknown,
        corp=Corp(miscalibration=0.0, discrimination=0.0, uncertainty=0.0, confidence=(), recalibrated=()),
        miscalibration_by_chance=unknown,
        curve=(),
        band=ChanceBand(confidence=(), low=(), high=()),
        level=level,
        draws=draws,
        seed=seed,
    )
