"""The audit: is the evidence what was recorded, and are the ratings and counts what follows from it?"""

from collections.abc import Iterator
from itertools import chain as joined

from sqlalchemy import Connection, func, select, union

from paragone.ledger import chain, schema
from paragone.ledger.agents import recount
from paragone.ledger.audits.hashes import follow
from paragone.ledger.audits.ratings import wrong_ratings
from paragone.ledger.databases.dialects import Dialect
from paragone.ledger.records import AuditReport, Difference


def audit(connection: Connection, dialect: Dialect, pool: str | None) -> AuditReport:
    """Check one pool, or all, from the first row to the last.

    Raises:
        NotFound: If there is no such pool.
        Corrupted: If the database is so damaged that it cannot be read.
    """
    known = _pools(connection)
    if pool is not None and pool not in known:
        raise chain.absent("pool", pool, known)
    differences = list(_damage(connection, dialect))
    commits = rows = ratings = 0
    heads: dict[str, str] = {}
    for id in known if pool is None else [pool]:
        walk, broken = follow(connection, id)
        commits, rows, heads[id] = commits + walk.commits, rows + walk.rows, walk.hash
        if broken is None:  # ratings are only worth recomputing from evidence that is whole
            ratings += _count(connection, id)
            broken = next(joined(wrong_ratings(connection, id), recount.differences(connection, id)), None)
        if broken is not None:
            differences.append(broken)
    return AuditReport(
        pools=len(heads), commits=commits, rows=rows, ratings=ratings, differences=tuple(differences), heads=heads
    )


def _damage(connection: Connection, dialect: Dialect) -> Iterator[Difference]:
    found = dialect.damage(connection)
    if found:
        yield Difference(pool="", table="", row="", message=f"{dialect.location} is damaged: {found}")


def _pools(connection: Connection) -> list[str]:
    """Every pool that any table of its own names, so that none hides by losing a row."""
    names = union(*(select(table.c.pool) for table in (schema.commit, schema.head, schema.pool)))
    return sorted(connection.scalars(names))


def _count(connection: Connection, pool: str) -> int:
    tables = (schema.rating, schema.track_rating)
    return sum(connection.scalar(select(func.count()).where(table.c.pool == pool)) or 0 for table in tables)
