"""Predictions within domains, whose outcomes are known when they come."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Connection, Row, select

from paragone.domain import DomainPrediction
from paragone.errors import Corrupted
from paragone.ledger import chain, schema
from paragone.ledger.agent_records import RecordedDomainPrediction
from paragone.ledger.agents import duplicates, roster, tallies
from paragone.ledger.agents.voids import stands
from paragone.ledger.columns import of_few
from paragone.ledger.evidence import pools

_prediction = schema.domain_prediction


def record(connection: Connection, pool: str, predictions_: Sequence[DomainPrediction], at: datetime) -> None:
    """Keep and count predictions; one whose id is there already changes nothing.

    Raises:
        NotFound: If there is no such pool.
        Conflict: If one of that id is there with other content.
    """
    with chain.appending(connection, pool, at) as page:
        new = duplicates.fresh(connection, pool, _prediction.c.prediction, predictions_, _of)
        roster.enrol(connection, page, [prediction.agent for prediction in new])
        with tallies.counting(connection, page, [prediction.agent for prediction in new]) as counted:
            for prediction in new:
                page.add(_prediction, **_values(prediction))
                counted.outcome(prediction.agent, prediction.confidence, prediction.correct)


def recorded(
    connection: Connection, pool: str, agent: str | None = None, domain: str | None = None
) -> tuple[RecordedDomainPrediction, ...]:
    """Predictions of all agents or of one, in all domains or in one, newest first.

    Raises:
        NotFound: If there is no such pool.
    """
    pools.config(connection, pool)
    commit, seq = schema.commit, _prediction.c.seq
    order: ColumnElement[int] = seq if agent is None else of_few(seq)
    query = (
        select(_prediction, commit.c.at)
        .join(commit, (commit.c.pool == _prediction.c.pool) & (commit.c.number == _prediction.c.commit))
        .where(_prediction.c.pool == pool, stands(_prediction))
    )
    if agent is not None:
        query = query.where(_prediction.c.item == agent)
    if domain is not None:
        query = query.where(_prediction.c.domain == domain)
    rows = connection.execute(query.order_by(order.desc()))
    return tuple([RecordedDomainPrediction(prediction=_of(row), at=row.at) for row in rows])


def _values(prediction: DomainPrediction) -> dict[str, Any]:
    return {
        "prediction": prediction.id or None,
        "item": prediction.agent,
        "domain": prediction.domain,
        "confidence": prediction.confidence,
        "correct": prediction.correct,
    }


def _of(row: Row[tuple[Any, ...]]) -> DomainPrediction:
    try:
        return DomainPrediction(
            id=row.prediction or "",
            agent=row.item,
            domain=row.domain,
            confidence=row.confidence,
            correct=row.correct,
        )
    except ValueError as error:  # nothing of ours wrote that
        raise Corrupted(f"a prediction of {row.item!r} cannot be ({error}); an audit says more") from error
