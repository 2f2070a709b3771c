"""How a run is stopped without losing what is under way."""

import asyncio
from contextlib import suppress

from paragone.domain import Question, Verdict
from paragone.judges.base import Judge
from paragone.judges.wrapper import Wrapper


class Closed(Exception):
    """The gate is closed: the question was not asked, or its answer was not waited for."""


class Gate:
    """Lets questions through until it is closed; the ones already asked are still answered, unless abandoned.

    Both ways of stopping may be called from a signal handler or from another thread.

    Attributes:
        reason: Why it was closed; empty while it is open.
    """

    def __init__(self) -> None:
        self.reason = ""
        self._abandoned = asyncio.Event()
        self._closing = asyncio.Event()
        self._loop: asyncio.AbstractEventLoop | None = None

    @property
    def closed(self) -> bool:
        return bool(self.reason)

    @property
    def abandoned(self) -> bool:
        return self._abandoned.is_set()

    def close(self, reason: str) -> None:
        """Ask nothing more; the first reason stays."""
        self.reason = self.reason or reason
        self._wake(self._closing)

    def abandon(self) -> None:
        """Do not wait for the answers under way either: what they cost is lost."""
        self.close("interrupted")
        self._wake(self._abandoned)

    def _wake(self, event: asyncio.Event) -> None:
        if self._loop is not None:
            self._loop.call_soon_threadsafe(event.set)  # a loop that waits for an answer would not look

    async def sleep(self, seconds: float) -> None:
        """Wait before a call, unless the gate is closed meanwhile.

        Raises:
            Closed: If it is.
        """
        self._loop = asyncio.get_running_loop()
        if not self.closed:
            with suppress(TimeoutError):
                await asyncio.wait_for(self._closing.wait(), seconds)
        if self.closed:
            raise Closed(self.reason)

    def guard(self, judge: Judge) -> Judge:
        """The judge behind this gate."""
        return _Guarded(judge, self)

    async def waiting_for(self, judge: Judge, question: Question) -> Verdict:
        """The judge's answer, unless the gate is closed before or abandoned meanwhile.

        Raises:
            Closed: If it is.
        """
        if self.closed:
            raise Closed(self.reason)
        self._loop = asyncio.get_running_loop()
        answer = asyncio.ensure_future(judge.compare(question))
        leaving = asyncio.ensure_future(self._abandoned.wait())
        try:
            await asyncio.wait({answer, leaving}, return_when=asyncio.FIRST_COMPLETED)
            if not answer.done() or (self.abandoned and answer.exception() is not None):
                raise Closed(self.reason)  # a person who quits leaves the question as if it had not been asked
            return answer.result()
        finally:
            answer.cancel()
            leaving.cancel()


class _Guarded(Wrapper):
    def __init__(self, judge: Judge, gate: Gate) -> None:
        super().__init__(judge)
        self._gate = gate

    async def compare(self, question: Question) -> Verdict:
        return await self._gate.waiting_for(self._judge, question)
