"""The database of scores. It follows from the logs: if damaged or of another version, it is rebuilt."""

import json
import os
import sqlite3
from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from paragone.domain.content import (
    Content,
    ContentKind,
    ContentState,
    TruthSource,
    UsageMove,
)
from paragone.errors import Busy, Unwritable
from paragone.memory.scores.stored_learning import LEARNED, LEARNED_TABLES

VERSION = 2
"""Of the tables; a file of another version is made again."""

_TABLES = """
CREATE TABLE meta (name TEXT PRIMARY KEY, value) WITHOUT ROWID;
CREATE TABLE standing (
    n INTEGER PRIMARY KEY, kind TEXT NOT NULL, id TEXT NOT NULL, path TEXT NOT NULL, elo REAL NOT NULL,
    initial REAL NOT NULL, updates INTEGER NOT NULL, uses INTEGER NOT NULL, first_use REAL, last_use REAL,
    recent BLOB NOT NULL, truth TEXT NOT NULL, UNIQUE (kind, id)
);
CREATE INDEX standing_path ON standing (path);
CREATE TABLE move (
    n INTEGER PRIMARY KEY, content INTEGER NOT NULL, event TEXT NOT NULL, time REAL NOT NULL, old REAL NOT NULL,
    new REAL NOT NULL, reason TEXT NOT NULL, gate REAL NOT NULL, r REAL, clamped REAL NOT NULL
);
CREATE INDEX move_content ON move (content, n);
CREATE TABLE search (
    n INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, time REAL NOT NULL, tool TEXT NOT NULL, results TEXT NOT NULL,
    counted TEXT NOT NULL, paid TEXT NOT NULL, renames INTEGER NOT NULL
);
CREATE TABLE rename (
    n INTEGER PRIMARY KEY AUTOINCREMENT, searches INTEGER NOT NULL, time REAL NOT NULL, old TEXT NOT NULL,
    new TEXT NOT NULL
);
CREATE TABLE pool (
    kind TEXT PRIMARY KEY, count INTEGER NOT NULL, mean_initial REAL NOT NULL, rated INTEGER NOT NULL,
    initials REAL NOT NULL, net REAL NOT NULL
) WITHOUT ROWID;
"""
TABLES = ("meta", "standing", "move", "search", "rename", "pool", *LEARNED)


