"""Agents over HTTP: boards, single agents, debates, predictions and relations."""

from typing import Annotated

from fastapi import Query

from paragone.domain import GLOBAL, EvidenceKind
from paragone.web.api_router import api_router
from paragone.web.middleware.authorization import Reader
from paragone.web.parameters import AgentId, Cursor, DebateId, LedgerDep, Limit, OtherId
from paragone.web.problems import refusals
from paragone.web.views.agents import board, calibration, evidence, relations
from paragone.web.views.agents import forecast as forecasts
from paragone.web.views.agents.board import AgentBoardQuery
from paragone.wire.address import AGENTS
from paragone.wire.agent import Agent, AgentBoard, AgentHistory, AgentRanking, DomainPage
from paragone.wire.agent_evidence import EvidencePage
from paragone.wire.agent_forecast import DebateForecast
from paragone.wire.calibration import Calibration
from paragone.wire.debate import Debate, DebatePage
from paragone.wire.prediction import PredictionPage
from paragone.wire.relation import AgentRelations, Relation, RelationKind, RelationPage
from paragone.wire.strength_test import AgentTests

router = api_router(404, prefix="/agents", tags=["agents"])

Pool = Annotated[str, Query(max_length=1_000, description="Id of the pool that holds the agents.")]
InDomain = Annotated[str, Query(max_length=200, description="In this domain; in all if empty.")]
Search = Annotated[str, Query(max_length=200, description="Only agents with this in their name or model.")]


@router.get("")
def list_agents(
    reader: LedgerDep,
    _: Reader,
    pool: Pool = AGENTS,
    by: Annotated[
        AgentRanking, Query(description="Strength by all debates, the running Elo, or calibration.")
    ] = "strength",
    domain: InDomain = "",
    search: Search = "",
    limit: Limit = 50,
    cursor: Cursor = None,
) -> AgentBoard:
    """A page of a leaderboard. Where `pending` is true, a newer one is being made.

    By strength it goes by the running Elo, and says so in `by`, as long as there are no strengths.
    """
    query = AgentBoardQuery(pool=pool, by=by, domain=domain, search=search, limit=limit, cursor=cursor)
    return board.board(reader, query)


@router.get("/domains")
def list_domains(
    reader: LedgerDep, _: Reader, pool: Pool = AGENTS, limit: Limit = 50, cursor: Cursor = None
) -> DomainPage:
    """The domains of debates and predictions with their leaders, most debates first."""
    return board.domains(reader, pool, limit=limit, after=cursor)


@router.get("/debates")
def list_debates(
    reader: LedgerDep, _: Reader, pool: Pool = AGENTS, limit: Limit = 50, cursor: Cursor = None
) -> DebatePage:
    """All debates, the newest first."""
    return evidence.debates(reader, pool, limit=limit, after=cursor)


@router.get("/debates/{debate}")
def get_debate(debate: DebateId, reader: LedgerDep, _: Reader, pool: Pool = AGENTS) -> Debate:
    """One debate with its scores and rating changes."""
    return evidence.debate(reader, pool, debate)


@router.get("/relations")
def list_relations(
    reader: LedgerDep,
    _: Reader,
    pool: Pool = AGENTS,
    kind: Annotated[RelationKind, Query(description="All pairs, or those of rivals or allies.")] = "all",
    limit: Limit = 50,
    cursor: Cursor = None,
) -> RelationPage:
    """Pairs of agents with a shared history, by number of debates or by highest score."""
    return relations.relations(reader, pool, kind, limit=limit, after=cursor)


@router.get("/forecast")
def get_debate_forecast(
    reader: LedgerDep,
    _: Reader,
    agent: Annotated[str, Query(max_length=1_000, description="The agent whose points are expected.")],
    opponent: Annotated[str, Query(max_length=1_000, description="Its opponent.")],
    pool: Pool = AGENTS,
    domain: InDomain = "",
) -> DebateForecast:
    """What is expected of a debate between two agents, with an interval, by the strengths fitted to all debates."""
    return forecasts.forecast(reader, pool, agent, opponent, domain)


@router.get("/evidence")
def list_evidence(
    reader: LedgerDep,
    _: Reader,
    pool: Pool = AGENTS,
    agent: Annotated[str, Query(max_length=200, description="About this agent; about all where empty.")] = "",
    kind: Annotated[EvidenceKind | None, Query(description="Of this kind; of all where left out.")] = None,
    limit: Limit = 50,
    cursor: Cursor = None,
) -> EvidencePage:
    """All that was recorded, the newest first, with the ids by which it can be voided."""
    return evidence.listed(reader, pool, agent=agent, kind=kind, limit=limit, after=cursor)


@router.get("/{agent}")
def get_agent(agent: AgentId, reader: LedgerDep, _: Reader, pool: Pool = AGENTS) -> Agent:
    """One agent: its ratings overall and by domain, with credible intervals."""
    return board.agent(reader, pool, agent)


@router.get("/{agent}/history")
def get_history_of_agent(
    agent: AgentId,
    reader: LedgerDep,
    _: Reader,
    pool: Pool = AGENTS,
    track: Annotated[str, Query(max_length=200, description="`global`, or a domain.")] = GLOBAL,
    limit: Limit = 50,
    cursor: Cursor = None,
) -> AgentHistory:
    """Its rating history, change by change, the newest first."""
    return evidence.history(reader, pool, agent, track=track, limit=limit, after=cursor)


@router.get("/{agent}/debates")
def list_debates_of_agent(
    agent: AgentId, reader: LedgerDep, _: Reader, pool: Pool = AGENTS, limit: Limit = 50, cursor: Cursor = None
) -> DebatePage:
    """The debates in which it took part, the newest first."""
    return evidence.debates(reader, pool, agent, limit=limit, after=cursor)


@router.get("/{agent}/calibration", responses=refusals(404))
def get_calibration(
    agent: AgentId, reader: LedgerDep, _: Reader, pool: Pool = AGENTS, domain: InDomain = ""
) -> Calibration:
    """How well its confidences fit the outcomes: scores with intervals, and the reliability curve."""
    return calibration.calibration(reader, pool, agent, domain)


@router.get("/{agent}/predictions")
def list_predictions(
    agent: AgentId, reader: LedgerDep, _: Reader, pool: Pool = AGENTS, limit: Limit = 50, cursor: Cursor = None
) -> PredictionPage:
    """An agent's predictions, of tournaments and in domains, newest first."""
    return calibration.predictions_of(reader, pool, agent, limit=limit, after=cursor)


@router.get("/{agent}/relations")
def list_relations_of_agent(
    agent: AgentId, reader: LedgerDep, _: Reader, pool: Pool = AGENTS, limit: Limit = 50, cursor: Cursor = None
) -> AgentRelations:
    """An agent's rivals and allies, and its relation to every other agent."""
    return relations.relations_of(reader, pool, agent, limit=limit, after=cursor)


@router.get("/{agent}/relations/{other}")
def get_relation(agent: AgentId, other: OtherId, reader: LedgerDep, _: Reader, pool: Pool = AGENTS) -> Relation:
    """The relation of two agents: debates, critiques, and how often each scored higher."""
    return relations.relation(reader, pool, agent, other)


@router.get("/{agent}/tests")
def get_tests(agent: AgentId, reader: LedgerDep, _: Reader, pool: Pool = AGENTS, limit: Limit = 50) -> AgentTests:
    """Results of red-team sessions and formal verification: totals, and the last tests of each kind."""
    return evidence.results_of(reader, pool, agent, limit=limit)
