"""SQLite: one file, or one process's memory."""

import os
import re
import sqlite3
import threading
import time
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from functools import cache, cached_property, partial
from pathlib import Path
from typing import Any, cast
from weakref import WeakValueDictionary

from sqlalchemy import Connection, Engine, Table, create_engine, event
from sqlalchemy.pool import QueuePool, StaticPool

from paragone.errors import Busy, Conflict, Corrupted, Failure, LedgerError, NotFound, Unwritable
from paragone.ledger.databases.claims import LocalClaims, file_claim, is_file_claimed
from paragone.ledger.databases.creation import bring_up
from paragone.ledger.databases.dialects import Dialect
from paragone.ledger.statements import DRIVER
from paragone.wire.audit import Difference


class Turns:
    """A queue of threads.

    SQLite lets one transaction write at a time, and a thread that waits for it sleeps and looks again, longer each
    time: among the threads of one process most of the time is slept away, and one may find the file taken again and
    again. So they queue here, first come, first served, and only the first of them waits for other processes.
    """

    def __init__(self) -> None:
        self._guard = threading.Lock()
        self._taken = False
        self._gates: deque[threading.Lock] = deque()

    @contextmanager
    def turn(self, patience: float) -> Iterator[bool]:
        """Whether one's turn came within so many seconds; it is held until the block ends."""
        mine = self._come(patience)
        try:
            yield mine
        finally:
            if mine:
                self._go()

    def _come(self, patience: float) -> bool:
        with self._guard:
            if not self._taken:
                self._taken = True
                return True
            gate = threading.Lock()
            gate.acquire()
            self._gates.append(gate)
        try:
            return gate.acquire(timeout=min(max(patience, 0.0), threading.TIMEOUT_MAX)) or self._leave(gate)
        except BaseException:  # an interrupt; those behind must not wait for who has gone
            if self._leave(gate):
                self._go()
            raise

    def _leave(self, gate: threading.Lock) -> bool:
        """Leave the queue; whether one's turn has come at the last moment."""
        with self._guard:
            if gate not in self._gates:
                return True
            self._gates.remove(gate)
            return False

    def _go(self) -> None:
        """Let the next one in."""
        with self._guard:
            if self._gates:
                self._gates.popleft().release()
            else:
                self._taken = False


_BY_FILE: WeakValueDictionary[tuple[int, Path], Turns] = WeakValueDictionary()
_GUARD = threading.Lock()


def turns_of(file: Path) -> Turns:
    """The turns of those of this process who write to a file; a process that was forked off has turns of its own."""
    with _GUARD:
        return _BY_FILE.setdefault((os.getpid(), file.resolve()), Turns())


MOST = 20
"""Findings of SQLite's own check that are reported; one damaged page may bring thousands."""

Catalogue = Mapping[tuple[str, str], tuple[str, str | None]]
"""By type and name: the table of an index or a trigger (of a table, itself), and the statement that made it."""

_MISSING = re.compile(r"row (\d+) missing from index (\S+)")


def damage(driver: sqlite3.Connection) -> list[Difference]:
    """What ``integrity_check`` finds: it reads every page, and compares every index with its table."""
    try:
        lines = [str(line) for (line,) in driver.execute(f"PRAGMA integrity_check({MOST})")]
    except (sqlite3.Error, UnicodeDecodeError) as error:  # the check itself met a page that it cannot read
        lines = [str(error)]
    return [_finding(driver, " ".join(line.split())) for line in lines if line != "ok"]


def _finding(driver: sqlite3.Connection, line: str) -> Difference:
    missing = _MISSING.fullmatch(line)
    if missing is None:
        return Difference(pool="", table="", row="", message=f"the file is damaged: {line}")
    try:
        return _unindexed(driver, int(missing[1]), missing[2])
    except (sqlite3.Error, UnicodeDecodeError, TypeError):  # the row cannot be read either
        return Difference(pool="", table="", row="", message=f"the file is damaged: {line}")


