"""Group commit: what waits to be written to a ledger becomes one transaction, with one wait for the disk.

Whoever may write takes everything that waits. A synchronous caller who finds nobody writing writes at once, in its own
thread; while it waits for the disk, the entries of others gather, and the first of them writes the next batch. Entries
of ``submit`` and ``recorded`` have no thread that waits for them: a thread of the committer writes those at the front.
"""

import asyncio
import threading
import time
from collections import defaultdict, deque
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Executor, Future
from contextlib import AbstractContextManager, nullcontext, suppress
from dataclasses import dataclass, field
from datetime import datetime
from itertools import groupby
from typing import Any, Generic, TypeVar

from sqlalchemy import Connection

from paragone.errors import Busy, Corrupted, NotFound, Unwritable
from paragone.ledger import chain
from paragone.ledger.chain import Head, LedgerPage
from paragone.ledger.databases.dialects import Dialect
from paragone.ledger.databases.threads import Latch, Threads
from paragone.tracing import is_traced, note, span

T = TypeVar("T")

MOST = 256
"""Entries in one transaction."""
_THREADS = 4
"""Threads that write what was submitted; a database with one writer at a time keeps one of them busy."""


Prepare = Callable[[Connection, LedgerPage, Sequence[Any]], None]


@dataclass(frozen=True, kw_only=True, slots=True)
class Command(Generic[T]):
    """A command with its arguments.

    Attributes:
        command: Puts rows on a page.
        arguments: Its arguments after the page.
        options: Its arguments by name.
        prepare: For a command that may share a page, and so writes nothing but that: looks up what several calls need,
            given their first arguments.
    """

    command: Callable[..., T]
    arguments: Sequence[Any] = ()
    options: Mapping[str, Any] = field(default_factory=dict)
    prepare: Prepare | None = None

    def run(self, connection: Connection, page: LedgerPage) -> T:
        """Put its rows on a page."""
        return self.command(connection, page, *self.arguments, **self.options)


@dataclass(kw_only=True, slots=True, eq=False)
class PendingRows(Generic[T]):
    """Rows that wait to be added to a pool.

    Attributes:
        pool: The pool.
        call: Puts them on a page.
        at: The time that goes with their commit.
        since: When it began to wait, on the monotonic clock.
        gate: Opened when the waiting thread may go on; None if no thread waits.
        future: Completed at the end; None if a thread waits.
        leads: Whether its thread is to write the next batch.
        is_done: Whether it has a result or an error.
        result: What the command returned.
        error: Why nothing of it was written.
        rows: How many rows it added.
    """

    pool: str
    call: Command[T]
    at: datetime
    since: float = field(default_factory=time.monotonic)
    gate: Latch | None = None
    future: "Future[T] | asyncio.Future[T] | None" = None
    leads: bool = False
    is_done: bool = False
    result: T | None = None
    error: Exception | None = None
    rows: int = 0

    def finish(self, error: Exception | None = None) -> None:
        """End it, with an error or the result that it has."""
        self.error, self.is_done = error, True

    def outcome(self) -> T:
        """The result; raises the error if there is one."""
        if self.error is not None:
            raise self.error
        return self.result  # type: ignore[return-value]  # done without an error


