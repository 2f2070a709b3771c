"""SQLite: one file, or one process's memory."""

import os
import sqlite3
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from functools import cache, cached_property, partial
from pathlib import Path
from typing import Any, TextIO, cast
from weakref import WeakValueDictionary

from sqlalchemy import Connection, Engine, Table, create_engine, event
from sqlalchemy.pool import QueuePool, StaticPool

from paragone.errors import Busy, Conflict, Corrupted, Failure, LedgerError, NotFound, Unwritable
from paragone.files import put_new
from paragone.ledger.databases.dialects import COMPILED, Dialect
from paragone.ledger.databases.integrity import ObjectDefinitions, catalogue, sqlite_damage, wrong_sqlite_schema
from paragone.ledger.statements import DRIVER
from paragone.wire.audit import Difference

if sys.platform == "win32":
    import msvcrt

    def _try_lock(file: TextIO) -> None:
        file.seek(0)
        msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
else:
    import fcntl

    def _try_lock(file: TextIO) -> None:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)


@contextmanager
def file_claim(path: Path, tournament: str) -> Iterator[None]:
    """Hold the lock on a lock file, which is removed at the end.

    Args:
        path: The lock file; a holder that is killed leaves it behind, unlocked.
        tournament: Id of the claimed tournament, for messages.

    Raises:
        Busy: If another process or thread holds it.
        Unwritable: If the file cannot be created.
    """
    file = _hold(path, tournament)
    try:
        yield
    finally:
        # A system that cannot remove open files leaves an unlocked one behind, which is harmless.
        with suppress(OSError):
            path.unlink(missing_ok=True)
        file.close()


def is_file_claimed(path: Path) -> bool:
    """Whether a live process has written its id to the lock file. Trying the lock itself would mean holding it."""
    try:
        holder = path.read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError):
        return False
    return holder.isdigit() and _lives(int(holder))


def _lives(process: int) -> bool:
    if sys.platform == "win32":
        return True  # the next holder removes the file of one that was killed
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except (PermissionError, OverflowError):
        return True
    return True


def _hold(path: Path, tournament: str) -> TextIO:
    while True:
        try:
            file = path.open("a+", encoding="utf-8")
        except OSError as error:
            raise Unwritable(
                f"the lock file {path} cannot be made: {error.strerror}; its folder must be writable"
            ) from error
        try:
            _try_lock(file)
        except OSError as error:
            file.close()
            raise Busy(_busy(tournament, path)) from error
        if _is_at(file, path):
            _sign(file)
            return file
        file.close()  # the previous holder removed the file after we had opened it and before we locked it


def _is_at(file: TextIO, path: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(file.fileno()), path.stat())
    except FileNotFoundError:
        return False


def _sign(file: TextIO) -> None:
    file.truncate(0)
    file.write(f"{os.getpid()}\n")
    file.flush()


def _busy(tournament: str, path: Path) -> str:
    holder = ""
    with suppress(OSError, UnicodeDecodeError):
        holder = path.read_text(encoding="utf-8").strip()
    who = f"process {holder}" if holder.isdigit() else "somebody else"
    return f"tournament {tournament!r} is being run by {who} now; wait until it ends, or stop it first"


class LocalClaims:
    """Claims within one process, for databases in its memory."""

    def __init__(self) -> None:
        self._held: set[str] = set()
        self._guard = threading.Lock()

    def is_held(self, tournament: str) -> bool:
        """Whether a tournament is held."""
        with self._guard:
            return tournament in self._held

    @contextmanager
    def claim(self, tournament: str) -> Iterator[None]:
        """Hold a tournament.

        Raises:
            Busy: If it is held.
        """
        with self._guard:
            if tournament in self._held:
                raise Busy(f"tournament {tournament!r} is being run by another thread now; wait until it ends")
            self._held.add(tournament)
        try:
            yield
        finally:
            with self._guard:
                self._held.discard(tournament)


class WriterTurns:
    """A fair queue of threads that want to write.

    SQLite lets one transaction write at a time; a thread that waits for it sleeps and tries again, longer each time.
    Many threads of one process would sleep most of the time, and an unlucky one could find the file taken every time.
    So they queue here, first come, first served, and only the first waits for other processes.
    """

    def __init__(self) -> None:
        self._guard = threading.Lock()
        self._taken = False
        self._gates: deque[threading.Lock] = deque()

    @contextmanager
    def turn(self, patience: float) -> Iterator[bool]:
        """Wait for a turn for at most ``patience`` seconds; whether it came. It is held until the block ends."""
        mine = self._enter(patience)
        try:
            yield mine
        finally:
            if mine:
                self._admit_next()

    def _enter(self, patience: float) -> bool:
        with self._guard:
            if not self._taken:
                self._taken = True
                return True
            gate = threading.Lock()
            gate.acquire()
            self._gates.append(gate)
        try:
            return gate.acquire(timeout=min(max(patience, 0.0), threading.TIMEOUT_MAX)) or self._leave(gate)
        except BaseException:  # an interrupt; the threads behind must not wait for one that has left
            if self._leave(gate):
                self._admit_next()
            raise

    def _leave(self, gate: threading.Lock) -> bool:
        """Leave the queue; True if the turn came at the last moment."""
        with self._guard:
            if gate not in self._gates:
                return True
            self._gates.remove(gate)
            return False

    def _admit_next(self) -> None:
        """Let the next thread write."""
        with self._guard:
            if self._gates:
                self._gates.popleft().release()
            else:
                self._taken = False


