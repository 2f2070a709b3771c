"""Whether a pool's chain is whole: every commit and every row is what it was when it was added."""

import heapq
import json
import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, RowMapping, Table, select

from paragone.errors import LedgerError
from paragone.ledger import schema
from paragone.ledger.chain import GENESIS, commit_hash, row_digest
from paragone.ledger.columns import as_stored
from paragone.ledger.records import Difference

_NAMES = ("match", "call", "item", "number", "kind")
"""Columns that tell a reader which row is meant, the first that a table has."""


@dataclass(kw_only=True, slots=True)
class ChainWalk:
    """How far a pool's chain has been followed, and what its next link must be."""

    pool: str
    commits: int = 0
    rows: int = 0
    hash: str = GENESIS
    arrival: int = 0


@dataclass(frozen=True, slots=True)
class _Row:
    table: str
    seq: int
    values: dict[str, Any]

    @property
    def label(self) -> str:
        name = next((self.values[name] for name in _NAMES if name in self.values), "")
        return f"row {self.seq} of {self.table} ({name!r})"


def follow(connection: Connection, pool: str) -> tuple[ChainWalk, Difference | None]:
    """Follow the chain of a pool from its beginning to the first difference, or to its end."""
    walk = ChainWalk(pool=pool)
    commits = connection.execute(
        select(*as_stored(schema.commit)).where(schema.commit.c.pool == pool).order_by(schema.commit.c.number)
    )
    rows = heapq.merge(*(_rows(connection, table, pool) for table in schema.EVIDENCE), key=_place)
    return walk, next(_differences(walk, commits.mappings(), rows, _head(connection, pool)), None)


def _differences(
    walk: ChainWalk, commits: Iterable[RowMapping], rows: Iterator[_Row], head: tuple[int, int, str] | None
) -> Iterator[Difference]:
    for mapping in commits:
        link = dict(mapping)
        wrong = _wrong_link(walk, link)
        if wrong:
            yield Difference(pool=walk.pool, table="commit", row=walk.commits + 1, message=wrong)
        walk.commits, walk.hash, walk.arrival = walk.commits + 1, link["hash"], link["id"]
        for table, digest in json.loads(link["rows"]):
            yield from _wrong_row(walk, next(rows, None), table, digest)
            walk.rows += 1
    for row in rows:
        message = f"{row.label} was added by no commit"
        yield Difference(pool=walk.pool, table=row.table, row=row.seq, message=message)
    if head != (walk.commits, walk.rows, walk.hash):
        message = f"the chain ends at commit {walk.commits}, and its head says otherwise: {head}"
        yield Difference(pool=walk.pool, table="head", row=walk.pool, message=message)


def _wrong_link(walk: ChainWalk, link: dict[str, Any]) -> str:
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


def _wrong_row(walk: ChainWalk, row: _Row | None, table: str, digest: str) -> Iterator[Difference]:
    seq = walk.rows + 1
    if row is not None and row.seq == seq and row.table == table:
        if _digest_of_row(row) == digest:
            return
        message = f"{row.label} was altered after it was recorded"
    elif row is not None and _place(row) <= seq:
        message = f"{row.label} was added by no commit"
        table, seq = row.table, row.seq
    else:
        message = f"row {seq} of {table} is missing; commit {walk.commits} added it"
    yield Difference(pool=walk.pool, table=table, row=seq, message=message)


def _digest_of_commit(link: dict[str, Any]) -> str:
    try:
        return commit_hash(link)
    except LedgerError:  # a value that no writer of ours could have stored
        return ""


def _digest_of_row(row: _Row) -> str:
    try:
        return row_digest(row.table, row.values)
    except LedgerError:
        return ""


def _rows(connection: Connection, table: Table, pool: str) -> Iterator[_Row]:
    found = connection.execute(select(*as_stored(table)).where(table.c.pool == pool).order_by(table.c.seq))
    return (_Row(table.name, values["seq"], dict(values)) for values in found.mappings())


def _place(row: _Row) -> float:
    return row.seq if isinstance(row.seq, int) else math.inf


def _head(connection: Connection, pool: str) -> tuple[int, int, str] | None:
    row = connection.execute(select(schema.head).where(schema.head.c.pool == pool)).first()
    return None if row is None else (row.commits, row.rows, row.hash)
