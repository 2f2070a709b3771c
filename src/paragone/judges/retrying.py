"""A call that failed is made again, after a while."""

import asyncio
import random
from collections.abc import Awaitable, Callable

from paragone.domain import Question, Verdict
from paragone.errors import InvalidConfig, JudgeFailed
from paragone.judges.base import Judge
from paragone.judges.wrapper import Wrapper


class Retrying(Wrapper):
    """Asks again after a failure, with waits that double and are blurred by chance.

    A failure that says that asking again is of no use is passed on at once. Where the other side said how long to wait,
    the wait is at least that; where that is longer than ``longest_wait``, the failure is passed on instead.
    Verdicts and failures say what their own attempt took: `Accounted`, inside, hears of every attempt.
    """

    def __init__(
        self,
        judge: Judge,
        attempts: int = 3,
        *,
        first_wait: float = 0.5,
        longest_wait: float = 60.0,
        chance: random.Random | None = None,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        """Wrap a judge.

        Args:
            judge: The judge inside.
            attempts: Calls at the most for one question, at least 1.
            first_wait: Seconds before the second call, at the most; each further wait is up to twice the one before.
            longest_wait: Seconds that no wait exceeds.
            chance: Blurs the waits, so that calls that failed together do not return together.
            sleep: How to wait.

        Raises:
            InvalidConfig: If a number is out of its range.
        """
        super().__init__(judge)
        if attempts < 1:
            raise InvalidConfig(f"attempts must be at least 1, not {attempts}")
        if first_wait < 0 or longest_wait < 0:
            raise InvalidConfig("waits must not be negative")
        self._attempts = attempts
        self._first_wait = first_wait
        self._longest_wait = longest_wait
        self._chance = random.Random() if chance is None else chance  # noqa: S311  # waits need no secrecy
        self._sleep = sleep

    async def compare(self, question: Question) -> Verdict:
        """Answer one comparison, asking again where that may help.

        Raises:
            JudgeFailed: If the last attempt failed, or an earlier one in a way that asking again does not mend.
        """
        attempt = 1
        while True:
            try:
                return await self._judge.compare(question)
            except JudgeFailed as failure:
                wait = self._wait(attempt, failure)
                if wait is None:
                    raise
            attempt += 1
            await self._sleep(wait)

    def _wait(self, attempt: int, failure: JudgeFailed) -> float | None:
        """Seconds until the next attempt; None where there is to be none."""
        if attempt == self._attempts or not failure.retryable:
            return None
        asked = failure.retry_after or 0.0
        if asked > self._longest_wait:
            return None
        doubled = self._first_wait * 2.0 ** (attempt - 1) * (0.5 + self._chance.random() / 2.0)
        return max(asked, min(doubled, self._longest_wait))
