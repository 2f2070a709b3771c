"""The audit: whether the evidence is what was recorded, and ratings and counts follow from it."""

import math
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import suppress
from itertools import chain as joined
from itertools import zip_longest
from operator import attrgetter
from typing import Any, NamedTuple, TypeVar

from sqlalchemy import Connection, bindparam, func, select, union, union_all
from sqlalchemy.exc import DBAPIError

from paragone.domain import GLOBAL, Rating, RatingChange
from paragone.errors import InvalidConfig, LedgerError, UsageError
from paragone.ledger import chain, running_ratings, schema
from paragone.ledger.chain_check import ChainWalk, follow, trace
from paragone.ledger.column_replay import TOLERANCE, Recount, wrong_change, wrong_record
from paragone.ledger.databases.dialects import Dialect
from paragone.ledger.evidence import rating_changes, relations, strength_tests, tallies
from paragone.ledger.evidence.match_columns import NUMBERS, is_paired
from paragone.ledger.replays import counted_again, current, recomputed
from paragone.ledger.statements import Statement
from paragone.wire.audit import Audit, Difference

_HASH = re.compile("[0-9a-f]{64}")

Follow = Callable[[Connection, str], tuple[ChainWalk, Difference | None]]


class _Checked(NamedTuple):
    walk: ChainWalk
    ratings: int
    difference: Difference | None


