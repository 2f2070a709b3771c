"""How well the confidences of an agent fit what came of its predictions, as values; and the predictions themselves."""

from collections.abc import Mapping

from paragone.agents.report.foretelling import Foretold
from paragone.analysis.calibration import LEAST, CalibrationReport, Chance, CurvePoint, Measure, calibrate
from paragone.errors import NotFound
from paragone.web.readers.ledger_reader import Library
from paragone.web.views.agents.roster import Roster, roster, roster_with
from paragone.web.views.values import Known, View, Words


class MeasureView(View):
    """A number with its interval.

    Attributes:
        value: The number.
        low: Lower end.
        high: Upper end.
    """

    value: Known
    low: Known
    high: Known


class ChanceView(View):
    """What would be measured by chance, if every confidence were right.

    Attributes:
        expected: Its mean.
        high: What it hardly exceeds.
        p_value: How often chance brings as much as was measured, or more.
    """

    expected: float
    high: float
    p_value: float


class Bucket(View):
    """Predictions of about one confidence.

    Attributes:
        start: Lowest confidence.
        end: Where the next bucket begins.
        predictions: How many.
        correct: Those that came true.
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


class DomainCalibration(View):
    """Predictions within a domain, in numbers.

    Attributes:
        domain: The domain.
        predictions: How many.
        correct: Those that came true.
        brier: Mean Brier score.
        score: The calibration score; None below five predictions.
    """

    domain: Words
    predictions: int
    correct: int
    brier: float
    score: Known


class Calibration(View):
    """All that is to be said of an agent's calibration.

    Attributes:
        agent: Its name.
        domain: Over its predictions in this domain; over all where empty, those of tournaments too.
        predictions: Predictions whose outcome is known.
        correct: Those that came true.
        accuracy: Share of these; 0 without any.
        confidence: Mean of what was said.
        unresolved: Predictions of tournaments whose winner is not known yet.
        finding: ``too_few``, ``overconfident``, ``underconfident``, ``miscalibrated`` or ``calibrated``.
        verdict: The same in words, with the number that it rests on.
        score: The calibration score of document A, from 0 to 1.
        brier: Mean Brier score, from 0, perfect, to 1.
        bias: Mean confidence less accuracy.
        temperature: What the log-odds are to be divided by.
        ece: Expected calibration error, against the mean of what was said in each bucket.
        ece_by_midpoints: The same against the middles of the buckets, which is the form of document A.
        ece_by_chance: What the first would be by chance.
        ece_by_midpoints_by_chance: What the second would be by chance.
        miscalibration: What better chosen confidences would take off the Brier score (CORP).
        discrimination: What the agent knows.
        uncertainty: What nobody can help.
        buckets: The reliability curve, by tenths of confidence.
        domains: By domain, that with the most predictions first.
        level: Probability that intervals are meant to hold.
    """

    agent: Words
    domain: Words
    predictions: int
    correct: int
    accuracy: float
    confidence: float
    unresolved: int
    finding: str
    verdict: str
    score: MeasureView
    brier: MeasureView
    bias: MeasureView
    temperature: MeasureView
    ece: MeasureView
    ece_by_midpoints: MeasureView
    ece_by_chance: ChanceView
    ece_by_midpoints_by_chance: ChanceView
    miscalibration: float
    discrimination: float
    uncertainty: float
    buckets: list[Bucket]
    domains: list[DomainCalibration]
    level: float


def calibration(library: Library, pool: str, agent: str, domain: str = "") -> Calibration:
    """How well the confidences of an agent fit, over all its predictions or in one domain.

    Raises:
        NotFound: If there is no such pool, no such agent in it, or it foretold nothing in that domain.
        MissingExtra: If scikit-learn is not installed.
    """
    known = roster_with(library, pool, agent)
    every = known.foretold
    if domain and agent not in every.get(domain, {}):
        raise NotFound(f"{agent!r} foretold nothing in the domain {domain!r}")
    found = _examined(library, known, pool, agent, domain)
    return Calibration(
        agent=agent,
        domain=domain,
        predictions=found.predictions,
        correct=found.correct,
        accuracy=found.accuracy,
        confidence=found.mean_confidence,
        unresolved=0 if domain else known.unresolved.get(agent, 0),
        finding=found.finding.value,
        verdict=found.verdict,
        score=_measure(found.score),
        brier=_measure(found.brier),
        bias=_measure(found.bias),
        temperature=_measure(found.temperature),
        ece=_measure(found.ece),
        ece_by_midpoints=_measure(found.ece_by_midpoints),
        ece_by_chance=_chance(found.ece_by_chance),
        ece_by_midpoints_by_chance=_chance(found.ece_by_midpoints_by_chance),
        miscalibration=found.corp.miscalibration,
        discrimination=found.corp.discrimination,
        uncertainty=found.corp.uncertainty,
        buckets=[_bucket(point) for point in found.curve],
        domains=[] if domain else domains_of(every, agent),
        level=found.level,
    )


def examined(library: Library, pool: str, agent: str, domain: str = "") -> CalibrationReport:
    """The same as the analysis has it, for figures.

    Raises:
        MissingExtra: If scikit-learn is not installed.
    """
    return _examined(library, roster(library, pool), pool, agent, domain)


def _examined(library: Library, known: Roster, pool: str, agent: str, domain: str) -> CalibrationReport:
    """The report of an agent, which is kept until its predictions change: one may be added, and another voided."""
    said = known.foretold.get(domain, {}).get(agent, Foretold())
    whose, stamp = "\n".join((pool, agent, domain)), hash((tuple(said.confidence), tuple(said.correct)))
    return library.kept("agent calibration", whose, lambda: calibrate(said.confidence, said.correct), stamp=stamp)


def domains_of(every: Mapping[str, Mapping[str, Foretold]], agent: str) -> list[DomainCalibration]:
    """The predictions of an agent by domain, that with the most first."""
    found = [
        DomainCalibration(
            domain=domain,
            predictions=len(said),
            correct=said.right,
            brier=said.brier,
            score=said.score if len(said) >= LEAST else None,
        )
        for domain, of in every.items()
        if domain and (said := of.get(agent)) is not None
    ]
    return sorted(found, key=lambda one: (-one.predictions, one.domain))


def _measure(measure: Measure) -> MeasureView:
    return MeasureView(value=measure.value, low=measure.low, high=measure.high)


def _chance(chance: Chance) -> ChanceView:
    return ChanceView(expected=chance.expected, high=chance.high, p_value=chance.p_value)


def _bucket(point: CurvePoint) -> Bucket:
    of = point.bucket
    return Bucket(
        start=of.start,
        end=of.end,
        predictions=of.predictions,
        correct=of.correct,
        accuracy=of.accuracy,
        low=point.low,
        high=point.high,
        chance_low=point.chance_low,
        chance_high=point.chance_high,
        confidence=of.mean_confidence,
        brier=of.brier_score,
    )
