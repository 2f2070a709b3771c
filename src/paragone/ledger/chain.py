"""The hash chain: how rows are added to a pool, and which hashes cover them.

Each row has a digest of its table and every stored value (``digests``). Each transaction adds one ``commit`` row to a
pool's chain, or more if it does things that do not belong together. It lists the digests of the rows it added, in
order, and its hash covers that list, the time, and the hash of the commit before. So no row can be changed, dropped,
added or moved without a hash that no longer fits, and a digest that no longer fits says which row it was.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from functools import cache
from typing import Any
from weakref import WeakKeyDictionary

from sqlalchemy import ColumnElement, Connection, Engine, Select, Table, bindparam, func, insert, select, update

from paragone.errors import InvalidEvidence, LedgerError, NotFound
from paragone.ledger import schema
from paragone.ledger.column_types import stored, stored_rows
from paragone.ledger.digests import Listing, commit_hash, packed, packed_digests
from paragone.ledger.statements import Inserts, Rows, Statement, pipeline
from paragone.tracing import is_traced, note

GENESIS = "0" * 64
"""The previous hash in the first commit of a pool."""

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
_COMMIT = Inserts(schema.commit, without=("id",))  # assigned by the database
_INSERTS: Mapping[str, Inserts] = {table.name: Inserts(table) for table in schema.EVIDENCE}
"""They take values in their stored form: exactly what was hashed is inserted."""


DELETED = "deleted"
"""Kind of the event after which a tournament takes no new evidence."""
_deletion = schema.tournament_event
_DELETED = Statement(
    select(_deletion.c.seq)
    .where(_deletion.c.pool == bindparam("of_pool"), _deletion.c.seq > bindparam("after"), _deletion.c.kind == DELETED)
    .limit(1)
)
_open: WeakKeyDictionary[Engine, dict[str, tuple[str, int]]] = WeakKeyDictionary()
"""Pools that were seen to be open: at which end of their chain, whose hash no other state has, and up to which row."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Head:
    """The end of a pool's chain: how many commits and rows it has, and the last hash."""

    pool: str
    commits: int = 0
    rows: int = 0
    hash: str = GENESIS


Write = tuple[Statement, Sequence[dict[str, Any]]]
"""A statement with the values of each time that it is run."""


@dataclass(kw_only=True, slots=True)
class LedgerPage:
    """The rows that one commit adds to one pool, and the statements for projections that follow them.

    Several commands may put rows on one page. Nothing of a page can be read from the database before it is sealed, so
    they share what they know of the pool (``memory``): what was read under the lock, and what the page adds to it.

    Attributes:
        head: The end of the chain before the page.
        rows: The table of each row, and its values.
        after: Statements to run when the rows are written.
        projections: Called for more of them when the page is sealed.
        memory: What is known of the pool, by the class that keeps it.
    """

    head: Head
    rows: list[tuple[Table, dict[str, Any]]] = field(default_factory=list)
    after: list[Write] = field(default_factory=list)
    projections: list[Callable[[], Iterable[Write]]] = field(default_factory=list)
    memory: dict[type, Any] = field(default_factory=dict)

    def add(self, table: Table, **values: object) -> int:
        """Add a row and return its sequence number. Nothing is written before the page is sealed."""
        seq = self.head.rows + len(self.rows) + 1
        self.rows.append((table, {"pool": self.head.pool, "seq": seq, "commit": self.head.commits + 1, **values}))
        return seq


def begin(connection: Connection, pool: str) -> None:
    """Start the chain of a new pool."""
    _BEGIN.run(connection, {"pool": pool, "commits": 0, "rows": 0, "hash": GENESIS})


_BEGIN = Statement(insert(schema.head).inline())


def pools(connection: Connection) -> tuple[str, ...]:
    """Ids of all pools, oldest first."""
    return tuple(pool for (pool,) in _POOLS.rows(connection, {}))


