"""What a server is told of agents. Everything counts once, however often it is sent."""

from collections.abc import Iterator, Mapping
from typing import Any, Literal, TypeVar

from paragone.client.addresses import AGENTS, agents_path
from paragone.client.methods.asking import Asking, there
from paragone.client.values import (
    Agent,
    Debate,
    Evidence,
    EvidencePage,
    Foretelling,
    RedTeam,
    Relation,
    Resolved,
    Verification,
    VoidedEvidence,
)

T = TypeVar("T")


class AgentEvidenceMethods(Asking):
    """The part of a client's methods that records what agents did. ``pool`` is the pool that holds them."""

    def register_agent(self, agent: str, model: str = "", *, pool: str = AGENTS) -> Agent:
        """Have an agent, and say which model it is; where none is named, the one known stays."""
        return self._told(Agent, "", {"agent": agent, "model": model}, pool)

    def record_debate(
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
            scores: What each who took part scored, by name; the highest alone wins.
            pool: The pool.
            domain: What it was about: moves the ratings of that domain too.
            task: The same in words.
            confidence: What K is multiplied by.
            outcome: How scores become points.
            normalize: How points against several opponents add up.
        """
        counted = {"confidence": confidence, "outcome": outcome, "normalize": normalize}
        body = {"id": id, "scores": dict(scores), "domain": domain, "task": task, **counted}
        return self._told(Debate, "debates", body, pool)

    def predict_winner(
        self, tournament: str, agent: str, winner: str, confidence: float, *, pool: str = AGENTS
    ) -> Foretelling:
        """Keep whom an agent expects to win a tournament, in place of what it expected before."""
        body = {"tournament": tournament, "agent": agent, "winner": winner, "confidence": confidence}
        return self._told(Foretelling, "predictions", body, pool)

    def resolve_tournament(self, tournament: str, winner: str, *, pool: str = AGENTS) -> Resolved:
        """Say who won a tournament: each prediction of it is scored, once."""
        return self._told(Resolved, "predictions/resolve", {"tournament": tournament, "winner": winner}, pool)

    def record_prediction(
        self, id: str, agent: str, domain: str, confidence: float, correct: bool, *, pool: str = AGENTS
    ) -> Foretelling:
        """Keep a prediction within a domain, whose outcome is known."""
        body = {"id": id, "agent": agent, "domain": domain, "confidence": confidence, "correct": correct}
        return self._told(Foretelling, "predictions/domain", body, pool)

    def record_critique(self, id: str, agent: str, accepted: bool, *, pool: str = AGENTS) -> Foretelling:
        """Keep whether a critique that an agent made was accepted."""
        return self._told(Foretelling, "critiques", {"id": id, "agent": agent, "accepted": accepted}, pool)

    def relate(self, id: str, a: str, b: str, *, pool: str = AGENTS, **counts: int) -> Relation:
        """Add to what happened between two agents.

        Args:
            id: Names the addition within its pool.
            a: One agent.
            b: The other.
            pool: The pool.
            counts: ``debates``, ``agreements``, ``wins`` (of ``a``), ``losses``, and what else the API's
                ``NewRelation`` has.
        """
        return self._told(Relation, "relations", {"id": id, "a": a, "b": b, **counts}, pool)

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
        """Record what attacks on an agent came to in a session, with what that does to its rating."""
        counts = {"robustness": robustness, "successful": successful, "total": total, "critical": critical}
        return self._told(RedTeam, "red-team", {"session": session, "agent": agent, "domain": domain, **counts}, pool)

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
        """Record what the formal verification of an agent's claims came to, with what that does to its rating."""
        counts = {"verified": verified, "disproven": disproven, "k": k}
        return self._told(Verification, "verifications", {"id": id, "agent": agent, "domain": domain, **counts}, pool)

    def evidence(self, *, agent: str = "", kind: str = "", pool: str = AGENTS) -> Iterator[Evidence]:
        """All that was recorded, about one agent or about all, the newest first, with the ids by which it is voided.

        Args:
            agent: About this agent; about all where empty.
            kind: ``debate``, ``prediction``, ``resolution``, ``domain-prediction``, ``critique``, ``relation``,
                ``redteam``, ``verification`` or ``registration``; all where empty.
            pool: The pool.
        """
        path = agents_path("evidence")
        return self._every(EvidencePage, path, "evidence", pool=pool, agent=agent or None, kind=kind or None)

    def void_evidence(self, id: str, reason: str, *, kind: str | None = None, pool: str = AGENTS) -> VoidedEvidence:
        """Void any evidence by its id or reference; again, it changes nothing, and ``new`` is false.

        Args:
            id: Its id, or its reference such as ``critique#17``; of a resolution its tournament.
            reason: Why; kept in the ledger.
            kind: Its kind, where the id means several pieces of evidence.
            pool: The pool.

        Raises:
            NotFound: If there is none of that id; it names the nearest.
            Conflict: If the id means several; it names the reference of each.
        """
        return self._told(VoidedEvidence, "evidence/void", {"id": id, "reason": reason, "kind": kind}, pool)

    def _told(self, kind: type[T], what: str, body: Mapping[str, Any], pool: str) -> T:
        return there(self._at.post(kind, agents_path(*([what] if what else []), pool=pool), body))
