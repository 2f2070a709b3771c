"""A disk that fills, goes away, is locked, and breaks a commit, under a real SQLite."""

import os
import random
import sqlite3
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sqlalchemy import Connection

from paragone.errors import Busy
from paragone.ledger.databases.sqlite import SQLite
from simulator.threads import SimulatedTurns

if TYPE_CHECKING:
    from simulator.part import Part
    from simulator.process import Process

_NO_LIMIT = 1_073_741_823
_BROKEN = 3  # commits that one outage breaks
_LOCKED_MOMENT = 0.05  # seconds between two attempts at a locked file


@dataclass(frozen=True, slots=True)
class Outage:
    """A time when the ledger cannot be used.

    Attributes:
        kind: ``away`` (no transaction begins), ``full``, ``locked`` by another process, or ``breaks``: the first
            commits in it fail, and may be kept all the same.
        begin: When it begins, in seconds on the loop's clock.
        end: When it is over.
        is_kept: Whether the broken commits are kept.
    """

    kind: str
    begin: float
    end: float
    is_kept: bool = False


class Disk:
    """The faults of a machine's disk.

    Args:
        process: The process.
        outages: When what fails.
    """

    def __init__(self, process: "Process", outages: tuple[Outage, ...]) -> None:
        self._process, self._outages = process, outages
        self._broken: Counter[Outage] = Counter()

    def now(self, kind: str) -> Outage | None:
        """The outage of a kind that goes on now."""
        now = self._process.now
        return next((each for each in self._outages if each.kind == kind and each.begin <= now < each.end), None)

    def check_begin(self) -> None:
        """Refuse a transaction while the disk is away."""
        if self.now("away") is not None:
            raise failure("unable to open database file", sqlite3.SQLITE_CANTOPEN)

    def breaking(self) -> Outage | None:
        """The outage that breaks the next commit."""
        outage = self.now("breaks")
        if outage is None or self._broken[outage] == _BROKEN:
            return None
        self._broken[outage] += 1
        return outage

    def schedule_locks(self, file: Path) -> None:
        """Have another connection hold the write lock during each such outage."""
        for outage in self._outages:
            if outage.kind == "locked":
                self._process.loop.call_later(outage.begin, self._hold, file, outage.end - outage.begin, 40)

    def _hold(self, file: Path, seconds: float, attempts: int) -> None:
        other = sqlite3.connect(file, timeout=0, isolation_level=None, check_same_thread=False)
        try:
            other.execute("BEGIN IMMEDIATE")
        except sqlite3.OperationalError:  # our own transaction goes on
            other.close()
            if attempts:
                self._process.loop.call_later(_LOCKED_MOMENT, self._hold, file, seconds, attempts - 1)
            return
        self._process.trace("another process locks the ledger")
        self._process.holders.append(other)
        self._process.loop.call_later(seconds, self._release, other)

    def _release(self, other: sqlite3.Connection) -> None:
        self._process.trace("another process unlocks the ledger")
        self._process.holders.remove(other)
        other.close()


def failure(words: str, code: int) -> sqlite3.OperationalError:
    """An error as SQLite's module raises it."""
    error = sqlite3.OperationalError(words)
    error.sqlite_errorcode = code
    return error


