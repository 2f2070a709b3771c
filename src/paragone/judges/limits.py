"""Calls in flight and calls per minute, limited."""

import asyncio
import math
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import replace

from paragone.domain import Question, Verdict
from paragone.errors import InvalidConfig
from paragone.judges.base import Judge, JudgeCard, Wrapper


class Slots:
    """A limit on how much goes on at once, with a queue that lets urgent ones pass first.

    Args:
        count: How many there are; None for no limit.

    Attributes:
        held: How many are held now.
    """

    def __init__(self, count: int | None) -> None:
        self.held = 0
        self._free = math.inf if count is None else count
        self._waiting: deque[asyncio.Future[None]] = deque()

    @asynccontextmanager
    async def slot(self, *, urgent: bool = False) -> AsyncIterator[None]:
        """Hold a slot during the block."""
        if self._free > 0:
            self._free -= 1
        else:
            await self._turn(urgent=urgent)
        self.held += 1
        try:
            yield
        finally:
            self.held -= 1
            self._release()

    async def _turn(self, *, urgent: bool) -> None:
        turn = asyncio.get_running_loop().create_future()
        (self._waiting.appendleft if urgent else self._waiting.append)(turn)
        try:
            await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled():
                self._release()  # it was handed over just now
            with suppress(ValueError):
                self._waiting.remove(turn)
            raise

    def _release(self) -> None:
        while self._waiting:
            turn = self._waiting.popleft()
            if not turn.done():
                turn.set_result(None)  # the slot is handed over, so nobody can come in between
                return
        self._free += 1


class Limited(Wrapper):
    """Limits calls in flight, and spaces their starts evenly."""

    def __init__(
        self,
        judge: Judge,
        concurrency: int | None = None,
        per_minute: float | None = None,
        *,
        clock: Callable[[], float] | None = None,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        """Wrap a judge.

        Args:
            judge: The judge inside; the limit on its own card holds too.
            concurrency: Calls at once at the most; None for no limit beyond the card's.
            per_minute: Calls started a minute at the most; None for no limit.
            clock: Seconds from any origin; the event loop's by default.
            sleep: How to wait.

        Raises:
            InvalidConfig: If a limit is not positive.
        """
        super().__init__(judge)
        if concurrency is not None and concurrency < 1:
            raise InvalidConfig(f"concurrency must be at least 1, not {concurrency}")
        if per_minute is not None and per_minute <= 0:
            raise InvalidConfig(f"the rate a minute must be positive, not {per_minute}")
        limits = [limit for limit in (judge.card.concurrency, concurrency) if limit is not None]
        self._card = replace(judge.card, concurrency=min(limits, default=None))
        self._slots = Slots(self._card.concurrency)
        self._spacing = 0.0 if per_minute is None else 60.0 / per_minute
        self._next_start = float("-inf")
        self._clock = clock
        self._sleep = sleep

    @property
    def card(self) -> JudgeCard:
        """The card of the judge inside with the smaller of the two limits."""
        return self._card

    async def compare(self, question: Question) -> Verdict:
        """Answer one comparison when its turn has come.

        Raises:
            JudgeFailed: If the judge inside failed.
        """
        async with self.slot():
            return await self._judge.compare(question)

    @property
    def inside(self) -> Judge:
        """The judge inside, without the limits."""
        return self._judge

    @asynccontextmanager
    async def slot(self, *, urgent: bool = False) -> AsyncIterator[None]:
        """Hold one of the calls at once during the block, which begins when its turn has come.

        Args:
            urgent: Whether it passes calls that wait.
        """
        async with self._slots.slot(urgent=urgent):
            await self.turn()
            yield

    async def turn(self) -> None:
        """Wait until a call may start by the rate."""
        if not self._spacing:
            return
        now = asyncio.get_running_loop().time() if self._clock is None else self._clock()
        start = max(now, self._next_start)
        self._next_start = start + self._spacing
        if start > now:
            await self._sleep(start - now)
