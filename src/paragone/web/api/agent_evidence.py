"""Recording evidence about agents over HTTP: debates, predictions, critiques, relations, tests. Each counts once."""

from dataclasses import dataclass
from typing import Annotated, Literal

from fastapi import Depends, Query, Response

from paragone.agents.agent_pool import AgentPool
from paragone.agents.debates import Debates
from paragone.agents.elo_system import pool_in
from paragone.agents.leaderboards import Leaderboards
from paragone.agents.predictions import Predictions
from paragone.agents.relationships import Relationships
from paragone.agents.strength_tests import StrengthTests, red_team_id, verification_test_id
from paragone.errors import InvalidEvidence, NotFound
from paragone.web.api.agent_bodies import (
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
from paragone.web.api.agents import Pool
from paragone.web.api_router import api_router
from paragone.web.middleware.access_tokens import Caller, Role
from paragone.web.middleware.authorization import Admin, Judging
from paragone.web.parameters import LedgerDep
from paragone.web.readers.ledger_reader import LedgerReader
from paragone.web.views.agents import board as agent_board
from paragone.web.views.agents import evidence, relations
from paragone.wire.address import AGENTS, API, agent_url, agents_url, segment
from paragone.wire.agent import Agent
from paragone.wire.agent_evidence import VoidedEvidence
from paragone.wire.debate import Debate
from paragone.wire.prediction import PredictionRecord, ResolvedTournament
from paragone.wire.relation import Relation
from paragone.wire.strength_test import RedTeam, Verification

router = api_router(404, 409, prefix="/agents", tags=["agents"])


@dataclass(frozen=True, kw_only=True, slots=True)
class Target:
    """The pool of agents that a request records in."""

    reader: LedgerReader
    pool: str
    who: Caller
    strict: bool = False

    def open(self, *, outcome: str = "ratio", normalize: str = "sum") -> AgentPool:
        """The pool, ready to record in; created for an admin if it does not exist.

        Args:
            outcome: How scores become points.
            normalize: How points against several opponents add up.

        Raises:
            NotFound: If there is none, and the caller may not create it.
            Conflict: If it holds something else.
        """
        ledger = self.reader.ledger
        if self.who.role < Role.ADMIN and self.pool not in ledger.pools.versions():
            raise NotFound(_no_agents(self.pool))
        return pool_in(ledger, self.pool, outcome=outcome, normalize=normalize, strict=self.strict)


async def target(
    reader: LedgerDep,
    who: Judging,
    pool: Pool = AGENTS,
    strict: Annotated[bool, Query(description="Refuse unregistered agents, instead of adding them.")] = False,
) -> Target:
    """Where a judge or an admin records. Nothing is opened yet: the body may still be refused."""
    return Target(reader=reader, pool=pool, who=who, strict=strict)


TargetDep = Annotated[Target, Depends(target)]


@router.post("", status_code=201, responses={200: {"model": Agent}})
def register_agent(body: NewAgent, reader: LedgerDep, who: Admin, response: Response, pool: Pool = AGENTS) -> Agent:
    """Register an agent and its model. The pool is created if it does not exist."""
    into = Target(reader=reader, pool=pool, who=who).open()
    is_new = not into.ledger.agents.rows(into.id, [body.agent]).standings
    Leaderboards(into).register_agent(body.agent, body.model)
    reader.log_act(pool, who.name, "register agent", agent=body.agent, model=body.model)
    _answer(response, is_new, agent_url(body.agent, pool))
    return agent_board.agent(reader, pool, body.agent)


@router.post("/debates", status_code=201, responses={200: {"model": Debate}})
def record_debate(body: NewDebate, target: TargetDep, response: Response) -> Debate:
    """Record a debate, with the ratings that it moves. Unknown agents are added.

    Its id is the key: the same again changes nothing, and is answered with 200 and what it moved then.
    """
    pool = target.open(outcome=body.outcome, normalize=body.normalize)
    is_new = _is_new(pool, "match", body.id)
    Debates(pool).record_match(
        debate_id=body.id,
        participants=list(body.scores),
        scores=body.scores,
        domain=body.domain,
        confidence_weight=body.confidence,
        task=body.task,
    )
    _answer(response, is_new, agents_url(pool.id, "debates", segment(body.id)))
    return evidence.debate(target.reader, pool.id, body.id)


@router.post("/predictions", status_code=201, responses={200: {"model": PredictionRecord}})
def record_prediction(body: NewPrediction, target: TargetDep, response: Response) -> PredictionRecord:
    """Record the winner that an agent predicts for a tournament; replaces its earlier prediction until resolved."""
    pool = target.open()
    prediction = (body.tournament, body.winner, body.confidence)
    recorded = [earlier.prediction for earlier in pool.ledger.agents.predictions(pool.id, body.agent)]
    is_new = all((earlier.tournament, earlier.winner, earlier.confidence) != prediction for earlier in recorded)
    Predictions(pool).record_winner_prediction(body.tournament, body.agent, body.winner, body.confidence)
    _answer(response, is_new)
    return _predictions_of(pool, body.agent)


@router.post("/predictions/resolve")
def resolve(body: NewResolution, target: TargetDep) -> ResolvedTournament:
    """Resolve a tournament by its winner: each prediction of it is scored once. Repeating it changes nothing."""
    briers = Predictions(target.open()).resolve_tournament_calibration(body.tournament, body.winner)
    return ResolvedTournament(tournament=body.tournament, winner=body.winner, briers=briers)


@router.post("/predictions/domain", status_code=201, responses={200: {"model": PredictionRecord}})
def record_domain_prediction(body: NewDomainPrediction, target: TargetDep, response: Response) -> PredictionRecord:
    """Record a prediction within a domain whose outcome is known."""
    pool = target.open()
    is_new = _is_new(pool, "prediction", body.id)
    Predictions(pool).record_domain_prediction(
        body.agent, body.domain, body.confidence, body.correct, prediction_id=body.id
    )
    _answer(response, is_new)
    return _predictions_of(pool, body.agent)


@router.post("/critiques", status_code=201, responses={200: {"model": PredictionRecord}})
def record_critique(body: NewCritique, target: TargetDep, response: Response) -> PredictionRecord:
    """Record whether a critique by an agent was accepted."""
    pool = target.open()
    is_new = _is_new(pool, "critique", body.id)
    Predictions(pool).record_critique(body.agent, body.accepted, critique_id=body.id)
    _answer(response, is_new)
    return _predictions_of(pool, body.agent)


@router.post("/relations", status_code=201, responses={200: {"model": Relation}})
def relate(body: NewRelation, target: TargetDep, response: Response) -> Relation:
    """Add to the shared history of two agents."""
    counts = {name: getattr(body, field) for field, name in _INCREMENTS.items()}
    pool = target.open()
    if not any(counts.values()):
        raise InvalidEvidence("nothing to add: give counts, such as debates and agreements")
    is_new = _is_new(pool, "relation", body.id)
    Relationships(pool).update_relationship(body.a, body.b, update_id=body.id, **counts)
    _answer(response, is_new)
    return relations.relation(target.reader, pool.id, body.a, body.b)


@router.post("/red-team", status_code=201, responses={200: {"model": RedTeam}})
def record_red_team(body: NewRedTeam, target: TargetDep, response: Response) -> RedTeam | Verification:
    """Record the result of a red-team session against an agent, and update its rating. Each session counts once."""
    pool = target.open()
    id = red_team_id(body.session, body.agent)
    _answer(response, _is_new(pool, "test", id))
    StrengthTests(pool).record_redteam_result(
        body.agent,
        body.robustness,
        body.successful,
        body.total,
        body.critical,
        session_id=body.session,
        domain=body.domain,
    )
    return _test(pool, body.agent, id)


@router.post("/verifications", status_code=201, responses={200: {"model": Verification}})
def record_verification(body: NewVerification, target: TargetDep, response: Response) -> RedTeam | Verification:
    """Record the result of a formal verification of an agent's claims, and update its rating."""
    pool = target.open()
    if not body.verified and not body.disproven:
        raise InvalidEvidence("nothing was verified and nothing disproven: say how many claims were")
    id = verification_test_id(body.id)
    _answer(response, _is_new(pool, "test", id))
    StrengthTests(pool).update_from_verification(
        body.agent, body.domain, body.verified, body.disproven, body.k, verification_id=body.id
    )
    return _test(pool, body.agent, id)


@router.post("/evidence/void")
def void_evidence(body: VoidRequest, reader: LedgerDep, who: Admin, pool: Pool = AGENTS) -> VoidedEvidence:
    """Void any evidence by its id: ratings and counts become those of the rest. Repeating it changes nothing."""
    if pool not in reader.ledger.pools.versions():
        raise NotFound(_no_agents(pool))
    voided = evidence.void(pool_in(reader.ledger, pool), body.id, f"{who.name}: {body.reason}", body.kind)
    if voided.new:
        reader.log_act(pool, who.name, "void evidence", evidence=voided.evidence.reference, reason=body.reason)
    return voided


_INCREMENTS = {
    "debates": "debate_increment",
    "agreements": "agreement_increment",
    "wins": "a_win",
    "losses": "b_win",
    "critiques_a_to_b": "critique_a_to_b",
    "critiques_b_to_a": "critique_b_to_a",
    "accepted_a_to_b": "critique_accepted_a_to_b",
    "accepted_b_to_a": "critique_accepted_b_to_a",
    "changes_a_after_b": "position_change_a_after_b",
    "changes_b_after_a": "position_change_b_after_a",
}
"""Counts of a body, and what Aragora's specification calls them."""


def _no_agents(pool: str) -> str:
    return f"there are no agents in a pool {pool!r}; an admin makes it by registering one"


def _is_new(pool: AgentPool, kind: Literal["match", "prediction", "critique", "relation", "test"], id: str) -> bool:
    return not pool.ledger.agents.existing_ids(pool.id, kind, [id])


def _answer(response: Response, is_new: bool, url: str = "") -> None:
    """Say whether something was recorded now or before, and where it is."""
    response.status_code = 201 if is_new else 200
    if url:
        response.headers["location"] = API + url


def _predictions_of(pool: AgentPool, agent: str) -> PredictionRecord:
    """The predictions of an agent, and how its critiques fared."""
    (record,) = pool.ledger.agents.records(pool.id, [agent])
    tally = record.tally
    return PredictionRecord(
        agent=agent,
        predictions=tally.calibration_total,
        correct=tally.calibration_correct,
        brier=tally.calibration_brier_sum,
        critiques=tally.critiques_total,
        accepted=tally.critiques_accepted,
    )


def _test(pool: AgentPool, agent: str, id: str) -> RedTeam | Verification:
    tests = pool.ledger.agents.tests(pool.id, agent, voided=True)
    return next(evidence.result_of(recorded) for recorded in tests if recorded.test.id == id)
