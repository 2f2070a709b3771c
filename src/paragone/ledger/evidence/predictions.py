"""Predictions by agents: of the winners of tournaments, and within domains, whose outcome is recorded with them."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from functools import cache
from typing import Any

from sqlalchemy import ColumnElement, Connection, Row, and_, bindparam, select

from paragone.domain import DomainPrediction, Prediction, Resolution
from paragone.domain.brier import brier
from paragone.domain.suggestions import instead
from paragone.errors import Conflict, Corrupted, NotFound
from paragone.ledger import chain, schema
from paragone.ledger.chain import LedgerPage
from paragone.ledger.column_types import of_few
from paragone.ledger.evidence import pools, roster, tallies
from paragone.ledger.evidence.agent_evidence import fresh, not_void
from paragone.ledger.records import RecordedDomainPrediction, RecordedPrediction
from paragone.ledger.statements import Statement

_prediction, _resolution, _in_domain = schema.prediction, schema.resolution, schema.domain_prediction
_WINNER = Statement(
    select(_resolution.c.winner).where(
        _resolution.c.pool == bindparam("of_pool"),
        _resolution.c.tournament == bindparam("of_tournament"),
        not_void(_resolution),
    )
)
_OF_TOURNAMENT = (
    select(_prediction)
    .where(
        _prediction.c.pool == bindparam("of_pool"),
        _prediction.c.tournament == bindparam("of_tournament"),
        not_void(_prediction),
    )
    .order_by(of_few(_prediction.c.seq))
)
_LAST = Statement(
    select(*_prediction.c["winner", "confidence"])
    .where(
        _prediction.c.pool == bindparam("of_pool"),
        _prediction.c.tournament == bindparam("of_tournament"),
        _prediction.c.item == bindparam("of_item"),
        not_void(_prediction),
    )
    .order_by(of_few(_prediction.c.seq).desc())
    .limit(1)
)


def record(connection: Connection, page: LedgerPage, prediction: Prediction) -> None:
    """Record which agent a predictor expects to win a tournament; it replaces the predictor's last prediction.

    A prediction equal to that last one changes nothing.

    Raises:
        NotFound: If there is no such pool.
        Conflict: If the tournament is resolved, and this is another prediction than the last one.
    """
    pool = page.head.pool
    roster.enrol(connection, page, [prediction.predictor])
    if _is_last(connection, pool, prediction):
        return
    winner = _winner(connection, pool, prediction.tournament)
    if winner is not None:
        raise Conflict(
            f"tournament {prediction.tournament!r} of pool {pool!r} is resolved already: {winner!r} won; no "
            "prediction of it can be made or changed any more"
        )
    page.add(
        _prediction,
        tournament=prediction.tournament,
        item=prediction.predictor,
        winner=prediction.winner,
        confidence=prediction.confidence,
    )


def resolve(connection: Connection, page: LedgerPage, resolution: Resolution) -> dict[str, float]:
    """Record the winner of a tournament, and score the predictions of it; an equal resolution changes nothing.

    Returns:
        The Brier score of each predictor, in the order of their predictions.

    Raises:
        NotFound: If there is no such pool; or if there are predictions, and the winner is neither an agent nor
            predicted by anyone, so is probably misspelt.
        Conflict: If it is resolved already, with another winner.
    """
    pool = page.head.pool
    predicted = _predictions_of(connection, pool, resolution.tournament)
    winner = _winner(connection, pool, resolution.tournament)
    if winner is None:
        _require_winner(connection, pool, resolution, predicted)
        page.add(_resolution, tournament=resolution.tournament, winner=resolution.winner)
        with tallies.counting(connection, page, predicted) as counted:
            for agent, prediction in predicted.items():
                counted.outcome(agent, prediction.confidence, prediction.winner == resolution.winner)
    elif winner != resolution.winner:
        raise Conflict(
            f"tournament {resolution.tournament!r} of pool {pool!r} is resolved already: {winner!r} won, not "
            f"{resolution.winner!r}"
        )
    return {
        agent: brier(prediction.confidence, prediction.winner == resolution.winner)
        for agent, prediction in predicted.items()
    }


def recorded(connection: Connection, pool: str, agent: str | None = None) -> tuple[RecordedPrediction, ...]:
    """The last prediction of each predictor on each tournament, of all agents or one, newest first.

    Raises:
        NotFound: If there is no such pool.
    """
    pools.config(connection, pool)
    values = {"of_pool": pool} if agent is None else {"of_pool": pool, "of_agent": agent}
    newest: dict[tuple[str, str], RecordedPrediction] = {}
    for tournament, predictor, winner, confidence, won, at in _all_recorded(agent is not None).rows(connection, values):
        if (tournament, predictor) not in newest:
            prediction = _prediction_of(tournament, predictor, winner, confidence)
            newest[tournament, predictor] = _scored(prediction, won, at)
    return tuple(newest.values())


@cache
def _all_recorded(of_agent: bool) -> Statement:
    """The predictions of winners that are not void, newest first, each with who has won; NULL where that is open."""
    table, seq = _prediction, _prediction.c.seq
    order: ColumnElement[int] = of_few(seq) if of_agent else seq
    resolved = and_(
        _resolution.c.pool == table.c.pool, _resolution.c.tournament == table.c.tournament, not_void(_resolution)
    )
    columns = (*table.c["tournament", "item", "winner", "confidence"], _resolution.c.winner.label("won"))
    query = (
        chain.with_time(table, select(*columns))
        .outerjoin(_resolution, resolved)
        .where(table.c.pool == bindparam("of_pool"), not_void(table))
    )
    if of_agent:
        query = query.where(table.c.item == bindparam("of_agent"))
    return Statement(query.order_by(order.desc()))


def latest(rows: Iterable[Row[tuple[Any, ...]]]) -> dict[str, Prediction]:
    """The last prediction of each predictor, by predictor, from rows on one tournament in the order of record.

    Raises:
        Corrupted: If a row is no valid prediction.
    """
    predictions: dict[str, Prediction] = {}
    for row in rows:
        predictions.pop(row.item, None)  # so that the order is that of the last predictions
        predictions[row.item] = _of(row)
    return predictions


def _predictions_of(connection: Connection, pool: str, tournament: str) -> dict[str, Prediction]:
    return latest(connection.execute(_OF_TOURNAMENT, {"of_pool": pool, "of_tournament": tournament}))


def _require_winner(
    connection: Connection, pool: str, resolution: Resolution, predictions: Mapping[str, Prediction]
) -> None:
    """Refuse a winner that is probably misspelt: every prediction would be scored as wrong.

    Raises:
        NotFound: If predictions of the tournament name others only, and the winner is no agent of the pool.
    """
    winner = resolution.winner
    predicted = {prediction.winner for prediction in predictions.values()}
    if not predictions or winner in predicted or roster.present(connection, pool, [winner]):
        return
    candidates = dict.fromkeys([*sorted(predicted), *sorted(predictions), *roster.names(connection, pool)])
    raise NotFound(
        f"nobody predicted that {winner!r} would win tournament {resolution.tournament!r}, and it is not an agent of "
        f"pool {pool!r}; register it first if the name is right; {instead(winner, candidates)}"
    )


def _is_last(connection: Connection, pool: str, prediction: Prediction) -> bool:
    """Whether a prediction equals its predictor's last one."""
    values = {"of_pool": pool, "of_tournament": prediction.tournament, "of_item": prediction.predictor}
    rows = _LAST.rows(connection, values)
    return rows == [(prediction.winner, prediction.confidence)]