class SimulatedSQLite(SQLite):
    """SQLite whose every statement is a step of the simulation.

    Args:
        path: The file.
        process: The process that opens it.
        patience: Seconds to wait for a lock of another process, on the loop's clock.
    """

    def __init__(self, path: Path, process: "Part", patience: float) -> None:
        super().__init__(path, durable=False, patience=patience)
        self.location = path.name  # messages are recorded, and the folder has another name each time
        self._process = process

    def _connect(self) -> sqlite3.Connection:
        location = f"{self.path.as_uri()}?mode=rw"
        connection = sqlite3.connect(location, timeout=0, check_same_thread=False, uri=True, factory=_Connection)
        connection.process = self._process
        self._process.connections.append(connection)
        return connection

    @cached_property
    def _turns(self) -> Any:
        return SimulatedTurns(self._process.threads)

    def begin(self, connection: Connection, *, writes: bool) -> None:
        process, driver = self._process, connection.connection.dbapi_connection
        process.step("begin", "write" if writes else "read")
        process.disk.check_begin()
        if writes:
            driver.limit_pages(is_full=process.disk.now("full") is not None)
        deadline = process.now + self.patience
        while True:
            try:
                sqlite3.Connection.execute(driver, "BEGIN IMMEDIATE" if writes else "BEGIN")
            except sqlite3.OperationalError as error:
                if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY or not self._waits(deadline):
                    raise
            else:
                return

    def _waits(self, deadline: float) -> bool:
        """Let others go on while the file is locked; False if that took too long."""
        process, thread = self._process, self._process.threads.current
        if process.now >= deadline or (thread is None and not process.machine.has_workers):
            return False
        if thread is not None:
            thread.pause(_LOCKED_MOMENT)
        else:
            process.machine.let_threads_go_on(_LOCKED_MOMENT)
        return True

    @contextmanager
    def claim(self, tournament: str) -> Iterator[Callable[[], bool]]:
        claims = self._process.machine.claims
        if tournament in claims:
            raise Busy(f"tournament {tournament!r} is being run")
        claims[tournament] = self._process
        try:
            yield lambda: True
        finally:
            if claims.get(tournament) is self._process:
                del claims[tournament]


class _Connection(sqlite3.Connection):
    process: "Part"
    _limited = False

    def cursor(self, factory: type[sqlite3.Cursor] | None = None) -> sqlite3.Cursor:
        return super().cursor(_Cursor)

    def execute(self, statement: str, *parameters: Any) -> sqlite3.Cursor:
        if not statement.startswith("PRAGMA"):
            self.process.step("sql", statement, parameters[0] if parameters else ())
        return super().execute(statement, *parameters)

    def executemany(self, statement: str, parameters: Any) -> sqlite3.Cursor:
        self.process.step("sql", statement, parameters)
        return super().executemany(statement, parameters)

    def limit_pages(self, *, is_full: bool) -> None:
        """The file may not grow while the disk is full."""
        if is_full != self._limited:
            (count,) = super().execute("PRAGMA page_count").fetchone()
            super().execute(f"PRAGMA max_page_count = {count if is_full else _NO_LIMIT}")
            self._limited = is_full

    def commit(self) -> None:
        process = self.process
        if not self.in_transaction or process.is_dead:
            return
        wrote = self.total_changes
        process.step("commit", "")
        broken = process.disk.breaking() if wrote else None
        if broken is None or broken.is_kept:
            super().commit()
        if broken is not None:
            process.trace(f"the commit breaks, kept: {broken.is_kept}")
            raise failure("disk I/O error", sqlite3.SQLITE_IOERR)
        process.step("committed", "")

    def rollback(self) -> None:
        if not self.process.is_dead:
            self.process.trace("rollback")
            super().rollback()
            return
        with suppress(sqlite3.ProgrammingError):  # closed with the process, whose objects go later
            super().rollback()


class _Cursor(sqlite3.Cursor):
    def execute(self, statement: str, parameters: Any = ()) -> sqlite3.Cursor:
        self.connection.process.step("sql", statement, parameters)
        return super().execute(statement, parameters)

    def executemany(self, statement: str, parameters: Any) -> sqlite3.Cursor:
        self.connection.process.step("sql", statement, parameters)
        return super().executemany(statement, parameters)


class SpoolDisk:
    """The folder of the spool: it may refuse what is written, take half a line, or lose power over one.

    Args:
        process: The process.
        fails: Share of writes that fail, half of them after a part of the line.
    """

    def __init__(self, process: "Process", fails: float, seed: int) -> None:
        self._process, self._fails = process, fails
        self._random = random.Random(f"spool {seed}")
        self.refused = 0

    def write(self, whole: Any, handle: int, content: bytes) -> None:
        """Write a line as ``whole`` does, or fail, or die in the middle."""
        process = self._process
        if process.is_dead:
            raise OSError("dead")
        if self._random.random() < self._fails:
            self.refused += 1
            process.trace("the spool cannot be written")
            if self._random.random() < 0.5:
                os.write(handle, content[: len(content) // 2])
            raise OSError(28, "No space left on device")
        if process.dies_at("spool"):
            os.write(handle, content[: self._random.randrange(len(content))])
            process.die("while the spool is written")
        process.planner.step("spool", f"{len(content)} bytes")
        whole(handle, content)
        process.planner.step("spooled", "")