class ScoresDatabase:
    """A connection to the file; several processes may have one each.

    Attributes:
        is_copy: Whether nobody may write there, and this is a copy in memory.

    Args:
        path: The file; created if missing.

    Raises:
        Unwritable: If it cannot be created.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self.is_copy = not os.access(path.parent, os.W_OK)
        self.connection = _copied(path) if self.is_copy else _opened(path)
        self._identity = _identity(path)
        self._seen = -1

    @property
    def is_gone(self) -> bool:
        """Whether the file was deleted or replaced, so that this connection leads nowhere."""
        return not self.is_copy and _identity(self._path) != self._identity

    def was_changed(self) -> bool:
        """Whether another connection has written since the last call."""
        version = int(self.connection.execute("PRAGMA data_version").fetchone()[0])
        changed, self._seen = version != self._seen, version
        return changed

    @contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """A transaction: all of it is kept, or nothing.

        Raises:
            Busy: If another process kept the file locked.
            Unwritable: If it cannot be written.
        """
        try:
            self.connection.execute("BEGIN IMMEDIATE")
            yield self.connection
            self.connection.execute("COMMIT")
        except BaseException as error:  # an interrupt as well: all of it is kept, or nothing
            with suppress(sqlite3.Error):
                self.connection.execute("ROLLBACK")
            if isinstance(error, sqlite3.OperationalError):
                raise translated(self._path, error) from error
            raise

    def clear(self) -> None:
        """Within a transaction: delete everything; others that have the file open see it."""
        for table in TABLES:
            self.connection.execute(f"DELETE FROM {table}")  # noqa: S608 - a name from the list above

    def close(self) -> None:
        self.connection.close()


def _opened(path: Path) -> sqlite3.Connection:
    try:
        return _ready(path)
    except sqlite3.OperationalError as error:
        raise translated(path, error) from error
    except sqlite3.DatabaseError:
        delete(path)
    try:
        return _ready(path)
    except sqlite3.DatabaseError as error:
        raise translated(path, error) from error


def _copied(path: Path) -> sqlite3.Connection:
    """The file in memory, where new lines of the logs can be counted; empty if there is no usable file."""
    copy = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
    if path.exists():
        with (
            suppress(sqlite3.DatabaseError),
            closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro&immutable=1", uri=True)) as file,
        ):
            if file.execute("PRAGMA user_version").fetchone()[0] == VERSION:
                file.backup(copy)
                return copy
    _make(copy)
    return copy


def delete(path: Path) -> None:
    """Delete a database with the files that SQLite keeps beside it."""
    for name in (path, path.with_name(path.name + "-wal"), path.with_name(path.name + "-shm")):
        name.unlink(missing_ok=True)


def _ready(path: Path) -> sqlite3.Connection:
    """A connection to a file of this version.

    Raises:
        sqlite3.DatabaseError: If it is damaged, no database, or of another version.
    """
    connection = sqlite3.connect(
        path, timeout=30.0, isolation_level=None, check_same_thread=False, cached_statements=256
    )
    try:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = OFF")
        if int(connection.execute("PRAGMA user_version").fetchone()[0]) == 0:
            _make(connection)
        version = int(connection.execute("PRAGMA user_version").fetchone()[0])
        if version != VERSION:
            raise sqlite3.DatabaseError(f"version {version}")
        for table in TABLES:
            connection.execute(f"SELECT * FROM {table} LIMIT 1").fetchone()  # noqa: S608 - a name from the list above
    except sqlite3.Error:
        connection.close()
        raise
    return connection


def _make(connection: sqlite3.Connection) -> None:
    """Create the tables, once if two processes begin at the same time."""
    connection.execute("BEGIN IMMEDIATE")
    with closing(connection.execute("PRAGMA user_version")) as tables:
        is_made = int(tables.fetchone()[0]) != 0
    if not is_made:
        for statement in filter(str.strip, (_TABLES + LEARNED_TABLES).split(";")):
            connection.execute(statement)
        connection.execute(f"PRAGMA user_version = {VERSION}")
    connection.execute("COMMIT")


def _identity(path: Path) -> tuple[int, int] | None:
    try:
        stat = path.stat()
    except FileNotFoundError:
        return None
    return stat.st_dev, stat.st_ino


def translated(path: Path, error: sqlite3.Error) -> Busy | Unwritable:
    """An error of SQLite as one of ours."""
    if "locked" in str(error) or "busy" in str(error):
        return Busy(f"the scores in {path} are in use by another process; try again when it is done")
    if any(word in str(error) for word in ("readonly", "unable to open")):
        return Unwritable(
            f"the scores in {path} cannot be opened or written: {error}; make the store's folder writable"
        )
    return Unwritable(
        f"the scores in {path} cannot be opened or written: {error}; it may be deleted, logs make it again"
    )


_COLUMNS = "n, kind, id, path, elo, initial, updates, uses, first_use, last_use, recent, truth"
_BATCH_SIZE = 500
"""Names in one statement."""


def read(connection: sqlite3.Connection, contents: Iterable[Content]) -> Iterator[tuple[int, ContentState]]:
    """The states of those contents that have one, with their row numbers."""
    ids: dict[ContentKind, list[str]] = {}
    for content in contents:
        ids.setdefault(content.kind, []).append(content.id)
    for kind, names in ids.items():
        for start in range(0, len(names), _BATCH_SIZE):
            some = names[start : start + _BATCH_SIZE]
            marks = ",".join("?" * len(some))
            rows = connection.execute(
                f"SELECT {_COLUMNS} FROM standing WHERE kind = ? AND id IN ({marks})",  # noqa: S608 - marks alone
                (str(kind), *some),
            )
            yield from map(state_of, rows)


def read_all(connection: sqlite3.Connection, kind: ContentKind | None = None) -> Iterator[ContentState]:
    """All states, of one kind or of all, in the order in which they were created."""
    where, values = ("", ()) if kind is None else (" WHERE kind = ?", (str(kind),))
    for row in connection.execute(f"SELECT {_COLUMNS} FROM standing{where} ORDER BY n", values):  # noqa: S608 - fixed
        yield state_of(row)[1]


def read_path(connection: sqlite3.Connection, path: str) -> list[tuple[int, ContentState]]:
    """The states of a file and of all content in it, with their row numbers."""
    rows = connection.execute(f"SELECT {_COLUMNS} FROM standing WHERE path = ? ORDER BY n", (path,))  # noqa: S608
    return list(map(state_of, rows))


def insert(connection: sqlite3.Connection, rows: Sequence[tuple[int, ContentState]]) -> None:
    """Write new states."""
    connection.executemany(
        f"INSERT INTO standing ({_COLUMNS}) VALUES (?,?,?,?,?,?,?,?,?,?,?,?)",  # noqa: S608 - fixed
        [(n, str(state.content.kind), state.content.id, state.content.path, *_values(state)) for n, state in rows],
    )


def update(connection: sqlite3.Connection, rows: Sequence[tuple[int, ContentState]]) -> None:
    """Write changed states."""
    connection.executemany(
        "UPDATE standing SET elo=?, initial=?, updates=?, uses=?, first_use=?, last_use=?, recent=?, truth=? "
        "WHERE n = ?",
        [(*_values(state), n) for n, state in rows],
    )


_MOVE = ("event", "time", "old", "new", "reason", "gate", "r", "clamped")


def read_moves(connection: sqlite3.Connection, content: Content, limit: int) -> list[UsageMove]:
    """The last changes of a rating, newest last."""
    rows = connection.execute(
        f"SELECT standing.path, {', '.join(f'move.{name}' for name in _MOVE)} "  # noqa: S608 - fixed
        "FROM move JOIN standing ON standing.n = move.content WHERE standing.kind = ? AND standing.id = ? "
        "ORDER BY move.n DESC LIMIT ?",
        (str(content.kind), content.id, limit),
    ).fetchall()
    return [
        UsageMove(content=replace(content, path=path), **dict(zip(_MOVE, values, strict=True)))
        for path, *values in reversed(rows)
    ]


def insert_moves(connection: sqlite3.Connection, moves: Sequence[tuple[UsageMove, int]]) -> None:
    """Add changes to the history, each with the row number of its content."""
    connection.executemany(
        f"INSERT INTO move (content, {', '.join(_MOVE)}) VALUES (?,?,?,?,?,?,?,?,?)",  # noqa: S608 - fixed
        [
            (n, move.event, move.time, move.old, move.new, move.reason, move.gate, move.r, move.clamped)
            for move, n in moves
        ],
    )


def state_of(row: Sequence[Any]) -> tuple[int, ContentState]:
    """A row's number and its state."""
    n, kind, id, path, elo, initial, updates, uses, first, last, recent, truth = row
    times = array("d")
    times.frombytes(recent)
    return n, ContentState(
        content=Content(kind=_KINDS[kind], id=id, path=path),
        elo=elo,
        initial=initial,
        updates=updates,
        uses=uses,
        first_use=first,
        last_use=last,
        recent=tuple(times),
        truth=tuple((TruthSource(source), float(r)) for source, r in json.loads(truth)) if truth else (),
    )


