"""One agent as a value: where it stands, in all and in each domain, and what is known of it besides."""

from collections.abc import Mapping

from paragone.agents.strengths import LEVEL, AgentStrength
from paragone.domain import Rating
from paragone.ledger import AgentRecord
from paragone.web.books.library import Library
from paragone.web.views.agents.board import Standings
from paragone.web.views.agents.calibration import domains_of
from paragone.web.views.agents.roster import Fitted, require_agents, strengths_by_domain
from paragone.wire.agent import Agent, AgentDomain
from paragone.wire.calibration import DomainCalibration

AROUND = 3
"""Agents on either side of one on the board that are shown as its neighbours there."""


def agent(library: Library, pool: str, name: str) -> Agent:
    """One agent.

    Raises:
        NotFound: If there is no such pool, or no such agent in it.
    """
    require_agents(library, pool)
    fitted, pending = strengths_by_domain(library, pool)
    by_domain = [one.version for one in fitted.values()]
    found = Standings(library, pool, agents=[name], at_least=max(by_domain, default=0))
    record = found.roster.records[name]
    versions = by_domain if found.fitted is None else [*by_domain, found.fitted.version]
    order = [] if found.fitted is None else list(found.fitted.rows)
    place = order.index(name) if name in order else None
    near = [] if place is None else order[max(0, place - AROUND) : place + AROUND + 1]
    (standing,) = found.rows("strength", [name])
    said = domains_of(found.roster.foretold, name)
    return Agent(
        pool=pool,
        version=found.roster.version,
        fitted=min(versions, default=None),
        pending=found.pending or pending,
        standing=standing,
        around=found.rows("strength", near),
        domains=_domains(record, fitted, said),
        critiques=record.tally.critiques_total,
        accepted=record.tally.critiques_accepted,
        unresolved=found.roster.unresolved.get(name, 0),
        level=LEVEL,
    )


def _domains(record: AgentRecord, fitted: Mapping[str, Fitted], said: list[DomainCalibration]) -> list[AgentDomain]:
    tracks = {track.track: track for track in record.tracks}
    foretold = {one.domain: one for one in said}
    found = [
        _domain(name, tracks.get(name), _strength(fitted, name, record.rating.item), foretold.get(name))
        for name in {*tracks, *foretold}
    ]
    return sorted(found, key=lambda one: (-one.debates, -one.predictions, one.domain))


def _strength(fitted: Mapping[str, Fitted], domain: str, agent: str) -> AgentStrength | None:
    return fitted[domain].rows.get(agent) if domain in fitted else None


def _domain(name: str, track: Rating | None, one: AgentStrength | None, said: DomainCalibration | None) -> AgentDomain:
    return AgentDomain(
        domain=name,
        elo=None if track is None else track.elo,
        debates=0 if track is None else track.matches,
        wins=0 if track is None else track.wins,
        losses=0 if track is None else track.losses,
        ties=0 if track is None else track.ties,
        rank=None if one is None else one.rank,
        rank_low=None if one is None else one.rank_low,
        rank_high=None if one is None else one.rank_high,
        strength=None if one is None else one.strength,
        low=None if one is None else one.low,
        high=None if one is None else one.high,
        predictions=0 if said is None else said.predictions,
        correct=0 if said is None else said.correct,
        score=None if said is None else said.score,
    )