def _winner(connection: Connection, pool: str, tournament: str) -> str | None:
    rows = _WINNER.rows(connection, {"of_pool": pool, "of_tournament": tournament})
    return str(rows[0][0]) if rows else None


def _of(row: Row[tuple[Any, ...]]) -> Prediction:
    return _prediction_of(row.tournament, row.item, row.winner, row.confidence)


def _prediction_of(tournament: str, predictor: str, winner: str, confidence: float) -> Prediction:
    try:
        return Prediction(tournament=tournament, predictor=predictor, winner=winner, confidence=confidence)
    except ValueError as error:  # no version of paragone wrote such a row
        raise Corrupted(f"a prediction of {predictor!r} is not valid ({error}); an audit says more") from error


def _scored(prediction: Prediction, won: str | None, at: datetime) -> RecordedPrediction:
    correct = None if won is None else won == prediction.winner
    score = None if correct is None else brier(prediction.confidence, correct)
    return RecordedPrediction(prediction=prediction, at=at, correct=correct, brier=score)


def in_domains(
    connection: Connection, pool: str, agent: str | None = None, domain: str | None = None
) -> tuple[RecordedDomainPrediction, ...]:
    """The predictions within domains, of all agents or one, in all domains or one, newest first.

    Raises:
        NotFound: If there is no such pool.
    """
    pools.config(connection, pool)
    parameters = {"of_pool": pool, "of_agent": agent, "of_domain": domain}
    values = {name: value for name, value in parameters.items() if value is not None}
    rows = _in_domains(agent is not None, domain is not None).rows(connection, values)
    return tuple([RecordedDomainPrediction(prediction=_in_domain_of(*row), at=at) for *row, at in rows])


