"""``index.db``: what a store's index holds. It can be deleted; of another version or damaged, it is made anew."""

import json
import os
import sqlite3
import threading
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import NoReturn

from paragone.domain.content import ContentKind, PoolSize
from paragone.errors import Failure, Unwritable
from paragone.memory.store.lines import IndexLine

VERSION = 1
_NAME = "index.db"
_TABLES = """
CREATE TABLE note (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE file (
    id INTEGER PRIMARY KEY, path TEXT NOT NULL UNIQUE, sha256 TEXT NOT NULL, size INTEGER NOT NULL,
    tokens INTEGER NOT NULL, language TEXT NOT NULL, lines INTEGER NOT NULL, first_seen REAL NOT NULL,
    mtime_ns INTEGER NOT NULL, look TEXT NOT NULL, made TEXT NOT NULL,
    adr TEXT NOT NULL, title TEXT NOT NULL, cites TEXT NOT NULL
);
CREATE INDEX file_of_content ON file (sha256);
CREATE INDEX file_of_record ON file (adr) WHERE adr != '';
CREATE TABLE refused (path TEXT PRIMARY KEY, look TEXT NOT NULL, made TEXT NOT NULL, why TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE body (id INTEGER PRIMARY KEY, hash TEXT NOT NULL UNIQUE, text TEXT NOT NULL);
CREATE TABLE chunk (
    file INTEGER NOT NULL, number INTEGER NOT NULL, first INTEGER NOT NULL, last INTEGER NOT NULL,
    body INTEGER NOT NULL, PRIMARY KEY (file, number)
) WITHOUT ROWID;
CREATE INDEX chunk_of_body ON chunk (body);
CREATE TABLE symbol (
    file INTEGER NOT NULL, number INTEGER NOT NULL, id TEXT NOT NULL, name TEXT NOT NULL, leaf TEXT NOT NULL,
    kind TEXT NOT NULL, first INTEGER NOT NULL, last INTEGER NOT NULL, signature TEXT NOT NULL, doc TEXT NOT NULL,
    PRIMARY KEY (file, number)
) WITHOUT ROWID;
CREATE INDEX symbol_of_id ON symbol (id);
CREATE INDEX symbol_of_leaf ON symbol (leaf);
CREATE TABLE vector (row INTEGER PRIMARY KEY, hash TEXT NOT NULL UNIQUE);
"""


