"""Agents: leaderboards, debates, predictions and relations. ``pool`` is the pool that holds the agents.

Everything that is recorded counts once, however often it is sent.
"""

from collections.abc import Iterator, Mapping
from typing import Any, Literal, TypeVar

from paragone.client.connection import PAGE, Connection, Namespace
from paragone.wire.address import AGENTS, agent_url, agents_url, segment
from paragone.wire.agent import (
    Agent,
    AgentBoard,
    AgentHistory,
    AgentMove,
    AgentRanking,
    AgentRow,
    Domain,
    DomainPage,
)
from paragone.wire.agent_evidence import Evidence, EvidencePage, VoidedEvidence
from paragone.wire.agent_forecast import DebateForecast
from paragone.wire.calibration import Calibration
from paragone.wire.debate import Debate, DebatePage
from paragone.wire.prediction import AgentPrediction, PredictionPage, PredictionRecord, ResolvedTournament
from paragone.wire.relation import AgentRelations, Relation, RelationKind, RelationPage, RelationRow
from paragone.wire.strength_test import AgentTests, RedTeam, Verification

T = TypeVar("T")


class Agents(Namespace):
    """The agents of a server: where they stand, their tests, and evidence about them."""

    def board(
        self,
        *,
        pool: str = AGENTS,
        by: AgentRanking = "strength",
        domain: str = "",
        search: str = "",
        limit: int = 50,
        cursor: str | None = None,
    ) -> AgentBoard:
        """A page of a leaderboard of agents; its ``next`` is the cursor of the page after."""
        return self._connection.get(
            AgentBoard,
            agents_url(),
            pool=pool,
            by=by,
            domain=domain or None,
            search=search or None,
            limit=limit,
            cursor=cursor,
        )

    def list(self, *, pool: str = AGENTS, by: AgentRanking = "strength", domain: str = "") -> Iterator[AgentRow]:
        """A whole leaderboard of agents, the best first, fetched page by page."""
        cursor = None
        while True:
            page = self.board(pool=pool, by=by, domain=domain, limit=PAGE, cursor=cursor)
            by, cursor = page.by, page.next  # later pages are of the ranking that the first one had
            yield from page.rows
            if cursor is None:
                return

    def get(self, agent: str, *, pool: str = AGENTS) -> Agent:
        """One agent: its ratings, overall and by domain."""
        return self._connection.get(Agent, agent_url(agent), pool=pool)

    def history(self, agent: str, *, pool: str = AGENTS, track: str = "global") -> Iterator[AgentMove]:
        """The changes of a rating, the newest first: the global one, or that of a domain."""
        path = agent_url(agent, AGENTS, "history")
        return self._connection.every(AgentHistory, path, "moves", pool=pool, track=track)

    def domains(self, *, pool: str = AGENTS) -> Iterator[Domain]:
        """The domains, those with the most debates first."""
        return self._connection.every(DomainPage, agents_url(AGENTS, "domains"), "domains", pool=pool)

    def tests(self, agent: str, *, pool: str = AGENTS) -> AgentTests:
        """Results of red teams and formal verification of an agent."""
        return self._connection.get(AgentTests, agent_url(agent, AGENTS, "tests"), pool=pool, limit=PAGE)

    def forecast(self, agent: str, opponent: str, *, pool: str = AGENTS, domain: str = "") -> DebateForecast:
        """What is expected of a debate between two agents, with an interval; in a domain, or in any."""
        path = agents_url(AGENTS, "forecast")
        return self._connection.get(
            DebateForecast, path, pool=pool, agent=agent, opponent=opponent, domain=domain or None
        )

    def evidence(self, *, agent: str = "", kind: str = "", pool: str = AGENTS) -> Iterator[Evidence]:
        """All that was recorded, about one agent or about all, the newest first, with the ids by which it is voided.

        Args:
            agent: About this agent; about all where empty.
            kind: ``debate``, ``prediction``, ``resolution``, ``domain-prediction``, ``critique``, ``relation``,
                ``redteam``, ``verification`` or ``registration``; all where empty.
            pool: The pool.
        """
        path = agents_url(AGENTS, "evidence")
        return self._connection.every(EvidencePage, path, "evidence", pool=pool, agent=agent or None, kind=kind or None)

    def void(self, id: str, reason: str, *, kind: str | None = None, pool: str = AGENTS) -> VoidedEvidence:
        """Void any evidence by its id or reference; repeating it changes nothing, and ``new`` is false.

        Args:
            id: Its id, or its reference such as ``critique#17``; of a resolution its tournament.
            reason: Why; kept in the ledger.
            kind: Its kind, where several pieces of evidence have the id.
            pool: The pool.

        Raises:
            NotFound: If there is none of that id; it names the nearest.
            Conflict: If several have the id; it names the reference of each.
        """
        body = {"id": id, "reason": reason, "kind": kind}
        return _record(self._connection, VoidedEvidence, "evidence/void", body, pool)

    def register(self, agent: str, model: str = "", *, pool: str = AGENTS) -> Agent:
        """Add an agent, or name its model; an empty ``model`` leaves the known one."""
        return _record(self._connection, Agent, "", {"agent": agent, "model": model}, pool)

    def record_critique(self, id: str, agent: str, accepted: bool, *, pool: str = AGENTS) -> PredictionRecord:
        """Record whether a critique that an agent made was accepted."""
        body = {"id": id, "agent": agent, "accepted": accepted}
        return _record(self._connection, PredictionRecord, "critiques", body, pool)

    def record_red_team(
        self,
        session: str,
        agent: str,
        robustness: float,
        *,
        successful: int,
        total: int,
        critical: int = 0,
        domain: str = "",
        pool: str = AGENTS,
    ) -> RedTeam:
        """Record the attacks on an agent in a session, with their effect on its rating."""
        body = {
            "session": session,
            "agent": agent,
            "domain": domain,
            "robustness": robustness,
            "successful": successful,
            "total": total,
            "critical": critical,
        }
        return _record(self._connection, RedTeam, "red-team", body, pool)

    def record_verification(
        self,
        id: str,
        agent: str,
        *,
        verified: int = 0,
        disproven: int = 0,
        k: float = 16.0,
        domain: str = "",
        pool: str = AGENTS,
    ) -> Verification:
        """Record the formal verification of an agent's claims, with its effect on its rating."""
        body = {"id": id, "agent": agent, "domain": domain, "verified": verified, "disproven": disproven, "k": k}
        return _record(self._connection, Verification, "verifications", body, pool)