@cache
def _in_domains(of_agent: bool, of_domain: bool) -> Statement:
    """The predictions within domains that are not void, newest first."""
    table, seq = _in_domain, _in_domain.c.seq
    order: ColumnElement[int] = of_few(seq) if of_agent else seq
    columns = table.c["prediction", "item", "domain", "confidence", "correct"]
    query = chain.with_time(table, select(*columns)).where(table.c.pool == bindparam("of_pool"), not_void(table))
    if of_agent:
        query = query.where(table.c.item == bindparam("of_agent"))
    if of_domain:
        query = query.where(table.c.domain == bindparam("of_domain"))
    return Statement(query.order_by(order.desc()))


def record_in_domains(connection: Connection, page: LedgerPage, predictions: Sequence[DomainPrediction]) -> None:
    """Record predictions within domains, all or none; one whose id is already recorded changes nothing.

    Raises:
        NotFound: If there is no such pool.
        Conflict: If one of that id is recorded with other content.
    """
    id_column = _in_domain.c.prediction
    new = fresh(connection, page.head.pool, id_column, predictions, _domain_prediction_of)
    agents = [prediction.agent for prediction in new]
    roster.enrol(connection, page, agents)
    with tallies.counting(connection, page, agents) as counted:
        for prediction in new:
            page.add(_in_domain, **_domain_prediction_values(prediction))
            counted.outcome(prediction.agent, prediction.confidence, prediction.correct)


def _domain_prediction_values(prediction: DomainPrediction) -> dict[str, Any]:
    """The values of a row of a prediction within a domain."""
    return {
        "prediction": prediction.id or None,
        "item": prediction.agent,
        "domain": prediction.domain,
        "confidence": prediction.confidence,
        "correct": prediction.correct,
    }


def _domain_prediction_of(row: Row[tuple[Any, ...]]) -> DomainPrediction:
    """A row as the prediction that was recorded."""
    return _in_domain_of(row.prediction, row.item, row.domain, row.confidence, row.correct)


def _in_domain_of(id: str | None, agent: str, domain: str, confidence: float, correct: bool) -> DomainPrediction:
    try:
        return DomainPrediction(id=id or "", agent=agent, domain=domain, confidence=confidence, correct=correct)
    except ValueError as error:  # no version of paragone wrote such a row
        raise Corrupted(f"a prediction of {agent!r} is not valid ({error}); an audit says more") from error
