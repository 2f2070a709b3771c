"""The hash chain: how rows are added to a pool, and which hashes cover them.

Each row has a digest, the SHA-256 of its canonical form (its table and every stored value). Each transaction adds one
``commit`` row to the pool's chain. It lists the digests of the rows it added, in order, and its hash is the SHA-256 of
its own canonical form, which holds that list, the time, and the hash of the commit before. So no row can be changed,
dropped, added or moved without a hash that no longer fits, and a digest that no longer fits says which row it was.
"""

import base64
import hashlib
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from itertools import repeat
from json.encoder import encode_basestring
from typing import Any

from sqlalchemy import ColumnElement, Connection, Select, Table, bindparam, func, insert, select, update

from paragone.errors import LedgerError, NotFound
from paragone.ledger import schema
from paragone.ledger.columns import canonical, plain, stored
from paragone.ledger.statements import Statement, pipeline
from paragone.tracing import is_traced, note

MARK = 6
"""Bytes of each row's digest in a short listing."""


_ENCODERS: Mapping[type, Callable[[Any], str]] = {
    str: encode_basestring,
    int: int.__repr__,
    float: float.__repr__,
    type(None): lambda _: "null",
}


def row_digest(table: str, stored_row: dict[str, Any]) -> str:
    """SHA-256, in hexadecimal, of a row in its stored form."""
    return _sha256([table, stored_row])


def commit_hash(stored_commit: dict[str, Any]) -> str:
    """SHA-256, in hexadecimal, of a commit in its stored form; its own hash and its arrival number are left out."""
    return _sha256({name: value for name, value in stored_commit.items() if name not in ("id", "hash")})


def _sha256(value: object) -> str:
    return hashlib.sha256(canonical(value).encode("utf-8")).hexdigest()


def row_digests(table: str, columns: Mapping[str, Sequence[object]]) -> list[bytes]:
    """The digests of some rows of a table.

    Args:
        table: Its name.
        columns: For each column its stored values, all of one length, at least one.

    Returns:
        A digest of 32 bytes for each row; an empty one for a row that no version of paragone could have stored.
    """
    names = sorted(columns)
    try:
        parts = [_encoded(columns[name]) for name in names]
        texts = map(_template(table, names).__mod__, zip(*parts, strict=False))  # repeat() never ends
        return [hashlib.sha256(text.encode()).digest() for text in texts]
    except (KeyError, ValueError):  # some value that canonical JSON cannot hold
        rows = zip(*(columns[name] for name in names), strict=True)
        return [_digest_or_none(table, dict(zip(names, row, strict=True))) for row in rows]


def _template(table: str, names: Iterable[str]) -> str:
    fields = ",".join(f"{_literal(name)}:%s" for name in names)
    return f"[{_literal(table)},{{{fields}}}]"


def _literal(text: str) -> str:
    return encode_basestring(text).replace("%", "%%")


def _encoded(values: Sequence[Any]) -> Iterable[str]:
    kinds = set(map(type, values))
    if float in kinds and not _all_finite([value for value in values if type(value) is float]):
        raise ValueError("a number is not finite")
    if len(kinds) > 1:
        return (_ENCODERS[type(value)](value) for value in values)
    encode = _ENCODERS[kinds.pop()]
    return repeat(encode(values[0]), len(values)) if _all_alike(values) else map(encode, values)


def _all_finite(values: Sequence[float]) -> bool:
    # A finite sum proves it quickly; large numbers may also add up to infinity.
    return math.isfinite(sum(values)) or all(map(math.isfinite, values))


def _all_alike(values: Sequence[Any]) -> bool:
    first = values[0]
    if first != values[-1] or values.count(first) != len(values):
        return False
    return first != 0.0 or len(set(map(repr, values))) == 1  # 0.0 == -0.0, but their texts differ


def _digest_or_none(table: str, row: dict[str, Any]) -> bytes:
    try:
        return bytes.fromhex(row_digest(table, row))
    except LedgerError:
        return b""


@dataclass(frozen=True, kw_only=True, slots=True)
class Run:
    """Consecutive rows of one table.

    Attributes:
        table: Its name.
        marks: The first bytes of each row's digest, joined.
        width: How many bytes of each.
    """

    table: str
    marks: bytes
    width: int

    def __len__(self) -> int:
        return len(self.marks) // self.width

    def of(self, digests: Sequence[bytes]) -> bytes:
        """The joined marks of rows with these digests; equal to this run's marks if the rows are the same."""
        return b"".join(digests) if self.width == hashlib.sha256().digest_size else _marks(digests)

    def each(self) -> Iterator[bytes]:
        """The mark of each row."""
        return (self.marks[at : at + self.width] for at in range(0, len(self.marks), self.width))


@dataclass(frozen=True, kw_only=True, slots=True)
class Listing:
    """The rows of one commit.

    A commit of a few rows lists the name of the table and the whole digest of each: ``[[table, digest], ...]``. For
    very many rows that would be as large as the rows themselves, so the listing is shorter::

        {"runs": [[table, how many], ...], "marks": base64 of 6 bytes a row, "digest": SHA-256 of all digests, joined}

    The one digest proves the rows, by 256 bits as ever. The marks, the first 48 bits of each row's digest, only tell
    which row was altered; one altered row in 2.8e14 has the mark of the original by chance, and then only its commit is
    known.

    Attributes:
        runs: What was added, in order.
        digest: SHA-256 over the digests of all rows, for a short listing; None where each row has its whole digest.
    """

    runs: tuple[Run, ...]
    digest: str | None

    def __len__(self) -> int:
        return sum(map(len, self.runs))

    @classmethod
    def of(cls, value: Any) -> "Listing":  # noqa: ANN401 - what JSON holds
        """A listing from its stored JSON.

        Raises:
            ValueError: If it is no listing.
        """
        try:
            return _short(value) if isinstance(value, dict) else _whole(value)
        except (TypeError, KeyError, AttributeError) as error:
            raise ValueError(f"this is no listing of rows: {error}") from error


