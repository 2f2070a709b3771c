"""The database of an index, ``index.db``; one that is damaged or outdated is made again."""

import json
import os
import sqlite3
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

from paragone.errors import Failure, Unwritable
from paragone.memory.store.line_json import encode, from_json
from paragone.memory.store.lines import IndexLine

if TYPE_CHECKING:
    from paragone.memory.index.file_parser import Parsed


VERSION = 2
_NAME = "index.db"
_TABLES = """
CREATE TABLE note (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE file (
    id INTEGER PRIMARY KEY, path TEXT NOT NULL UNIQUE, sha256 TEXT NOT NULL, size INTEGER NOT NULL,
    tokens INTEGER NOT NULL, language TEXT NOT NULL, lines INTEGER NOT NULL, first_seen REAL NOT NULL,
    mtime_ns INTEGER NOT NULL, look TEXT NOT NULL, made TEXT NOT NULL,
    adr TEXT NOT NULL, title TEXT NOT NULL, cites TEXT NOT NULL,
    generated TEXT NOT NULL
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
_UNITS = """
CREATE TABLE unit (
    file INTEGER NOT NULL, number INTEGER NOT NULL, name TEXT NOT NULL, kind TEXT NOT NULL, depth INTEGER NOT NULL,
    first INTEGER NOT NULL, last INTEGER NOT NULL, tokens INTEGER NOT NULL, signature TEXT NOT NULL,
    cost INTEGER NOT NULL, PRIMARY KEY (file, number)
) WITHOUT ROWID
"""
_FROM_FIRST = ("ALTER TABLE file ADD COLUMN generated TEXT NOT NULL DEFAULT ''", _UNITS)
"""Statements that make version 2 of version 1. Chunks and symbols stay, with their vectors and times."""
_OUTDATED = "outdated"
"""Noted from there until all files were parsed again."""
_PATIENCE = 30.0
"""Seconds to wait for others that have the file."""


class IndexDatabase:
    """``index.db``, with a connection for each thread. Several processes may read while one writes."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / _NAME
        self._own = threading.local()
        self._open: list[sqlite3.Connection] = []
        self._lock = threading.Lock()

    @property
    def connection(self) -> sqlite3.Connection:
        """This thread's connection, to the present file.

        Raises:
            Failure: If the file is damaged or of another version.
            Unwritable: If it cannot be opened or created.
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

    def is_outdated(self) -> bool:
        """Whether an earlier version of paragone made the file, and files are still to be parsed again by this one.

        Raises:
            Failure: If the file is damaged.
        """
        if not self.path.exists() or not os.access(self.path.parent, os.W_OK):
            return False
        with self._translated(), closing(_connected(self.path)) as connection:
            version = _version(connection)
            return version == 1 or (version == VERSION and bool(note(connection, _OUTDATED)))

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """A consistent state of the file, whatever is written meanwhile.

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
        """A transaction: all of it is kept, or nothing."""
        connection = self.connection
        connection.execute("BEGIN IMMEDIATE")
        try:
            yield connection
            connection.execute("COMMIT")
        except BaseException:  # an interrupt as well: all of it is kept, or nothing
            with suppress(sqlite3.Error):  # on a full disk SQLite has rolled back by itself
                connection.execute("ROLLBACK")
            raise

    def prepare(self) -> None:
        """Make the file again if it is damaged or of another version; an earlier one is kept as far as it goes.

        The caller must be the only writer.
        """
        try:
            with closing(_connected(self.path)) as connection:
                if _version(connection) == 1:
                    _migrate(connection)
                elif _version(connection) not in {0, VERSION}:
                    _make(connection)
                connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()
        except sqlite3.DatabaseError as error:
            if not is_damage(error):
                raise Unwritable(f"{self.path} cannot be used: {error}") from error
            self.begin_anew()

    def begin_anew(self) -> None:
        """Delete the damaged file."""
        self.close()
        for ending in ("", "-wal", "-shm"):
            self.path.with_name(_NAME + ending).unlink(missing_ok=True)

    def close(self) -> None:
        """Close the connections of all threads."""
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
    """Whether an error means that the file is damaged, and not locked or the disk full."""
    return not isinstance(error, sqlite3.OperationalError) or "no such" in str(error) or "malformed" in str(error)


