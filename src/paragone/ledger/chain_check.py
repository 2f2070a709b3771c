"""The check of a pool's chain: whether every commit and every row is what was recorded.

The chain is followed in stretches of many rows, whose digests are computed together (``follow``). If a stretch does not
fit, it is checked row by row to find the difference (``trace``); this also works for the whole chain, but slowly.
"""

import hashlib
import heapq
import json
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import cache
from itertools import chain as joined
from typing import Any

from sqlalchemy import (
    Column,
    ColumnElement,
    Connection,
    Select,
    Table,
    Text,
    bindparam,
    func,
    select,
    type_coerce,
    union_all,
)

from paragone.errors import LedgerError
from paragone.ledger import schema
from paragone.ledger.chain import GENESIS
from paragone.ledger.column_types import as_stored, escaped, of_few
from paragone.ledger.digests import Listing, RowRun, commit_hash, json_digest, json_digests, packed_digests
from paragone.ledger.statements import Statement
from paragone.wire.audit import Difference

_NAMES = ("match", "call", "adjustment", "test", "tournament", "item", "relation", "number", "kind")
"""Columns that identify a row for a reader; the first one that the table has is used."""


@dataclass(kw_only=True, slots=True)
class Clock:
    """The times of a chain's commits by the recorders' clocks; nothing depends on them.

    Attributes:
        last: The time of the last commit, as it is stored.
        backward: The number of commits that are a second or more before the previous one.
        first: The number of the first such commit.
        most: The largest step back, in seconds.
    """

    last: str = ""
    backward: int = 0
    first: int = 0
    most: float = 0.0

    def take(self, number: int, at: object) -> None:
        """Advance by one commit."""
        if not isinstance(at, str):
            return
        if at < self.last:
            seconds = _seconds_between(at, self.last)
            if seconds >= _JUMP:
                self.backward += 1
                self.first = self.first or number
                self.most = max(self.most, seconds)
        self.last = at

    def notes(self, pool: str) -> Iterator[str]:
        """A sentence if the clock went back."""
        if self.backward:
            times = "once" if self.backward == 1 else f"{self.backward} times"
            yield (
                f"in pool {pool!r} the clock went back {times}, first at commit {self.first} and by {self.most:.0f} s "
                "at the most; the order of record does not depend on it"
            )


_JUMP = 1.0
"""Seconds; the clocks of several machines that write to one ledger differ by less."""


def _seconds_between(earlier: str, later: str) -> float:
    try:
        return (datetime.fromisoformat(later) - datetime.fromisoformat(earlier)).total_seconds()
    except (ValueError, TypeError):  # no version of paragone stored it, which the hash will show
        return 0.0


@dataclass(kw_only=True, slots=True)
class ChainWalk:
    """How far a pool's chain has been followed, and what its next commit must fit."""

    pool: str
    commits: int = 0
    rows: int = 0
    hash: str = GENESIS
    arrival: int = 0
    clock: Clock = field(default_factory=Clock)

    def take(self, link: Mapping[str, Any], rows: int) -> None:
        """Advance by one commit and some of its rows."""
        self.commits, self.hash, self.arrival = self.commits + 1, link["hash"], link["id"]
        self.rows += rows
        self.clock.take(self.commits, link["at"])


@dataclass(frozen=True, slots=True)
class _Row:
    table: str
    seq: int
    values: dict[str, Any]

    @property
    def label(self) -> str:
        name = next((self.values[name] for name in _NAMES if name in self.values), "")
        return f"row {self.seq} of {self.table} ({name!r})"


