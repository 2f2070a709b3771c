"""What each judge took: its calls, those that failed, its price."""

from collections import defaultdict

from sqlalchemy import Connection, case, func, select

from paragone.domain import Choice
from paragone.ledger import schema
from paragone.ledger.records import JudgeTally


def by_judge(connection: Connection, pool: str) -> dict[str, JudgeTally]:
    """What the verdicts of a pool took, by the identity of their judge."""
    parts: defaultdict[str, list[tuple[int, int, int, float]]] = defaultdict(list)
    for table in (schema.comparison, schema.ranking):
        original, failed = table.c.cached == 0, table.c.choice == Choice.FAILED
        unpriced = ~failed & original & table.c.cost.is_(None)
        columns = (
            func.count(),
            func.count().filter(failed),
            func.coalesce(func.sum(case((unpriced, 1), else_=0)), 0),
            func.coalesce(func.sum(table.c.cost).filter(original), 0),
        )
        statement = select(table.c.judge, *columns).where(table.c.pool == pool).group_by(table.c.judge)
        for judge, *sums in connection.execute(statement):
            parts[judge].append((int(sums[0]), int(sums[1]), int(sums[2]), float(sums[3])))
    return {judge: _tally(*(sum(column) for column in zip(*sums, strict=True))) for judge, sums in parts.items()}


def _tally(asked: float, failed: float, unpriced: float, cost: float) -> JudgeTally:
    return JudgeTally(asked=int(asked), failed=int(failed), cost=None if unpriced else cost)
