"""The audit: is the evidence what was recorded, and are the ratings what follows from it?"""

import math
from collections.abc import Iterator
from dataclasses import astuple
from itertools import zip_longest

from sqlalchemy import Connection, select, union

from paragone.domain import RatingChange
from paragone.ledger import chain, matches, projections, schema
from paragone.ledger.audit_chain import follow
from paragone.ledger.dialects import Dialect
from paragone.ledger.recomputation import current, recomputed
from paragone.ledger.records import AuditReport, Difference

TOLERANCE = 1e-6
"""Elo points by which a recomputed rating may differ: mathematical libraries differ in the last bit."""


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
            ratings += len(projections.ratings(connection, id))
            broken = next(_wrong_ratings(connection, id), None)
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


def _wrong_ratings(connection: Connection, pool: str) -> Iterator[Difference]:
    made = recomputed(connection, pool)
    stored = matches.changes(connection, pool)
    for there, expected in zip_longest(stored, made.changes):
        if there is None or expected is None or not _agree(there, expected):
            named = there or expected
            yield Difference(
                pool=pool,
                table="rating_change",
                row=named.match,
                message=f"match {named.match!r} moved {named.item!r} by {there}, and the evidence says {expected}",
            )
    rightful, there_now = current(connection, pool, made), projections.ratings(connection, pool)
    for item in [*rightful, *(there_now.keys() - rightful.keys())]:
        if there_now.get(item) != rightful.get(item):
            message = f"the rating of {item!r} is {there_now.get(item)}, and the evidence says {rightful.get(item)}"
            yield Difference(pool=pool, table="rating", row=item, message=message)


def _agree(there: RatingChange, expected: RatingChange) -> bool:
    pairs = zip(astuple(there), astuple(expected), strict=True)
    return all(math.isclose(a, b, rel_tol=0.0, abs_tol=TOLERANCE) if isinstance(a, float) else a == b for a, b in pairs)