def differences(connection: Connection, walk: ChainWalk, *, by_index: bool = True) -> Iterator[Difference]:
    """The differences after the commit that a walk has reached; the walk advances as they are consumed.

    Args:
        connection: A transaction that reads.
        walk: Where to start.
        by_index: Whether rows may be found by an index; otherwise tables are scanned.
    """
    commit = schema.commit
    links = _of_pool(connection, commit.c.number, walk.pool, walk.commits, by_index, batch=100)
    rows = heapq.merge(*(_rows(connection, table, walk, by_index) for table in schema.EVIDENCE), key=_sequence)
    yield from _walk_differences(walk, map(dict, links), rows)
    head = _head(connection, walk.pool)
    if head != (walk.commits, walk.rows, walk.hash):
        message = f"the chain ends at commit {walk.commits}, and its head says otherwise: {head}"
        yield Difference(pool=walk.pool, table="head", row=walk.pool, message=message)


def _walk_differences(walk: ChainWalk, links: Iterable[dict[str, Any]], rows: Iterator[_Row]) -> Iterator[Difference]:
    for link in links:
        wrong = wrong_link(walk, link)
        if wrong:
            yield Difference(pool=walk.pool, table="commit", row=walk.commits + 1, message=wrong)
        walk.take(link, 0)
        yield from _listed_rows(walk, listing_of(link), rows)
    for row in rows:
        message = f"{row.label} was added by no commit"
        yield Difference(pool=walk.pool, table=row.table, row=row.seq, message=message)


def _listed_rows(walk: ChainWalk, listing: Listing, rows: Iterator[_Row]) -> Iterator[Difference]:
    digests = hashlib.sha256()
    for run, mark in joined.from_iterable(((run, mark) for mark in run.each()) for run in listing.runs):
        row = next(rows, None)
        digest = b"" if row is None else _digest_of_row(row, listing.format)
        yield from _wrong_row(walk, row, run, mark, digest)
        digests.update(digest)
        walk.rows += 1
    if listing.digest not in (None, digests.hexdigest()):
        message = f"rows of commit {walk.commits} were altered after they were recorded, in a way that hides which"
        yield Difference(pool=walk.pool, table="commit", row=walk.commits, message=message)


def listing_of(link: Mapping[str, Any]) -> Listing:
    """The rows that a commit lists; none if no version of paragone could have written the list."""
    try:
        return Listing.of(json.loads(link["rows"]))
    except (ValueError, TypeError):
        return Listing(runs=(), digest=None)


def wrong_link(walk: ChainWalk, link: Mapping[str, Any]) -> str:
    """What is wrong with the next commit of a walk; empty if nothing is."""
    number = walk.commits + 1
    if link["number"] != number:
        return f"commit {number} is missing"
    if link["previous"] != walk.hash:
        return f"commit {number} does not follow on the one before it"
    if _digest_of_commit(link) != link["hash"]:
        return f"commit {number} was altered after it was made"
    if link["id"] <= walk.arrival:
        return f"commit {number} has been moved before the one before it"
    return ""


def _wrong_row(walk: ChainWalk, row: _Row | None, run: RowRun, mark: bytes, digest: bytes) -> Iterator[Difference]:
    table, seq = run.table, walk.rows + 1
    if row is not None and row.seq == seq and row.table == table:
        if digest[: run.width] == mark:
            return
        message = f"{row.label} was altered after it was recorded"
    elif row is not None and _sequence(row) <= seq:
        message = f"{row.label} was added by no commit"
        table, seq = row.table, row.seq
    else:
        message = f"row {seq} of {table} is missing; commit {walk.commits} added it"
    yield Difference(pool=walk.pool, table=table, row=seq, message=message)


def _digest_of_commit(link: Mapping[str, Any]) -> str:
    try:
        return commit_hash(dict(link))
    except LedgerError:  # a value that no version of paragone could have stored
        return ""


def _digest_of_row(row: _Row, format: int) -> bytes:
    """The digest of a row, whose values are in the order of its columns; empty if it cannot have been stored."""
    if format == 2:
        (digest,) = packed_digests(row.table, [tuple(row.values.values())])
        return digest
    try:
        return bytes.fromhex(json_digest(row.table, row.values))
    except LedgerError:
        return b""