class Database:
    """The file, with a connection for each thread. Several processes may read while one writes."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / _NAME
        self._own = threading.local()
        self._open: list[sqlite3.Connection] = []
        self._lock = threading.Lock()

    @property
    def connection(self) -> sqlite3.Connection:
        """This thread's connection, to the file that is there now.

        Raises:
            Failure: If the file is damaged or of another version.
            Unwritable: If it cannot be opened or made.
        """
        cached: tuple[sqlite3.Connection, int] | None = getattr(self._own, "known", None)
        if cached is not None and cached[1] == _inode(self.path):
            return cached[0]
        if cached is not None:
            self._forget(cached[0])
        with self._translated():
            connection = _opened(self.path)
        self._own.known = (connection, _inode(self.path))
        with self._lock:
            self._open.append(connection)
        return connection

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """One state of the file, whatever is written meanwhile.

        Raises:
            Failure: If the file is damaged.
        """
        with self._translated():
            connection = self.connection
            if connection.in_transaction:
                yield connection
                return
            connection.execute("BEGIN")
            try:
                yield connection
            finally:
                connection.execute("COMMIT")

    @contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """A transaction: all of it is kept, or none."""
        connection = self.connection
        connection.execute("BEGIN IMMEDIATE")
        try:
            yield connection
            connection.execute("COMMIT")
        except BaseException:
            with suppress(sqlite3.Error):  # on a full disk SQLite has rolled back by itself
                connection.execute("ROLLBACK")
            raise

    def prepare(self) -> None:
        """Make the file anew where it is damaged or of another version. Whoever calls this is the only one to write."""
        try:
            with closing(_connected(self.path)) as connection:
                if connection.execute("PRAGMA user_version").fetchone()[0] not in {0, VERSION}:
                    _make(connection)
                connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()
        except sqlite3.DatabaseError as error:
            if not is_damage(error):
                raise Unwritable(f"{self.path} cannot be used: {error}") from error
            self.begin_anew()

    def begin_anew(self) -> None:
        """Delete the file, which is damaged."""
        self.close()
        for ending in ("", "-wal", "-shm"):
            self.path.with_name(_NAME + ending).unlink(missing_ok=True)

    def close(self) -> None:
        """Close this thread's connection, and let go of those of other threads."""
        with self._lock:
            some, self._open = self._open, []
        for connection in some:
            connection.close()
        self._own = threading.local()

    def _forget(self, connection: sqlite3.Connection) -> None:
        with self._lock, suppress(ValueError):
            self._open.remove(connection)
        connection.close()

    @contextmanager
    def _translated(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.DatabaseError as error:
            if is_damage(error):
                raise Failure(f"{self.path} is damaged: {error}; make it anew with: paragone memory index") from error
            raise Unwritable(f"{self.path} cannot be used: {error}") from error


def is_damage(error: sqlite3.Error) -> bool:
    """Whether an error says that the file is damaged, and not that somebody holds it or the disk is full."""
    return not isinstance(error, sqlite3.OperationalError) or "no such" in str(error) or "malformed" in str(error)


def note(connection: sqlite3.Connection, name: str, otherwise: str = "") -> str:
    """A value that is kept by name."""
    row = connection.execute("SELECT value FROM note WHERE name = ?", (name,)).fetchone()
    return otherwise if row is None else str(row[0])


def set_note(connection: sqlite3.Connection, name: str, value: str) -> None:
    """Keep a value by name."""
    connection.execute("INSERT OR REPLACE INTO note VALUES (?, ?)", (name, value))


def _inode(path: Path) -> int:
    try:
        return os.stat(path).st_ino  # noqa: PTH116 - asked at every access; a third of the time
    except OSError:
        return -1


def _connected(path: Path) -> sqlite3.Connection:
    return sqlite3.connect(path, timeout=30.0, isolation_level=None, check_same_thread=False)


def _opened(path: Path) -> sqlite3.Connection:
    connection = _connected(path)
    try:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = NORMAL")
        version = connection.execute("PRAGMA user_version").fetchone()[0]
        if version == 0:
            _make(connection)
        elif version != VERSION:
            _refuse(path)
    except BaseException:
        connection.close()
        raise
    return connection


def _refuse(path: Path) -> NoReturn:
    raise Failure(f"{path} is of another version of paragone; make it anew with: paragone memory index")


def _make(connection: sqlite3.Connection) -> None:
    """Make the tables, instead of those of another version. Others may have the file open, so it is not deleted."""
    connection.execute("BEGIN EXCLUSIVE")
    if connection.execute("PRAGMA user_version").fetchone()[0] != VERSION:  # nobody was faster
        tables = connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table'").fetchall()
        for (name,) in tables:
            connection.execute(f'DROP TABLE "{name}"')
        for statement in _TABLES.strip().split(";\n"):
            connection.execute(statement)
        connection.execute(f"PRAGMA user_version = {VERSION}")
    connection.execute("COMMIT")


_RECORD = "pending"


@dataclass(frozen=True, kw_only=True, slots=True)
class Pending:
    """The line of the index log that is to be written, but for the pools. Its id is given out once."""

    id: str
    added: int = 0
    changed: int = 0
    removed: int = 0
    renamed: tuple[tuple[str, str], ...] = ()

    @property
    def is_empty(self) -> bool:
        return not (self.added or self.changed or self.removed or self.renamed)

    def plus(
        self, *, added: int = 0, changed: int = 0, removed: int = 0, renamed: tuple[tuple[str, str], ...] = ()
    ) -> "Pending":
        """With more that was done."""
        return replace(
            self,
            added=self.added + added,
            changed=self.changed + changed,
            removed=self.removed + removed,
            renamed=self.renamed + renamed,
        )

    def line(self, pools: dict[ContentKind, PoolSize]) -> IndexLine:
        """The line for the log."""
        return IndexLine(
            id=self.id,
            pools=pools,
            renamed=self.renamed,
            added=self.added,
            changed=self.changed,
            removed=self.removed,
        )


def read_pending(connection: sqlite3.Connection, new_id: Callable[[], str]) -> Pending:
    """What is pending; with a new id where nothing is."""
    text = note(connection, _RECORD)
    if not text:
        return Pending(id=new_id())
    values = json.loads(text)
    return Pending(**values | {"renamed": tuple((old, new) for old, new in values["renamed"])})


def keep_pending(connection: sqlite3.Connection, pending: Pending) -> None:
    """Within a transaction: keep it."""
    set_note(connection, _RECORD, json.dumps(asdict(pending)))


def forget_pending(connection: sqlite3.Connection) -> None:
    """Within a transaction: the logs tell of it now."""
    set_note(connection, _RECORD, "")
