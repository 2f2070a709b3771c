"""Boards of agents by strength, running Elo or calibration, of all debates or of one domain; one agent; domains."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from paragone.agents.standings import PredictionTally, rating_in
from paragone.agents.strengths import LEVEL, AgentStrength
from paragone.analysis.calibration import LEAST
from paragone.domain import Rating
from paragone.ledger import AgentRecord
from paragone.web.readers.ledger_reader import LedgerReader
from paragone.web.views.agents.calibration import domains_of
from paragone.web.views.agents.roster import (
    Fitted,
    Roster,
    examinations,
    require_agents,
    require_domain,
    roster,
    roster_with,
    strengths,
    strengths_by_domain,
)
from paragone.web.views.cursors import After, Key, page_of
from paragone.wire.address import AGENTS
from paragone.wire.agent import Agent, AgentBoard, AgentDomain, AgentRanking, AgentRow, Domain, DomainPage
from paragone.wire.calibration import DomainCalibration

_FITTED = ("rank_low", "rank_high", "strength", "low", "high")


@dataclass(frozen=True, kw_only=True, slots=True)
class AgentBoardQuery:
    """Which page of a leaderboard of agents.

    Attributes:
        pool: The pool.
        by: What to rank by.
        domain: In this domain; in all if empty.
        search: Only agents with this in their name or model; empty for all.
        limit: Rows of a page.
        cursor: ``next`` of the page before, or how many rows come before this one.
    """

    pool: str = AGENTS
    by: AgentRanking = "strength"
    domain: str = ""
    search: str = ""
    limit: int = 50
    cursor: After = None


class AgentRatings:
    """What a board is made from: the agents of a pool with their strengths and calibrations, in a domain or in all.

    The agents are of one version, never older than that of the strengths.

    Args:
        reader: The ledger.
        pool: The pool.
        domain: In this domain; in all if empty.
        examined: Whether to include calibrations with intervals.
        agents: Agents that must be in it.
        at_least: Oldest version of the agents that will do.

    Attributes:
        roster: The agents.
        fitted: Their strengths; None if there are none.
        examined: Their calibrations; None if not included, or if there are none.
        pending: Whether something newer is being computed.
    """

    def __init__(
        self,
        reader: LedgerReader,
        pool: str,
        domain: str = "",
        *,
        examined: bool = False,
        agents: Iterable[str] = (),
        at_least: int = 0,
    ) -> None:
        require_agents(reader, pool)
        self._domain = domain
        of_whole, is_fitting = strengths(reader, pool) if not domain else (None, False)
        of_each, are_fitting = strengths_by_domain(reader, pool) if domain else ({}, False)
        self.fitted: Fitted | None = of_each.get(domain) if domain else of_whole
        self.examined, is_examining = examinations(reader, pool) if examined and not domain else (None, False)
        versions = [part.version for part in (self.fitted, self.examined) if part is not None]
        self.roster = roster_with(reader, pool, *agents, at_least=max([at_least, *versions]))
        self._predictions_by_agent: Mapping[str, PredictionTally] = self.roster.predictions.get(domain, {})
        is_older = any(version < self.roster.version for version in versions)  # there was a write since
        self.pending = self.roster.pending or is_fitting or are_fitting or is_examining or is_older
        require_domain(self.roster, domain)

    def keyed(self, by: AgentRanking, search: str = "") -> list[tuple[Key, str]]:
        """The agents behind their sort keys, in that order."""
        pattern = search.casefold()
        records = (
            record
            for name, record in self.roster.records.items()
            if not pattern or pattern in name.casefold() or pattern in record.model.casefold()
        )
        keys = (self._key(record, by) for record in records)
        return sorted((key, str(key[-1])) for key in keys if key is not None)

    def rows(self, by: AgentRanking, agents: Iterable[str]) -> list[AgentRow]:
        """Some of the agents as rows."""
        ranks = self._ranks(by)
        having: Counter[int | None] = Counter(ranks.values())
        return [
            self._row(self.roster.records[name], rank := ranks.get(name), is_shared=having[rank] > 1) for name in agents
        ]

    def _key(self, record: AgentRecord, by: AgentRanking) -> Key | None:
        name, rating = record.rating.item, rating_in(record, self._domain)
        if by == "calibration":
            predictions = self._predictions_by_agent.get(name)
            return None if predictions is None else (-predictions.score, predictions.brier, name)
        if by == "elo":
            return (-rating.elo, name)
        strength = self._strength(name)
        return (1, 0, -rating.elo, name) if strength is None else (0, strength.rank, -rating.elo, name)

    def _strength(self, agent: str) -> AgentStrength | None:
        return None if self.fitted is None else self.fitted.rows.get(agent)

    def _ranks(self, by: AgentRanking) -> dict[str, int]:
        """Ranks by the board's criterion; equal agents share one."""
        if by == "strength":
            return {} if self.fitted is None else {name: strength.rank for name, strength in self.fitted.rows.items()}
        ranks: dict[str, int] = {}
        before: Key = ()
        position = rank = 0
        for key, name in self.keyed(by):
            if by == "calibration" and len(self._predictions_by_agent[name]) < LEAST:
                continue
            position += 1
            if key[:1] != before:
                rank, before = position, key[:1]
            ranks[name] = rank
        return ranks

    def _row(self, record: AgentRecord, rank: int | None, *, is_shared: bool) -> AgentRow:
        name, rating = record.rating.item, rating_in(record, self._domain)
        return AgentRow(
            agent=name,
            model=record.model,
            rank=rank,
            rank_shared=is_shared,
            elo=rating.elo,
            debates=rating.matches,
            wins=rating.wins,
            losses=rating.losses,
            ties=rating.ties,
            form=self.roster.forms.get(self._domain, {}).get(name, ""),
            **self._fit(name),
            **self._said(name),
        )

    def _fit(self, agent: str) -> dict[str, Any]:
        strength = self._strength(agent)
        if strength is None:
            return {}
        return {name: getattr(strength, name) for name in _FITTED}

    def _said(self, agent: str) -> dict[str, Any]:
        predictions = self._predictions_by_agent.get(agent)
        report = None if self.examined is None else self.examined.reports.get(agent)
        if predictions is None:
            return {}
        counted = {
            "predictions": len(predictions),
            "correct": predictions.right,
            "brier": predictions.brier,
            "score": predictions.score if len(predictions) >= LEAST else None,
        }
        if report is None or report.predictions < LEAST:
            return counted
        return counted | {
            "score_low": report.score.low,
            "score_high": report.score.high,
            "bias": report.bias.value,
            "finding": report.finding.value,
        }


