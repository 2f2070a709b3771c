"""Writing to the ledger during a run, also through a full disk or the restart of a server.

An answer is paid for when it arrives, so none may be lost. What cannot be written waits in memory and in a spool file,
in order; nothing more is asked or planned until it is written. Every write is idempotent: if it is not known whether it
succeeded, it is repeated, and nothing is recorded twice.
"""

import asyncio
import math
from collections import deque
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from contextvars import copy_context
from dataclasses import dataclass
from itertools import groupby
from typing import TypeVar

from paragone.domain import DebateTurn, Question, Verdict
from paragone.errors import Busy, Conflict, LedgerError, Unwritable
from paragone.judges.base import Judge, Wrapper
from paragone.ledger import Ledger, Pending, PendingEvent, PendingTurn, PendingVerdict
from paragone.tournaments.running.control import Gate, GateClosed
from paragone.tournaments.running.spool import Spool
from paragone.tracing import is_traced

T = TypeVar("T")

_FIRST_WAIT, _LONGEST_WAIT = 0.1, 5.0
"""Seconds between two attempts: they double from the first to the longest."""


_STALLED = 0.5
"""Seconds after which a transaction that has not ended holds up further calls: the ledger may be away."""


def _nothing() -> None:
    pass


def _ignored(_: object) -> None:
    pass


def is_temporary(error: Exception) -> bool:
    """Whether the same may succeed a little later."""
    return isinstance(error, Busy) or (isinstance(error, Unwritable) and error.temporary)


