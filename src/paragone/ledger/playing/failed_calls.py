"""What calls took that brought no answer: an answer that cannot be read is paid for all the same."""

from sqlalchemy import Connection, func, select

from paragone.domain import Choice, Usage
from paragone.ledger import schema
from paragone.ledger.playing.verdict_columns import TAKEN


def by_call(connection: Connection, pool: str) -> dict[str, Usage]:
    """What all failed attempts at each call took together; the cost is None where nobody said one."""
    found: dict[str, Usage] = {}
    for table in (schema.comparison, schema.ranking):  # a call is for a pair or for a list, never for both
        sums = [func.sum(table.c[name]).label(name) for name in TAKEN]
        statement = (
            select(table.c.call, *sums)
            .where(table.c.pool == pool, table.c.choice == Choice.FAILED)
            .group_by(table.c.call)
            .order_by(func.min(table.c.seq))
        )
        for row in connection.execute(statement):
            found[row.call] = Usage(
                calls=int(row.calls),
                input_tokens=int(row.input_tokens),
                output_tokens=int(row.output_tokens),
                cost=None if row.cost is None else float(row.cost),
                seconds=float(row.seconds),
            )
    return found
