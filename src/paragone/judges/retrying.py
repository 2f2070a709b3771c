"""A call that fails or takes too long: timeout, retries, what a lost attempt took, and the verdict of a failure."""

import asyncio
import random
from collections.abc import Awaitable, Callable

from paragone.domain import Choice, Question, Usage, Verdict
from paragone.errors import InvalidConfig, JudgeFailed
from paragone.judges.base import Judge, JudgeCard, Wrapper
from paragone.judges.call_options import ATTEMPTS, FIRST_WAIT


class Settled(Wrapper):
    """The outermost wrapper: turns failures into verdicts whose choice is FAILED.

    A spent budget, an interrupt and a cancellation are not the judge's failures and pass through.
    """

    def __init__(self, judge: Judge, on_failure: Callable[[JudgeFailed], None] = lambda failure: None) -> None:  # noqa: ARG005
        """Wrap a judge.

        Args:
            judge: The judge inside.
            on_failure: Called with each failure as raised; the verdict lacks its hint.
        """
        super().__init__(judge)
        self._on_failure = on_failure

    async def compare(self, question: Question) -> Verdict:
        """Answer one comparison; where there was no answer, the choice is FAILED and ``error`` says why."""
        try:
            return await self._judge.compare(question)
        except JudgeFailed as failure:
            self._on_failure(failure)
            return failed(self.card, question, failure)


def failed(card: JudgeCard, question: Question, failure: JudgeFailed) -> Verdict:
    """The verdict for a failure, with its usage as far as known."""
    sent, received = failure.tokens or (0, 0)
    answering = card.answering(question)
    cost = 0.0 if failure.tokens is not None and not sent + received else failure.cost  # nothing was charged
    return Verdict(
        choice=Choice.FAILED,
        judge=card.identity_for(question),
        prompt_hash=card.prompt_hash_for(question),
        usage=Usage(
            calls=failure.attempts if answering.sends else 0, input_tokens=sent, output_tokens=received, cost=cost
        ),
        error=str(failure),
    )


OnLost = Callable[[Question, Verdict], None]
"""Called with a question and the failed attempt at it, as a verdict."""


class Accounted(Wrapper):
    """Reports every failed attempt, and every attempt cut off while a model worked on it.

    Put it directly around a judge or an advocate, inside guard, limits and retries: it then reports those that were
    really asked, by their own identity, and nothing that was paid for is lost if the program dies before the next
    attempt.
    """

    def __init__(self, judge: Judge, on_lost: OnLost) -> None:
        """Wrap a judge.

        Args:
            judge: The judge inside.
            on_lost: Called with each attempt without an answer.
        """
        super().__init__(judge)
        self._on_lost = on_lost

    async def compare(self, question: Question) -> Verdict:
        """Answer one comparison.

        Raises:
            JudgeFailed: If there was no answer.
        """
        try:
            return await self._judge.compare(question)
        except JudgeFailed as failure:
            if failure.attempts:
                self._on_lost(question, failed(self.card, question, failure))
            raise
        except asyncio.CancelledError:
            if self.card.answering(question).sends:
                cut = JudgeFailed(f"{self.card.identity_for(question)} was cut off before it answered")
                self._on_lost(question, failed(self.card, question, cut))
            raise


_TIMEOUT_PHRASE = "gave no answer within"


class Timed(Wrapper):
    """Limits the time of a call; a person at the terminal has no limit, and a batch has its own."""

    def __init__(self, judge: Judge, seconds: float) -> None:
        """Wrap a judge.

        Args:
            judge: The judge inside.
            seconds: Seconds that a call may take.

        Raises:
            InvalidConfig: If ``seconds`` is not positive.
        """
        super().__init__(judge)
        if seconds <= 0:
            raise InvalidConfig(f"the timeout must be positive, not {seconds}")
        self._seconds = None if judge.card.untimed else seconds

    async def compare(self, question: Question) -> Verdict:
        """Answer one comparison in time.

        Raises:
            JudgeFailed: If the judge inside failed or took too long.
        """
        deadline = asyncio.timeout(self._seconds)
        try:
            async with deadline:
                return await self._judge.compare(question)
        except TimeoutError as error:
            if not deadline.expired():
                raise
            raise JudgeFailed(f"{self.card.identity_for(question)} {_TIMEOUT_PHRASE} {self._seconds} s") from error


def timed_out(verdict: Verdict) -> bool:
    """Whether a verdict is a timeout."""
    return verdict.choice is Choice.FAILED and _TIMEOUT_PHRASE in verdict.error


class Retrying(Wrapper):
    """Asks again after a failure, with exponential backoff and jitter.

    A failure that is not retryable is raised at once. The wait is at least what the endpoint asked for; if that is
    longer than ``longest_wait``, the failure is raised instead. Verdicts and failures carry the usage of their own
    attempt; `Accounted`, inside, sees every attempt.
    """

    def __init__(
        self,
        judge: Judge,
        attempts: int = ATTEMPTS,
        *,
        first_wait: float = FIRST_WAIT,
        longest_wait: float = 60.0,
        chance: random.Random | None = None,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        """Wrap a judge.

        Args:
            judge: The judge inside.
            attempts: The most calls for one question, at least 1.
            first_wait: The longest wait before the second call, in seconds; doubles for each further one.
            longest_wait: The longest wait, in seconds.
            chance: Source of jitter, so that calls that failed together do not return together.
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
            JudgeFailed: If the last attempt failed, or an earlier one is not retryable.
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
        requested = failure.retry_after or 0.0
        if requested > self._longest_wait:
            return None
        doubled = self._first_wait * 2.0 ** (attempt - 1) * (0.5 + self._chance.random() / 2.0)
        return max(requested, min(doubled, self._longest_wait))
