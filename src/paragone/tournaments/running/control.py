"""Control of a run: how it is stopped, and how often slow work is repeated."""

import asyncio
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass

from paragone.domain import Question, Verdict
from paragone.judges.base import Judge, Wrapper
from paragone.tournaments.state import State


class GateClosed(Exception):
    """The gate is closed: the question was not asked, or its answer was not waited for."""


class Gate:
    """Lets questions through until it is closed. Questions already asked are still answered, unless abandoned.

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
        """Stop asking; the first reason is kept."""
        self.reason = self.reason or reason
        self._wake(self._closing)

    def abandon(self) -> None:
        """Also stop waiting for answers in flight; their cost is lost."""
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
            raise GateClosed(self.reason)

    def guard(self, judge: Judge) -> Judge:
        """The judge behind this gate."""
        return _Guarded(judge, self)

    async def waiting_for(self, judge: Judge, question: Question) -> Verdict:
        """The judge's answer, unless the gate is closed before or abandoned meanwhile.

        Raises:
            Closed: If it is.
        """
        if self.closed:
            raise GateClosed(self.reason)
        self._loop = asyncio.get_running_loop()
        answer = asyncio.ensure_future(judge.compare(question))
        leaving = asyncio.ensure_future(self._abandoned.wait())
        try:
            await asyncio.wait({answer, leaving}, return_when=asyncio.FIRST_COMPLETED)
            if not answer.done() or (self.abandoned and answer.exception() is not None):
                raise GateClosed(self.reason)  # a person who quits leaves the question as if it had not been asked
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


@dataclass(frozen=True, kw_only=True, slots=True)
class Stop:
    """Why a run ended.

    Attributes:
        reason: In words.
        finished: Whether the tournament is over; otherwise ``resume`` goes on with it.
        failed: Whether something broke, rather than somebody asking for the stop.
        misuse: Whether what broke was asked for wrongly: the key is refused, or there is no such model.
        paused: Whether the run did all that was asked of it, though the tournament is not over: a session has so many
            rounds.
        hint: What may help whoever watches and is not kept: the last words of a program that judged.
    """

    reason: str
    finished: bool
    failed: bool = False
    misuse: bool = False
    paused: bool = False
    hint: str = ""


def session_over(state: State) -> str:
    """That a session is over, and how to go on; else empty. A run that was killed ends where it would have."""
    system, played = state.settings.system, len(state.rounds)
    if system is None or not played or played % system.scheduling.rounds_per_session:
        return ""
    return f"a session is over, {played} rounds were played so far"


class Throttle:
    """Limits slow recurring work to a small share of the total time.

    Args:
        share: The share of the time that it may take.
        clock: Seconds that never go back.
    """

    def __init__(self, share: float = 0.05, clock: Callable[[], float] = time.monotonic) -> None:
        self._share = share
        self._clock = clock
        self._took = 0.2  # a guess, until the first time
        self._last = clock()

    @property
    def due(self) -> bool:
        """Whether enough time has passed since the last time."""
        return self._clock() - self._last >= self._took / self._share

    @contextmanager
    def timed(self) -> Iterator[None]:
        """Measure one execution."""
        start = self._clock()
        yield
        self._last = self._clock()
        self._took = self._last - start