class WaitingEntries:
    """The entries that wait for one writer, in order, and whether somebody writes now."""

    def __init__(self) -> None:
        self._guard = threading.Lock()
        self._entries: deque[PendingRows[Any]] = deque()
        self._is_led = False

    def __len__(self) -> int:
        return len(self._entries)

    def add(self, entry: PendingRows[Any]) -> bool:
        """Add an entry; whether its caller is to write, since nobody else does."""
        with self._guard:
            self._entries.append(entry)
            entry.leads, self._is_led = not self._is_led, True
            return entry.leads

    def wait(self, entry: PendingRows[Any], patience: float) -> bool:
        """Wait until an entry is done or its thread is to write; False if it ran out of patience and left."""
        gate = entry.gate
        if gate is None:
            raise RuntimeError("no thread waits for this entry")
        if gate.acquire(timeout=min(max(patience, 0.0), threading.TIMEOUT_MAX)):
            return True
        with self._guard:
            if entry in self._entries and not entry.leads:
                self._entries.remove(entry)
                return False
        return gate.acquire()  # it is being written, or may be: the transaction has a patience of its own

    def abandon(self, entry: PendingRows[Any]) -> bool:
        """Remove an entry whose thread was interrupted; whether it was to write."""
        with self._guard:
            if entry in self._entries:
                self._entries.remove(entry)
            return entry.leads and not entry.is_done

    def take(self, most: int) -> list[PendingRows[Any]]:
        """Remove and return the first entries."""
        with self._guard:
            return [self._entries.popleft() for _ in range(min(most, len(self._entries)))]

    def take_overdue(self, patience: float) -> list[PendingRows[Any]]:
        """Remove and return the first entry, and all that have waited for so many seconds."""
        latest = time.monotonic() - patience
        with self._guard:
            overdue = [entry for index, entry in enumerate(self._entries) if not index or entry.since <= latest]
            self._entries = deque(entry for entry in self._entries if entry not in overdue)
            return overdue

    def put_back(self, entries: Sequence[PendingRows[Any]]) -> None:
        """Return entries to the front."""
        with self._guard:
            self._entries.extendleft(reversed(entries))

    def hand_over(self, written: Sequence[PendingRows[Any]]) -> PendingRows[Any] | None:
        """End a turn of writing: wake the threads of these entries, and have the first that waits write next.

        Returns:
            That entry if no thread waits for it; the committer's own is to write then.
        """
        with self._guard:
            following = self._entries[0] if self._entries else None
            self._is_led = following is not None
            if following is not None:
                following.leads = True
        for entry in written:
            if entry.gate is not None and not entry.leads:
                entry.gate.release()
        if following is None or following.gate is None:
            return following
        following.gate.release()
        return None