def _rows(connection: Connection, table: Table, walk: ChainWalk, by_index: bool) -> Iterator[_Row]:
    rows = _of_pool(connection, table.c.seq, walk.pool, walk.rows, by_index, batch=1000)
    return (_Row(table.name, values["seq"], dict(values)) for values in rows)


def _of_pool(
    connection: Connection, order: Column[int], pool: str, after: int, by_index: bool, *, batch: int
) -> Iterable[Mapping[Any, Any]]:
    """The rows of a pool after a sequence number, in order, read in batches."""
    values = {"owner": escaped(pool), "after": after} if after else {"owner": escaped(pool)}
    query = _query(order, bool(after), by_index)
    return connection.execute(query, values, execution_options={"yield_per": batch}).mappings()


@cache
def _query(order_column: Column[int], is_later: bool, by_index: bool) -> Select[Any]:
    """Built once: an audit asks for every table of every pool, and building a query takes longer than running it."""
    table = order_column.table
    owner: ColumnElement[str] = type_coerce(table.c.pool, Text)
    order: ColumnElement[int] = order_column
    if not by_index:  # expressions, so that no index is used
        owner, order = owner + "", of_few(order_column)
    query = select(*as_stored(table)).where(owner == bindparam("owner")).order_by(order)
    return query.where(order_column > bindparam("after")) if is_later else query


def _sequence(row: _Row) -> float:
    return row.seq if isinstance(row.seq, int) else math.inf


_HEAD = Statement(select(*schema.head.c["commits", "rows", "hash"]).where(schema.head.c.pool == bindparam("owner")))


def _head(connection: Connection, pool: str) -> tuple[int, int, str] | None:
    return next(iter(_HEAD.rows(connection, {"owner": pool})), None)


STRETCH = 50_000
"""Rows that are checked together, at least; memory grows with this number only."""

_COMMITS = (
    select(*as_stored(schema.commit))
    .where(schema.commit.c.pool == bindparam("owner"))
    .order_by(schema.commit.c.number)
    .execution_options(yield_per=100)
)

Link = Mapping[str, Any]


def follow(connection: Connection, pool: str, *, stretch: int = STRETCH) -> tuple[ChainWalk, Difference | None]:
    """Follow the chain of a pool from its beginning to the first difference, or to its end."""
    walk = ChainWalk(pool=pool)
    links = connection.execute(_COMMITS, {"owner": pool}).mappings()
    for part in _stretches(map(dict, links), stretch):
        ahead = _followed(connection, walk, part)
        if ahead is None:
            break
        walk = ahead
    else:
        end = (walk.commits, walk.rows, walk.hash)
        if _head(connection, pool) == end and _row_count(connection, pool) == walk.rows:
            return walk, None  # every link fits, and there is no row that no commit added
    if _row_count(connection, pool, walk.rows) != walk.rows:
        walk = ChainWalk(pool=pool)  # one lies among those that fit, in a table where none was looked for
    difference = next(differences(connection, walk), None)
    if difference is None and _row_count(connection, pool) != walk.rows:
        walk = ChainWalk(pool=pool)
        difference = next(differences(connection, walk), None)
    return walk, difference


def trace(connection: Connection, pool: str, *, by_index: bool = True) -> tuple[ChainWalk, Difference | None]:
    """``follow``, one row at a time; without indexes if those cannot be trusted."""
    walk = ChainWalk(pool=pool)
    return walk, next(differences(connection, walk, by_index=by_index), None)


def _stretches(links: Iterable[Link], least: int) -> Iterator[list[tuple[Link, Listing]]]:
    """Commits with so many rows at least, all hashed by one rule."""
    part: list[tuple[Link, Listing]] = []
    rows = 0
    for link in links:
        listing = listing_of(link)
        if part and listing.format != part[-1][1].format:
            yield part
            part, rows = [], 0
        part.append((link, listing))
        rows += len(listing)
        if rows >= least:
            yield part
            part, rows = [], 0
    if part:
        yield part


