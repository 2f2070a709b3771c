"""The hash chain: how rows are added to a pool, and what covers them.

Each row has a digest, the SHA-256 of its canonical form (its table and every stored value). Each transaction adds one
``commit`` row to the pool's chain. It lists the digests of the rows it added, in order, and its hash is the SHA-256 of
its own canonical form, which holds that list, the time, and the hash of the commit before. So no row can be changed,
dropped, added or moved without a hash that no longer fits, and a digest that no longer fits says which row it was.
"""

import hashlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Table, delete, insert, select, update

from paragone.errors import NotFound
from paragone.ledger import schema
from paragone.ledger.columns import canonical, stored

GENESIS = "0" * 64
"""What the first commit of a pool has for the hash of the one before."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Head:
    """The end of a pool's chain: how many commits and rows it has, and the last hash."""

    pool: str
    commits: int = 0
    rows: int = 0
    hash: str = GENESIS


@dataclass(kw_only=True, slots=True)
class Page:
    """The rows that one transaction adds to one pool."""

    head: Head
    rows: list[tuple[Table, dict[str, Any]]] = field(default_factory=list)

    def add(self, table: Table, **values: object) -> int:
        """Add a row; its place in the pool is returned. Nothing is written before the page is sealed."""
        seq = self.head.rows + len(self.rows) + 1
        self.rows.append((table, {"pool": self.head.pool, "seq": seq, "commit": self.head.commits + 1, **values}))
        return seq


def row_digest(table: str, stored_row: dict[str, Any]) -> str:
    """SHA-256, in hexadecimal, of a row in its stored form."""
    return _sha256([table, stored_row])


def commit_hash(stored_commit: dict[str, Any]) -> str:
    """SHA-256, in hexadecimal, of a commit in its stored form; its own hash and its arrival number are left out."""
    return _sha256({name: value for name, value in stored_commit.items() if name not in ("id", "hash")})


def _sha256(value: object) -> str:
    return hashlib.sha256(canonical(value).encode("utf-8")).hexdigest()


def begin(connection: Connection, pool: str) -> None:
    """Give a new pool the empty beginning of a chain."""
    connection.execute(insert(schema.head).values(pool=pool, commits=0, rows=0, hash=GENESIS))


def pools(connection: Connection) -> tuple[str, ...]:
    """Ids of all pools, oldest first."""
    made = (schema.commit.c.pool == schema.pool.c.pool) & (schema.commit.c.number == schema.pool.c.commit)
    return tuple(connection.scalars(select(schema.pool.c.pool).join(schema.commit, made).order_by(schema.commit.c.id)))


def lock(connection: Connection, pool: str) -> Head:
    """The end of a pool's chain, locked until the transaction ends.

    Raises:
        NotFound: If there is no such pool.
    """
    found = connection.execute(select(schema.head).where(schema.head.c.pool == pool).with_for_update()).first()
    if found is None:
        raise absent("pool", pool, pools(connection))
    return Head(pool=pool, commits=found.commits, rows=found.rows, hash=found.hash)


@contextmanager
def appending(connection: Connection, pool: str, at: datetime) -> Iterator[Page]:
    """A page to add rows to; they are written, with their commit, when the block ends. No rows, no commit.

    Raises:
        NotFound: If there is no such pool.
    """
    page = Page(head=lock(connection, pool))
    yield page
    if page.rows:
        _seal(connection, page, at)


def _seal(connection: Connection, page: Page, at: datetime) -> None:
    head = page.head
    link: dict[str, Any] = {
        "pool": head.pool,
        "number": head.commits + 1,
        "previous": head.hash,
        "at": at,
        "rows": [[table.name, row_digest(table.name, stored(table, row))] for table, row in page.rows],
    }
    hash = commit_hash(stored(schema.commit, link))
    connection.execute(insert(schema.commit), {**link, "hash": hash})
    for table in dict.fromkeys(table for table, _ in page.rows):
        connection.execute(insert(table), [row for owner, row in page.rows if owner is table])
    _move_head(connection, head.pool, head.commits + 1, head.rows + len(page.rows), hash)


def mend_head(connection: Connection, pool: str) -> None:
    """Make the head of a pool's chain again from its commits."""
    commits = connection.execute(
        select(*schema.commit.c["number", "rows", "hash"])
        .where(schema.commit.c.pool == pool)
        .order_by(schema.commit.c.number)
    ).all()
    connection.execute(delete(schema.head).where(schema.head.c.pool == pool))
    begin(connection, pool)
    if commits:
        _move_head(connection, pool, commits[-1].number, sum(len(row.rows) for row in commits), commits[-1].hash)


def _move_head(connection: Connection, pool: str, commits: int, rows: int, hash: str) -> None:
    connection.execute(
        update(schema.head).where(schema.head.c.pool == pool).values(commits=commits, rows=rows, hash=hash)
    )


def absent(noun: str, id: str, existing: Iterable[str]) -> NotFound:
    """The error for an id that is not in the ledger; it names some that are."""
    ids = list(existing)
    if not ids:
        return NotFound(f"there is no {noun} {id!r}: the ledger has none yet")
    shown = ", ".join(repr(other) for other in ids[-10:])
    return NotFound(f"there is no {noun} {id!r}; there {'is' if len(ids) == 1 else 'are'} {shown}")