def _values(state: ContentState) -> tuple[Any, ...]:
    truth = json.dumps([(str(source), r) for source, r in state.truth]) if state.truth else ""
    recent = array("d", state.recent).tobytes()
    return (
        state.elo,
        state.initial,
        state.updates,
        state.uses,
        state.first_use,
        state.last_use,
        recent,
        truth,
    )


_KINDS = {str(kind): kind for kind in ContentKind}


@dataclass(kw_only=True, slots=True)
class PoolSums:
    """The sums behind the mean of a pool. Ratings are Elo points.

    Attributes:
        default: The mean of an empty pool.
        count: Content of the kind in the index; 0 if nothing was indexed.
        mean_initial: The mean of its initial ratings.
        rated: Content with a state.
        initials: The sum of the initial ratings of that.
        net: The sum of what it won and lost.
    """

    default: float
    count: int = 0
    mean_initial: float = 0.0
    rated: int = 0
    initials: float = 0.0
    net: float = 0.0

    @property
    def mean(self) -> float:
        """The mean rating of the pool before decay, unused content included."""
        if self.count:
            return self.mean_initial + self.net / max(self.count, self.rated)
        return (self.initials + self.net) / self.rated if self.rated else self.default


_POOL = ("count", "mean_initial", "rated", "initials", "net")


def read_pools(connection: sqlite3.Connection, default: float) -> dict[ContentKind, PoolSums]:
    """The sums of each pool; ``default`` is the mean of an empty one."""
    rows = connection.execute(f"SELECT kind, {', '.join(_POOL)} FROM pool")  # noqa: S608 - fixed
    pools = {kind: PoolSums(default=default, **dict(zip(_POOL, sums, strict=True))) for kind, *sums in rows}
    return {kind: pools.get(str(kind)) or PoolSums(default=default) for kind in ContentKind}


def write_pools(connection: sqlite3.Connection, pools: Mapping[ContentKind, PoolSums]) -> None:
    """Write the sums of some pools."""
    connection.executemany(
        f"INSERT OR REPLACE INTO pool (kind, {', '.join(_POOL)}) VALUES (?,?,?,?,?,?)",  # noqa: S608 - fixed
        [(str(kind), *(getattr(pool, name) for name in _POOL)) for kind, pool in pools.items()],
    )
