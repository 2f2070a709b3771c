"""Small wrappers around a judge: failures as verdicts, accounting, tracing, timeout, limits, retries, cache."""

import asyncio
import hashlib
import json
import math
import random
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import replace
from typing import Protocol
from weakref import WeakValueDictionary

from paragone.domain import Choice, DebateTurn, Question, Usage, Verdict
from paragone.errors import InvalidConfig, JudgeFailed
from paragone.judges.base import Judge, JudgeCard, Wrapper
from paragone.judges.call_options import ATTEMPTS, FIRST_WAIT
from paragone.tracing import is_traced, span


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


class Traced(Wrapper):
    """Traces each call; retries are spans of their own."""

    async def compare(self, question: Question) -> Verdict:
        """Answer one comparison.

        Raises:
            JudgeFailed: If there was no answer.
        """
        if not is_traced():
            return await self._judge.compare(question)
        attributes = {"paragone.call": question.call, "paragone.judge": self.card.identity_for(question)}
        with span("judge.call", attributes) as trace:
            try:
                verdict = await self._judge.compare(question)
            except JudgeFailed as failure:
                sent, received = failure.tokens or (None, None)
                trace.note(_taken(sent, received, failure.cost))
                raise
            usage = verdict.usage
            trace.note({"paragone.choice": verdict.choice.value})
            trace.note(_taken(usage.input_tokens, usage.output_tokens, usage.cost))
            return verdict


def _taken(sent: int | None, received: int | None, cost: float | None) -> dict[str, int | float | None]:
    return {"paragone.input_tokens": sent, "paragone.output_tokens": received, "paragone.cost": cost}


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


class Slots:
    """A limit on how much goes on at once, with a queue that lets urgent ones pass first.

    Args:
        count: How many there are; None for no limit.
    """

    def __init__(self, count: int | None) -> None:
        self._free = math.inf if count is None else count
        self._waiting: deque[asyncio.Future[None]] = deque()

    @asynccontextmanager
    async def slot(self, *, urgent: bool = False) -> AsyncIterator[None]:
        """Hold a slot during the block."""
        if self._free > 0:
            self._free -= 1
        else:
            await self._turn(urgent=urgent)
        try:
            yield
        finally:
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


class VerdictStore(Protocol):
    """Where verdicts are kept."""

    def find(self, question: Question, key: str) -> Verdict | Awaitable[Verdict | None] | None:
        """The verdict for a question, as it should be returned, at once or a little later; None where there is none."""
        ...

    def keep(self, question: Question, key: str, verdict: Verdict) -> Awaitable[None] | None:
        """Store an answer; what is returned, if anything, ends when it is safe."""
        ...


class MemoryVerdicts:
    """Verdicts in memory. Failures are not kept."""

    def __init__(self) -> None:
        self._verdicts: dict[str, Verdict] = {}

    def __len__(self) -> int:
        return len(self._verdicts)

    def find(self, question: Question, key: str) -> Verdict | None:  # noqa: ARG002  # the key says it all
        """The stored verdict, marked as cached and costing nothing."""
        verdict = self._verdicts.get(key)
        return None if verdict is None else replace(verdict, cached=True, usage=Usage(cost=0.0))

    def keep(self, question: Question, key: str, verdict: Verdict) -> None:  # noqa: ARG002
        """Keep it."""
        self._verdicts[key] = verdict


class Cached(Wrapper):
    """A cache: looks into a store before asking, and stores every answer but no failure.

    The same question put twice at once is asked once: the second waits and finds the answer in the store. A question
    counts as in progress until its answer is safe, so that a crash costs at most as many answers as the judge takes
    questions at once.
    """

    def __init__(self, judge: Judge, store: VerdictStore, concurrency: int | None = None) -> None:
        """Wrap a judge.

        Args:
            judge: The judge inside.
            store: Where answers are kept.
            concurrency: Questions in progress at once at the most; None for no limit.
        """
        super().__init__(judge)
        self._store = store
        self._slots = Slots(concurrency)
        self._asking: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    async def compare(self, question: Question) -> Verdict:
        """The verdict from the store, else from the judge inside.

        Raises:
            JudgeFailed: If the judge inside failed; nothing is kept then.
        """
        key = verdict_key(question, self.card)
        # The lock lives as long as somebody holds or awaits it; the dictionary alone keeps none.
        async with self._asking.setdefault(key, asyncio.Lock()):
            looked_up = self._store.find(question, key)
            cached = await looked_up if isinstance(looked_up, Awaitable) else looked_up
            if cached is not None:
                return cached
            async with self._slots.slot():
                verdict = await self._judge.compare(question)
                if verdict.choice.is_answer:
                    stored = self._store.keep(question, key, verdict)
                    if stored is not None:
                        await stored
                return verdict


def verdict_key(question: Question, card: JudgeCard) -> str:
    """SHA-256, in hexadecimal, of everything that a verdict depends on.

    It hashes one JSON array: the texts in their order of presentation (so AB and BA differ), the ids where the judge
    reads them, the criteria, the judge's identity and the protocol; for a debate also its length, the advocate, and
    the turns where they are part of the question; and the dossier, if there is one and the judge reads it.

    Source: the Swiss specification, "キャッシュキーの構造".
    """
    who = card.answering(question)
    parts: list[object] = [
        "paragone verdict 1",
        [item.content_hash for item in question.items],
        [item.id for item in question.items] if who.reads_ids else None,
        question.criteria,
        who.identity_for(question),
        question.protocol.value,
    ]
    if question.turns or question.transcript:
        turns = [[turn.speaker, turn.stage, turn.content, *_cited(turn)] for turn in question.transcript]
        parts.append([question.turns, "" if card.debates is None else card.debates.advocate, turns])
    dossier_counts = who.reads_dossier or question.turns  # an advocate may read what its judge does not
    if dossier_counts and question.dossier is not None and not question.dossier.is_empty:
        parts.append(["dossier", question.dossier.hash, who.dossier_hash])
    return hashlib.sha256(json.dumps(parts, separators=(",", ":")).encode("ascii")).hexdigest()


def _cited(turn: DebateTurn) -> list[list[str]]:
    return [list(turn.claims), list(turn.rebuttals), list(turn.evidence)]
