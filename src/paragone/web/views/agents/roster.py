"""What is read from a pool of agents and cached until the next write: the roster, strengths and calibrations."""

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import TypeVar

import numpy as np

from paragone.agents.standings import PredictionTally, debates_by_domain, examined, form, track_elos
from paragone.agents.strengths import AgentStrength, by_domain, is_quick, table
from paragone.analysis.calibration import CalibrationReport
from paragone.analysis.relationships import RelationshipMetrics, metrics
from paragone.domain import ItemKind
from paragone.errors import NotFound
from paragone.ledger import AgentRecord, Ledger
from paragone.ratings.score_pairs import ScoreColumns
from paragone.web.readers.ledger_reader import Computed, LedgerReader

T = TypeVar("T")

FIT = 0.25
"""Seconds to wait for a fit; after these the previous one is used, or none."""
QUICK = 200
"""Agents up to which a fit is waited for; that of more comes behind the page."""
BEGIN = "begin with `paragone agents record NAME=SCORE NAME=SCORE`, or with `paragone agents import FILE`"


@dataclass(frozen=True, kw_only=True, eq=False, slots=True)
class Roster:
    """The agents of a pool with their debates and predictions, all of one version.

    Attributes:
        version: Version of the pool.
        pending: Whether a newer version has not been read yet.
        records: The record of each agent by name, highest running Elo first.
        columns: The debates that stand.
        debates: Number of these debates.
        domains: Debates by domain, the most first.
        forms: Results of each agent's last debates, by domain and name; the empty domain is all of them.
        predictions: Predictions with a known outcome, by domain and agent; the empty domain has all, those of
            tournaments too.
        unresolved: Number of predictions of tournaments without a known winner, by agent.
    """

    version: int
    pending: bool
    records: Mapping[str, AgentRecord]
    columns: ScoreColumns
    debates: int
    domains: Mapping[str, int]
    forms: Mapping[str, Mapping[str, str]]
    predictions: Mapping[str, Mapping[str, PredictionTally]]
    unresolved: Mapping[str, int]

    def domain_names(self) -> set[str]:
        """The domains in which any agent debated or has a rating."""
        return {*self.domains, *(track.track for record in self.records.values() for track in record.tracks)}


@dataclass(frozen=True, kw_only=True, slots=True)
class Fitted:
    """Strengths, by name.

    Attributes:
        version: Version of the pool that they were fitted to.
        rows: The strengths, the highest first.
        least: Lowest end of all intervals.
        most: Highest end.
    """

    version: int
    rows: Mapping[str, AgentStrength]
    least: float
    most: float


@dataclass(frozen=True, kw_only=True, slots=True)
class Examined:
    """Calibration of the agents with the most predictions.

    Attributes:
        version: Version of the pool.
        reports: Reports by agent.
    """

    version: int
    reports: Mapping[str, CalibrationReport]


def agent_pools(reader: LedgerReader) -> list[str]:
    """Ids of the pools that hold agents, oldest first."""
    return [pool.id for pool in reader.pools() if pool.kind is ItemKind.AGENT]


def require_agents(reader: LedgerReader, pool: str) -> None:
    """Refuse a pool that does not hold agents.

    Raises:
        NotFound: If it does not; the message names pools that do.
    """
    record = next((each for each in reader.pools() if each.id == pool), None)
    if record is None:
        pools = agent_pools(reader)
        hint = f"there are {', '.join(map(repr, pools[:5]))}" if pools else BEGIN
        raise NotFound(f"this ledger has no agents in a pool {pool!r}; {hint}")
    if record.kind is not ItemKind.AGENT:
        raise NotFound(f"pool {pool!r} holds items of the kind {record.kind.value}, not agents")


def require_domain(agents: Roster, domain: str) -> None:
    """Refuse a domain in which nothing was recorded; an empty one is all of them.

    Raises:
        NotFound: If nothing was; the message names domains in which something was.
    """
    if domain and not agents.predictions.get(domain) and domain not in agents.domain_names():
        names = ", ".join(map(repr, sorted(agents.domain_names())[:5]))
        raise NotFound(f"nothing was recorded in the domain {domain!r}{f'; there are {names}' if names else ''}")


def roster(reader: LedgerReader, pool: str, *, at_least: int = 0) -> Roster:
    """The agents of a pool as they are now; of a pool that takes long to read, as they were shortly before.

    Args:
        reader: The ledger.
        pool: The pool.
        at_least: Oldest version that will do: that of the fits shown beside them.

    Raises:
        NotFound: If there is no such pool, or it holds something else.
    """
    require_agents(reader, pool)
    agents, is_older = reader.current("agents", pool, lambda: _roster(reader, pool), at_least=at_least)
    return replace(agents, pending=True) if is_older else agents


def roster_with(reader: LedgerReader, pool: str, *agents: str, at_least: int = 0) -> Roster:
    """The roster with some agents in it, however recently they were added.

    Raises:
        NotFound: If there is no such pool, or it lacks one of them.
    """
    members = roster(reader, pool, at_least=at_least)
    if members.pending and any(name not in members.records for name in agents):
        members = roster(reader, pool, at_least=reader.version(pool))
    absent = next((name for name in agents if name not in members.records), None)
    if absent is not None:
        raise NotFound(f"there is no agent {absent!r}")
    return members