def board(reader: LedgerReader, query: AgentBoardQuery) -> AgentBoard:
    """A page of a board.

    A board by strength falls back to the running Elo while there are no strengths: during the first fit, and in domains
    if there are too many to fit.

    Raises:
        NotFound: If there is no such pool, or nothing was recorded in the domain.
        InvalidConfig: If the cursor belongs to another listing.
    """
    ratings = AgentRatings(reader, query.pool, query.domain, examined=query.by == "calibration")
    by: AgentRanking = "elo" if query.by == "strength" and ratings.fitted is None else query.by
    listing = ("agents", query.pool, by, query.domain, query.search)
    keyed = ratings.keyed(by, query.search)
    page, following = page_of(keyed, listing, query.limit, query.cursor)
    agents = ratings.roster
    return AgentBoard(
        pool=query.pool,
        version=agents.version,
        fitted=None if ratings.fitted is None else ratings.fitted.version,
        examined=None if ratings.examined is None else ratings.examined.version,
        pending=ratings.pending,
        by=by,
        domain=query.domain,
        agents=len(agents.records),
        debates=agents.domains.get(query.domain, 0) if query.domain else agents.debates,
        total=len(keyed),
        rows=ratings.rows(by, page),
        next=following,
        least=None if ratings.fitted is None else ratings.fitted.least,
        most=None if ratings.fitted is None else ratings.fitted.most,
    )


AROUND = 3
"""Agents listed on either side of one on the board."""