class Committer:
    """Writes the entries of all callers of one ledger in one process, many in a transaction.

    Args:
        write: Opens a transaction that writes.
        dialect: The database.
        foreign: What the database's driver raises.
        threads: Where entries are written that no thread waits for.
    """

    def __init__(
        self,
        write: Callable[[], AbstractContextManager[Connection]],
        dialect: Dialect,
        foreign: tuple[type[Exception], ...],
        threads: Threads,
    ) -> None:
        self._write, self._dialect, self._foreign = write, dialect, foreign
        self._threads = threads
        self._guard = threading.Lock()
        self._waiting: dict[str, WaitingEntries] = {}
        self._executor: Executor | None = None

    def run(self, pool: str, call: Command[T], at: datetime) -> T:
        """Write an entry and wait until it is committed.

        Args:
            pool: The pool.
            call: Puts rows on a page of it.
            at: The time that goes with the commit.

        Returns:
            What the command returns.

        Raises:
            Busy: If others have been writing for longer than the ledger's patience.
        """
        entry = PendingRows(pool=pool, call=call, at=at, gate=self._threads.gate())
        waiting = self._of(pool)
        with span("ledger.write", {}):  # includes waiting for a turn
            if waiting.add(entry):
                self._lead_elsewhere(waiting, self._lead(waiting, entry))
            else:
                self._follow(waiting, entry)
            _note(entry)
        return entry.outcome()

    def submit(self, pool: str, call: Command[T], at: datetime) -> Future[T]:
        """Have an entry written by the committer's thread; the future is completed after the commit."""
        future: Future[T] = Future()
        self._queue(PendingRows(pool=pool, call=call, at=at, future=future))
        return future

    async def recorded(self, pool: str, call: Command[T], at: datetime) -> T:
        """Write an entry without holding up the event loop; returns when it is committed.

        If the caller is cancelled, the entry is written all the same.
        """
        future: asyncio.Future[T] = asyncio.get_running_loop().create_future()
        entry = PendingRows(pool=pool, call=call, at=at, future=future)
        with span("ledger.write", {}):
            self._queue(entry)
            result = await future
            _note(entry)
            return result

    def close(self) -> None:
        """Wait until everything that was submitted is written, and end the threads."""
        while True:
            with self._guard:
                executor, self._executor = self._executor, None
            if executor is None:
                return
            executor.shutdown()

    def _of(self, pool: str) -> WaitingEntries:
        name = pool if self._dialect.writes_pools_at_once else ""
        with self._guard:
            return self._waiting.setdefault(name, WaitingEntries())

    def _queue(self, entry: PendingRows[Any]) -> None:
        waiting = self._of(entry.pool)
        if waiting.add(entry):
            self._lead_elsewhere(waiting, entry)

    def _lead_elsewhere(self, waiting: WaitingEntries, first: PendingRows[Any] | None) -> None:
        """Have a thread of the committer write what waits, if there is an entry that no thread waits for."""
        if first is None:
            return
        claim = threading.Lock()
        try:
            with self._guard:
                if self._executor is None:
                    self._executor = self._threads.executor(_THREADS, "paragone-committer")
                self._executor.submit(self._serve, waiting, first, claim)
        except (RuntimeError, MemoryError):  # no thread can be started; one that runs already may still take it
            self._serve(waiting, first, claim)

    def _serve(self, waiting: WaitingEntries, first: PendingRows[Any], claim: threading.Lock) -> None:
        following: PendingRows[Any] | None = first if claim.acquire(blocking=False) else None
        while following is not None:
            following = self._lead(waiting, following)

    def _follow(self, waiting: WaitingEntries, entry: PendingRows[Any]) -> None:
        try:
            has_come = waiting.wait(entry, self._dialect.patience)
        except BaseException:  # an interrupt; those behind must not wait for one that has left
            if waiting.abandon(entry):
                self._lead_elsewhere(waiting, waiting.hand_over([]))
            raise
        if not has_come:
            raise self._dialect.locked("other threads of this process have")
        if not entry.is_done:
            self._lead_elsewhere(waiting, self._lead(waiting, entry))

    def _lead(self, waiting: WaitingEntries, own: PendingRows[Any]) -> PendingRows[Any] | None:
        """Write one batch, of which an entry is the first; then the next in the queue writes.

        Returns:
            The next, if no thread waits for it.
        """
        batch = _Batch()
        try:
            self._write_batch(waiting, own, batch)
        except BaseException:  # an interrupt: only the entry of this thread is given up
            waiting.abandon(own)
            if batch.may_be_kept:  # written again, failures and events might be there twice
                batch.finish_undecided()
            waiting.put_back([entry for entry in batch if entry is not own and not entry.is_done])
            ended = [entry for entry in batch if entry is not own and entry.is_done]
            _complete(ended)
            self._lead_elsewhere(waiting, waiting.hand_over(ended))
            raise
        _complete(batch)
        return waiting.hand_over(batch)

    def _write_batch(self, waiting: WaitingEntries, own: PendingRows[Any], batch: "_Batch") -> None:
        def write() -> None:
            with self._write() as connection:
                heads = {own.pool: chain.lock(connection, own.pool)} if self._dialect.writes_pools_at_once else {}
                batch.extend(
                    waiting.take(MOST)
                )  # now, so that what came while this thread waited for its turn is in it
                self._put(connection, batch, heads)
                batch.may_be_kept = True

        error = _error_of(write)
        if error is None:
            for entry in batch:
                entry.finish(entry.error)
            return
        batch.may_be_kept = False
        if len(batch) > 1 and _refuses_one(error):
            self._write_one_by_one(batch)
        else:
            if not batch:
                batch += waiting.take_overdue(self._dialect.patience if isinstance(error, Busy) else 0.0)
            for entry in batch:
                entry.finish(error)

    def _write_one_by_one(self, batch: "_Batch") -> None:
        """Write each in a transaction of its own, so that only the one that the database refuses fails."""
        for entry in batch:

            def write(entry: PendingRows[Any] = entry) -> None:
                with self._write() as connection:
                    self._put(connection, [entry], {})
                    batch.may_be_kept = True

            error = _error_of(write)
            entry.finish(entry.error if error is None else error)
            batch.may_be_kept = False

    def _put(self, connection: Connection, batch: Sequence[PendingRows[Any]], heads: dict[str, Head]) -> None:
        """Write the rows of entries, pool by pool. A refused entry has its error, and the rest goes on."""
        by_pool: dict[str, list[PendingRows[Any]]] = defaultdict(list)
        for entry in batch:
            entry.error, entry.rows = None, 0
            by_pool[entry.pool].append(entry)
        for pool, entries in by_pool.items():
            try:
                head = heads.get(pool) or chain.lock(connection, pool)
            except NotFound as error:
                for entry in entries:
                    entry.error = error
                continue
            for shares, run in groupby(entries, key=lambda entry: entry.call.prepare is not None):
                if shares:
                    head = self._put_on_page(connection, head, list(run))
                    continue
                for entry in run:
                    head = self._put_alone(connection, head, entry, is_only=len(batch) == 1)

    def _put_alone(self, connection: Connection, head: Head, entry: PendingRows[Any], *, is_only: bool) -> Head:
        """Write an entry with a commit of its own. If it is refused, nothing of it stays, whatever it has written."""
        page = LedgerPage(head=head)
        with connection.begin_nested() if not is_only else nullcontext() as savepoint:
            if not self._run(connection, page, entry):
                if savepoint is None and entry.error is not None:
                    raise entry.error  # and so undo the transaction
                if savepoint is not None:
                    savepoint.rollback()
                return head
        entry.rows = len(page.rows)
        return chain.seal(connection, page, entry.at)

    def _put_on_page(self, connection: Connection, head: Head, entries: Sequence[PendingRows[Any]]) -> Head:
        """Write what entries put on one page; the end of the chain after it."""
        page = self._filled(connection, head, entries)
        while page is None:  # an entry was refused with rows on the page, which is then filled without it
            page = self._filled(connection, head, [entry for entry in entries if entry.error is None])
        if not page.rows:
            return head
        return chain.seal(connection, page, max(entry.at for entry in entries if entry.rows))

    def _filled(self, connection: Connection, head: Head, entries: Sequence[PendingRows[Any]]) -> LedgerPage | None:
        page = LedgerPage(head=head)
        if len(entries) > 1:
            _prepare(connection, page, entries)
        for entry in entries:
            before = len(page.rows)
            if not self._run(connection, page, entry) and len(page.rows) > before:
                return None
            entry.rows = len(page.rows) - before
        return page

    def _run(self, connection: Connection, page: LedgerPage, entry: PendingRows[Any]) -> bool:
        """Whether an entry was not refused."""

        def run() -> None:
            entry.result = entry.call.run(connection, page)
            chain.require_open(connection, page)

        entry.error = _error_of(run)
        if isinstance(entry.error, self._foreign):
            raise entry.error
        return entry.error is None


