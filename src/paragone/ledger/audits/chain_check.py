"""Whether a pool's chain is whole: every commit and every row is what it was when it was added.

The chain is followed in stretches of many rows, whose digests are made together (``follow``). A stretch that does not
fit says no more than that; what is wrong with it is then told row by row (``trace``), which could also follow the whole
chain, only slower.
"""

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from sqlalchemy import Connection, Table, func, select

from paragone.ledger import schema
from paragone.ledger.audits.row_check import ChainWalk, differences, listing_of, wrong_link
from paragone.ledger.chain import Listing, Run, row_digests
from paragone.ledger.columns import as_stored
from paragone.wire.audit import Difference

STRETCH = 50_000
"""Rows that are checked together, at least, where there are as many; memory grows with them and with nothing else."""

_COMMITS = select(*as_stored(schema.commit)).order_by(schema.commit.c.number).execution_options(yield_per=100)

Link = Mapping[str, Any]


def follow(connection: Connection, pool: str, *, stretch: int = STRETCH) -> tuple[ChainWalk, Difference | None]:
    """Follow the chain of a pool from its beginning to the first difference, or to its end."""
    walk = ChainWalk(pool=pool)
    links = connection.execute(_COMMITS.where(schema.commit.c.pool == pool)).mappings()
    for part in _stretches(map(dict, links), stretch):
        ahead = _followed(connection, walk, part)
        if ahead is None:
            break
        walk = ahead
    # Also where all fitted: rows that no commit added are looked for from where the walk ended, and the head is read.
    difference = next(differences(connection, walk), None)
    if difference is None and _rows_there(connection, pool) != walk.rows:
        walk = ChainWalk(pool=pool)
        difference = next(differences(connection, walk), None)
    return walk, difference


def trace(connection: Connection, pool: str, *, by_index: bool = True) -> tuple[ChainWalk, Difference | None]:
    """``follow``, one row at a time from the beginning; without indexes, where those cannot be trusted."""
    walk = ChainWalk(pool=pool)
    return walk, next(differences(connection, walk, by_index=by_index), None)


def _stretches(links: Iterable[Link], least: int) -> Iterator[list[tuple[Link, Listing]]]:
    part: list[tuple[Link, Listing]] = []
    rows = 0
    for link in links:
        listing = listing_of(link)
        part.append((link, listing))
        rows += len(listing)
        if rows >= least:
            yield part
            part, rows = [], 0
    if part:
        yield part


def _followed(connection: Connection, walk: ChainWalk, part: Sequence[tuple[Link, Listing]]) -> ChainWalk | None:
    """Where the walk is after some links whose rows are all as they were; None where something does not fit."""
    ahead = replace(walk, clock=replace(walk.clock))
    rows = sum(len(listing) for _, listing in part)
    tables = {table.name: _Digested.read(connection, table, walk, rows) for table in schema.EVIDENCE}
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
    """The rows of one table in a stretch of a pool: their places and digests, and how many of them were looked at."""

    places: list[int]
    digests: list[bytes]
    used: int = 0

    @classmethod
    def read(cls, connection: Connection, table: Table, walk: ChainWalk, rows: int) -> "_Digested":
        within = (table.c.pool == walk.pool) & table.c.seq.between(walk.rows + 1, walk.rows + rows)
        rows_read = connection.execute(select(*as_stored(table)).where(within).order_by(table.c.seq)).all()
        if not rows_read:
            return cls(places=[], digests=[])
        columns = dict(zip((column.name for column in table.columns), zip(*rows_read, strict=True), strict=True))
        return cls(places=list(columns["seq"]), digests=row_digests(table.name, columns))

    @property
    def is_used_up(self) -> bool:
        return self.used == len(self.places)

    def take(self, run: Run, before: int) -> list[bytes] | None:
        """The digests of the next rows, if they stand right after a place and have the marks of a run."""
        start, end = self.used, self.used + len(run)
        digests = self.digests[start:end]
        if self.places[start:end] != list(range(before + 1, before + 1 + len(run))) or run.of(digests) != run.marks:
            return None
        self.used = end
        return digests


def _rows_there(connection: Connection, pool: str) -> int:
    counts = (connection.scalar(select(func.count()).where(table.c.pool == pool)) for table in schema.EVIDENCE)
    return sum(count or 0 for count in counts)
