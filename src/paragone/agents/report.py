"""The content of a report on agents, gathered from the ledger once; the formats only lay it out."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from statistics import fmean
from typing import Any

import numpy as np

from paragone.agents.standings import (
    AgentStanding,
    PredictionTally,
    debates_by_domain,
    examined,
    predictions_by_agent,
    standings,
    track_elos,
)
from paragone.agents.strengths import LEVEL, StrengthTable, by_domain, is_quick, table
from paragone.analysis.calibration import CalibrationReport
from paragone.analysis.relationships import RelationshipMetrics, met_by_scores, metrics
from paragone.domain import GLOBAL, RatingConfig, RedTeamResult, VerificationResult
from paragone.domain.records import WinLossRecord
from paragone.errors import NotFound
from paragone.ledger import AgentRecord, Ledger, PoolRecord, RatingPoint, RecordedTest
from paragone.ratings.score_pairs import ScoreColumns
from paragone.wire.strength_test import AgentTestSummary


def tested(tests: Iterable[RecordedTest]) -> tuple[AgentTestSummary, ...]:
    """The tests by agent, largest rating change first."""
    by_agent: dict[str, list[RecordedTest]] = {}
    for done in tests:
        by_agent.setdefault(done.test.item, []).append(done)
    agents = [_of(agent, done) for agent, done in by_agent.items()]
    return tuple(sorted(agents, key=lambda agent_tests: (-abs(agent_tests.change), agent_tests.agent)))


def change(done: RecordedTest) -> float:
    """Elo points by which a test changed the global rating."""
    return done.changes[0].change if done.changes else 0.0


def _of(agent: str, done: list[RecordedTest]) -> AgentTestSummary:
    attacked = [recorded.test for recorded in done if isinstance(recorded.test, RedTeamResult)]
    proven = [recorded.test for recorded in done if isinstance(recorded.test, VerificationResult)]
    return AgentTestSummary(
        agent=agent,
        sessions=len(attacked),
        attacks=sum(test.total for test in attacked),
        successful=sum(test.successful for test in attacked),
        critical=sum(test.critical for test in attacked),
        robustness=fmean(test.robustness for test in attacked) if attacked else None,
        red_team=sum(change(recorded) for recorded in done if isinstance(recorded.test, RedTeamResult)),
        verifications=len(proven),
        verified=sum(test.verified for test in proven),
        disproven=sum(test.disproven for test in proven),
        verification=sum(change(recorded) for recorded in done if isinstance(recorded.test, VerificationResult)),
    )


FOLLOWED = 8
"""Agents whose rating history is shown: the chosen ones and the strongest."""


@dataclass(frozen=True, kw_only=True, eq=False, slots=True)
class AgentsReport:
    """The content of a report on a pool of agents.

    Attributes:
        pool: The pool.
        domain: The domain that it is about; empty for all.
        at: When a debate, a test or a prediction of a winner was last recorded.
        debates: Debates that are not void.
        standings: All agents, strongest first.
        method: The method of the strengths.
        domains: Domains with their number of debates, most first.
        by_domain: Strengths by domain; empty if there are too many, or in a report on one domain.
        head_to_head: Results between pairs of agents.
        predictions: Predictions with a known outcome, by agent.
        calibration: Calibration of the agents with the most predictions.
        relations: The relationship of each pair with a record.
        tests: The tests, oldest first.
        tested: The same by agent.
        histories: The rating histories of some agents, oldest first.
        chosen: The agents that were chosen to be shown.
    """

    pool: PoolRecord
    domain: str
    at: datetime
    debates: int
    standings: tuple[AgentStanding, ...]
    method: Mapping[str, Any]
    domains: Mapping[str, int]
    by_domain: Mapping[str, StrengthTable]
    head_to_head: Mapping[tuple[str, str], WinLossRecord]
    predictions: Mapping[str, PredictionTally]
    calibration: Mapping[str, CalibrationReport]
    relations: tuple[RelationshipMetrics, ...]
    tests: tuple[RecordedTest, ...]
    tested: tuple[AgentTestSummary, ...]
    histories: Mapping[str, tuple[RatingPoint, ...]]
    chosen: tuple[str, ...]

    @property
    def level(self) -> float:
        """Probability of the intervals."""
        return LEVEL

    @property
    def config(self) -> RatingConfig:
        """How ratings change."""
        return self.pool.config


def gather(ledger: Ledger, pool: str = "agents", *, domain: str = "", chosen: Sequence[str] = ()) -> AgentsReport:
    """Gather the content of a report; nothing is written.

    Args:
        ledger: The ledger.
        pool: The pool of agents.
        domain: A domain to report on; empty for all. Relationships have no domain, and are always included.
        chosen: Agents to show in detail besides the best.

    Raises:
        NotFound: If there is no such pool, no such domain, or no such agent.
    """
    of = next((ranked for ranked in ledger.pools.all() if ranked.id == pool), None)
    if of is None:
        raise NotFound(f"this ledger has no pool {pool!r}")
    records, every = ledger.agents.records(pool), ledger.agents.score_columns(pool)
    _require(chosen, records)
    columns = every.within(domain) if domain else every
    strength_table = _strengths(every, of.config, records, domain)
    ranked = standings(records, strength_table.rows, columns, domain)
    predictions = predictions_by_agent(ledger, pool, domain)
    tests = tuple(done for done in ledger.agents.tests(pool) if domain in ("", done.test.domain))
    _require_domain(domain, every, records, predictions)
    return AgentsReport(
        pool=of,
        domain=domain,
        at=_at(ledger, of, tests),
        debates=int(np.unique(columns.match).size),
        standings=ranked,
        method=strength_table.method,
        domains=debates_by_domain(columns),
        by_domain=_by_domain(every, of.config, records, domain),
        head_to_head=met_by_scores(columns.agents, columns.match, columns.agent, columns.score),
        predictions=predictions,
        calibration=examined(predictions, chosen),
        relations=tuple(metrics(relation.a, relation.b, relation) for relation in ledger.agents.relations(pool)),
        tests=tests,
        tested=tested(tests),
        histories={
            agent: ledger.agents.rating_history(pool, agent, track=domain or GLOBAL)[::-1]
            for agent in _followed(ranked, chosen)
        },
        chosen=tuple(dict.fromkeys(chosen)),
    )


def _require(chosen: Iterable[str], records: Iterable[AgentRecord]) -> None:
    registered = {record.rating.item for record in records}
    strange = next((agent for agent in chosen if agent not in registered), None)
    if strange is not None:
        raise NotFound(f"there is no agent {strange!r}")


def _require_domain(
    domain: str, columns: ScoreColumns, records: Iterable[AgentRecord], predictions: Mapping[str, PredictionTally]
) -> None:
    rated = {track.track for record in records for track in record.tracks}
    if domain and not predictions and domain not in rated and domain not in columns.domains:
        raise NotFound(f"nothing was recorded in the domain {domain!r}")


def _strengths(
    columns: ScoreColumns, config: RatingConfig, records: Iterable[AgentRecord], domain: str
) -> StrengthTable:
    elo = (
        track_elos(records).get(domain, {}) if domain else {record.rating.item: record.rating.elo for record in records}
    )
    return table(columns, config=config, domain=domain, elo=elo)


def _by_domain(
    columns: ScoreColumns, config: RatingConfig, records: Iterable[AgentRecord], domain: str
) -> Mapping[str, StrengthTable]:
    """Strengths in every domain from one fit, if it does not take too long for a report."""
    debated = tuple(name for name in columns.domains if _debates(columns, name))
    if domain or not debated or not is_quick(len(columns.agents), len(debated), changing=columns.history is not None):
        return {}
    return by_domain(columns, config=config, elo=track_elos(records))


def _debates(columns: ScoreColumns, domain: str) -> int:
    return int(np.count_nonzero(columns.domain == columns.domains.index(domain)))


def _at(ledger: Ledger, pool: PoolRecord, tests: Sequence[RecordedTest]) -> datetime:
    """When the last event with a time was recorded."""
    debates, predictions = ledger.agents.matches(pool.id, count=1), ledger.agents.predictions(pool.id)
    last = [
        *(entry.at for entry in debates),
        *(entry.at for entry in predictions[:1]),
        *(entry.at for entry in tests[-1:]),
    ]
    return max([pool.created, *last])


def _followed(ranked: Sequence[AgentStanding], chosen: Sequence[str]) -> list[str]:
    best = [entry.agent for entry in ranked]
    return list(dict.fromkeys([*chosen, *best]))[: max(FOLLOWED, len(chosen))]