class LedgerWriter:
    """Writes what a run produces; while the ledger cannot be written, keeps it and waits.

    Args:
        ledger: The ledger.
        tournament: Id of the tournament.
        spool: Where entries wait besides memory.
        gate: Closed if the ledger does not come back in time.
        patience: Seconds to wait for the ledger, each time.
        on_waiting: Called with what the run waits for, in words; with an empty text when the wait is over.
        on_recovered: Called when the ledger can be written again.

    Attributes:
        ledger: The ledger.
        tournament: Id of the tournament.
        failed: Whether the ledger did not come back in time.
    """

    def __init__(
        self,
        ledger: Ledger,
        tournament: str,
        spool: Spool,
        *,
        gate: Gate,
        patience: float,
        on_waiting: Callable[[str], None],
        on_recovered: Callable[[], None] = lambda: None,
    ) -> None:
        self.failed = False
        self.ledger = ledger
        self.tournament = tournament
        self._spool = spool
        self._gate = gate
        self._patience = patience
        self._on_waiting = on_waiting
        self._on_recovered = on_recovered
        self._waiting: deque[_Entry] = deque()
        self._answers: dict[str, Verdict] = {}  # of entries that wait, by call
        self._known: dict[str, Verdict] = {}  # the same by the key of the verdict cache
        self._error: Exception | None = None  # why the ledger cannot be written; None while it can
        self._is_away = False  # whether nothing could be written since the last error, though much may be read
        self._away_since: float | None = None  # when that was first waited for
        self._failure: Exception | None = None  # found in the background, raised to whoever writes next
        self._turn = asyncio.Lock()
        self._began = math.inf  # when the present transaction began
        self._thread = ledger.threads.executor(1, "ledger-writer")
        self._drain: asyncio.Task[None] | None = None

    def write(self, pending: Pending, then: Callable[[], None] = _nothing) -> "asyncio.Future[None] | None":
        """Have an entry written, after those before it; the event loop does not wait for the disk.

        Args:
            pending: The entry.
            then: Called once it is safe: in the ledger, or in the spool while the ledger cannot be written.

        Returns:
            What ends when it is safe; None without an event loop, where it is safe now.

        Raises:
            Conflict: If the ledger holds another answer to a call that was written before.
            Exception: Whatever kept the last entries from being written and is not the ledger's.
        """
        self._raise_failure()
        looped = _has_loop()
        entry = _Entry(pending, then, asyncio.get_running_loop().create_future() if looped else None)
        self._waiting.append(entry)
        if isinstance(pending, PendingVerdict) and pending.answer.verdict.choice.is_answer:
            self._answers[pending.answer.call] = pending.answer.verdict
            if pending.key is not None:
                self._known[pending.key] = pending.answer.verdict
        if self._error is not None:
            self._spool.add(pending)
            entry.is_safe()
        elif not looped:
            self._write_here()
        elif self._drain is None or self._drain.done():
            self._drain = asyncio.get_running_loop().create_task(self._write_waiting())
        return entry.safe

    def _raise_failure(self) -> None:
        if self._failure is not None:
            failure, self._failure = self._failure, None
            raise failure

    def _write_here(self) -> None:
        batch = _Batch(self, tuple(self._waiting))
        try:
            batch.write()
        except (LedgerError, Busy) as error:
            batch.forget()
            if isinstance(error, Conflict):
                raise
            self.interrupted(error)
        else:
            batch.forget()

    async def _write_waiting(self) -> None:
        """Write what waits, and what joins it meanwhile."""
        async with self._turn:
            while self._waiting and self._error is None:
                try:
                    await self._in_thread(lambda: None)
                except Conflict as conflict:
                    self._failure = conflict
                except (LedgerError, Busy) as error:
                    self.interrupted(error)
                except (RuntimeError, MemoryError) as error:  # a thread that cannot be started, no memory
                    self._fail(error)
                    return

    def _fail(self, error: Exception) -> None:
        """End the run: whoever waits for what cannot be written would wait for ever."""
        self._failure = error
        for entry in self._waiting:
            entry.fail(error)

    async def _in_thread(self, work: Callable[[], T]) -> T:
        """Write what waits now, then do some work, both in the writer's thread. Needs the turn."""
        batch = _Batch(self, tuple(self._waiting))

        def together() -> T:
            batch.write()
            return work()

        self._began = asyncio.get_running_loop().time()
        try:
            result = await self._asked(together)
        finally:
            self._began = math.inf
            batch.forget()
        self._wrote()
        return result

    def _wrote(self) -> None:
        self._away_since = None
        if self._is_away:
            self._is_away = False
            self._on_waiting("")

    def interrupted(self, error: Exception) -> None:
        """Note that the ledger cannot be written or read now."""
        if self._error is None:
            self._error = error
            if not self._is_away:
                self._is_away = True
                self._on_waiting(f"waiting for the ledger: {error}")
            for entry in self._waiting:
                self._spool.add(entry.pending)
                entry.is_safe()

    def answer(self, call: str) -> Verdict | None:
        """The answer to a call that waits to be written, if any."""
        return self._answers.get(call)

    def known(self, key: str) -> Verdict | None:
        """The answer to a question that waits to be written, by the key of the verdict cache, if any."""
        return self._known.get(key)

    def turn(self, call: str, number: int) -> DebateTurn | None:
        """The turn of a debate that waits to be written, if any."""
        turns = (entry.pending.turn for entry in self._waiting if isinstance(entry.pending, PendingTurn))
        return next((turn for turn in turns if (turn.call, turn.number) == (call, number)), None)

    async def call(self, work: Callable[[], T], then: Callable[[T], None] = _ignored) -> T:
        """Do some work with the ledger in the writer's thread, after all that waits; it is repeated after an outage.

        Args:
            work: The work.
            then: Called with its result before anybody else works with the ledger; see ``still``.

        Raises:
            GateClosed: If the gate is closed during an outage, or the ledger does not come back in time.
            Conflict: If the ledger holds another answer to a call that was written before.
        """
        while True:
            await self.ready()
            async with self._turn:
                if self._error is not None:
                    continue
                self._raise_failure()
                try:
                    result = await self._in_thread(work)
                except (LedgerError, Busy) as error:
                    if not is_temporary(error):
                        raise
                    self.interrupted(error)
                else:
                    then(result)
                    return result

    @asynccontextmanager
    async def still(self) -> AsyncIterator[None]:
        """Nothing is written during the block, and all that was written is known."""
        async with self._turn:
            yield

    async def look(self, work: Callable[[], T]) -> T:
        """Do some work that reads the ledger, here; it is repeated after an outage.

        Raises:
            GateClosed: If the gate is closed during an outage, or the ledger does not come back in time.
        """
        while True:
            await self.ready()
            try:
                return work()
            except (LedgerError, Busy) as error:
                if not is_temporary(error):
                    raise
                self.interrupted(error)

    async def ready(self) -> None:
        """Return once the ledger can be written.

        Raises:
            GateClosed: If the gate is closed meanwhile, or the ledger does not come back in time.
        """
        clock = asyncio.get_running_loop().time
        if self._error is None and clock() - self._began < _STALLED:
            return
        async with self._turn:  # which a transaction that hangs holds until it is over
            if self._error is None:
                return
            self._away_since = clock() if self._away_since is None else self._away_since
            deadline, wait = self._away_since + self._patience, _FIRST_WAIT
            if clock() > deadline:  # read in the meantime and not written, as on a disk that is full
                self._give_up()
            while self._error is not None:
                if self.failed:
                    raise GateClosed(self._gate.reason)
                await self._gate.sleep(wait)
                if not await self._recovered() and (clock() > deadline or not is_temporary(self._error)):
                    self._give_up()
                wait = min(2.0 * wait, _LONGEST_WAIT)

    async def flushed(self) -> bool:
        """Whether all that waited could be written now; the spool is then gone.

        Raises:
            Conflict: If the ledger holds another answer to a call that was written before.
        """
        async with self._turn:
            flushed = await self._recovered()
        self._raise_failure()
        return flushed

    async def _recovered(self) -> bool:
        """Whether all that waits could be written. Needs the turn."""
        was_away = self._error is not None
        try:
            if was_away:  # with nothing to write, only this shows that the server is back
                await self._asked(lambda: self.ledger.pools.version(self.tournament))
            while self._waiting:  # answers in flight arrive meanwhile
                await self._in_thread(lambda: None)
        except Conflict as conflict:
            self._failure = conflict
            return await self._recovered()
        except (LedgerError, Busy) as error:
            if not was_away:
                self.interrupted(error)
            self._error = error
            return False
        if was_away:
            self._error = None
            self._spool.clear()
            self._on_recovered()
        return True

    async def _asked(self, work: Callable[[], T]) -> T:
        context = copy_context()  # with the trace of whoever waits for it
        return await asyncio.get_running_loop().run_in_executor(self._thread, context.run, work)

    def close(self) -> None:
        """End the writer's thread. After an error that ended the run, what still waits is written first."""
        self._thread.shutdown()
        if self._waiting and self._error is None:
            with suppress(Conflict):  # the run has failed already, for another reason
                self._write_here()

    def _give_up(self) -> None:
        self.failed = True
        self._gate.close(self.complaint)
        raise GateClosed(self._gate.reason)

    @property
    def complaint(self) -> str:
        """Why the run cannot go on, and where its answers wait."""
        paths = " and ".join(map(str, self._spool.paths))
        if paths:
            return f"{self._error}; what was answered meanwhile waits in {paths}, and the next run takes it in"
        lost = f"; {len(self._waiting)} answers could be kept nowhere" if self._waiting else ""
        return f"{self._error}{lost}"

    def around(self, judge: Judge) -> Judge:
        """The judge; it is asked nothing while the ledger cannot be written.

        Put it around the cache, whose look-ups are repeated, and around each call, so that one that waits for its turn
        is held back too.
        """
        return _Waiting(judge, self)