def agent(reader: LedgerReader, pool: str, name: str) -> Agent:
    """One agent.

    Raises:
        NotFound: If there is no such pool, or no such agent in it.
    """
    require_agents(reader, pool)
    fitted, pending = strengths_by_domain(reader, pool)
    by_domain = [strengths.version for strengths in fitted.values()]
    ratings = AgentRatings(reader, pool, agents=[name], at_least=max(by_domain, default=0))
    record = ratings.roster.records[name]
    versions = by_domain if ratings.fitted is None else [*by_domain, ratings.fitted.version]
    order = [] if ratings.fitted is None else list(ratings.fitted.rows)
    position = order.index(name) if name in order else None
    near = [] if position is None else order[max(0, position - AROUND) : position + AROUND + 1]
    (own_row,) = ratings.rows("strength", [name])
    calibrations = domains_of(ratings.roster.predictions, name)
    return Agent(
        pool=pool,
        version=ratings.roster.version,
        fitted=min(versions, default=None),
        pending=ratings.pending or pending,
        row=own_row,
        around=ratings.rows("strength", near),
        domains=_domains(record, fitted, calibrations),
        critiques=record.tally.critiques_total,
        accepted=record.tally.critiques_accepted,
        unresolved=ratings.roster.unresolved.get(name, 0),
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
    fit: dict[str, Any] = {field: getattr(strength, field, None) for field in ("rank", "rank_shared", *_FITTED)}
    return AgentDomain(
        domain=name,
        elo=None if track is None else track.elo,
        debates=0 if track is None else track.matches,
        wins=0 if track is None else track.wins,
        losses=0 if track is None else track.losses,
        ties=0 if track is None else track.ties,
        **fit,
        predictions=0 if calibration is None else calibration.predictions,
        correct=0 if calibration is None else calibration.correct,
        score=None if calibration is None else calibration.score,
    )


def domains(reader: LedgerReader, pool: str, *, limit: int = 50, after: After = None) -> DomainPage:
    """The domains of debates and predictions, the most debates first.

    Raises:
        NotFound: If there is no such pool of agents.
        InvalidConfig: If the cursor belongs to another listing.
    """
    require_agents(reader, pool)
    fitted, pending = strengths_by_domain(reader, pool)
    versions = [fit.version for fit in fitted.values()]
    agents = roster(reader, pool, at_least=max(versions, default=0))
    predictions = agents.predictions
    listing = ("agent domains", pool)
    names = {*agents.domain_names(), *predictions} - {""}
    keyed = [((-agents.domains.get(name, 0), name), name) for name in names]
    page, following = page_of(sorted(keyed), listing, limit, after)
    rated = _rated(agents)
    return DomainPage(
        pool=pool,
        domains=[
            _domain_row(
                name, agents.domains.get(name, 0), rated.get(name, []), fitted.get(name), predictions.get(name, {})
            )
            for name in page
        ],
        total=len(keyed),
        version=agents.version,
        fitted=min(versions, default=None),
        pending=agents.pending or pending,
        next=following,
    )


def _rated(agents: Roster) -> dict[str, list[Rating]]:
    """The running ratings of agents that debated, by domain, highest first."""
    tracks: dict[str, list[Rating]] = {}
    for record in agents.records.values():
        for track in record.tracks:
            if track.matches:
                tracks.setdefault(track.track, []).append(track)
    return {domain: sorted(of, key=lambda rating: (-rating.elo, rating.item)) for domain, of in tracks.items()}


def _domain_row(
    name: str, debates: int, rated: list[Rating], fitted: Fitted | None, predictions: Mapping[str, PredictionTally]
) -> Domain:
    strong = [] if fitted is None else [strength for strength in fitted.rows.values() if strength.matches]
    first = strong[0] if strong else None
    quick = rated[0] if rated else None
    return Domain(
        domain=name,
        debates=debates,
        agents=len(rated),
        predictions=sum(map(len, predictions.values())),
        leader=first.agent if first is not None else None if quick is None else quick.item,
        rating=first.strength if first is not None else None if quick is None else quick.elo,
        low=None if first is None else first.low,
        high=None if first is None else first.high,
        may_lead=sum(strength.rank_low == 1 for strength in strong) if strong else None,
    )