def audit(connection: Connection, dialect: Dialect, pool: str | None, expect: Collection[str] = ()) -> Audit:
    """Check the chain and the ratings of one pool or all, and the storage and schema of the whole database.

    Args:
        connection: A transaction that reads.
        dialect: The database.
        pool: The pool; None for all.
        expect: Hashes of commits that must exist, from the heads of earlier audits.

    Raises:
        NotFound: If there is no such pool.
        InvalidConfig: If one of them is not a hash.
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
    return Audit(
        ok=not differences,
        pools=len(checks),
        commits=sum(check.walk.commits for check in checks),
        rows=sum(check.walk.rows for check in checks),
        ratings=sum(check.ratings for check in checks),
        differences=tuple(differences),
        heads={check.walk.pool: check.walk.hash for check in checks},
        notes=tuple(note for check in checks for note in check.walk.clock.notes(check.walk.pool)),
    )


def _check(connection: Connection, dialect: Dialect, pool: str, damaged: bool) -> _Checked:
    """Check a pool. If its indexes cannot be trusted, its tables are scanned row by row."""
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
    """What reading damaged rows may raise: values may have any type, and refer to missing rows."""
    return (DBAPIError, LedgerError, UsageError, TypeError, ValueError, LookupError, *dialect.errors)


def _verify(connection: Connection, pool: str, followed: Follow) -> _Checked:
    walk, broken = followed(connection, pool)
    ratings = 0
    if broken is None:  # ratings can only be recomputed from intact evidence
        ratings = _count(connection, pool)
        broken = next(joined(wrong_ratings(connection, pool), _wrong_counts(connection, pool)), None)
    return _Checked(walk, ratings, broken)


def _scanned(connection: Connection, pool: str) -> tuple[ChainWalk, Difference | None]:
    return trace(connection, pool, by_index=False)


def _require_hashes(expect: Iterable[str]) -> None:
    for hash in expect:
        if not _HASH.fullmatch(hash):
            raise InvalidConfig(f"{hash!r} is not the hash of a commit: 64 hexadecimal digits, as an audit's heads are")


def _cut_off(connection: Connection, pool: str | None, expect: Collection[str]) -> Iterator[Difference]:
    """Expected hashes that are missing; one that exists proves all commits before it, since the chain was followed."""
    if not expect:
        return
    commit = schema.commit
    query = select(commit.c.hash).where(commit.c.hash.in_(expect))
    existing = set(connection.scalars(query if pool is None else query.where(commit.c.pool == pool)))
    for hash in dict.fromkeys(expect):
        if hash not in existing:
            message = f"no commit has the hash {hash}: the end of a chain was cut off, or a chain was replaced"
            yield Difference(pool=pool or "", table="commit", row=hash, message=message)


_POOLED = (*schema.APPEND_ONLY, *schema.PROJECTIONS)
_POOLS = union(*(select(table.c.pool) for table in _POOLED))


def _pools(connection: Connection, dialect: Dialect) -> list[str]:
    """All pools that any table names, in case rows of a pool are missing; of a damaged file, those that can be read."""
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


_RATED = Statement(
    union_all(
        *(
            select(func.count()).where(table.c.pool == bindparam("of_pool"))
            for table in (schema.rating, schema.track_rating)
        )
    )
)


def _count(connection: Connection, pool: str) -> int:
    return sum(count for (count,) in _RATED.rows(connection, {"of_pool": pool}))


Key = TypeVar("Key", bound=str | tuple[str, str])
Value = TypeVar("Value")


def wrong_ratings(connection: Connection, pool: str) -> Iterator[Difference]:
    """Recorded changes and ratings that do not follow from the evidence of a pool, in the order of record.

    Matches are replayed by columns, some thousand at a time, beside the recorded changes: memory grows with the items
    and adjustments of the pool, not with its matches. Only a pool with rollbacks is held as columns, 25 bytes a match,
    since a rollback replays all other matches. Pools with matches among several items, with scorecards or with tests
    are replayed one match at a time, by ``by_matches``, which also serves as the reference for tests.
    """
    if not is_paired(connection, pool):
        yield from by_matches(connection, pool)
        return
    yield from Recount(connection, pool).differences()
    yield from _wrong(pool, running_ratings.tracks(connection, pool), {})  # without scorecards or tests there are none


def by_matches(connection: Connection, pool: str) -> Iterator[Difference]:
    """``wrong_ratings``, one match at a time and with the whole pool in memory."""
    replayed = recomputed(connection, pool)
    tables = _tables(connection, pool)
    recorded = rating_changes.every(connection, pool)
    for recorded_change, expected in zip_longest(recorded, replayed.changes):
        change = recorded_change or expected
        if change is not None and (
            recorded_change is None or expected is None or not _agree(recorded_change, expected)
        ):
            by_match = "rating_change" if change.track == GLOBAL else "track_change"
            yield wrong_change(pool, recorded_change, expected, table=tables.get(change.match, by_match))
    ratings, tracks = current(recorded, replayed)
    yield from _wrong(pool, running_ratings.ratings(connection, pool), ratings)
    yield from _wrong(pool, running_ratings.tracks(connection, pool), tracks)


def _wrong(pool: str, stored: Mapping[Key, Rating], expected: Mapping[Key, Rating]) -> Iterator[Difference]:
    """Stored ratings that differ from the expected ones, or should not exist."""
    for key, rating, expected_rating in _unequal(stored, expected):
        yield wrong_record(pool, key if isinstance(key, str) else key[0], rating, expected_rating)


def _wrong_counts(connection: Connection, pool: str) -> Iterator[Difference]:
    """Stored counts of agents that do not follow from the evidence."""
    for agent, tally, expected_tally in _unequal(tallies.every(connection, pool), counted_again(connection, pool)):
        message = f"the stored counts of {agent!r} are {tally}, but the evidence gives {expected_tally}"
        yield Difference(pool=pool, table=schema.agent_tally.name, row=agent, message=message)
    sums = relations.added_up(relations.additions(connection, pool), {})
    for (a, b), stored, total in _unequal(relations.every(connection, pool), sums):
        message = f"the stored counts of {a!r} and {b!r} are {stored}, but the evidence gives {total}"
        yield Difference(pool=pool, table=schema.relationship.name, row=f"{a} {b}", message=message)


def _unequal(
    stored: Mapping[Key, Value], expected: Mapping[Key, Value]
) -> Iterator[tuple[Key, Value | None, Value | None]]:
    """Each key whose values differ, with the stored value and the one that follows from the evidence."""
    for key in [*expected, *(stored.keys() - expected.keys())]:
        if stored.get(key) != expected.get(key):
            yield key, stored.get(key), expected.get(key)


def _tables(connection: Connection, pool: str) -> dict[str, str]:
    """The tables of changes without a match, by the id of their cause."""
    adjusted = {entry.adjustment.id: "adjustment" for entry in rating_changes.recorded_adjustments(connection, pool)}
    return {**adjusted, **{test.id: "test" for test in strength_tests.by_sequence(connection, pool).values()}}


def _agree(recorded: RatingChange, expected: RatingChange) -> bool:
    if recorded == expected:
        return True
    near = zip(_numbers(recorded), _numbers(expected), strict=True)
    return _identity(recorded) == _identity(expected) and all(
        math.isclose(a, b, rel_tol=0.0, abs_tol=TOLERANCE) for a, b in near
    )


_identity = attrgetter("item", "match", "track")
_numbers = attrgetter(*NUMBERS)