def _followed(connection: Connection, walk: ChainWalk, part: Sequence[tuple[Link, Listing]]) -> ChainWalk | None:
    """The walk after some commits if all their rows fit; None if anything does not.

    Only tables that they say they added to are read; ``follow`` counts the rows of all.
    """
    ahead = replace(walk, clock=replace(walk.clock))
    rows = sum(len(listing) for _, listing in part)
    format = part[0][1].format
    names = {run.table for _, listing in part for run in listing.runs}
    tables = {
        table.name: _Digested.read(connection, table, walk, rows, format)
        for table in schema.EVIDENCE
        if table.name in names
    }
    for link, listing in part:
        if wrong_link(ahead, link) or not _fits(listing, tables, ahead.rows):
            return None
        ahead.take(link, len(listing))
    return ahead if all(digested.is_used_up for digested in tables.values()) else None


def _fits(listing: Listing, tables: Mapping[str, "_Digested"], before: int) -> bool:
    joined = hashlib.sha256()
    for run in listing.runs:
        digests = tables[run.table].take(run, before) if run.table in tables else None
        if digests is None:
            return False
        before += len(run)
        if listing.digest is not None:
            joined.update(b"".join(digests))
    return listing.digest is None or joined.hexdigest() == listing.digest


@dataclass(kw_only=True, slots=True)
class _Digested:
    """The rows of one table in a stretch of a pool: their seqs and digests, and how many of them were looked at."""

    seqs: list[int]
    digests: list[bytes]
    used: int = 0

    @classmethod
    def read(cls, connection: Connection, table: Table, walk: ChainWalk, rows: int, format: int) -> "_Digested":
        values = {"owner": walk.pool, "first": walk.rows + 1, "last": walk.rows + rows}
        rows_read = _stretch(table).rows(connection, values)
        if not rows_read:
            return cls(seqs=[], digests=[])
        names = [column.name for column in table.columns]
        if format == 2:
            index = names.index("seq")
            return cls(seqs=[row[index] for row in rows_read], digests=packed_digests(table.name, rows_read))
        columns = dict(zip(names, zip(*rows_read, strict=True), strict=True))
        return cls(seqs=list(columns["seq"]), digests=json_digests(table.name, columns))

    @property
    def is_used_up(self) -> bool:
        return self.used == len(self.seqs)

    def take(self, run: RowRun, before: int) -> list[bytes] | None:
        """The digests of the next rows, if these directly follow ``before`` and have the marks of a run."""
        start, end = self.used, self.used + len(run)
        digests = self.digests[start:end]
        if self.seqs[start:end] != list(range(before + 1, before + 1 + len(run))) or run.of(digests) != run.marks:
            return None
        self.used = end
        return digests


@cache
def _stretch(table: Table) -> Statement:
    """The rows of a pool from one place to another, in their order."""
    within = (table.c.pool == bindparam("owner")) & table.c.seq.between(bindparam("first"), bindparam("last"))
    return Statement(select(*as_stored(table)).where(within).order_by(table.c.seq))


def _count(table: Table) -> Select[int]:
    """How many rows a pool has in a table."""
    return select(func.count()).select_from(table).where(table.c.pool == bindparam("owner"))


_ROW_COUNTS = Statement(union_all(*map(_count, schema.EVIDENCE)))
_ROW_COUNTS_UP_TO = Statement(
    union_all(*(_count(table).where(table.c.seq <= bindparam("last")) for table in schema.EVIDENCE))
)


def _row_count(connection: Connection, pool: str, last: int | None = None) -> int:
    """How many rows a pool has in all tables of evidence, or those up to a place."""
    if last is None:
        return sum(count for (count,) in _ROW_COUNTS.rows(connection, {"owner": pool}))
    return sum(count for (count,) in _ROW_COUNTS_UP_TO.rows(connection, {"owner": pool, "last": last}))
