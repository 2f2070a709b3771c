"""Do in one go what many ask for at once: while a thread works, what comes meanwhile is the next batch."""

import asyncio
from collections.abc import Callable, Sequence
from typing import Any, Generic, TypeVar

from paragone.errors import Busy, LedgerError
from paragone.tournaments.running.recording import is_temporary

Entry = TypeVar("Entry")
Result = TypeVar("Result")

FIRST_PAUSE, LONGEST_PAUSE = 0.1, 2.0
"""Seconds between two attempts while the ledger is away: they double from the first to the longest."""


class BatchRunner(Generic[Entry, Result]):
    """Runs a function on batches, in a thread and one batch after the other; tried again while the ledger is away.

    Args:
        work: Gets what waits, and returns a result for each. It may be called again with the same after an error.
    """

    def __init__(self, work: Callable[[Sequence[Entry]], Sequence[Result]]) -> None:
        self._work = work
        self._waiting: list[tuple[Entry, asyncio.Future[Result]]] = []
        self._task: asyncio.Task[None] | None = None

    def add(self, entry: Entry) -> "asyncio.Future[Result]":
        """Have an entry worked on; the future is completed with its result."""
        future: asyncio.Future[Result] = asyncio.get_running_loop().create_future()
        self._waiting.append((entry, future))
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._run())
        return future

    async def finished(self) -> None:
        """Wait until nothing is left to do."""
        while self._task is not None and not self._task.done():
            await asyncio.wait([self._task])

    async def _run(self) -> None:
        while self._waiting:
            await asyncio.sleep(0)  # what is asked for in the same turn of the loop belongs together
            batch, self._waiting = self._waiting, []
            entries = [entry for entry, _ in batch]
            (results,) = await asyncio.gather(self._worked(entries), return_exceptions=True)
            for index, (_, future) in enumerate(batch):
                if future.done():
                    continue
                if isinstance(results, BaseException):
                    future.set_exception(results)
                else:
                    future.set_result(results[index])

    async def _worked(self, entries: Sequence[Entry]) -> Sequence[Result]:
        return await patiently(lambda: self._work(entries))


async def patiently(work: Callable[[], Result]) -> Result:
    """Do some work with the ledger in a thread; while the ledger is away, wait and do it again."""
    pause = FIRST_PAUSE
    while True:
        try:
            return await asyncio.to_thread(work)
        except (LedgerError, Busy) as error:
            if not is_temporary(error):
                raise
        await asyncio.sleep(pause)
        pause = min(2.0 * pause, LONGEST_PAUSE)


async def ended(tasks: Sequence["asyncio.Task[Any]"]) -> None:
    """Cancel tasks, and again until they have ended.

    Where a connection breaks while a task that is cancelled gives it back, that error takes the place of the
    cancellation, and a task that outlasts such errors would go on for ever.
    """
    while going := [task for task in tasks if not task.done()]:
        for task in going:
            task.cancel()
        await asyncio.wait(going, timeout=LONGEST_PAUSE)