def same_commit(table: Table) -> ColumnElement[bool]:
    """The condition that joins rows of a table with the commit that added them."""
    return (schema.commit.c.pool == table.c.pool) & (schema.commit.c.number == table.c.commit)


_POOLS = Statement(
    select(schema.pool.c.pool).join(schema.commit, same_commit(schema.pool)).order_by(schema.commit.c.id)
)


def with_time(table: Table, query: Select[Any]) -> Select[Any]:
    """A query about the rows of a table, with the time at which each was recorded as ``at``."""
    return query.add_columns(schema.commit.c.at).join(schema.commit, same_commit(table))


def versions(connection: Connection) -> dict[str, int]:
    """The version of each pool."""
    rows = connection.execute(select(schema.head.c.pool, schema.head.c.commits))
    return {row.pool: row.commits for row in rows}


def version(connection: Connection, pool: str) -> int | None:
    """A number that grows with every write to the pool, whoever writes; None if there is no such pool."""
    for (commits,) in _VERSION.rows(connection, {"of_pool": pool}):
        return int(commits)
    return None


def count(connection: Connection, table: Table, pool: str, after: int = 0) -> tuple[int, int]:
    """The rows of a pool in a table after a sequence number, and the sequence number of the last."""
    ((rows, last),) = _count(table).rows(connection, {"of_pool": pool, "after": after})
    return int(rows), after if last is None else int(last)


@cache
def _count(table: Table) -> Statement:
    conditions = table.c.pool == bindparam("of_pool"), table.c.seq > bindparam("after")
    return Statement(select(func.count(), func.max(table.c.seq)).where(*conditions))


def require(connection: Connection, pool: str) -> None:
    """Refuse a pool that does not exist.

    Raises:
        NotFound: If there is no such pool.
    """
    if version(connection, pool) is None:
        raise absent("pool", pool, pools(connection))


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
    """Lock a pool for other writers until the transaction ends; the end of its chain, or None if there is no pool."""
    for commits, rows, hash in _LOCK.rows(connection, {"of_pool": pool}):
        return Head(pool=pool, commits=commits, rows=rows, hash=hash)
    return None


@contextmanager
def appending(connection: Connection, pool: str, at: datetime) -> Iterator[LedgerPage]:
    """A page to add rows to; they are written with their commit when the block ends. Without rows there is no commit.

    Raises:
        NotFound: If there is no such pool.
    """
    # The lock lasts until the transaction ends, so that nobody else can take the same sequence and commit numbers.
    page = LedgerPage(head=lock(connection, pool))
    yield page
    require_open(connection, page)
    seal(connection, page, at)
    if page.rows and is_traced():
        note({"paragone.pool": pool, "paragone.rows": len(page.rows)})


def require_open(connection: Connection, page: LedgerPage) -> None:
    """Refuse a page that adds evidence to a tournament that was deleted. Events may still be added.

    It is looked up once for each state of the chain that somebody else made: only rows that are new since are read.

    Raises:
        InvalidEvidence: If it does.
    """
    if all(table is schema.tournament_event for table, _ in page.rows):
        return
    head = page.head
    opened = _open.setdefault(connection.engine, {})
    hash, rows = opened.get(head.pool, ("", 0))
    if hash == head.hash:
        return
    for _ in _DELETED.rows(connection, {"of_pool": head.pool, "after": rows if rows <= head.rows else 0}):
        raise InvalidEvidence(f"{head.pool} was deleted: it takes no new evidence; what is on record stays")
    opened[head.pool] = (head.hash, head.rows)


def _note_open(connection: Connection, page: LedgerPage, end: Head) -> None:
    """What follows a state that is open is open, unless the page deletes the pool."""
    opened = _open.get(connection.engine, {})
    if opened.get(page.head.pool, ("", 0))[0] == page.head.hash and not any(
        table is schema.tournament_event and values["kind"] == DELETED for table, values in page.rows
    ):
        opened[page.head.pool] = (end.hash, page.head.rows)  # rows of this page count once it is committed


