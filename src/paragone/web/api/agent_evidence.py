"""Recording evidence about agents over HTTP: debates, predictions, critiques, relations, tests. Each counts once."""

from typing import Annotated

from fastapi import APIRouter, Query, Response

from paragone.agents.agent_pool import AgentPool
from paragone.web.admin_log import note
from paragone.web.api.agents import Pool
from paragone.web.api.answers import refusals
from paragone.web.dependencies import LedgerDep
from paragone.web.middleware.authentication import Admin, Judging
from paragone.web.middleware.tokens import Caller, Role
from paragone.web.readers.ledger_reader import LedgerReader
from paragone.web.views.agents import agent as views
from paragone.web.views.agents import debates as debating
from paragone.web.views.agents import evidence as evidencing
from paragone.web.views.agents import recording
from paragone.web.views.agents import relations as relating
from paragone.web.views.agents.bodies import (
    NewAgent,
    NewCritique,
    NewDebate,
    NewDomainPrediction,
    NewPrediction,
    NewRedTeam,
    NewRelation,
    NewResolution,
    NewVerification,
    VoidRequest,
)
from paragone.wire.address import AGENTS, API, agent_url, agents_url, segment
from paragone.wire.agent import Agent
from paragone.wire.debate import Debate
from paragone.wire.evidence import VoidedEvidence
from paragone.wire.prediction import PredictionRecord, ResolvedTournament
from paragone.wire.relation import Relation
from paragone.wire.strength_test import RedTeam, Verification

Strict = Annotated[bool, Query(description="Refuse agents that are not registered, instead of adding them.")]

router = APIRouter(prefix="/agents", tags=["agents"], responses=refusals(404, 409))


@router.post("", status_code=201, responses={200: {"model": Agent}})
def register_agent(body: NewAgent, reader: LedgerDep, who: Admin, response: Response, pool: Pool = AGENTS) -> Agent:
    """Register an agent and its model. The pool is created if it does not exist."""
    is_new = recording.register(_writable(reader, pool, who), body)
    note(reader, pool, who, "register agent", agent=body.agent, model=body.model)
    _say(response, is_new, agent_url(body.agent, pool))
    return views.agent(reader, pool, body.agent)


@router.post("/debates", status_code=201, responses={200: {"model": Debate}})
def record_debate(
    body: NewDebate, reader: LedgerDep, who: Judging, response: Response, pool: Pool = AGENTS, strict: Strict = False
) -> Debate:
    """Record a debate, with the ratings that it moves. Agents that are not there yet are added.

    Its id is the key: the same again changes nothing, and is answered with 200 and what it moved then.
    """
    into = _writable(reader, pool, who, outcome=body.outcome, normalize=body.normalize, strict=strict)
    is_new = recording.record_debate(into, body)
    _say(response, is_new, agents_url(pool, "debates", segment(body.id)))
    return debating.debate(reader, pool, body.id)


@router.post("/predictions", status_code=201, responses={200: {"model": PredictionRecord}})
def record_prediction(
    body: NewPrediction,
    reader: LedgerDep,
    who: Judging,
    response: Response,
    pool: Pool = AGENTS,
    strict: Strict = False,
) -> PredictionRecord:
    """Record the winner that an agent predicts for a tournament; replaces its earlier prediction until resolved."""
    into = _writable(reader, pool, who, strict=strict)
    _say(response, recording.record_prediction(into, body))
    return recording.predictions_of(into, body.agent)


@router.post("/predictions/resolve")
def resolve(
    body: NewResolution, reader: LedgerDep, who: Judging, pool: Pool = AGENTS, strict: Strict = False
) -> ResolvedTournament:
    """Resolve a tournament by its winner: each prediction of it is scored once. Repeating it changes nothing."""
    return recording.resolve(_writable(reader, pool, who, strict=strict), body)


@router.post("/predictions/domain", status_code=201, responses={200: {"model": PredictionRecord}})
def record_domain_prediction(
    body: NewDomainPrediction,
    reader: LedgerDep,
    who: Judging,
    response: Response,
    pool: Pool = AGENTS,
    strict: Strict = False,
) -> PredictionRecord:
    """Keep a prediction within a domain whose outcome is known."""
    into = _writable(reader, pool, who, strict=strict)
    _say(response, recording.record_domain_prediction(into, body))
    return recording.predictions_of(into, body.agent)


@router.post("/critiques", status_code=201, responses={200: {"model": PredictionRecord}})
def record_critique(
    body: NewCritique, reader: LedgerDep, who: Judging, response: Response, pool: Pool = AGENTS, strict: Strict = False
) -> PredictionRecord:
    """Keep whether a critique that an agent made was accepted."""
    into = _writable(reader, pool, who, strict=strict)
    _say(response, recording.record_critique(into, body))
    return recording.predictions_of(into, body.agent)


@router.post("/relations", status_code=201, responses={200: {"model": Relation}})
def relate(
    body: NewRelation, reader: LedgerDep, who: Judging, response: Response, pool: Pool = AGENTS, strict: Strict = False
) -> Relation:
    """Add to what happened between two agents."""
    _say(response, recording.relate(_writable(reader, pool, who, strict=strict), body))
    return relating.relation(reader, pool, body.a, body.b)


@router.post("/red-team", status_code=201, responses={200: {"model": RedTeam}})
def record_red_team(
    body: NewRedTeam, reader: LedgerDep, who: Judging, response: Response, pool: Pool = AGENTS, strict: Strict = False
) -> RedTeam | Verification:
    """Record the result of a red-team session against an agent, and update its rating. Each session counts once."""
    done, is_new = recording.record_red_team(_writable(reader, pool, who, strict=strict), body)
    _say(response, is_new)
    return done


@router.post("/verifications", status_code=201, responses={200: {"model": Verification}})
def record_verification(
    body: NewVerification,
    reader: LedgerDep,
    who: Judging,
    response: Response,
    pool: Pool = AGENTS,
    strict: Strict = False,
) -> RedTeam | Verification:
    """Record what the formal verification of an agent's claims came to, with what that does to its rating."""
    done, is_new = recording.record_verification(_writable(reader, pool, who, strict=strict), body)
    _say(response, is_new)
    return done


@router.post("/evidence/void")
def void_evidence(body: VoidRequest, reader: LedgerDep, who: Admin, pool: Pool = AGENTS) -> VoidedEvidence:
    """Void any evidence by its id: ratings and counts become what the rest says. Again, it changes nothing."""
    into = recording.writable(reader, pool, may_make=False)
    done = evidencing.void(into, body.id, f"{who.name}: {body.reason}", body.kind)
    if done.new:
        note(reader, pool, who, "void evidence", evidence=done.evidence.reference, reason=body.reason)
    return done


def _writable(
    reader: LedgerReader,
    pool: str,
    who: Caller,
    *,
    outcome: str = "ratio",
    normalize: str = "sum",
    strict: bool = False,
) -> AgentPool:
    """The pool to record in; created if an admin asks and it does not exist."""
    may_make = who.role >= Role.ADMIN
    return recording.writable(reader, pool, may_make=may_make, outcome=outcome, normalize=normalize, strict=strict)


def _say(response: Response, is_new: bool, where: str = "") -> None:
    response.status_code = 201 if is_new else 200
    if where:
        response.headers["location"] = API + where
