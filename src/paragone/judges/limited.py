"""Not too many calls at once, and not too many a minute."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager, nullcontext
from dataclasses import replace

from paragone.domain import Question, Verdict
from paragone.errors import InvalidConfig
from paragone.judges.base import Judge, JudgeCard
from paragone.judges.wrapper import Wrapper


class Limited(Wrapper):
    """Lets so many calls through at once, and starts them evenly spaced through the minute."""

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
        self._slots: AbstractAsyncContextManager[object] = (
            nullcontext() if self._card.concurrency is None else asyncio.Semaphore(self._card.concurrency)
        )
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
        async with self._slots:
            if self._spacing:
                await self._turn()
            return await self._judge.compare(question)

    async def _turn(self) -> None:
        now = asyncio.get_running_loop().time() if self._clock is None else self._clock()
        start = max(now, self._next_start)
        self._next_start = start + self._spacing
        if start > now:
            await self._sleep(start - now)