def seal(connection: Connection, page: LedgerPage, at: datetime) -> Head:
    """Write the rows of a page with their commit, and the projections; without rows there is no commit.

    Returns:
        The end of the chain after it.
    """
    head = page.head
    if not page.rows:
        return head
    # Converted once: the hash covers exactly the values that are inserted, and so those that an audit will read.
    tables, listed = _digested(page.rows)
    values = {"pool": head.pool, "number": head.commits + 1, "previous": head.hash, "at": at, "rows": packed(listed)}
    link = stored(schema.commit, values)
    link["hash"] = commit_hash(link)
    end = Head(pool=head.pool, commits=head.commits + 1, rows=head.rows + len(page.rows), hash=link["hash"])
    after = [*page.after, *(write for make in page.projections for write in make())]
    # Commit, rows, head and projections are one transaction: a process killed anywhere in it leaves nothing behind. The
    # commit comes first because its rows refer to it, and the tables in their order, since they refer to those before;
    # in a pipeline a server gets all of it in one round trip.
    with pipeline(connection):
        _COMMIT.run(connection, [tuple([link[name] for name in _COMMIT.names])])
        for table in schema.EVIDENCE:
            if table in tables:
                _INSERTS[table.name].run(connection, tables[table])
        move_head(connection, end)
        for statement, values_of_each in after:
            _write(connection, statement, values_of_each)
    _note_open(connection, page, end)
    return end


def _digested(
    rows: Sequence[tuple[Table, dict[str, Any]]],
) -> tuple[dict[Table, Rows], list[tuple[str, bytes]]]:
    """The stored values of rows by table, and the table and digest of each in their order."""
    rows_of: dict[Table, list[int]] = defaultdict(list)
    for number, (table, _) in enumerate(rows):
        rows_of[table].append(number)
    tables = {table: stored_rows(table, [rows[number][1] for number in own]) for table, own in rows_of.items()}
    digests = [b""] * len(rows)
    for table, own in rows_of.items():
        for number, digest in zip(own, packed_digests(table.name, tables[table]), strict=True):
            if not digest:
                raise LedgerError(f"a value of {table.name} cannot be kept in the ledger")
            digests[number] = digest
    return tables, [(table.name, digest) for (table, _), digest in zip(rows, digests, strict=True)]


def _write(connection: Connection, statement: Statement, rows: Sequence[dict[str, Any]]) -> None:
    if rows:
        statement.run(connection, rows if len(rows) > 1 else rows[0])


def rebuild_head(connection: Connection, pool: str) -> None:
    """Recompute the head of a pool's chain from its commits."""
    head = Head(pool=pool)
    commits = connection.execute(
        select(*schema.commit.c["number", "rows", "hash"])
        .where(schema.commit.c.pool == pool)
        .order_by(schema.commit.c.number)
        .execution_options(yield_per=100)
    )
    for row in commits:
        head = Head(pool=pool, commits=row.number, rows=head.rows + len(Listing.of(row.rows)), hash=row.hash)
    if hold(connection, pool) is None:  # an existing row is updated, not replaced: others may be waiting for its lock
        begin(connection, pool)
    move_head(connection, head)


def move_head(connection: Connection, head: Head) -> None:
    """Update the end of a pool's chain."""
    values = {"of_pool": head.pool, "commits": head.commits, "rows": head.rows, "hash": head.hash}
    _MOVE.run(connection, values)


def absent(noun: str, id: str, existing: Iterable[str]) -> NotFound:
    """The error for an unknown id; it names some that exist."""
    ids = list(existing)
    if not ids:
        return NotFound(f"there is no {noun} {id!r}: the ledger has none yet")
    examples = ", ".join(repr(other) for other in ids[-10:])
    return NotFound(f"there is no {noun} {id!r}; there {'is' if len(ids) == 1 else 'are'} {examples}")
