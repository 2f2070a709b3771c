"""The hash chain: how rows are added to a pool, and what covers them.

Each row has a digest, the SHA-256 of its canonical form (its table and every stored value). Each transaction adds one
``commit`` row to the pool's chain. It lists the digests of the rows it added, in order, and its hash is the SHA-256 of
its own canonical form, which holds that list, the time, and the hash of the commit before. So no row can be changed,
dropped, added or moved without a hash that no longer fits, and a digest that no longer fits says which row it was.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Table, bindparam, insert, select, update

from paragone.errors import NotFound
from paragone.ledger import schema
from paragone.ledger.columns import plain, stored
from paragone.ledger.digests import Listing, commit_hash, row_digest
from paragone.ledger.statements import Statement, pipeline
from paragone.tracing import is_traced, note

GENESIS = "0" * 64
"""What the first commit of a pool has for the hash of the one before."""

_LOCK = Statement(
    select(*schema.head.c["commits", "rows", "hash"])
    .where(schema.head.c.pool == bindparam("of_pool"))
    .with_for_update()
)
_VERSION = Statement(select(schema.head.c.commits).where(schema.head.c.pool == bindparam("of_pool")))
_MOVE = Statement(
    update(schema.head)
    .where(schema.head.c.pool == bindparam("of_pool"))
    .values({name: bindparam(name) for name in ("commits", "rows", "hash")})
)
_INSERTS: Mapping[str, Statement] = {
    table.name: Statement(
        insert(plain(table)).inline(),
        columns=[column.name for column in table.columns if column.name != "id"],  # the database gives that out
    )
    for table in schema.APPEND_ONLY
}
"""They take values in their stored form: what is inserted is what was hashed."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Head:
    """The end of a pool's chain: how many commits and rows it has, and the last hash."""

    pool: str
    commits: int = 0
    rows: int = 0
    hash: str = GENESIS


@dataclass(kw_only=True, slots=True)
class Page:
    """The rows that one transaction adds to one pool, and what is to be written after them: projections."""

    head: Head
    rows: list[tuple[Table, dict[str, Any]]] = field(default_factory=list)
    after: list[tuple[Statement, Sequence[dict[str, Any]]]] = field(default_factory=list)

    def add(self, table: Table, **values: object) -> int:
        """Add a row; its place in the pool is returned. Nothing is written before the page is sealed."""
        seq = self.head.rows + len(self.rows) + 1
        self.rows.append((table, {"pool": self.head.pool, "seq": seq, "commit": self.head.commits + 1, **values}))
        return seq


def begin(connection: Connection, pool: str) -> None:
    """Give a new pool the empty beginning of a chain."""
    connection.execute(insert(schema.head).values(pool=pool, commits=0, rows=0, hash=GENESIS))


def pools(connection: Connection) -> tuple[str, ...]:
    """Ids of all pools, oldest first."""
    same_commit = (schema.commit.c.pool == schema.pool.c.pool) & (schema.commit.c.number == schema.pool.c.commit)
    return tuple(
        connection.scalars(select(schema.pool.c.pool).join(schema.commit, same_commit).order_by(schema.commit.c.id))
    )


def versions(connection: Connection) -> dict[str, int]:
    """How many commits each pool has: a number that grows with every write to it."""
    rows = connection.execute(select(schema.head.c.pool, schema.head.c.commits))
    return {row.pool: row.commits for row in rows}


def version(connection: Connection, pool: str) -> int | None:
    """The same of one pool; None where there is none of that id."""
    for (commits,) in _VERSION.rows(connection, {"of_pool": pool}):
        return int(commits)
    return None


def lock(connection: Connection, pool: str) -> Head:
    """The end of a pool's chain, locked until the transaction ends.

    Raises:
        NotFound: If there is no such pool.
    """
    head = hold(connection, pool)
    if head is None:
        raise absent("pool", pool, pools(connection))
    return head


def hold(connection: Connection, pool: str) -> Head | None:
    """Keep other writers from a pool until the transaction ends; the end of its chain, None where there is none."""
    for commits, rows, hash in _LOCK.rows(connection, {"of_pool": pool}):
        return Head(pool=pool, commits=commits, rows=rows, hash=hash)
    return None


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
        if is_traced():
            note({"paragone.pool": pool, "paragone.rows": len(page.rows)})


def _seal(connection: Connection, page: Page, at: datetime) -> None:
    head = page.head
    rows = [(table.name, stored(table, row)) for table, row in page.rows]
    values: dict[str, Any] = {
        "pool": head.pool,
        "number": head.commits + 1,
        "previous": head.hash,
        "at": at,
        "rows": [[table, row_digest(table, row)] for table, row in rows],
    }
    link = stored(schema.commit, values)
    hash = commit_hash(link)
    del link["id"]  # the database gives it out
    end = Head(pool=head.pool, commits=head.commits + 1, rows=head.rows + len(page.rows), hash=hash)
    with pipeline(connection):
        _write(connection, _INSERTS[schema.commit.name], [{**link, "hash": hash}])
        for table in dict.fromkeys(table for table, _ in rows):
            _write(connection, _INSERTS[table], [row for owner, row in rows if owner == table])
        move_head(connection, end)
        for statement, values_of_each in page.after:
            _write(connection, statement, values_of_each)


def _write(connection: Connection, statement: Statement, rows: Sequence[dict[str, Any]]) -> None:
    if rows:
        statement.run(connection, rows if len(rows) > 1 else rows[0])


def mend_head(connection: Connection, pool: str) -> None:
    """Make the head of a pool's chain again from its commits."""
    head = Head(pool=pool)
    commits = connection.execute(
        select(*schema.commit.c["number", "rows", "hash"])
        .where(schema.commit.c.pool == pool)
        .order_by(schema.commit.c.number)
        .execution_options(yield_per=100)
    )
    for row in commits:
        head = Head(pool=pool, commits=row.number, rows=head.rows + len(Listing.of(row.rows)), hash=row.hash)
    if hold(connection, pool) is None:  # a row that is there stays: others may be waiting for it
        begin(connection, pool)
    move_head(connection, head)


def move_head(connection: Connection, head: Head) -> None:
    """Say where a pool's chain ends from now on."""
    values = {"of_pool": head.pool, "commits": head.commits, "rows": head.rows, "hash": head.hash}
    _MOVE.run(connection, values)


def absent(noun: str, id: str, existing: Iterable[str]) -> NotFound:
    """The error for an id that is not in the ledger; it names some that are."""
    ids = list(existing)
    if not ids:
        return NotFound(f"there is no {noun} {id!r}: the ledger has none yet")
    examples = ", ".join(repr(other) for other in ids[-10:])
    return NotFound(f"there is no {noun} {id!r}; there {'is' if len(ids) == 1 else 'are'} {examples}")
