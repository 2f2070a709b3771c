"""What programs record of agents. Everything has an id, or is such that sending it again changes nothing."""

from paragone.agents.agent_pool import AgentPool
from paragone.agents.boards import Boards
from paragone.agents.debates import Debates
from paragone.agents.opening import pool_in
from paragone.agents.predictions import Predictions
from paragone.agents.relationships import Relationships
from paragone.agents.strength_tests import StrengthTests, red_team_id, verification_test_id
from paragone.errors import InvalidEvidence, NotFound
from paragone.web.readers.ledger_reader import LedgerReader
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
)
from paragone.web.views.agents.testing import result_of
from paragone.wire.prediction import PredictionRecord, ResolvedTournament
from paragone.wire.strength_test import RedTeam, Verification


def writable(
    reader: LedgerReader,
    pool: str,
    *,
    may_make: bool,
    outcome: str = "ratio",
    normalize: str = "sum",
    strict: bool = False,
) -> AgentPool:
    """A pool of agents, to record something in.

    Args:
        reader: Where.
        pool: Its id.
        may_make: Whether it is made where there is none.
        outcome: How scores become points.
        normalize: How points add up.
        strict: Whether to refuse agents that are not registered.

    Raises:
        NotFound: If there is none, and it may not be made.
        Conflict: If it holds something else.
    """
    if not may_make and pool not in reader.ledger.pools.versions():
        raise NotFound(f"there are no agents in a pool {pool!r}; an admin makes it by registering one")
    return pool_in(reader.ledger, pool, outcome=outcome, normalize=normalize, strict=strict)


def register(pool: AgentPool, agent: NewAgent) -> bool:
    """Have an agent in a pool; whether it is new."""
    exists = bool(pool.ledger.agents.rows(pool.id, [agent.agent]).standings)
    Boards(pool).register_agent(agent.agent, agent.model)
    return not exists


def record_debate(pool: AgentPool, debate: NewDebate) -> bool:
    """Record a debate with the ratings that it moves; whether it is new.

    Raises:
        Conflict: If it is there with other content.
        InvalidEvidence: If it cannot be.
    """
    exists = bool(pool.ledger.agents.existing_ids(pool.id, "match", [debate.id]))
    Debates(pool).record_match(
        debate_id=debate.id,
        participants=list(debate.scores),
        scores=debate.scores,
        domain=debate.domain,
        confidence_weight=debate.confidence,
        task=debate.task,
    )
    return not exists


def record_prediction(pool: AgentPool, prediction: NewPrediction) -> bool:
    """Keep whom an agent expects to win; whether that is new.

    Raises:
        Conflict: If the tournament is resolved, and it would be another prediction.
    """
    predictions = [earlier.prediction for earlier in pool.ledger.agents.predictions(pool.id, prediction.agent)]
    same = any(
        (earlier.tournament, earlier.winner, earlier.confidence)
        == (prediction.tournament, prediction.winner, prediction.confidence)
        for earlier in predictions
    )
    Predictions(pool).record_winner_prediction(
        prediction.tournament, prediction.agent, prediction.winner, prediction.confidence
    )
    return not same


def resolve(pool: AgentPool, resolution: NewResolution) -> ResolvedTournament:
    """Say who won a tournament, and count what was foretold of it; again, it counts nothing.

    Raises:
        Conflict: If it is resolved already, with another winner.
    """
    briers = Predictions(pool).resolve_tournament_calibration(resolution.tournament, resolution.winner)
    return ResolvedTournament(tournament=resolution.tournament, winner=resolution.winner, briers=briers)


def record_domain_prediction(pool: AgentPool, prediction: NewDomainPrediction) -> bool:
    """Keep a prediction within a domain; whether it is new.

    Raises:
        Conflict: If one of that id is there with other content.
    """
    exists = bool(pool.ledger.agents.existing_ids(pool.id, "prediction", [prediction.id]))
    Predictions(pool).record_domain_prediction(
        prediction.agent, prediction.domain, prediction.confidence, prediction.correct, prediction_id=prediction.id
    )
    return not exists


def record_critique(pool: AgentPool, critique: NewCritique) -> bool:
    """Keep a critique; whether it is new.

    Raises:
        Conflict: If one of that id is there with other content.
    """
    exists = bool(pool.ledger.agents.existing_ids(pool.id, "critique", [critique.id]))
    Predictions(pool).record_critique(critique.agent, critique.accepted, critique_id=critique.id)
    return not exists


def predictions_of(pool: AgentPool, agent: str) -> PredictionRecord:
    """What an agent has foretold, and how its critiques fared."""
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


def relate(pool: AgentPool, relation: NewRelation) -> bool:
    """Add to what happened between two agents; whether that is new.

    Raises:
        Conflict: If an addition of that id is there with other content.
        InvalidEvidence: If both are the same, or nothing is added.
    """
    counts = {name: getattr(relation, field) for field, name in _INCREMENTS.items()}
    if not any(counts.values()):
        raise InvalidEvidence("nothing to add: say what happened, such as debates and agreements")
    exists = bool(pool.ledger.agents.existing_ids(pool.id, "relation", [relation.id]))
    Relationships(pool).update_relationship(relation.a, relation.b, update_id=relation.id, **counts)
    return not exists


def record_red_team(pool: AgentPool, attacks: NewRedTeam) -> tuple[RedTeam | Verification, bool]:
    """Record what attacks came to; what they moved, and whether that is new.

    Raises:
        Conflict: If the session is there for this agent with other content.
        InvalidEvidence: If more attacks succeeded than were made.
    """
    id = red_team_id(attacks.session, attacks.agent)
    exists = bool(pool.ledger.agents.existing_ids(pool.id, "test", [id]))
    StrengthTests(pool).record_redteam_result(
        attacks.agent,
        attacks.robustness,
        attacks.successful,
        attacks.total,
        attacks.critical,
        session_id=attacks.session,
        domain=attacks.domain,
    )
    return _test(pool, attacks.agent, id), not exists


def record_verification(pool: AgentPool, verification: NewVerification) -> tuple[RedTeam | Verification, bool]:
    """Record what a verification came to; what it moved, and whether that is new.

    Raises:
        Conflict: If it is there with other content.
        InvalidEvidence: If nothing was verified or disproven.
    """
    if not verification.verified and not verification.disproven:
        raise InvalidEvidence("nothing was verified and nothing disproven: say how many claims were")
    id = verification_test_id(verification.id)
    exists = bool(pool.ledger.agents.existing_ids(pool.id, "test", [id]))
    StrengthTests(pool).update_from_verification(
        verification.agent,
        verification.domain,
        verification.verified,
        verification.disproven,
        verification.k,
        verification_id=verification.id,
    )
    return _test(pool, verification.agent, id), not exists


def _test(pool: AgentPool, agent: str, id: str) -> RedTeam | Verification:
    tests = pool.ledger.agents.tests(pool.id, agent, voided=True)
    return next(result_of(recorded) for recorded in tests if recorded.test.id == id)
