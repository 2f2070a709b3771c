"""A call that failed is made again, after a while."""

import asyncio
import random
from collections.abc import Awaitable, Callable
from dataclasses import replace

from paragone.domain import Question, Usage, Verdict
from paragone.errors import InvalidConfig, JudgeFailed
from paragone.judges.base import Judge
from paragone.judges.wrapper import Wrapper


class Retrying(Wrapper):
    """Asks again after a failure, with waits that double and are blurred by chance.

    A failure that says that asking again is of no use is passed on at once. Where the other side said how long to wait,
    the wait is at least that; where that is longer than ``longest_wait``, the failure is passed on instead.
    The usage of the verdict counts every call made with what it took, and so does the failure that is passed on. Where
    a question that has failed and was paid for is given up for another reason (a budget, a stop, the time of a match),
    ``lost`` is told what it took.
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
        lost: Callable[[Question, JudgeFailed], None] = lambda question, failure: None,  # noqa: ARG005
    ) -> None:
        """Wrap a judge.

        Args:
            judge: The judge inside.
            attempts: Calls at the most for one question, at least 1.
            first_wait: Seconds before the second call, at the most; each further wait is up to twice the one before.
            longest_wait: Seconds that no wait exceeds.
            chance: Blurs the waits, so that calls that failed together do not return together.
            sleep: How to wait.
            lost: Told of failures that nobody else will hear of, and that took something.

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
        self._lost = lost

    async def compare(self, question: Question) -> Verdict:
        """Answer one comparison, asking again where that may help.

        Raises:
            JudgeFailed: If the last attempt failed, or an earlier one in a way that asking again does not mend.
        """
        unheard: list[JudgeFailed] = []
        try:
            return await self._answer(question, unheard)
        finally:
            for failure in unheard:
                if any(failure.tokens or ()) or failure.cost:
                    self._lost(question, failure)

    async def _answer(self, question: Question, unheard: list[JudgeFailed]) -> Verdict:
        """The answer, or the last failure; ``unheard`` holds the failures so far, as one, for as long as it lasts."""
        attempt = 1
        while True:
            try:
                verdict = await self._judge.compare(question)
            except JudgeFailed as failure:
                while unheard:
                    failure.add(unheard.pop())
                wait = self._wait(attempt, failure)
                if wait is None:
                    raise
                unheard.append(failure)
            else:
                return replace(verdict, usage=_with(verdict.usage, unheard.pop())) if unheard else verdict
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


def _with(usage: Usage, failure: JudgeFailed) -> Usage:
    """What an answer took together with the failures before it."""
    sent, received = failure.tokens or (0, 0)
    return replace(
        usage,
        calls=usage.calls + failure.attempts,
        input_tokens=usage.input_tokens + sent,
        output_tokens=usage.output_tokens + received,
        cost=None if usage.cost is None else usage.cost + (failure.cost or 0.0),
    )
