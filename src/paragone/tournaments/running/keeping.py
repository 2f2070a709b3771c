"""Writing to the ledger during a run, also through a full disk or the restart of a server.

An answer is paid for once it is there, so nothing that arrives may be lost. What cannot be written waits in memory and
in a spool file, in its order; nothing more is asked or planned until it is written. Every write may be made again:
who does not know whether the first one was kept writes the same once more, and nothing is there twice.
"""

import asyncio
import time
from collections import deque
from collections.abc import Callable
from typing import TypeVar

from paragone.domain import DebateTurn, Question, Verdict
from paragone.errors import Busy, Conflict, LedgerError, Unwritable
from paragone.judges.base import Judge
from paragone.judges.wrapper import Wrapper
from paragone.ledger import Ledger, Pending, PendingTurn, PendingVerdict
from paragone.tournaments.running.gate import Closed, Gate
from paragone.tournaments.running.spool import Spool

T = TypeVar("T")

_FIRST_WAIT, _LONGEST_WAIT = 0.1, 5.0
"""Seconds between two tries; they double from the one to the other."""


def may_pass(error: Exception) -> bool:
    """Whether the same again may work a little later."""
    return isinstance(error, Busy) or (isinstance(error, Unwritable) and error.temporary)


class Keeper:
    """Writes what a run brings; while the ledger cannot be written, keeps it and waits.

    Args:
        ledger: The ledger.
        tournament: Whose run it is.
        spool: Where things wait besides memory.
        gate: Closed where waiting comes to nothing.
        patience: Seconds to wait for the ledger, each time.
        told: Told what is waited for, in words; of nothing, when it is over.
        back: Called when the ledger can be written again.

    Attributes:
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
        told: Callable[[str], None],
        back: Callable[[], None] = lambda: None,
    ) -> None:
        self.failed = False
        self._ledger = ledger
        self._tournament = tournament
        self._spool = spool
        self._gate = gate
        self._patience = patience
        self._told = told
        self._back = back
        self._waiting: deque[Pending] = deque()
        self._error: Exception | None = None  # why the ledger cannot be written; None while it can
        self._tried = False  # whether the first that waits may have been written, though nobody said so
        self._turn = asyncio.Lock()

    def write(self, waiting: Pending) -> None:
        """Write something, or have it wait.

        Raises:
            Conflict: If the ledger holds another answer to that call.
        """
        if self._error is None:
            try:
                waiting.record(self._ledger.tournaments, self._tournament)
            except Conflict:
                raise
            except (LedgerError, Busy) as error:
                self._tried = True
                self.interrupted(error)
            else:
                return
        self._waiting.append(waiting)
        self._spool.add(waiting)

    def interrupted(self, error: Exception) -> None:
        """Take note that the ledger cannot be written or read now."""
        if self._error is None:
            self._error = error
            self._told(f"waiting for the ledger: {error}")

    def answer(self, call: str) -> Verdict | None:
        """The answer to a call that waits; None where none does."""
        held = (entry.answer for entry in self._waiting if isinstance(entry, PendingVerdict))
        return next((one.verdict for one in held if one.call == call and one.verdict.choice.is_answer), None)

    def turn(self, call: str, number: int) -> DebateTurn | None:
        """The turn of a debate that waits; None where none does."""
        held = (entry.turn for entry in self._waiting if isinstance(entry, PendingTurn))
        return next((turn for turn in held if (turn.call, turn.number) == (call, number)), None)

    async def call(self, work: Callable[[], T]) -> T:
        """What some work with the ledger returns, which may be done again; once all that waits is written.

        Raises:
            Closed: If the gate is closed while it waits, or the ledger does not come back in time.
        """
        while True:
            await self.ready()
            try:
                return work()
            except (LedgerError, Busy) as error:
                if not may_pass(error):
                    raise
                self.interrupted(error)

    async def ready(self) -> None:
        """Return once the ledger can be written and nothing waits.

        Raises:
            Closed: If the gate is closed meanwhile, or the ledger does not come back in time.
        """
        if self._error is None:
            return
        async with self._turn:
            deadline, wait = time.monotonic() + self._patience, _FIRST_WAIT
            while self._error is not None:
                if self.failed:
                    raise Closed(self._gate.reason)
                await self._gate.sleep(wait)
                if not await self.flushed() and (time.monotonic() > deadline or not may_pass(self._error)):
                    self._give_up()
                wait = min(2.0 * wait, _LONGEST_WAIT)

    async def flushed(self) -> bool:
        """Whether all that waited could be written now; the spool is then gone."""
        if self._error is None:
            return True
        try:
            await asyncio.to_thread(self._flush)
            while self._waiting:  # what arrived since
                await asyncio.to_thread(self._flush)
        except (LedgerError, Busy) as error:
            self._error = error
            return False
        self._error = None
        self._spool.clear()
        self._back()
        self._told("")
        return True

    def _flush(self) -> None:
        self._ledger.pools.version(self._tournament)  # what only waits to read would otherwise take a server for back
        while self._waiting:
            self._flush_one()

    def _flush_one(self) -> None:
        again, self._tried = self._tried, True
        try:
            self._waiting[0].record(self._ledger.tournaments, self._tournament, again=again)
        except Conflict as error:
            self._told(f"an answer that waited was left out: {error}")
        self._waiting.popleft()
        self._tried = False

    def _give_up(self) -> None:
        self.failed = True
        self._gate.close(self.complaint)
        raise Closed(self._gate.reason)

    @property
    def complaint(self) -> str:
        """Why the run cannot go on, and where its answers wait."""
        paths = " and ".join(map(str, self._spool.paths))
        if paths:
            return f"{self._error}; what was answered meanwhile waits in {paths}, and the next run takes it in"
        lost = f"; {len(self._waiting)} answers could be kept nowhere" if self._waiting else ""
        return f"{self._error}{lost}"

    def around(self, judge: Judge) -> Judge:
        """The judge, which is asked nothing while the ledger cannot be written."""
        return _Kept(judge, self)


class _Kept(Wrapper):
    def __init__(self, judge: Judge, keeper: Keeper) -> None:
        super().__init__(judge)
        self._keeper = keeper

    async def compare(self, question: Question) -> Verdict:
        """The answer. Where the ledger went away before it could say whether there was one, it is looked for again."""
        while True:
            await self._keeper.ready()
            try:
                return await self._judge.compare(question)
            except (LedgerError, Busy) as error:
                if not may_pass(error):
                    raise
                self._keeper.interrupted(error)