def shortened(parts: Iterable[tuple[str, Sequence[bytes]]]) -> dict[str, Any]:
    """The short listing of rows.

    Args:
        parts: Tables in the order of the rows, each with the digests of its rows.
    """
    runs, marks, joined = [], [], hashlib.sha256()
    for table, digests in parts:
        runs.append([table, len(digests)])
        marks.append(_marks(digests))
        joined.update(b"".join(digests))
    return {"runs": runs, "marks": base64.b64encode(b"".join(marks)).decode("ascii"), "digest": joined.hexdigest()}


def _marks(digests: Sequence[bytes]) -> bytes:
    return b"".join([digest[:MARK] for digest in digests])


def _short(value: dict[str, Any]) -> Listing:
    marks, runs, start = base64.b64decode(value["marks"], validate=True), [], 0
    for table, count in value["runs"]:
        end = start + count * MARK
        runs.append(Run(table=str(table), marks=marks[start:end], width=MARK))
        start = end
    if start != len(marks):
        raise ValueError("its marks are not as many as its rows")
    return Listing(runs=tuple(runs), digest=str(value["digest"]))


def _whole(value: list[tuple[str, str]]) -> Listing:
    runs = [Run(table=table, marks=bytes.fromhex(digest), width=len(digest) // 2 or 1) for table, digest in value]
    return Listing(runs=tuple(runs), digest=None)


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
_INSERTS: Mapping[str, Statement] = {
    table.name: Statement(
        insert(plain(table)).inline(),
        columns=[column.name for column in table.columns if column.name != "id"],  # assigned by the database
    )
    for table in schema.APPEND_ONLY
}
"""They take values in their stored form: exactly what was hashed is inserted."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Head:
    """The end of a pool's chain: how many commits and rows it has, and the last hash."""

    pool: str
    commits: int = 0
    rows: int = 0
    hash: str = GENESIS


@dataclass(kw_only=True, slots=True)
class Page:
    """The rows that one transaction adds to one pool, and the statements for projections that follow them."""

    head: Head
    rows: list[tuple[Table, dict[str, Any]]] = field(default_factory=list)
    after: list[tuple[Statement, Sequence[dict[str, Any]]]] = field(default_factory=list)

    def add(self, table: Table, **values: object) -> int:
        """Add a row and return its sequence number. Nothing is written before the page is sealed."""
        seq = self.head.rows + len(self.rows) + 1
        self.rows.append((table, {"pool": self.head.pool, "seq": seq, "commit": self.head.commits + 1, **values}))
        return seq


def begin(connection: Connection, pool: str) -> None:
    """Start the chain of a new pool."""
    connection.execute(insert(schema.head).values(pool=pool, commits=0, rows=0, hash=GENESIS))


def pools(connection: Connection) -> tuple[str, ...]:
    """Ids of all pools, oldest first."""
    query = select(schema.pool.c.pool).join(schema.commit, same_commit(schema.pool))
    return tuple(connection.scalars(query.order_by(schema.commit.c.id)))


def same_commit(table: Table) -> ColumnElement[bool]:
    """The condition that joins rows of a table with the commit that added them."""
    return (schema.commit.c.pool == table.c.pool) & (schema.commit.c.number == table.c.commit)


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
    query = select(func.count(), func.max(table.c.seq)).where(table.c.pool == pool, table.c.seq > after)
    rows, last = connection.execute(query).one()
    return int(rows), after if last is None else int(last)


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
def appending(connection: Connection, pool: str, at: datetime) -> Iterator[Page]:
    """A page to add rows to; they are written with their commit when the block ends. Without rows there is no commit.

    Raises:
        NotFound: If there is no such pool.
    """
    # The lock lasts until the transaction ends, so that nobody else can take the same sequence and commit numbers.
    page = Page(head=lock(connection, pool))
    yield page
    seal(connection, page, at)
    if page.rows and is_traced():
        note({"paragone.pool": pool, "paragone.rows": len(page.rows)})


def seal(connection: Connection, page: Page, at: datetime) -> Head:
    """Write the rows of a page with their commit, and the projections; without rows there is no commit.

    Returns:
        The end of the chain after it.
    """
    head = page.head
    if not page.rows:
        return head
    # Converted once: the hash covers exactly the values that are inserted, and so those that an audit will read.
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
    del link["id"]  # assigned by the database
    end = Head(pool=head.pool, commits=head.commits + 1, rows=head.rows + len(page.rows), hash=hash)
    # Commit, rows, head and projections are one transaction: a process killed anywhere in it leaves nothing behind. The
    # commit comes first because its rows refer to it; in a pipeline a server gets all of it in one round trip.
    with pipeline(connection):
        _write(connection, _INSERTS[schema.commit.name], [{**link, "hash": hash}])
        for table in dict.fromkeys(table for table, _ in rows):
            _write(connection, _INSERTS[table], [row for owner, row in rows if owner == table])
        move_head(connection, end)
        for statement, values_of_each in page.after:
            _write(connection, statement, values_of_each)
    return end


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
