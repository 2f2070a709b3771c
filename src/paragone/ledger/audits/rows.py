"""What is wrong with a pool's chain, told row by row from any place of it."""

import hashlib
import heapq
import json
import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import chain as joined
from typing import Any

from sqlalchemy import Connection, Table, select

from paragone.errors import LedgerError
from paragone.ledger import schema
from paragone.ledger.chain import GENESIS, commit_hash, row_digest
from paragone.ledger.columns import as_stored
from paragone.ledger.listing import Listing, Run
from paragone.ledger.records import Difference

_NAMES = ("match", "call", "adjustment", "test", "tournament", "item", "relation", "number", "kind")
"""Columns that tell a reader which row is meant, the first that a table has."""


@dataclass(kw_only=True, slots=True)
class ChainWalk:
    """How far a pool's chain has been followed, and what its next link must be."""

    pool: str
    commits: int = 0
    rows: int = 0
    hash: str = GENESIS
    arrival: int = 0

    def take(self, link: Mapping[str, Any], rows: int) -> None:
        """Go on by one link, and by so many rows of it."""
        self.commits, self.hash, self.arrival = self.commits + 1, link["hash"], link["id"]
        self.rows += rows


@dataclass(frozen=True, slots=True)
class _Row:
    table: str
    seq: int
    values: dict[str, Any]

    @property
    def label(self) -> str:
        name = next((self.values[name] for name in _NAMES if name in self.values), "")
        return f"row {self.seq} of {self.table} ({name!r})"


def differences(connection: Connection, walk: ChainWalk) -> Iterator[Difference]:
    """What differs from where a walk stands; the walk goes on as they are asked for."""
    commit, few = schema.commit, {"yield_per": 100}
    links = connection.execute(
        select(*as_stored(commit))
        .where(commit.c.pool == walk.pool, commit.c.number > walk.commits)
        .order_by(commit.c.number)
        .execution_options(**few)
    )
    rows = heapq.merge(*(_rows(connection, table, walk) for table in schema.EVIDENCE), key=_place)
    yield from _along(walk, map(dict, links.mappings()), rows)
    head = _head(connection, walk.pool)
    if head != (walk.commits, walk.rows, walk.hash):
        message = f"the chain ends at commit {walk.commits}, and its head says otherwise: {head}"
        yield Difference(pool=walk.pool, table="head", row=walk.pool, message=message)


def _along(walk: ChainWalk, links: Iterable[dict[str, Any]], rows: Iterator[_Row]) -> Iterator[Difference]:
    for link in links:
        wrong = wrong_link(walk, link)
        if wrong:
            yield Difference(pool=walk.pool, table="commit", row=walk.commits + 1, message=wrong)
        walk.take(link, 0)
        yield from _listed(walk, listing_of(link), rows)
    for row in rows:
        message = f"{row.label} was added by no commit"
        yield Difference(pool=walk.pool, table=row.table, row=row.seq, message=message)


def _listed(walk: ChainWalk, listing: Listing, rows: Iterator[_Row]) -> Iterator[Difference]:
    digests = hashlib.sha256()
    for run, mark in joined.from_iterable(((run, mark) for mark in run.each()) for run in listing.runs):
        row = next(rows, None)
        yield from _wrong_row(walk, row, run, mark)
        digests.update(b"" if row is None else _digest_of_row(row))
        walk.rows += 1
    if listing.digest not in (None, digests.hexdigest()):
        message = f"rows of commit {walk.commits} were altered after they were recorded, in a way that hides which"
        yield Difference(pool=walk.pool, table="commit", row=walk.commits, message=message)


def listing_of(link: Mapping[str, Any]) -> Listing:
    """What a link says that it added; nothing, where no writer of ours could have said so."""
    try:
        return Listing.of(json.loads(link["rows"]))
    except (ValueError, TypeError):
        return Listing(runs=(), digest=None)


def wrong_link(walk: ChainWalk, link: Mapping[str, Any]) -> str:
    """What is wrong with a link as the next one of a walk; empty if nothing."""
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


def _wrong_row(walk: ChainWalk, row: _Row | None, run: Run, mark: bytes) -> Iterator[Difference]:
    table, seq = run.table, walk.rows + 1
    if row is not None and row.seq == seq and row.table == table:
        if _digest_of_row(row)[: run.width] == mark:
            return
        message = f"{row.label} was altered after it was recorded"
    elif row is not None and _place(row) <= seq:
        message = f"{row.label} was added by no commit"
        table, seq = row.table, row.seq
    else:
        message = f"row {seq} of {table} is missing; commit {walk.commits} added it"
    yield Difference(pool=walk.pool, table=table, row=seq, message=message)


def _digest_of_commit(link: Mapping[str, Any]) -> str:
    try:
        return commit_hash(dict(link))
    except LedgerError:  # a value that no writer of ours could have stored
        return ""


def _digest_of_row(row: _Row) -> bytes:
    try:
        return bytes.fromhex(row_digest(row.table, row.values))
    except LedgerError:
        return b""


def _rows(connection: Connection, table: Table, walk: ChainWalk) -> Iterator[_Row]:
    wanted = select(*as_stored(table)).where(table.c.pool == walk.pool).order_by(table.c.seq)
    if walk.rows:
        wanted = wanted.where(table.c.seq > walk.rows)
    found = connection.execute(wanted.execution_options(yield_per=1000))
    return (_Row(table.name, values["seq"], dict(values)) for values in found.mappings())


def _place(row: _Row) -> float:
    return row.seq if isinstance(row.seq, int) else math.inf


def _head(connection: Connection, pool: str) -> tuple[int, int, str] | None:
    row = connection.execute(select(schema.head).where(schema.head.c.pool == pool)).first()
    return None if row is None else (row.commits, row.rows, row.hash)