class _Batch(list[PendingRows[Any]]):
    """The entries of one transaction.

    Attributes:
        may_be_kept: Whether its commit has begun, and nobody has said that it failed.
    """

    may_be_kept = False

    def finish_undecided(self) -> None:
        """End those that nobody ended: who submitted them may write them again, and say that it is again."""
        words = "the thread that wrote was interrupted at the end: it may be recorded or not; write the same again"
        for entry in self:
            if not entry.is_done:
                entry.finish(Unwritable(words, temporary=True))


def _prepare(connection: Connection, page: LedgerPage, entries: Sequence[PendingRows[Any]]) -> None:
    """Look up what entries need, a kind of call at a time."""
    subjects: dict[Prepare, list[Any]] = defaultdict(list)
    for entry in entries:
        if entry.call.prepare is not None and entry.call.arguments:
            subjects[entry.call.prepare].append(entry.call.arguments[0])
    for prepare, of_calls in subjects.items():
        prepare(connection, page, of_calls)


def _error_of(work: Callable[[], None]) -> Exception | None:
    """The error of some work for others, whatever it is: it is theirs. An interrupt of this thread is raised."""
    try:
        work()
    except BaseException as error:
        if not isinstance(error, Exception):
            raise
        return error
    return None


def _note(entry: PendingRows[Any]) -> None:
    if is_traced() and entry.rows and entry.error is None:
        note({"paragone.pool": entry.pool, "paragone.rows": entry.rows})


def _refuses_one(error: Exception) -> bool:
    """Whether a database refused a row: all is rolled back, and the other entries may be written.

    Whether anything was committed when a connection broke or a disk failed is not known, and trying again in the place
    of the callers might record a failed attempt twice; that is theirs to decide.
    """
    return not isinstance(error, (Busy, Unwritable, Corrupted))


def _complete(batch: Sequence[PendingRows[Any]]) -> None:
    """Complete the futures of entries; each event loop is notified once."""
    by_loop: dict[asyncio.AbstractEventLoop, list[PendingRows[Any]]] = defaultdict(list)
    for entry in batch:
        if isinstance(entry.future, Future):
            _settle([entry])
        elif entry.future is not None:
            by_loop[entry.future.get_loop()].append(entry)
    for loop, entries in by_loop.items():
        with suppress(RuntimeError):  # the loop has ended, and nobody waits any more
            loop.call_soon_threadsafe(_settle, entries)


def _settle(entries: Sequence[PendingRows[Any]]) -> None:
    for entry in entries:
        future = entry.future
        if future is None or future.done():
            continue
        if entry.error is None:
            future.set_result(entry.result)
        else:
            future.set_exception(entry.error)
