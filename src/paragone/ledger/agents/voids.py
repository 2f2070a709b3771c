"""Which evidence about agents counts, and which was voided."""

from sqlalchemy import ColumnElement, Connection, Table, select

from paragone.ledger import schema

_void = schema.void


def stands(table: Table, *, without: int | None = None) -> ColumnElement[bool]:
    """The condition that a row of a table is not void.

    Args:
        table: A table of evidence other than that of matches.
        without: A row that is to be taken as void as well, by its place in the record.
    """
    voided = select(_void.c.seq).where(_void.c.pool == table.c.pool, _void.c.target == table.c.seq).exists()
    return ~voided if without is None else ~voided & (table.c.seq != without)


def voided_tests(connection: Connection, pool: str) -> dict[int, int]:
    """The tests of a pool that were voided: the place of each void in the record, and that of the test."""
    rows = connection.execute(
        select(_void.c.seq, _void.c.target)
        .where(_void.c.pool == pool, _void.c.kind == schema.test.name)
        .order_by(_void.c.seq)
    )
    return {row.seq: row.target for row in rows}