def _newest(what: str, reader: LedgerReader, pool: str, make: Callable[[], T]) -> tuple[Computed[T] | None, bool]:
    return reader.newest(what, pool, make, FIT if reader.items(pool) <= QUICK else 0.0)


def strengths(reader: LedgerReader, pool: str) -> tuple[Fitted | None, bool]:
    """Strengths by all debates, or None if there are none yet; and whether newer ones are being fitted."""
    snapshot, pending = _newest("agent strengths", reader, pool, lambda: _overall(reader, pool))
    return None if snapshot is None else snapshot.value, pending


def strengths_by_domain(reader: LedgerReader, pool: str) -> tuple[Mapping[str, Fitted], bool]:
    """Strengths in every domain, by its name, and whether newer ones are being fitted.

    There are none if there are too many agents and domains to fit them quickly.
    """
    snapshot, pending = _newest("agent strengths by domain", reader, pool, lambda: _by_domain(reader, pool))
    return {} if snapshot is None else snapshot.value, pending


def examinations(reader: LedgerReader, pool: str) -> tuple[Examined | None, bool]:
    """Calibrations of the agents with the most predictions, and whether newer ones are being computed.

    There are none if a package that this takes is missing.
    """
    snapshot, pending = _newest("agent examinations", reader, pool, lambda: _examined(reader, pool))
    return None if snapshot is None else snapshot.value, pending


def pairs(reader: LedgerReader, pool: str) -> tuple[RelationshipMetrics, ...]:
    """Relationship metrics of each pair of agents with a shared history.

    Raises:
        Busy: If they are still being read, and there are no older ones.
    """
    return reader.current("agent pairs", pool, lambda: _pairs(reader, pool))[0]


def _roster(reader: LedgerReader, pool: str) -> Roster:
    with reader.ledger.snapshot() as ledger:
        version, records = _version(ledger, pool), ledger.agents.records(pool)
        columns, predictions = ledger.agents.score_columns(pool), _predictions(ledger, pool)
        unresolved = Counter(
            resolved.prediction.predictor for resolved in ledger.agents.predictions(pool) if resolved.correct is None
        )
    counted = debates_by_domain(columns)
    return Roster(
        version=version,
        pending=False,
        records={record.rating.item: record for record in records},
        columns=columns,
        debates=int(np.unique(columns.match).size),
        domains=counted,
        forms={"": _form(columns), **{domain: _form(columns.within(domain)) for domain in counted}},
        predictions=predictions,
        unresolved=unresolved,
    )


def _version(ledger: Ledger, pool: str) -> int:
    version = ledger.pools.version(pool)
    if version is None:
        raise NotFound(f"there is no pool {pool!r}")
    return version


def _form(columns: ScoreColumns) -> dict[str, str]:
    return {agent: letters.replace("D", "T") for agent, letters in form(columns).items()}


def _overall(reader: LedgerReader, pool: str) -> Fitted:
    with reader.ledger.snapshot() as ledger:
        version, columns, config = _version(ledger, pool), ledger.agents.score_columns(pool), ledger.pools.config(pool)
    return _fitted(version, table(columns, config=config).rows, config.initial)


def _by_domain(reader: LedgerReader, pool: str) -> Mapping[str, Fitted]:
    with reader.ledger.snapshot() as ledger:
        version, columns, config = _version(ledger, pool), ledger.agents.score_columns(pool), ledger.pools.config(pool)
        records = ledger.agents.records(pool)
    domains = tuple(debates_by_domain(columns))
    if not domains or not is_quick(len(columns.agents), len(domains), changing=columns.history is not None):
        return {}
    tables = by_domain(columns, config=config, elo=track_elos(records))
    return {domain: _fitted(version, fit.rows, config.initial) for domain, fit in tables.items()}


def _examined(reader: LedgerReader, pool: str) -> Examined:
    with reader.ledger.snapshot() as ledger:
        version, predictions = _version(ledger, pool), _predictions(ledger, pool)
    return Examined(version=version, reports=examined(predictions.get("", {}), ()))


def _fitted(version: int, rows: tuple[AgentStrength, ...], initial: float) -> Fitted:
    return Fitted(
        version=version,
        rows={row.agent: row for row in rows},
        least=min((row.low for row in rows), default=initial),
        most=max((row.high for row in rows), default=initial),
    )


def _predictions(ledger: Ledger, pool: str) -> Mapping[str, Mapping[str, PredictionTally]]:
    predictions: defaultdict[str, defaultdict[str, PredictionTally]] = defaultdict(lambda: defaultdict(PredictionTally))
    for recorded in ledger.agents.domain_predictions(pool):
        prediction = recorded.prediction
        for domain in ("", prediction.domain):
            predictions[domain][prediction.agent].add(prediction.confidence, prediction.correct)
    for resolved in ledger.agents.predictions(pool):
        if resolved.correct is not None:
            predictions[""][resolved.prediction.predictor].add(resolved.prediction.confidence, resolved.correct)
    return {domain: dict(of) for domain, of in predictions.items()}


def _pairs(reader: LedgerReader, pool: str) -> tuple[RelationshipMetrics, ...]:
    return tuple(metrics(relation.a, relation.b, relation) for relation in reader.ledger.agents.relations(pool))