@dataclass(eq=False, slots=True)
class _Entry:
    """An entry that waits.

    Attributes:
        pending: The entry.
        then: Called once it is safe.
        safe: Ends then; None without an event loop.
        tried: Whether it may have been written, though nobody said so.
    """

    pending: Pending
    then: Callable[[], None]
    safe: "asyncio.Future[None] | None"
    tried: bool = False
    _is_safe: bool = False

    @property
    def is_alone(self) -> bool:
        """Whether it needs a transaction of its own: an event tried before is recognised as the last one."""
        return isinstance(self.pending, PendingEvent)

    def is_safe(self) -> None:
        """Say that it is; in the event loop."""
        if self._is_safe:
            return
        self._is_safe = True
        self.then()
        if self.safe is not None and not self.safe.done():
            self.safe.set_result(None)

    def fail(self, error: Exception) -> None:
        """Say that it will not be; in the event loop."""
        if self.safe is not None and not self.safe.done():
            self.safe.set_exception(error)
            self.safe.exception()  # nobody may wait for it


class _Batch:
    """Entries that are written in order by a thread, answers and turns together, while further ones join the queue.

    Args:
        writer: The queue's owner.
        entries: The first entries of its queue.
    """

    def __init__(self, writer: LedgerWriter, entries: tuple[_Entry, ...]) -> None:
        self._writer = writer
        self._entries = entries
        self._written = 0
        self._left_out: list[str] = []

    def write(self) -> None:
        """Write them, in any thread.

        Raises:
            Conflict: If an entry that cannot have been written before contradicts the ledger; it is left out.
        """
        # A write whose connection broke may have been committed. Until it is known to be, each attempt after the first
        # says ``again``, so that the ledger takes an equal entry that it has already for this one.
        for (tried, alone), run in groupby(self._entries, key=lambda entry: (entry.tried, entry.is_alone)):
            entries = list(run)
            if tried or alone or len(entries) == 1 or is_traced():  # a trace shows each write by itself
                for entry in entries:
                    self._write_alone(entry)
            else:
                self._write_together(entries)

    def _write_alone(self, entry: "_Entry") -> None:
        again, entry.tried = entry.tried, True
        writer = self._writer
        self._settle(
            lambda: entry.pending.record(writer.ledger.tournaments, writer.tournament, again=again), again=again
        )

    def _write_together(self, entries: Sequence["_Entry"]) -> None:
        """Write several in one transaction."""
        writer = self._writer
        futures = []
        for entry in entries:
            if not isinstance(entry.pending, PendingEvent):
                entry.tried = True
                futures.append(entry.pending.submit(writer.ledger, writer.tournament))
        writer.ledger.threads.wait(futures)  # until all are over, whatever became of the first
        for future in futures:
            self._settle(future.result, again=False)

    def _settle(self, write: Callable[[], object], *, again: bool) -> None:
        """Write, or find out what was written, and take a conflict as what it is."""
        try:
            write()
        except Conflict as conflict:
            if self._writer._error is None and not again:
                self._written += 1
                raise
            self._left_out.append(f"an answer that waited was left out: {conflict}")
        self._written += 1

    def forget(self) -> None:
        """Take what was written out of the queue; in the event loop."""
        for entry in self._entries[: self._written]:
            if not self._writer._waiting or self._writer._waiting[0] is not entry:
                continue  # a run that was broken off has written what waited once more
            self._writer._waiting.popleft()
            if isinstance(entry.pending, PendingVerdict):
                self._writer._answers.pop(entry.pending.answer.call, None)
                self._writer._known.pop(entry.pending.key or "", None)
            entry.is_safe()
        for words in self._left_out:
            self._writer._on_waiting(words)


def _has_loop() -> bool:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True


class _Waiting(Wrapper):
    def __init__(self, judge: Judge, writer: LedgerWriter) -> None:
        super().__init__(judge)
        self._writer = writer

    async def compare(self, question: Question) -> Verdict:
        """The answer. If the ledger fails while it is searched for an earlier answer, it is searched again."""
        while True:
            await self._writer.ready()
            try:
                return await self._judge.compare(question)
            except (LedgerError, Busy) as error:
                if not is_temporary(error):
                    raise
                self._writer.interrupted(error)
