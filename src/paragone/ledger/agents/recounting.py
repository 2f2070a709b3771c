"""What is counted of agents, made again from the evidence: to compare it with what is kept, or to put it in its place.

Outcomes of predictions are counted in the order in which they became known, as they were when they were recorded, so
that sums are the same to the last bit.
"""

import heapq
from collections import defaultdict
from collections.abc import Iterator, Mapping
from operator import itemgetter
from typing import Any, TypeVar

from sqlalchemy import Connection, Row, Select, delete, select

from paragone.ledger import schema
from paragone.ledger.agents import relations, tallies
from paragone.ledger.agents.evidence import stands
from paragone.ledger.agents.predictions import latest
from paragone.ledger.columns import AT_ONCE
from paragone.ledger.records import AgentTally
from paragone.wire.audit import Difference

Key = TypeVar("Key")
Value = TypeVar("Value")

Outcome = tuple[int, str, float, bool]
"""Where a prediction's outcome is in the record, whose it was, its confidence, and whether it came true."""

_prediction, _resolution, _domain_prediction, _critique = (
    schema.prediction,
    schema.resolution,
    schema.domain_prediction,
    schema.critique,
)


def differences(connection: Connection, pool: str) -> Iterator[Difference]:
    """Where what is counted of agents is not what follows from the evidence."""
    for agent, tally, rightful in _unequal(tallies.every(connection, pool), counted_again(connection, pool)):
        message = f"what is counted of {agent!r} is {tally}, and the evidence says {rightful}"
        yield Difference(pool=pool, table=schema.agent_tally.name, row=agent, message=message)
    sums = relations.added_up(relations.additions(connection, pool), {})
    for (a, b), sums_stored, due in _unequal(relations.every(connection, pool), sums):
        message = f"what happened between {a!r} and {b!r} is {sums_stored}, and the evidence says {due}"
        yield Difference(pool=pool, table=schema.relationship.name, row=f"{a} {b}", message=message)


def rebuild(connection: Connection, pool: str) -> None:
    """Drop what is counted of the agents of a pool, and count it again."""
    counted = counted_again(connection, pool)
    sums = relations.added_up(relations.additions(connection, pool), {})
    for table in (schema.agent_tally, schema.relationship):
        connection.execute(delete(table).where(table.c.pool == pool))
    tallies.write(connection, pool, counted)
    relations.write(connection, pool, sums)


def counted_again(connection: Connection, pool: str, *, without: int | None = None) -> dict[str, AgentTally]:
    """The tallies of all agents, from the evidence that stands.

    Args:
        connection: A transaction.
        pool: The pool.
        without: A piece of evidence that is to be left out, by its place in the record.
    """
    counted = tallies.Tallies()
    critiques = select(*_critique.c["item", "accepted"]).where(_critique.c.pool == pool)
    for row in _rows(connection, critiques.where(stands(_critique, without=without))):
        counted.critique(row.item, row.accepted)
    for _, agent, confidence, correct in heapq.merge(
        _of_tournaments(connection, pool, without), _in_domains(connection, pool, without), key=itemgetter(0)
    ):
        counted.outcome(agent, confidence, correct)
    return counted.by_agent


def _of_tournaments(connection: Connection, pool: str, without: int | None) -> Iterator[Outcome]:
    foretold: dict[str, list[Row[tuple[Any, ...]]]] = defaultdict(list)
    predicted = select(_prediction).where(_prediction.c.pool == pool, stands(_prediction, without=without))
    for row in _rows(connection, predicted.order_by(_prediction.c.seq)):
        foretold[row.tournament].append(row)
    resolved = select(_resolution).where(_resolution.c.pool == pool, stands(_resolution, without=without))
    for row in connection.execute(resolved.order_by(_resolution.c.seq)).all():
        for agent, prediction in latest(foretold[row.tournament]).items():
            yield row.seq, agent, prediction.confidence, prediction.winner == row.winner


def _in_domains(connection: Connection, pool: str, without: int | None) -> Iterator[Outcome]:
    query = select(*_domain_prediction.c["seq", "item", "confidence", "correct"]).where(
        _domain_prediction.c.pool == pool
    )
    query = query.where(stands(_domain_prediction, without=without))
    for row in _rows(connection, query.order_by(_domain_prediction.c.seq)):
        yield row.seq, row.item, row.confidence, row.correct


def _rows(connection: Connection, query: Select[Any]) -> Iterator[Row[Any]]:
    return iter(connection.execute(query.execution_options(yield_per=AT_ONCE)))


def _unequal(
    stored: Mapping[Key, Value], rightful: Mapping[Key, Value]
) -> Iterator[tuple[Key, Value | None, Value | None]]:
    """What differs: the key, what is there, and what should be."""
    for key in [*rightful, *(stored.keys() - rightful.keys())]:
        if stored.get(key) != rightful.get(key):
            yield key, stored.get(key), rightful.get(key)