class Debates(Namespace):
    """Debates of agents."""

    def list(self, agent: str | None = None, *, pool: str = AGENTS) -> Iterator[Debate]:
        """Debates, the newest first: all, or those in which an agent took part."""
        path = agents_url(AGENTS, "debates") if agent is None else agent_url(agent, AGENTS, "debates")
        return self._connection.every(DebatePage, path, "debates", pool=pool)

    def get(self, debate: str, *, pool: str = AGENTS) -> Debate:
        """One debate with its scores and rating changes."""
        return self._connection.get(Debate, agents_url(AGENTS, "debates", segment(debate)), pool=pool)

    def record(
        self,
        id: str,
        scores: Mapping[str, float],
        *,
        pool: str = AGENTS,
        domain: str = "",
        task: str = "",
        confidence: float = 1.0,
        outcome: Literal["ratio", "win", "margin"] = "ratio",
        normalize: Literal["sum", "n-1"] = "sum",
    ) -> Debate:
        """Record a debate, with the ratings that it moves; the same again changes nothing.

        Args:
            id: Names it within its pool.
            scores: The score of each participant, by name; the highest alone wins.
            pool: The pool.
            domain: Its domain, whose ratings it moves too.
            task: What it was about, in words.
            confidence: What K is multiplied by.
            outcome: How scores become points.
            normalize: How points against several opponents add up.
        """
        body = {
            "id": id,
            "scores": dict(scores),
            "domain": domain,
            "task": task,
            "confidence": confidence,
            "outcome": outcome,
            "normalize": normalize,
        }
        return _record(self._connection, Debate, "debates", body, pool)


class Predictions(Namespace):
    """What agents predict, and how well."""

    def list(self, agent: str, *, pool: str = AGENTS) -> Iterator[AgentPrediction]:
        """The predictions of an agent, of tournaments and in domains, the newest first."""
        path = agent_url(agent, AGENTS, "predictions")
        return self._connection.every(PredictionPage, path, "predictions", pool=pool)

    def calibration(self, agent: str, *, pool: str = AGENTS, domain: str = "") -> Calibration:
        """How well the confidences of an agent fit the outcomes of its predictions."""
        path = agent_url(agent, AGENTS, "calibration")
        return self._connection.get(Calibration, path, pool=pool, domain=domain or None)

    def record(
        self, id: str, agent: str, domain: str, confidence: float, correct: bool, *, pool: str = AGENTS
    ) -> PredictionRecord:
        """Record a prediction within a domain, whose outcome is known."""
        body = {"id": id, "agent": agent, "domain": domain, "confidence": confidence, "correct": correct}
        return _record(self._connection, PredictionRecord, "predictions/domain", body, pool)

    def record_winner(
        self, tournament: str, agent: str, winner: str, confidence: float, *, pool: str = AGENTS
    ) -> PredictionRecord:
        """Record the winner that an agent predicts for a tournament, in place of its earlier prediction."""
        body = {"tournament": tournament, "agent": agent, "winner": winner, "confidence": confidence}
        return _record(self._connection, PredictionRecord, "predictions", body, pool)

    def resolve(self, tournament: str, winner: str, *, pool: str = AGENTS) -> ResolvedTournament:
        """Resolve a tournament by its winner: each prediction of it is scored once."""
        body = {"tournament": tournament, "winner": winner}
        return _record(self._connection, ResolvedTournament, "predictions/resolve", body, pool)


class Relations(Namespace):
    """Relations between agents: rivals and allies."""

    def list(self, *, pool: str = AGENTS, kind: RelationKind = "all") -> Iterator[RelationRow]:
        """Pairs of agents: those with the most debates first, or rivals or allies by their score."""
        path = agents_url(AGENTS, "relations")
        return self._connection.every(RelationPage, path, "relations", pool=pool, kind=kind)

    def of(self, agent: str, *, pool: str = AGENTS) -> AgentRelations:
        """The rivals and allies of an agent, and its relations with others."""
        path = agent_url(agent, AGENTS, "relations")
        return self._connection.get(AgentRelations, path, pool=pool, limit=PAGE)

    def get(self, a: str, b: str, *, pool: str = AGENTS) -> Relation:
        """The relation of two agents, from the first one's side."""
        return self._connection.get(Relation, agent_url(a, AGENTS, "relations", segment(b)), pool=pool)

    def record(self, id: str, a: str, b: str, *, pool: str = AGENTS, **counts: int) -> Relation:
        """Add to the dealings of two agents.

        Args:
            id: Names the addition within its pool.
            a: One agent.
            b: The other.
            pool: The pool.
            counts: ``debates``, ``agreements``, ``wins`` (of ``a``), ``losses``, and any other count of the API's
                ``NewRelation``.
        """
        return _record(self._connection, Relation, "relations", {"id": id, "a": a, "b": b, **counts}, pool)


def _record(connection: Connection, kind: type[T], path: str, body: Mapping[str, Any], pool: str) -> T:
    return connection.post(kind, agents_url(pool, *([path] if path else [])), body)
