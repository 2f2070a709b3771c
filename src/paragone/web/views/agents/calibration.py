"""The predictions of an agent, and how well its confidences fit their outcomes."""

from collections.abc import Mapping
from datetime import datetime
from operator import itemgetter

from paragone.agents.standings import PredictionTally
from paragone.analysis.calibration import LEAST, CalibrationReport, CurvePoint, calibrate
from paragone.domain.brier import brier
from paragone.errors import NotFound
from paragone.web.readers.ledger_reader import LedgerReader
from paragone.web.views.agents.roster import Roster, roster, roster_with
from paragone.web.views.cursors import After, cursor, place_of
from paragone.wire.calibration import Bucket, Calibration, DomainCalibration
from paragone.wire.prediction import AgentPrediction, PredictionPage


def calibration(reader: LedgerReader, pool: str, agent: str, domain: str = "") -> Calibration:
    """The calibration of an agent, over all its predictions or in one domain.

    Raises:
        NotFound: If there is no such pool, no such agent in it, or it has no prediction in that domain.
    """
    agents = roster_with(reader, pool, agent)
    every = agents.predictions
    if domain and agent not in every.get(domain, {}):
        raise NotFound(f"{agent!r} foretold nothing in the domain {domain!r}")
    report = _examined(reader, agents, pool, agent, domain)
    return Calibration.like(
        report,
        agent=agent,
        domain=domain,
        confidence=report.mean_confidence,
        unresolved=0 if domain else agents.unresolved.get(agent, 0),
        miscalibration=report.corp.miscalibration,
        discrimination=report.corp.discrimination,
        uncertainty=report.corp.uncertainty,
        buckets=[_bucket(point) for point in report.curve],
        domains=[] if domain else domains_of(every, agent),
    )


def examined(reader: LedgerReader, pool: str, agent: str, domain: str = "") -> CalibrationReport:
    """The report of the analysis, for figures."""
    return _examined(reader, roster(reader, pool), pool, agent, domain)


def _examined(reader: LedgerReader, agents: Roster, pool: str, agent: str, domain: str) -> CalibrationReport:
    """The report of an agent, cached until its predictions change: one may be added, another voided."""
    predictions = agents.predictions.get(domain, {}).get(agent, PredictionTally())
    whose, stamp = "\n".join((pool, agent, domain)), hash((tuple(predictions.confidence), tuple(predictions.correct)))
    return reader.kept(
        "agent calibration", whose, lambda: calibrate(predictions.confidence, predictions.correct), stamp=stamp
    )


def domains_of(every: Mapping[str, Mapping[str, PredictionTally]], agent: str) -> list[DomainCalibration]:
    """The predictions of an agent in numbers, by domain, the most first."""
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


def _bucket(point: CurvePoint) -> Bucket:
    bucket = point.bucket
    return Bucket.like(
        bucket,
        low=point.low,
        high=point.high,
        chance_low=point.chance_low,
        chance_high=point.chance_high,
        confidence=bucket.mean_confidence,
        brier=bucket.brier_score,
    )


def predictions_of(
    reader: LedgerReader, pool: str, agent: str, *, limit: int = 50, after: After = None
) -> PredictionPage:
    """The predictions of an agent, of tournaments and within domains, newest first.

    Raises:
        NotFound: If there is no such pool, or no such agent in it.
        InvalidConfig: If the cursor belongs to another listing.
    """
    roster_with(reader, pool, agent)
    listing = ("agent predictions", pool, agent)
    predictions = sorted(
        [*_of_tournaments(reader, pool, agent), *_of_domains(reader, pool, agent)], key=itemgetter(0), reverse=True
    )
    if isinstance(after, int):
        remaining = predictions[after:]
    else:
        last = place_of(after, listing)
        remaining = predictions if last is None else [entry for entry in predictions if list(entry[0]) < last]  # type: ignore[operator]
    page = remaining[:limit]
    return PredictionPage(
        agent=agent,
        predictions=[prediction for _, prediction in page],
        total=len(predictions),
        next=cursor(listing, list(page[-1][0])) if len(remaining) > limit else None,
    )


Keyed = tuple[tuple[str, int, int | str], AgentPrediction]
"""A prediction behind its sort key: time, kind, and number within its kind."""


def _of_tournaments(reader: LedgerReader, pool: str, agent: str) -> list[Keyed]:
    return [
        (
            (_moment(recorded.at), 1, recorded.prediction.tournament),
            AgentPrediction(
                at=recorded.at,
                tournament=recorded.prediction.tournament,
                winner=recorded.prediction.winner,
                confidence=recorded.prediction.confidence,
                correct=recorded.correct,
                brier=recorded.brier,
            ),
        )
        for recorded in reader.ledger.agents.predictions(pool, agent)
    ]


def _of_domains(reader: LedgerReader, pool: str, agent: str) -> list[Keyed]:
    return [
        (
            (_moment(recorded.at), 0, number),
            AgentPrediction(
                at=recorded.at,
                domain=recorded.prediction.domain,
                confidence=recorded.prediction.confidence,
                correct=recorded.prediction.correct,
                brier=brier(recorded.prediction.confidence, recorded.prediction.correct),
            ),
        )
        for number, recorded in enumerate(reader.ledger.agents.domain_predictions(pool, agent)[::-1])
    ]


def _moment(at: datetime) -> str:
    return at.isoformat(timespec="microseconds")
