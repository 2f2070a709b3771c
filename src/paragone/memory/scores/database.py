"""The file of the scores. It follows from the logs: one that is damaged, or of another version, is made anew."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path

from paragone.errors import Busy, Unwritable

VERSION = 1
"""Of the tables; a file of another version is made anew."""

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
TABLES = ("meta", "standing", "move", "search", "rename", "pool")


class Database:
    """A connection to the file; several processes may have one each.

    Args:
        path: The file; it is made where there is none.

    Raises:
        Unwritable: If it cannot be made.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self.connection = _opened(path)
        self._place = _place(path)
        self._seen = -1

    @property
    def is_gone(self) -> bool:
        """Whether the file was deleted, or is another one by now: then this connection leads nowhere."""
        return _place(self._path) != self._place

    def was_changed(self) -> bool:
        """Whether another connection has written since this was asked last."""
        version = int(self.connection.execute("PRAGMA data_version").fetchone()[0])
        changed, self._seen = version != self._seen, version
        return changed

    @contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """A transaction: all of it, or nothing.

        Raises:
            Busy: If another process kept the file locked.
            Unwritable: If it cannot be written.
        """
        try:
            self.connection.execute("BEGIN IMMEDIATE")
            yield self.connection
            self.connection.execute("COMMIT")
        except BaseException as error:
            with suppress(sqlite3.Error):
                self.connection.execute("ROLLBACK")
            if isinstance(error, sqlite3.OperationalError):
                raise translated(self._path, error) from error
            raise

    def clear(self) -> None:
        """Forget everything, within a transaction; whoever has the file open sees it."""
        for table in TABLES:
            self.connection.execute(f"DELETE FROM {table}")  # noqa: S608 - a name from the list above

    def close(self) -> None:
        """Give the file back."""
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


def delete(path: Path) -> None:
    """Delete a database with what SQLite keeps beside it."""
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
    """Make the tables, once where two processes begin at the same time."""
    connection.execute("BEGIN IMMEDIATE")
    with closing(connection.execute("PRAGMA user_version")) as found:
        is_made = int(found.fetchone()[0]) != 0
    if not is_made:
        for statement in filter(str.strip, _TABLES.split(";")):
            connection.execute(statement)
        connection.execute(f"PRAGMA user_version = {VERSION}")
    connection.execute("COMMIT")


def _place(path: Path) -> tuple[int, int] | None:
    try:
        found = path.stat()
    except FileNotFoundError:
        return None
    return found.st_dev, found.st_ino


def translated(path: Path, error: sqlite3.Error) -> Busy | Unwritable:
    """What SQLite says, as one of our errors."""
    if "locked" in str(error) or "busy" in str(error):
        return Busy(f"the scores in {path} are in use by another process; try again when it is done")
    if any(word in str(error) for word in ("readonly", "unable to open")):
        return Unwritable(
            f"the scores in {path} cannot be opened or written: {error}; make the store's folder writable"
        )
    return Unwritable(
        f"the scores in {path} cannot be opened or written: {error}; it may be deleted, logs make it again"
    )
