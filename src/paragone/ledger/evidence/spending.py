"""The spending on judging: the one place where decisions, requests, tokens and dollars are added up.

Each row has the usage of its own answer, turn or failed attempt only, so nothing is counted twice.
"""

from collections import defaultdict
from collections.abc import Sequence
from enum import StrEnum
from typing import Any

from sqlalchemy import ColumnElement, Connection, Table, and_, bindparam, case, func, or_, select, true

from paragone.domain import Choice
from paragone.domain.spending import NOTHING, Spending, total
from paragone.ledger import schema
from paragone.ledger.statements import Statement

_VERDICTS = (schema.comparison, schema.ranking)
_TURN = schema.debate_turn


class By(StrEnum):
    """What spending is grouped by: who answered or failed, or the call."""

    WHO = "who"
    CALL = "call"


def of_pool(connection: Connection, pool: str | None) -> Spending:
    """The spending of a pool; None for all pools together."""
    statements, values = (_ALL, {}) if pool is None else (_OF_POOL, {"of_pool": pool})
    return total(_of(row) for statement in statements for row in statement.named_rows(connection, values))


def by(connection: Connection, pool: str, what: By) -> dict[str, Spending]:
    """The spending of a pool by judge and advocate, or by call, in the order of record."""
    spending: defaultdict[str, Spending] = defaultdict(lambda: NOTHING)
    for statement in _BY[what]:
        for row in statement.named_rows(connection, {"of_pool": pool}):
            spending[row.of] += _of(row)
    return dict(spending)


def of_match(connection: Connection, pool: str, match: str, calls: Sequence[str]) -> Spending:
    """The spending of one match, with its debate turns and failed attempts.

    Args:
        connection: A transaction.
        pool: The pool.
        match: Id of the match.
        calls: The calls that the match rests on.
    """
    sqlite = connection.dialect.name == "sqlite"
    statements = (
        select(*_sums(table)).where(table.c.pool == pool, _for(table, match, calls, sqlite=sqlite)) for table in _TABLES
    )
    return total(_of(connection.execute(statement).one()) for statement in statements)


_TABLES = (*_VERDICTS, _TURN)


def _for(table: Table, match: str, calls: Sequence[str], *, sqlite: bool) -> ColumnElement[bool]:
    planned = table.c.call.startswith(f"{match}.", autoescape=True)
    if sqlite:  # "/" follows "." in its collation, so the index of calls is used; elsewhere a locale may sort otherwise
        planned = and_(table.c.call > f"{match}.", table.c.call < f"{match}/")
    return or_(table.c.call.in_(calls), planned)


def _column(table: Table, what: By) -> ColumnElement[str]:
    if what is By.CALL:
        return table.c.call
    return table.c.advocate if table is _TURN else table.c.judge


def _sums(table: Table) -> list[ColumnElement[Any]]:
    """The sums over rows; a request without a price and without tokens did not report its tokens."""
    unpriced, silent = table.c.cost.is_(None), table.c.input_tokens + table.c.output_tokens == 0
    requests = table.c.calls
    own = true() if table is _TURN else table.c.cached == 0  # a cached answer cost nothing itself
    sums = {
        "requests": requests,
        "input_tokens": table.c.input_tokens,
        "output_tokens": table.c.output_tokens,
        "unmetered": case((unpriced & silent, requests), else_=0),
        "unpriced": case((unpriced, requests), else_=0),
        "seconds": table.c.seconds,
    }
    return [
        *_counts(table),
        *(func.coalesce(func.sum(value).filter(own), 0).label(name) for name, value in sums.items()),
        func.sum(table.c.cost).filter(own).label("dollars"),
    ]


def _counts(table: Table) -> list[ColumnElement[Any]]:
    if table is _TURN:
        return [func.count().label("turns")]
    failed = table.c.choice == Choice.FAILED
    return [
        func.count().filter(~failed).label("decisions"),
        func.count().filter(table.c.cached == 1).label("cached"),
        func.count().filter(failed).label("failed"),
    ]


def _of(row: Any) -> Spending:  # noqa: ANN401 - a named row
    counts = {name: value for name, value in row._asdict().items() if name not in ("of", "dollars", "seconds")}
    dollars = None if row.dollars is None else float(row.dollars)
    return Spending(**{name: int(value) for name, value in counts.items()}, dollars=dollars, seconds=float(row.seconds))


def _by(table: Table, what: By) -> Statement:
    column = _column(table, what)
    query = select(column.label("of"), *_sums(table)).where(table.c.pool == bindparam("of_pool"))
    return Statement(query.group_by(column).order_by(func.min(table.c.seq)))


_ALL = tuple(Statement(select(*_sums(table))) for table in _TABLES)
_OF_POOL = tuple(Statement(select(*_sums(table)).where(table.c.pool == bindparam("of_pool"))) for table in _TABLES)
_BY = {what: tuple(_by(table, what) for table in _TABLES) for what in By}
