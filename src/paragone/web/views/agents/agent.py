"""One agent as a value: where it stands, in all and in each domain, and what is known of it besides."""

from collections.abc import Mapping

from paragone.agents.strengths import LEVEL, AgentStrength
from paragone.domain import Rating
from paragone.ledger import AgentRecord
from paragone.web.readers.ledger_reader import LedgerReader
from paragone.web.views.agents.board import Standings
from paragone.web.views.agents.calibration import domains_of
from paragone.web.views.agents.roster import Fitted, require_agents, strengths_by_domain
from paragone.wire.agent import Agent, AgentDomain
from paragone.wire.calibration import DomainCalibration

AROUND = 3
"""Agents on either side of one on the board that are shown as its neighbours there."""


def agent(reader: LedgerReader, pool: str, name: str) -> Agent:
    """One agent.

    Raises:
        NotFound: If there is no such pool, or no such agent in it.
    """
    require_agents(reader, pool)
    fitted, pending = strengths_by_domain(reader, pool)
    by_domain = [strengths.version for strengths in fitted.values()]
    standings = Standings(reader, pool, agents=[name], at_least=max(by_domain, default=0))
    record = standings.roster.records[name]
    versions = by_domain if standings.fitted is None else [*by_domain, standings.fitted.version]
    order = [] if standings.fitted is None else list(standings.fitted.rows)
    position = order.index(name) if name in order else None
    near = [] if position is None else order[max(0, position - AROUND) : position + AROUND + 1]
    (own_row,) = standings.rows("strength", [name])
    calibrations = domains_of(standings.roster.predictions, name)
    return Agent(
        pool=pool,
        version=standings.roster.version,
        fitted=min(versions, default=None),
        pending=standings.pending or pending,
        row=own_row,
        around=standings.rows("strength", near),
        domains=_domains(record, fitted, calibrations),
        critiques=record.tally.critiques_total,
        accepted=record.tally.critiques_accepted,
        unresolved=standings.roster.unresolved.get(name, 0),
        level=LEVEL,
    )


def _domains(
    record: AgentRecord, fitted: Mapping[str, Fitted], calibrations: list[DomainCalibration]
) -> list[AgentDomain]:
    tracks = {track.track: track for track in record.tracks}
    calibration_by_domain = {domain.domain: domain for domain in calibrations}
    domains = [
        _domain(name, tracks.get(name), _strength(fitted, name, record.rating.item), calibration_by_domain.get(name))
        for name in {*tracks, *calibration_by_domain}
    ]
    return sorted(domains, key=lambda domain: (-domain.debates, -domain.predictions, domain.domain))


def _strength(fitted: Mapping[str, Fitted], domain: str, agent: str) -> AgentStrength | None:
    return fitted[domain].rows.get(agent) if domain in fitted else None


def _domain(
    name: str, track: Rating | None, strength: AgentStrength | None, calibration: DomainCalibration | None
) -> AgentDomain:
    return AgentDomain(
        domain=name,
        elo=None if track is None else track.elo,
        debates=0 if track is None else track.matches,
        wins=0 if track is None else track.wins,
        losses=0 if track is None else track.losses,
        ties=0 if track is None else track.ties,
        rank=None if strength is None else strength.rank,
        rank_low=None if strength is None else strength.rank_low,
        rank_high=None if strength is None else strength.rank_high,
        strength=None if strength is None else strength.strength,
        low=None if strength is None else strength.low,
        high=None if strength is None else strength.high,
        predictions=0 if calibration is None else calibration.predictions,
        correct=0 if calibration is None else calibration.correct,
        score=None if calibration is None else calibration.score,
    )