def _unindexed(driver: sqlite3.Connection, rowid: int, index: str) -> Difference:
    (table,) = driver.execute("SELECT tbl_name FROM sqlite_master WHERE name = ?", [index]).fetchone()
    columns = [name for _, name, *_ in driver.execute(f'PRAGMA table_info("{table}")')]
    key = next(name for name in ("seq", "number", "item", "a", "pool", *columns) if name in columns)
    pool = "pool" if "pool" in columns else "''"
    query = f'SELECT {pool}, "{key}" FROM "{table}" NOT INDEXED WHERE rowid = ?'  # noqa: S608 - names of ours
    owner, row = driver.execute(query, [rowid]).fetchone()
    message = f"row {row} of {table} and the index {index} differ: one of them was altered"
    return Difference(pool=str(owner), table=table, row=row, message=message)


def catalogue(driver: sqlite3.Connection) -> Catalogue:
    """What a file has besides rows."""
    rows = driver.execute("SELECT type, name, tbl_name, sql FROM sqlite_master")
    return {(kind, name): (table, sql) for kind, name, table, sql in rows}


def wrong_schema(driver: sqlite3.Connection, due: Catalogue) -> list[Difference]:
    """How a file's schema differs from the one that is due; tables and indexes of somebody else are left alone."""
    return list(_wrong_schema(catalogue(driver), due))


def _wrong_schema(actual: Catalogue, due: Catalogue) -> Iterator[Difference]:
    for (kind, name), (table, sql) in due.items():
        if (kind, name) not in actual:
            remedy = f"; make it again with: {sql}" if sql and kind != "table" else ""
            yield _wrong(table, f"the {kind} {name} is missing{remedy}")
            continue
        its_table, its_sql = actual[kind, name]
        if its_table != table or _parts(its_sql) != _parts(sql):
            yield _wrong(table, f"the {kind} {name} is not what it was made: {its_sql}")
    tables = {table for table, _ in due.values()}
    for (kind, name), (table, sql) in actual.items():
        if kind == "trigger" and table in tables and (kind, name) not in due:
            yield _wrong(table, f"the trigger {name} is none of ours and may change what is recorded: {sql}")


def _wrong(table: str, message: str) -> Difference:
    return Difference(pool="", table=table, row="", message=message)


def _parts(sql: str | None) -> frozenset[str]:
    """The columns and constraints of a table, whatever their order: migrations add columns at the end."""
    if sql is None or not sql.startswith("CREATE TABLE"):
        return frozenset([sql or ""])
    begin, _, rest = sql.partition("(")
    parts, depth = [""], 0
    for letter in rest.rstrip(" \n\t").removesuffix(")"):
        depth += (letter == "(") - (letter == ")")
        if letter == "," and not depth:
            parts.append("")
        else:
            parts[-1] += letter
    return frozenset([begin, *(part.strip(" \n\t") for part in parts)])


_MOMENT = 0.005
"""Seconds between two tries of what SQLite does not wait for."""

_BULK_CACHE = "PRAGMA cache_size = -65536"
"""64 MiB: with the usual 2, rows by the million are read again from the file for each of their indexes."""

_BUSY = {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED}
_UNWRITABLE = {
    sqlite3.SQLITE_PERM: "may not be used",
    sqlite3.SQLITE_READONLY: "may not be written",
    sqlite3.SQLITE_IOERR: "could not be read or written by the system",
    sqlite3.SQLITE_FULL: "cannot grow: the disk is full",
    sqlite3.SQLITE_CANTOPEN: "cannot be opened",
}
_TEMPORARY = {sqlite3.SQLITE_IOERR, sqlite3.SQLITE_FULL, sqlite3.SQLITE_CANTOPEN}