_BY_FILE: WeakValueDictionary[tuple[int, Path], WriterTurns] = WeakValueDictionary()
_GUARD = threading.Lock()


def turns_of(file: Path) -> WriterTurns:
    """The queue of this process for a file; a forked process has a queue of its own."""
    with _GUARD:
        return _BY_FILE.setdefault((os.getpid(), file.resolve()), WriterTurns())


_MOMENT = 0.005
"""Seconds between two attempts at a statement for which SQLite does not wait."""

_WRITTEN_AHEAD = b"\x02\x02"
"""Bytes 18 and 19 of a file with a write-ahead log: https://sqlite.org/fileformat2.html#the_database_header"""

_BULK_CACHE = "PRAGMA cache_size = -65536"
"""64 MiB: with the default of 2 MiB, inserting millions of rows reads index pages from the file again and again."""

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
        durable: Whether each commit waits until it is on disk, and so survives a loss of power. Acknowledged commits
            survive the end of the process, however sudden, either way.
        patience: Seconds to wait while another process writes.
    """

    in_process = True
    errors = (sqlite3.Error, UnicodeDecodeError)  # the latter if a damaged file garbles SQLite's own message

    def __init__(self, path: Path | None, *, durable: bool, patience: float) -> None:
        self.path = None if path is None else path.absolute()  # the process may change its directory later
        self.location = "the database in memory" if path is None else str(path)
        self._durable = durable
        self.patience = patience
        self._memory_lock = threading.RLock()  # a database in memory has one connection
        self._claims = LocalClaims()
        self._existed = False

    def require(self, *, create: bool) -> bool:
        if self.path is None:
            return True
        try:
            return _require(self.path, create=create)
        except (OSError, ValueError) as error:  # a name that is too long or holds a NUL, a folder without permission
            raise Unwritable(f"{self.path} cannot be opened: {error}; name another file") from error

    def engine(self) -> Engine:
        pool: dict[str, Any] = {"poolclass": QueuePool, "max_overflow": -1} if self.path else {"poolclass": StaticPool}
        options = {DRIVER: _driver, "compiled_cache": COMPILED}
        engine = create_engine("sqlite://", creator=self._connect, execution_options=options, **pool)
        event.listen(engine, "connect", self._connected)
        return engine

    def _connect(self) -> sqlite3.Connection:
        location = ":memory:" if self.path is None else f"{self.path.as_uri()}?{self._mode(self.path)}"
        return sqlite3.connect(location, timeout=self.patience, check_same_thread=False, uri=True)

    def _mode(self, path: Path) -> str:
        if _sealed(path):
            return "mode=ro&immutable=1"
        # An existing database is never created again: if its file is gone, an empty one would silently replace it.
        return "mode=rw" if self._existed else "mode=rwc"

    def _connected(self, connection: sqlite3.Connection, _: object) -> None:
        connection.isolation_level = None  # transactions begin only in begin()
        connection.execute("PRAGMA foreign_keys = ON")
        # Without this, INSERT OR REPLACE would bypass the triggers that refuse DELETE.
        connection.execute("PRAGMA recursive_triggers = ON")
        connection.execute(f"PRAGMA synchronous = {'FULL' if self._durable else 'NORMAL'}")
        if self.path is not None and not _sealed(self.path):
            _write_ahead(connection, self.patience)
        self._existed = True

    def begin(self, connection: Connection, *, writes: bool) -> None:
        # A writer takes the write lock at once: taking it after a read fails if others wrote in between.
        _driver(connection).execute("BEGIN IMMEDIATE" if writes else "BEGIN")

    @cached_property
    def _turns(self) -> WriterTurns:
        return WriterTurns() if self.path is None else turns_of(self.path)

    def turn(self, *, writes: bool) -> AbstractContextManager[object]:
        if self.path is None:
            return self._memory_lock
        return self._write_in_turn() if writes else nullcontext()

    @contextmanager
    def _write_in_turn(self) -> Iterator[None]:
        with self._turns.turn(self.patience) as has_come:
            if not has_come:
                raise self.locked("other threads of this process have")
            yield

    def alone(self, connection: Connection) -> None:
        """Nothing to do: BEGIN IMMEDIATE already excludes other writers."""

    def put_whole(self) -> bool:
        if self.path is None:
            return True
        try:
            put_new(_new_file(), self.path)
        except FileExistsError:
            return False
        except OSError:
            pass  # it is for SQLite to say what is wrong
        return True

    def create_tables(self, connection: Connection) -> None:
        if self.path is not None:
            super().create_tables(connection)
            return
        driver = _driver(connection)
        driver.commit()  # pages are copied outside of transactions; what is in memory nobody else sees
        with _GUARD:
            _new_ledger().backup(driver)
        self.begin(connection, writes=True)

    def append_only(self, table: str) -> tuple[str, ...]:
        return tuple(
            f'CREATE TRIGGER "{table}_refuses_{verb.lower()}" BEFORE {verb} ON "{table}" '
            f"BEGIN SELECT RAISE(ABORT, '{table} is append-only: {verb} refused'); END"
            for verb in ("UPDATE", "DELETE")
        )

    def damage(self, connection: Connection) -> list[Difference]:
        return sqlite_damage(_driver(connection), str(self.location))

    def wrong_schema(self, connection: Connection) -> list[Difference]:
        return wrong_sqlite_schema(_driver(connection), _new_schema())

    @contextmanager
    def reading_damaged(self, connection: Connection) -> Iterator[None]:
        driver = _driver(connection)
        driver.text_factory = partial(str, encoding="utf-8", errors="surrogateescape")
        try:
            yield
        finally:
            driver.text_factory = str

    @contextmanager
    def claim(self, tournament: str) -> Iterator[Callable[[], bool]]:
        if self.path is None:
            claim_held = self._claims.claim(tournament)
        else:
            path = self.path.resolve()  # one lock, whatever name the file was opened by
            claim_held = file_claim(path.with_name(f"{path.name}.{tournament}.lock"), tournament)
        with claim_held:
            yield lambda: True

    def is_claimed(self, connection: Connection, tournament: str) -> bool:  # noqa: ARG002  # a file says it
        if self.path is None:
            return self._claims.is_held(tournament)
        path = self.path.resolve()
        return is_file_claimed(path.with_name(f"{path.name}.{tournament}.lock"))

    def fault(self, error: Exception) -> Failure:
        original: Any = getattr(error, "orig", error)
        code = getattr(original, "sqlite_errorcode", 0) & 0xFF  # the low byte is the kind, the rest its detail
        if code in _BUSY:
            return self.locked("another process has")
        if code in _UNWRITABLE:
            usual = "check the permissions of the file and its folder and the space left"
            remedy = "make room" if code == sqlite3.SQLITE_FULL else usual
            return Unwritable(
                f"{self.location} {_UNWRITABLE[code]} ({original}); {remedy}, or name another file",
                temporary=code in _TEMPORARY,
            )
        if code == sqlite3.SQLITE_NOTADB:
            return Unwritable(f"{self.location} is not a database; name another file")
        if code == sqlite3.SQLITE_CORRUPT or "decode" in str(original):
            return Corrupted(f"{self.location} is damaged ({' '.join(str(original).split())}); go back to a copy of it")
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
            with suppress(OSError):  # what could not be created cannot always be removed either
                self.path.with_name(self.path.name + suffix).unlink(missing_ok=True)


@cache
def _new_ledger() -> sqlite3.Connection:
    """A new ledger in memory: to copy its pages takes a tenth of the time that its tables take to be made."""
    dialect = SQLite(None, durable=False, patience=0)
    engine = dialect.engine()
    ledger = sqlite3.connect(":memory:", check_same_thread=False)
    with engine.begin() as connection:
        Dialect.create_tables(dialect, connection)
        _driver(connection).backup(ledger)
    engine.dispose()
    return ledger


@cache
def _new_file() -> bytes:
    """What is in the file of a new ledger that nobody has open."""
    with _GUARD:
        image = _new_ledger().serialize()
    return image[:18] + _WRITTEN_AHEAD + image[20:]


@cache
def _new_schema() -> ObjectDefinitions:
    """The catalogue of a new ledger, which every ledger must have."""
    with _GUARD:
        return catalogue(_new_ledger())


def _driver(connection: Connection) -> sqlite3.Connection:
    driver: Any = connection.connection.dbapi_connection
    return cast("sqlite3.Connection", driver)


def _sealed(path: Path) -> bool:
    """Whether a ledger is in a folder without write permission, and nobody has it open.

    To read a database with a write-ahead log, SQLite creates files beside it unless it is told that the file will not
    change. That holds if this process may not write to the folder and there is no log: a log means that somebody has
    the ledger open, or was killed.
    """
    wal = path.with_name(f"{path.name}-wal")
    return path.is_file() and not os.access(path.parent, os.W_OK) and not wal.exists()


def _write_ahead(connection: sqlite3.Connection, patience: float) -> None:
    """Switch to a write-ahead log, so that readers need not wait for a writer; of concurrent creators one succeeds."""
    deadline = time.monotonic() + patience
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
        except sqlite3.OperationalError as error:
            # SQLite's busy timeout does not cover this statement.
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
        raise Unwritable(f"{path} is not a regular file; name another file")
    if not os.access(path, os.R_OK):
        raise Unwritable(f"{path} may not be read by this user; ask its owner, or name another file")
