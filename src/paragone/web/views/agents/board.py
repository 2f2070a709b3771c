"""Boards of agents as values: by strength, by the running Elo, by calibration; of all debates or of one domain."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from paragone.agents.standings import PredictionTally, rating_in
from paragone.agents.strengths import AgentStrength
from paragone.analysis.calibration import LEAST
from paragone.errors import NotFound
from paragone.ledger import AgentRecord
from paragone.web.readers.ledger_reader import LedgerReader
from paragone.web.views.agents.roster import (
    Fitted,
    Roster,
    examinations,
    require_agents,
    roster_with,
    strengths,
    strengths_by_domain,
)
from paragone.web.views.cursors import Place, cursor, place_of
from paragone.wire.address import AGENTS
from paragone.wire.agent import AgentBoard, AgentRanking, AgentRow


@dataclass(frozen=True, kw_only=True, slots=True)
class AgentBoardQuery:
    """Which page of a leaderboard of agents.

    Attributes:
        pool: The pool.
        by: What to rank by.
        domain: In this domain; in all where empty.
        search: Only agents with this in their name or model; empty for all.
        limit: Rows of a page.
        cursor: ``next`` of the page before.
    """

    pool: str = AGENTS
    by: AgentRanking = "strength"
    domain: str = ""
    search: str = ""
    limit: int = 50
    cursor: str | None = None


Key = tuple[float | str, ...]
"""AgentRanking what rows are sorted, the lowest first; the name stands last, so that no two are alike."""


class Standings:
    """What a board is made of: the agents of a pool, with what was fitted and counted of them in a domain, or in all.

    The agents are of one version, which is never before that of the strengths.

    Args:
        reader: Where.
        pool: The pool.
        domain: In this domain; in all where empty.
        examined: Whether calibrations are to be looked at closely.
        agents: Agents that must be there.
        at_least: A version than which the agents must not be older.

    Attributes:
        roster: The agents.
        fitted: Their strengths; None where there are none.
        examined: How well their confidences fit, where that was asked for and there is something; None otherwise.
        pending: Whether something newer is being made.
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
        is_older = any(version < self.roster.version for version in versions)  # written to since they were asked for
        self.pending = self.roster.pending or is_fitting or are_fitting or is_examining or is_older
        _require_domain(self.roster, domain, self._predictions_by_agent)

    @property
    def domain(self) -> str:
        """The domain; empty for all."""
        return self._domain

    def keyed(self, by: AgentRanking, search: str = "") -> list[tuple[Key, str]]:
        """The agents with what they are sorted by, in that order."""
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
        return [self._row(self.roster.records[name], ranks.get(name)) for name in agents]

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
        """Ranks by what a board goes by; equal ones share one."""
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

    def _row(self, record: AgentRecord, rank: int | None) -> AgentRow:
        name, rating = record.rating.item, rating_in(record, self._domain)
        return AgentRow(
            agent=name,
            model=record.model,
            rank=rank,
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
        return {name: getattr(strength, name) for name in ("rank_low", "rank_high", "strength", "low", "high")}

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

    By strength it goes by the running Elo as long as there are no strengths: where they are being fitted for the first
    time, and in domains where there are too many agents and domains to fit them.

    Raises:
        NotFound: If there is no such pool, or nothing was recorded in the domain.
        InvalidConfig: If the cursor belongs to another listing.
    """
    standings = Standings(reader, query.pool, query.domain, examined=query.by == "calibration")
    by: AgentRanking = "elo" if query.by == "strength" and standings.fitted is None else query.by
    listing = ("agents", query.pool, by, query.domain, query.search)
    keyed = standings.keyed(by, query.search)
    start = _start(keyed, place_of(query.cursor, listing))
    page = keyed[start : start + query.limit]
    more = start + query.limit < len(keyed)
    agents = standings.roster
    return AgentBoard(
        pool=query.pool,
        version=agents.version,
        fitted=None if standings.fitted is None else standings.fitted.version,
        examined=None if standings.examined is None else standings.examined.version,
        pending=standings.pending,
        by=by,
        domain=query.domain,
        agents=len(agents.records),
        debates=agents.domains.get(query.domain, 0) if query.domain else agents.debates,
        total=len(keyed),
        rows=standings.rows(by, [name for _, name in page]),
        next=cursor(listing, list(page[-1][0])) if more else None,
        least=None if standings.fitted is None else standings.fitted.least,
        most=None if standings.fitted is None else standings.fitted.most,
    )


def _start(keyed: list[tuple[Key, str]], last: Place | None) -> int:
    """Where the page begins that comes after a place, which may be gone meanwhile."""
    if last is None:
        return 0
    return next((at for at, (key, _) in enumerate(keyed) if list(key) > last), len(keyed))  # type: ignore[operator]


def _require_domain(agents: Roster, domain: str, predictions: Mapping[str, PredictionTally]) -> None:
    if domain and not predictions and domain not in agents.domain_names():
        names = ", ".join(map(repr, sorted(agents.domain_names())[:5]))
        raise NotFound(f"nothing was recorded in the domain {domain!r}{f'; there are {names}' if names else ''}")
