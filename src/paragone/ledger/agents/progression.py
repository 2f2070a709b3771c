"""How a rating came to be what it is: where it stood after each of its moves."""

from typing import Any

from sqlalchemy import Connection, Select, Table, select, union_all

from paragone.domain import GLOBAL
from paragone.ledger import pools, schema
from paragone.ledger.agent_records import Progress
from paragone.ledger.columns import of_few

_VOIDED = schema.void_change
_GLOBAL = (
    (schema.rating_change, "match", "new"),
    (schema.adjustment, "adjustment", "new"),
    (schema.test, "test", "new"),
)
_OF_DOMAIN = (
    (schema.track_change, "match", "new", schema.track_change.c.track),
    (schema.test, "test", "domain_new", schema.test.c.domain),
    (_VOIDED, "test", "new", _VOIDED.c.track),
)


def of_agent(
    connection: Connection, pool: str, agent: str, *, track: str = GLOBAL, count: int | None = None
) -> tuple[Progress, ...]:
    """Where a rating of an agent stood after each move, by matches, tests, voids and adjustments, newest first.

    Raises:
        NotFound: If there is no such pool.
    """
    pools.config(connection, pool)
    commit = schema.commit
    if track == GLOBAL:
        parts = [_part(pool, agent, *columns) for columns in _GLOBAL]
        parts.append(_part(pool, agent, _VOIDED, "test", "new").where(_VOIDED.c.track == GLOBAL))
    else:
        parts = [_part(pool, agent, table, cause, elo).where(whose == track) for table, cause, elo, whose in _OF_DOMAIN]
    moves = union_all(*parts).subquery()
    wanted = (
        select(moves.c.cause, moves.c.elo, commit.c.at)
        .join(commit, (commit.c.pool == pool) & (commit.c.number == moves.c.commit))
        .order_by(of_few(moves.c.seq).desc())
        .limit(count)
    )
    return tuple(Progress(at=row.at, elo=row.elo, cause=row.cause) for row in connection.execute(wanted))


def _part(pool: str, agent: str, table: Table, cause: str, elo: str) -> Select[Any]:
    """The moves of an agent in one table."""
    named = table.c[cause].label("cause"), table.c[elo].label("elo")
    return select(*table.c["seq", "commit"], *named).where(table.c.pool == pool, table.c.item == agent)
