"""How well an agent's confidences fit the outcomes of its predictions."""

from dataclasses import dataclass

from paragone.wire.value import Value


@dataclass(frozen=True, kw_only=True, slots=True)
class Measure(Value):
    """A number with its interval.

    Attributes:
        value: The number.
        low: Lower end.
        high: Upper end.
    """

    value: float
    low: float
    high: float

    def excludes(self, value: float) -> bool:
        """Whether a value lies outside of the interval."""
        return not self.low <= value <= self.high


@dataclass(frozen=True, kw_only=True, slots=True)
class Chance(Value):
    """What an error would be by chance, if every confidence were right.

    Attributes:
        expected: Its mean.
        high: What it stays below, with the probability of the level.
        p_value: How often chance alone makes it as large as it was measured, or larger.
    """

    expected: float
    high: float
    p_value: float


@dataclass(frozen=True, kw_only=True, slots=True)
class Bucket(Value):
    """Predictions of about one confidence.

    Attributes:
        start: Lowest confidence.
        end: Where the next bucket begins.
        predictions: How many.
        correct: Predictions that came true.
        accuracy: Share that came true.
        low: Lower end of its interval.
        high: Upper end.
        chance_low: Lower end of what perfect calibration would show.
        chance_high: Upper end.
        confidence: Mean of what was said.
        brier: Mean Brier score.
    """

    start: float
    end: float
    predictions: int
    correct: int
    accuracy: float
    low: float
    high: float
    chance_low: float
    chance_high: float
    confidence: float
    brier: float


@dataclass(frozen=True, kw_only=True, slots=True)
class DomainCalibration(Value):
    """Predictions within a domain, in numbers.

    Attributes:
        domain: The domain.
        predictions: How many.
        correct: Predictions that came true.
        brier: Mean Brier score.
        score: The calibration score; None below five predictions.
    """

    domain: str
    predictions: int
    correct: int
    brier: float
    score: float | None


@dataclass(frozen=True, kw_only=True, slots=True)
class Calibration(Value):
    """All that is to be said of an agent's calibration.

    Attributes:
        agent: Its name.
        domain: Over its predictions in this domain; over all where empty, those of tournaments too.
        predictions: Predictions whose outcome is known.
        correct: Predictions that came true.
        accuracy: Share of these; 0 without any.
        confidence: Mean of what was said.
        unresolved: Predictions of tournaments whose winner is not known yet.
        finding: ``too_few``, ``overconfident``, ``underconfident``, ``miscalibrated`` or ``calibrated``.
        verdict: The same in words, with the number that it rests on.
        score: The calibration score of Aragora's specification, from 0 to 1.
        brier: Mean Brier score, from 0, perfect, to 1.
        bias: Mean confidence less accuracy.
        temperature: What the log-odds are to be divided by.
        ece: Expected calibration error, against the mean of what was said in each bucket.
        ece_by_midpoints: The same against the middles of the buckets, which is the form of Aragora's specification.
        ece_by_chance: What the first would be by chance.
        ece_by_midpoints_by_chance: What the second would be by chance.
        miscalibration: What better chosen confidences would take off the Brier score (CORP).
        discrimination: What the agent knows.
        uncertainty: What nobody can help.
        buckets: The reliability curve, by tenths of confidence.
        domains: By domain, that with the most predictions first.
        level: Probability that intervals are meant to hold.
    """

    agent: str
    domain: str
    predictions: int
    correct: int
    accuracy: float
    confidence: float
    unresolved: int
    finding: str
    verdict: str
    score: Measure
    brier: Measure
    bias: Measure
    temperature: Measure
    ece: Measure
    ece_by_midpoints: Measure
    ece_by_chance: Chance
    ece_by_midpoints_by_chance: Chance
    miscalibration: float
    discrimination: float
    uncertainty: float
    buckets: list[Bucket]
    domains: list[DomainCalibration]
    level: float


AS_STATED = "as stated"
"""The method of a recalibration that changes nothing."""


@dataclass(frozen=True, kw_only=True, slots=True)
class CorrectionTrial(Value):
    """A correction of confidences, tried on predictions that were left out of its fit.

    Attributes:
        method: ``as stated``, ``platt``, ``beta`` or ``isotonic``.
        log_loss: Mean logarithmic loss, in nats; 0 is perfect.
        gain: What it takes off the loss of the stated confidences.
        gain_error: Standard error of the gain.
        ece: Expected calibration error, against the mean confidence in each bucket.
    """

    method: str
    log_loss: float
    gain: float
    gain_error: float
    ece: float


@dataclass(frozen=True, kw_only=True, slots=True)
class Recalibration(Value):
    """What an agent's confidences are worth by its record.

    Attributes:
        method: The correction in use; ``as stated`` where there are too few predictions, or none is shown to help.
        predictions: Predictions whose outcome is known.
        trials: The corrections that were tried, as stated first; none where there are too few predictions.
        stated: Some stated confidences, rising.
        corrected: What each of these is worth.
    """

    method: str
    predictions: int
    trials: tuple[CorrectionTrial, ...]
    stated: tuple[float, ...]
    corrected: tuple[float, ...]

    @property
    def changed(self) -> bool:
        """Whether there is a correction in use."""
        return self.method != AS_STATED