class SQLite(Dialect):
    """A ledger in SQLite.

    Args:
        path: The file; None for memory.
        durable: Whether each commit waits until the disk has it, so that it survives a loss of power. What was
            acknowledged survives the end of the process, however sudden, either way.
        patience: Seconds to wait while another process writes.
    """

    errors = (sqlite3.Error, UnicodeDecodeError)  # the latter where a damaged file spoils SQLite's own message

    def __init__(self, path: Path | None, *, durable: bool, patience: float) -> None:
        self.path = None if path is None else path.absolute()  # wherever the process goes later
        self.location = "the database in memory" if path is None else str(path)
        self._durable = durable
        self._patience = patience
        self._only = threading.RLock()  # what is in memory has one connection
        self._claims = LocalClaims()
        self._was_there = False

    def require(self, *, create: bool) -> bool:
        if self.path is None:
            return True
        try:
            return _require(self.path, create=create)
        except (OSError, ValueError) as error:  # a name that is too long, a folder that may not be looked into, a NUL
            raise Unwritable(f"{self.path} cannot be opened: {error}; name another file") from error

    def engine(self) -> Engine:
        pool: dict[str, Any] = {"poolclass": QueuePool, "max_overflow": -1} if self.path else {"poolclass": StaticPool}
        engine = create_engine("sqlite://", creator=self._connect, execution_options={DRIVER: _driver}, **pool)
        event.listen(engine, "connect", self._connected)
        return engine

    def _connect(self) -> sqlite3.Connection:
        location = ":memory:" if self.path is None else f"{self.path.as_uri()}?{self._mode(self.path)}"
        return sqlite3.connect(location, timeout=self._patience, check_same_thread=False, uri=True)

    def _mode(self, path: Path) -> str:
        if _sealed(path):
            return "mode=ro&immutable=1"
        # Once there was a database, none is made: if its file has gone, an empty one would take its place.
        return "mode=rw" if self._was_there else "mode=rwc"

    def _connected(self, connection: sqlite3.Connection, _: object) -> None:
        connection.isolation_level = None  # transactions begin where we say so, see begin
        connection.execute("PRAGMA foreign_keys = ON")
        connection.execute("PRAGMA recursive_triggers = ON")  # or INSERT OR REPLACE would get past the triggers
        connection.execute(f"PRAGMA synchronous = {'FULL' if self._durable else 'NORMAL'}")
        if self.path is not None and not _sealed(self.path):
            _write_ahead(connection, self._patience)
        self._was_there = True

    def begin(self, connection: Connection, *, writes: bool) -> None:
        # A writer takes the write lock at once: to take it later, after reading, can fail however long one waits.
        _driver(connection).execute("BEGIN IMMEDIATE" if writes else "BEGIN")

    @cached_property
    def _turns(self) -> Turns:
        return Turns() if self.path is None else turns_of(self.path)

    def turn(self, *, writes: bool) -> AbstractContextManager[object]:
        if self.path is None:
            return self._only
        return self._write_in_turn() if writes else nullcontext()

    @contextmanager
    def _write_in_turn(self) -> Iterator[None]:
        with self._turns.turn(self._patience) as has_come:
            if not has_come:
                raise self._locked("other threads of this process have")
            yield

    def _locked(self, who: str) -> Busy:
        return Busy(
            f"{self.location} is locked: {who} been writing for more than {self._patience:g} s; try again when it has "
            "finished"
        )

    def alone(self, connection: Connection) -> None:
        """BEGIN IMMEDIATE has seen to it."""

    def append_only(self, table: str) -> tuple[str, ...]:
        return tuple(
            f'CREATE TRIGGER "{table}_refuses_{verb.lower()}" BEFORE {verb} ON "{table}" '
            f"BEGIN SELECT RAISE(ABORT, '{table} is append-only: {verb} refused'); END"
            for verb in ("UPDATE", "DELETE")
        )

    def damage(self, connection: Connection) -> list[Difference]:
        return damage(_driver(connection))

    def wrong_schema(self, connection: Connection) -> list[Difference]:
        return wrong_schema(_driver(connection), _new_schema())

    @contextmanager
    def reading_damaged(self, connection: Connection) -> Iterator[None]:
        driver = _driver(connection)
        driver.text_factory = partial(str, encoding="utf-8", errors="surrogateescape")
        try:
            yield
        finally:
            driver.text_factory = str

    def claim(self, tournament: str) -> AbstractContextManager[None]:
        if self.path is None:
            return self._claims.claim(tournament)
        path = self.path.resolve()  # one lock, by whatever name the file was opened
        return file_claim(path.with_name(f"{path.name}.{tournament}.lock"), tournament)

    def is_claimed(self, connection: Connection, tournament: str) -> bool:  # noqa: ARG002  # a file says it
        if self.path is None:
            return self._claims.is_held(tournament)
        path = self.path.resolve()
        return is_file_claimed(path.with_name(f"{path.name}.{tournament}.lock"))

    def fault(self, error: Exception) -> Failure:
        original: Any = getattr(error, "orig", error)
        code = getattr(original, "sqlite_errorcode", 0) & 0xFF  # the low byte is the kind, the rest its detail
        if code in _BUSY:
            return self._locked("another process has")
        if code in _UNWRITABLE:
            return Unwritable(
                f"{self.location} {_UNWRITABLE[code]} ({original}); check the permissions of the file and its folder "
                "and the space left, or name another file",
                temporary=code in _TEMPORARY,
            )
        if code == sqlite3.SQLITE_NOTADB:
            return Unwritable(f"{self.location} is not a database; name another file")
        if code == sqlite3.SQLITE_CORRUPT or "decode" in str(original):
            return Corrupted(f"{self.location} is damaged ({original}); go back to a copy of it")
        if code == sqlite3.SQLITE_CONSTRAINT:
            return Conflict(f"{self.location} refused a row: {original}")
        return LedgerError(f"{self.location}: {original}")

    def insert_rows(
        self, connection: Connection, into: Table, names: Sequence[str], rows: Sequence[tuple[Any, ...]]
    ) -> None:
        connection.exec_driver_sql(_BULK_CACHE)
        columns, marks = ", ".join(f'"{name}"' for name in names), ", ".join("?" * len(names))
        statement = f'INSERT INTO "{into.name}" ({columns}) VALUES ({marks})'  # noqa: S608 - names of ours
        connection.exec_driver_sql(statement, list(rows))

    def discard(self) -> None:
        if self.path is None:
            return
        for suffix in ("", "-wal", "-shm", "-journal"):
            with suppress(OSError):  # what could not be made cannot always be removed either
                self.path.with_name(self.path.name + suffix).unlink(missing_ok=True)


