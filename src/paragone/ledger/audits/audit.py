"""The audit: is the evidence what was recorded, and are the ratings and counts what follows from it?"""

import re
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import suppress
from itertools import chain as joined
from typing import Any, NamedTuple

from sqlalchemy import Connection, func, select, union
from sqlalchemy.exc import DBAPIError

from paragone.errors import InvalidConfig, LedgerError, UsageError
from paragone.ledger import chain, schema
from paragone.ledger.agents import recounting
from paragone.ledger.audits.chain_check import ChainWalk, follow, trace
from paragone.ledger.audits.rating_check import wrong_ratings
from paragone.ledger.databases.dialects import Dialect
from paragone.ledger.records import AuditReport
from paragone.wire.audit import Difference

_HASH = re.compile("[0-9a-f]{64}")

Follow = Callable[[Connection, str], tuple[ChainWalk, Difference | None]]


class _Checked(NamedTuple):
    walk: ChainWalk
    ratings: int
    difference: Difference | None


def audit(connection: Connection, dialect: Dialect, pool: str | None, expect: Collection[str] = ()) -> AuditReport:
    """Check one pool, or all, from the first row to the last; and the storage and the schema of the whole database.

    Args:
        connection: A transaction that reads.
        dialect: The database.
        pool: The pool; all where None.
        expect: Hashes of commits that must be there, as an earlier audit reported its heads.

    Raises:
        NotFound: If there is no such pool.
        InvalidConfig: If one of the hashes is none.
        Corrupted: If the database is so damaged that it cannot be read.
    """
    _require_hashes(expect)
    damage = dialect.damage(connection)
    differences = [*damage, *dialect.wrong_schema(connection)]
    pools = _pools(connection, dialect)
    if pool is not None and pool not in pools:
        raise chain.absent("pool", pool, pools)
    checks = [_check(connection, dialect, id, bool(damage)) for id in (pools if pool is None else [pool])]
    differences += [check.difference for check in checks if check.difference is not None]
    differences += _cut_off(connection, pool, expect)
    return AuditReport(
        pools=len(checks),
        commits=sum(check.walk.commits for check in checks),
        rows=sum(check.walk.rows for check in checks),
        ratings=sum(check.ratings for check in checks),
        differences=tuple(differences),
        heads={check.walk.pool: check.walk.hash for check in checks},
        notes=tuple(note for check in checks for note in check.walk.clock.notes(check.walk.pool)),
    )


def _check(connection: Connection, dialect: Dialect, pool: str, damaged: bool) -> _Checked:
    """What is wrong with a pool. Where indexes cannot be trusted, the tables themselves are read, row by row."""
    lenient = dialect.reading_damaged(connection)
    if lenient is None:
        return _verify(connection, pool, follow)
    try:
        quick = _verify(connection, pool, follow)
    except _unreadable(dialect):
        damaged = True
    else:
        if quick.difference is not None or not damaged:
            return quick
    with lenient:
        try:
            return _verify(connection, pool, _scanned)
        except _unreadable(dialect) as error:
            cause = dialect.fault(error) if isinstance(error, (DBAPIError, *dialect.errors)) else error
            difference = Difference(pool=pool, table="", row="", message=f"not all of it can be read: {cause}")
            return _Checked(ChainWalk(pool=pool), 0, difference)


def _unreadable(dialect: Dialect) -> tuple[type[Exception], ...]:
    """What reading damaged rows raises: their values may have any type, and name what there is not."""
    return (DBAPIError, LedgerError, UsageError, TypeError, ValueError, LookupError, *dialect.errors)


def _verify(connection: Connection, pool: str, followed: Follow) -> _Checked:
    walk, broken = followed(connection, pool)
    ratings = 0
    if broken is None:  # ratings are only worth recomputing from evidence that is whole
        ratings = _count(connection, pool)
        broken = next(joined(wrong_ratings(connection, pool), recounting.differences(connection, pool)), None)
    return _Checked(walk, ratings, broken)


def _scanned(connection: Connection, pool: str) -> tuple[ChainWalk, Difference | None]:
    return trace(connection, pool, by_index=False)


def _require_hashes(expect: Iterable[str]) -> None:
    for hash in expect:
        if not _HASH.fullmatch(hash):
            raise InvalidConfig(f"{hash!r} is not the hash of a commit: 64 hexadecimal digits, as an audit's heads are")


def _cut_off(connection: Connection, pool: str | None, expect: Collection[str]) -> Iterator[Difference]:
    """Hashes that are not there; one that is there proves all commits before it, as the chain has been followed."""
    commit = schema.commit
    query = select(commit.c.hash).where(commit.c.hash.in_(expect))
    existing = (
        set(connection.scalars(query if pool is None else query.where(commit.c.pool == pool))) if expect else set()
    )
    for hash in dict.fromkeys(expect):
        if hash not in existing:
            message = f"no commit has the hash {hash}: the end of a chain was cut off, or a chain was replaced"
            yield Difference(pool=pool or "", table="commit", row=hash, message=message)


_POOLED = (*schema.APPEND_ONLY, *schema.PROJECTIONS)
_POOLS = union(*(select(table.c.pool) for table in _POOLED))


def _pools(connection: Connection, dialect: Dialect) -> list[str]:
    """Every pool that any table names, so that none hides by losing a row; of a damaged file, all that can be read."""
    lenient = dialect.reading_damaged(connection)
    try:
        return sorted(connection.scalars(_POOLS))
    except _unreadable(dialect):
        if lenient is None:
            raise
    names: set[Any] = set()
    with lenient:
        for table in _POOLED:
            with suppress(*_unreadable(dialect)):
                names.update(connection.scalars(select(table.c.pool + "").distinct()))
    return sorted(name for name in names if isinstance(name, str))


def _count(connection: Connection, pool: str) -> int:
    tables = (schema.rating, schema.track_rating)
    return sum(connection.scalar(select(func.count()).where(table.c.pool == pool)) or 0 for table in tables)