def note(connection: sqlite3.Connection, name: str, otherwise: str = "") -> str:
    """A value stored by name."""
    row = connection.execute("SELECT value FROM note WHERE name = ?", (name,)).fetchone()
    return otherwise if row is None else str(row[0])


def set_note(connection: sqlite3.Connection, name: str, value: str) -> None:
    """Store a value by name."""
    connection.execute("INSERT OR REPLACE INTO note VALUES (?, ?)", (name, value))


def _inode(path: Path) -> int:
    try:
        return os.stat(path).st_ino  # noqa: PTH116 - asked at every access; a third of the time
    except OSError:
        return -1


def _connected(path: Path) -> sqlite3.Connection:
    return sqlite3.connect(path, timeout=_PATIENCE, isolation_level=None, check_same_thread=False)


def _write_ahead(connection: sqlite3.Connection) -> None:
    """Have the file written ahead. Of several that open a new one at once SQLite refuses some without waiting."""
    patient_until = time.monotonic() + _PATIENCE
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode != sqlite3.SQLITE_BUSY or time.monotonic() > patient_until:
                raise
            time.sleep(0.01)
        else:
            return


def _opened(path: Path) -> sqlite3.Connection:
    if not os.access(path.parent, os.W_OK):
        return _read_only(path)
    connection = _connected(path)
    try:
        _write_ahead(connection)
        connection.execute("PRAGMA synchronous = NORMAL")
        version = _version(connection)
        if version == 0:
            _make(connection)
        elif version != VERSION:
            _refuse(path)
    except BaseException:  # whatever went wrong, nobody else will close the connection
        connection.close()
        raise
    return connection


def _read_only(path: Path) -> sqlite3.Connection:
    """A connection that needs no file beside it, as where nobody may write."""
    if not path.exists():
        connection = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
        _make(connection)
        return connection
    uri = f"{path.absolute().as_uri()}?mode=ro&immutable=1"
    connection = sqlite3.connect(uri, uri=True, isolation_level=None, check_same_thread=False)
    if _version(connection) != VERSION:
        connection.close()
        _refuse(path)
    return connection


def _version(connection: sqlite3.Connection) -> int:
    return int(connection.execute("PRAGMA user_version").fetchone()[0])


def _refuse(path: Path) -> NoReturn:
    raise Failure(f"{path} is of another version of paragone; make it anew with: paragone memory index")


def _make(connection: sqlite3.Connection) -> None:
    """Create the tables, dropping those of another version. Others may have the file open, so it is not deleted."""
    connection.execute("BEGIN EXCLUSIVE")
    if _version(connection) != VERSION:  # nobody was faster
        tables = connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table'").fetchall()
        for (name,) in tables:
            connection.execute(f'DROP TABLE "{name}"')
        for statement in (*_TABLES.strip().split(";\n"), _UNITS):
            connection.execute(statement)
        connection.execute(f"PRAGMA user_version = {VERSION}")
    connection.execute("COMMIT")


def _migrate(connection: sqlite3.Connection) -> None:
    """Make this version of the first one."""
    connection.execute("BEGIN EXCLUSIVE")
    for statement in _FROM_FIRST:
        connection.execute(statement)
    set_note(connection, _OUTDATED, "1")
    connection.execute(f"PRAGMA user_version = {VERSION}")
    connection.execute("COMMIT")


def note_update(connection: sqlite3.Connection, began: float) -> None:
    """Note when a complete run began, after which nothing is outdated."""
    set_note(connection, "updated", repr(began))
    connection.execute("DELETE FROM note WHERE name = ?", (_OUTDATED,))