@cache
def _new_schema() -> Catalogue:
    """The catalogue of a new ledger: what every ledger must have."""
    memory = SQLite(None, durable=False, patience=0)
    with memory.engine().begin() as connection:
        bring_up(connection, memory)
        return catalogue(_driver(connection))


def _driver(connection: Connection) -> sqlite3.Connection:
    driver: Any = connection.connection.dbapi_connection
    return cast("sqlite3.Connection", driver)


def _sealed(path: Path) -> bool:
    """Whether a finished ledger lies where nothing may be written.

    To read a database with a write-ahead journal SQLite makes files beside it, unless it is told that the file will not
    change. That is so where this process may not write to the folder and no journal lies there, which would mean that
    somebody has the ledger open, or was killed.
    """
    wal = path.with_name(f"{path.name}-wal")
    return path.is_file() and not os.access(path.parent, os.W_OK) and not wal.exists()


def _write_ahead(connection: sqlite3.Connection, patience: float) -> None:
    """Have a journal that readers and a writer can use at once; of many that make a database together, one sets it."""
    deadline = time.monotonic() + patience
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
        except sqlite3.OperationalError as error:
            # This one statement does not wait by itself while another process holds the file.
            if error.sqlite_errorcode & 0xFF not in _BUSY or time.monotonic() > deadline:
                raise
            time.sleep(_MOMENT)
        else:
            return


def _require(path: Path, *, create: bool) -> bool:
    if "\x00" in str(path):
        raise ValueError("its name holds a NUL")
    if path.is_dir():
        raise Unwritable(f"{path} is a directory; name a file in it, such as {path / 'paragone.db'}")
    if path.exists():
        _require_readable(path)
        return False
    if not create:
        raise NotFound(f"there is no database {path}; name one that exists, or rank something to make it")
    if path.parent.exists() and not path.parent.is_dir():
        raise Unwritable(f"{path} cannot be made: {path.parent} is a file and not a directory; name another place")
    if not path.parent.is_dir():
        raise Unwritable(f"{path} cannot be made: there is no directory {path.parent}; make it first")
    if not os.access(path.parent, os.W_OK):
        raise Unwritable(f"{path} cannot be made: this user may not write to {path.parent}; name another place")
    return True


def _require_readable(path: Path) -> None:
    if not path.is_file():
        raise Unwritable(f"{path} is no regular file; name another file")
    if not os.access(path, os.R_OK):
        raise Unwritable(f"{path} may not be read by this user; ask its owner, or name another file")
