"""What is asked of a server about agents: boards, one of them, what it foretold, with whom it is at odds."""

from collections.abc import Iterator
from typing import Literal

from paragone.client.addresses import AGENTS, agent_path, agents_path, segment
from paragone.client.methods.asking import PAGE, Asking
from paragone.client.values import (
    Agent,
    AgentBoard,
    AgentHistory,
    AgentMove,
    AgentPrediction,
    AgentRelations,
    AgentRow,
    AgentTests,
    Calibration,
    Debate,
    DebatePage,
    Domain,
    DomainPage,
    PredictionPage,
    Relation,
    RelationLine,
    RelationPage,
)

By = Literal["strength", "elo", "calibration"]


class AgentMethods(Asking):
    """The part of a client's methods that looks at agents. ``pool`` is the pool that holds them."""

    def agent_board(
        self,
        *,
        pool: str = AGENTS,
        by: By = "strength",
        domain: str = "",
        search: str = "",
        limit: int = 50,
        cursor: str | None = None,
    ) -> AgentBoard:
        """A page of a leaderboard of agents; ``next`` of it is the cursor of the one after."""
        asked = {"by": by, "domain": domain or None, "search": search or None, "limit": limit, "cursor": cursor}
        return self._at.get(AgentBoard, agents_path(), pool=pool, **asked)

    def agents(self, *, pool: str = AGENTS, by: By = "strength", domain: str = "") -> Iterator[AgentRow]:
        """A whole leaderboard of agents, the best first, fetched page by page."""
        cursor = None
        while True:
            page = self.agent_board(pool=pool, by=by, domain=domain, limit=PAGE, cursor=cursor)
            by, cursor = page.by, page.next  # the pages after are of the board that the first one was of
            yield from page.rows
            if cursor is None:
                return

    def agent(self, agent: str, *, pool: str = AGENTS) -> Agent:
        """One agent: where it stands, in all and in each domain."""
        return self._at.get(Agent, agent_path(agent), pool=pool)

    def agent_history(self, agent: str, *, pool: str = AGENTS, track: str = "global") -> Iterator[AgentMove]:
        """The moves of a rating, the newest first: of the global one, or of that in a domain."""
        return self._every(AgentHistory, agent_path(agent, "history"), "moves", pool=pool, track=track)

    def agent_domains(self, *, pool: str = AGENTS) -> Iterator[Domain]:
        """The domains, those with the most debates first."""
        return self._every(DomainPage, agents_path("domains"), "domains", pool=pool)

    def debates(self, agent: str | None = None, *, pool: str = AGENTS) -> Iterator[Debate]:
        """Debates, the newest first: all, or those in which an agent took part."""
        path = agents_path("debates") if agent is None else agent_path(agent, "debates")
        return self._every(DebatePage, path, "debates", pool=pool)

    def debate(self, debate: str, *, pool: str = AGENTS) -> Debate:
        """One debate: who scored what, and what it moved."""
        return self._at.get(Debate, agents_path("debates", segment(debate)), pool=pool)

    def calibration(self, agent: str, *, pool: str = AGENTS, domain: str = "") -> Calibration:
        """How well the confidences of an agent fit what came of its predictions."""
        return self._at.get(Calibration, agent_path(agent, "calibration"), pool=pool, domain=domain or None)

    def predictions(self, agent: str, *, pool: str = AGENTS) -> Iterator[AgentPrediction]:
        """What an agent foretold, of tournaments and in domains, the newest first."""
        return self._every(PredictionPage, agent_path(agent, "predictions"), "predictions", pool=pool)

    def relations(
        self, *, pool: str = AGENTS, kind: Literal["all", "rivals", "allies"] = "all"
    ) -> Iterator[RelationLine]:
        """Pairs of agents: those with the most debates first, or rivals or allies by their score."""
        return self._every(RelationPage, agents_path("relations"), "relations", pool=pool, kind=kind)

    def relations_of(self, agent: str, *, pool: str = AGENTS) -> AgentRelations:
        """The rivals and allies of an agent, and what it has with the first of all others."""
        return self._at.get(AgentRelations, agent_path(agent, "relations"), pool=pool, limit=PAGE)

    def relation(self, a: str, b: str, *, pool: str = AGENTS) -> Relation:
        """What two agents have with each other, seen from the first."""
        return self._at.get(Relation, agent_path(a, "relations", segment(b)), pool=pool)

    def agent_tests(self, agent: str, *, pool: str = AGENTS) -> AgentTests:
        """What red teams and formal verification made of an agent."""
        return self._at.get(AgentTests, agent_path(agent, "tests"), pool=pool, limit=PAGE)