def put_file(connection: sqlite3.Connection, parsed: "Parsed", *, parser_version: str, first_seen: float) -> list[int]:
    """Write a file, replacing what the index has of its path; returns bodies that may belong to no chunk now."""
    loose = take_file(connection, parsed.source.path)
    record = parsed.record
    row = connection.execute(
        "INSERT INTO file (path, sha256, size, tokens, language, lines, first_seen, mtime_ns, look, made, adr, title, "
        "cites, generated) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            *(parsed.source.path, parsed.source.sha256, parsed.size, parsed.cut.tokens, parsed.language),
            *(parsed.source.lines, first_seen, parsed.stat.mtime_ns, parsed.stat.look, parser_version),
            *((record.id, record.title, json.dumps(record.names)) if record else ("", "", "[]")),
            parsed.generated,
        ),
    ).lastrowid
    _put_chunks(connection, row, parsed)
    connection.executemany(
        "INSERT INTO symbol VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            (
                *(row, number, symbol.id, symbol.name, symbol.name.rpartition(".")[2]),
                *(symbol.kind, symbol.start, symbol.end, symbol.signature, symbol.doc),
            )
            for number, symbol in enumerate(parsed.symbols)
        ),
    )
    connection.executemany(
        "INSERT INTO unit VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        ((row, number, *unit) for number, unit in enumerate(parsed.units)),
    )
    return loose


def take_file(connection: sqlite3.Connection, path: str) -> list[int]:
    """Remove a file from the tables; its bodies stay until they are dropped."""
    row = connection.execute("SELECT id FROM file WHERE path = ?", (path,)).fetchone()
    if row is None:
        return []
    loose = [body for (body,) in connection.execute("SELECT DISTINCT body FROM chunk WHERE file = ?", row)]
    for table in ("chunk", "symbol", "unit"):
        connection.execute(f"DELETE FROM {table} WHERE file = ?", row)  # noqa: S608 - a name from right above
    connection.execute("DELETE FROM file WHERE id = ?", row)
    return loose


def drop_bodies(connection: sqlite3.Connection, loose: Iterable[int]) -> None:
    """Delete those bodies that belong to no chunk, with their vectors."""
    rows = [(body,) for body in set(loose)]
    connection.executemany(
        "DELETE FROM vector WHERE hash = (SELECT hash FROM body WHERE id = ?1) "
        "AND NOT EXISTS (SELECT 1 FROM chunk WHERE body = ?1)",
        rows,
    )
    connection.executemany("DELETE FROM body WHERE id = ?1 AND NOT EXISTS (SELECT 1 FROM chunk WHERE body = ?1)", rows)


def _put_chunks(connection: sqlite3.Connection, file: int | None, parsed: "Parsed") -> None:
    chunks = parsed.cut.chunks
    connection.executemany(
        "INSERT OR IGNORE INTO body (hash, text) VALUES (?, ?)", ((chunk.hash, chunk.text) for chunk in chunks)
    )
    connection.executemany(
        "INSERT INTO chunk SELECT ?, ?, ?, ?, id FROM body WHERE hash = ?",
        ((file, number, chunk.start, chunk.end, chunk.hash) for number, chunk in enumerate(chunks)),
    )


_PENDING = "pending"


def read_pending(connection: sqlite3.Connection, new_id: Callable[[], str]) -> IndexLine:
    """The line that the index log still lacks, without the pools. It keeps its id, so that it is written once."""
    text = note(connection, _PENDING)
    return from_json(IndexLine, text.encode()) if text else IndexLine(id=new_id())


def keep_pending(connection: sqlite3.Connection, line: IndexLine) -> None:
    """Within a transaction: store it."""
    set_note(connection, _PENDING, encode(line)[1].decode())


def forget_pending(connection: sqlite3.Connection) -> None:
    """Within a transaction: the log has it now."""
    set_note(connection, _PENDING, "")
