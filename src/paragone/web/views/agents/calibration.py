"""How well the confidences of an agent fit what came of its predictions, as values; and the predictions themselves."""

from collections.abc import Mapping

from paragone.agents.standings import PredictionTally
from paragone.analysis.calibration import LEAST, CalibrationReport, Chance, CurvePoint, Measure, calibrate
from paragone.errors import NotFound
from paragone.web.readers.ledger_reader import LedgerReader
from paragone.web.views.agents.roster import Roster, roster, roster_with
from paragone.wire import calibration as wire_calibration
from paragone.wire.calibration import Bucket, Calibration, DomainCalibration


def calibration(reader: LedgerReader, pool: str, agent: str, domain: str = "") -> Calibration:
    """How well the confidences of an agent fit, over all its predictions or in one domain.

    Raises:
        NotFound: If there is no such pool, no such agent in it, or it foretold nothing in that domain.
        MissingExtra: If scikit-learn is not installed.
    """
    agents = roster_with(reader, pool, agent)
    every = agents.predictions
    if domain and agent not in every.get(domain, {}):
        raise NotFound(f"{agent!r} foretold nothing in the domain {domain!r}")
    report = _examined(reader, agents, pool, agent, domain)
    return Calibration(
        agent=agent,
        domain=domain,
        predictions=report.predictions,
        correct=report.correct,
        accuracy=report.accuracy,
        confidence=report.mean_confidence,
        unresolved=0 if domain else agents.unresolved.get(agent, 0),
        finding=report.finding.value,
        verdict=report.verdict,
        score=_measure(report.score),
        brier=_measure(report.brier),
        bias=_measure(report.bias),
        temperature=_measure(report.temperature),
        ece=_measure(report.ece),
        ece_by_midpoints=_measure(report.ece_by_midpoints),
        ece_by_chance=_chance(report.ece_by_chance),
        ece_by_midpoints_by_chance=_chance(report.ece_by_midpoints_by_chance),
        miscalibration=report.corp.miscalibration,
        discrimination=report.corp.discrimination,
        uncertainty=report.corp.uncertainty,
        buckets=[_bucket(point) for point in report.curve],
        domains=[] if domain else domains_of(every, agent),
        level=report.level,
    )


def examined(reader: LedgerReader, pool: str, agent: str, domain: str = "") -> CalibrationReport:
    """The same as the analysis has it, for figures.

    Raises:
        MissingExtra: If scikit-learn is not installed.
    """
    return _examined(reader, roster(reader, pool), pool, agent, domain)


def _examined(reader: LedgerReader, agents: Roster, pool: str, agent: str, domain: str) -> CalibrationReport:
    """The report of an agent, which is kept until its predictions change: one may be added, and another voided."""
    predictions = agents.predictions.get(domain, {}).get(agent, PredictionTally())
    whose, stamp = "\n".join((pool, agent, domain)), hash((tuple(predictions.confidence), tuple(predictions.correct)))
    return reader.kept(
        "agent calibration", whose, lambda: calibrate(predictions.confidence, predictions.correct), stamp=stamp
    )


def domains_of(every: Mapping[str, Mapping[str, PredictionTally]], agent: str) -> list[DomainCalibration]:
    """The predictions of an agent by domain, that with the most first."""
    domains = [
        DomainCalibration(
            domain=domain,
            predictions=len(predictions),
            correct=predictions.right,
            brier=predictions.brier,
            score=predictions.score if len(predictions) >= LEAST else None,
        )
        for domain, of in every.items()
        if domain and (predictions := of.get(agent)) is not None
    ]
    return sorted(domains, key=lambda domain_calibration: (-domain_calibration.predictions, domain_calibration.domain))


def _measure(measure: Measure) -> wire_calibration.Measure:
    return wire_calibration.Measure(value=measure.value, low=measure.low, high=measure.high)


def _chance(chance: Chance) -> wire_calibration.Chance:
    return wire_calibration.Chance(expected=chance.expected, high=chance.high, p_value=chance.p_value)


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
