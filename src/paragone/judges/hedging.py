"""Send a call again that takes much longer than others do, and take the answer that comes first.

Source: J. Dean and L. A. Barroso, "The tail at scale", Communications of the ACM 56 (2013): hedged requests.
"""

import asyncio
import math
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass

from paragone.domain import Question, Verdict
from paragone.errors import BudgetSpent, JudgeFailed
from paragone.judges.base import JudgeCard, Wrapper, in_debate
from paragone.judges.limits import Limited

SLOWEST = 0.95
"""Quantile of the answers' times beyond which a call counts as slow."""
MARGIN = 1.5
"""Times that quantile after which a call is sent again."""
SHORTEST = 1.0
"""Seconds after which a call is sent again at the earliest."""
COPIES = 3
"""Copies of a call besides the first, at the most."""
OVERDUE = 2.0
"""Times longer than a slow call after which one must not hold up others any more."""
EXTRA_SHARE, EXTRA_FREE = 0.02, 3
"""Copies that may be sent in all: this share of the answers, and this many more."""

_REMEMBERED = 200
_ENOUGH = 20
_CURRENT = 0.1  # seconds for which a threshold that was computed holds


class Latencies:
    """How long the answers of one judge take, and after what time a call is slow.

    Calls in flight count with the time that they have taken so far: at the beginning of a run the first answers are the
    quickest of many, and would make all others look slow.

    Args:
        clock: Seconds from any origin.
    """

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._taken: deque[float] = deque(maxlen=_REMEMBERED)
        self._started: dict[int, float] = {}
        self._numbers = 0
        self._threshold, self._computed = math.inf, -math.inf

    def begin(self) -> int:
        """Note that a call was sent; returns its number."""
        self._numbers += 1
        self._started[self._numbers] = self._clock()
        return self._numbers

    def end(self, number: int, *, answered: bool) -> None:
        """Note that a call has ended."""
        seconds = self._clock() - self._started.pop(number)
        if answered:
            self._taken.append(seconds)

    @property
    def threshold(self) -> float:
        """Seconds after which a call is slow; infinite before enough is known."""
        now = self._clock()
        if now - self._computed >= _CURRENT:
            self._computed, self._threshold = now, self._quantile(now)
        return self._threshold

    def _quantile(self, now: float) -> float:
        if len(self._taken) < _ENOUGH:
            return math.inf
        quickest = min(self._taken)
        running = [now - start for start in self._started.values() if now - start >= quickest]
        times = sorted([*self._taken, *running])
        return max(SHORTEST, MARGIN * times[math.ceil(SLOWEST * len(times)) - 1])


@dataclass(slots=True)
class _Sent:
    """What was sent of one call: when the last of it was, the copies, and whether one of them waits for a slot."""

    last: float
    copies: int = 0
    is_waiting: bool = False


class Hedged(Wrapper):
    """Sends a slow call again, up to ``COPIES`` times; the first answer counts, and the other copies are cancelled.

    Put it around `Limited`, whose slots every copy takes like a call of its own, and inside `Retrying`: a call fails
    when all its copies have. Each copy passes the budget, and `Accounted` reports those that are cut off.

    Attributes:
        extra: Copies sent so far.
    """

    def __init__(self, limited: Limited, *, clock: Callable[[], float] | None = None) -> None:
        """Wrap a judge.

        Args:
            limited: The judge inside, with its limits.
            clock: Seconds from any origin; the event loop's by default.
        """
        super().__init__(limited)
        self.extra = 0
        self._limited = limited
        self._clock = clock or (lambda: asyncio.get_running_loop().time())
        self._latencies: dict[str, Latencies] = {}
        self._answers = 0
        self._begun: dict[str, float] = {}

    def overdue(self) -> frozenset[str]:
        """The calls in flight that take so long that they must not hold up others.

        What is slow is decided by the slowest of the judges inside. A person or a batch is never too slow.
        """
        if self.card.untimed or not self._begun:
            return frozenset()
        slow_after = max((latencies.threshold for latencies in self._latencies.values()), default=math.inf)
        now = self._clock()
        return frozenset(call for call, start in self._begun.items() if now - start > OVERDUE * slow_after)

    async def compare(self, question: Question) -> Verdict:
        """The first answer among the copies of a call.

        Raises:
            JudgeFailed: If every copy failed; the failure is that of the first one.
            BudgetSpent: If the budget does not pay for the call itself.
        """
        card = self.card.answering(question)
        who = card.identity_for(question)
        if in_debate(question) and self.card.debates is not None:
            who = self.card.debates.advocate
        latencies = self._latencies.setdefault(who, Latencies(self._clock))
        async with self._limited.slot():
            self._begun.setdefault(question.call, self._clock())
            try:
                if not self._may_repeat(card):
                    return await self._timed(question, latencies)
                return await self._first_answer(question, latencies)
            finally:
                self._begun.pop(question.call, None)

    def _may_repeat(self, card: JudgeCard) -> bool:
        """Whether a judge may be asked the same at once: it is no program or person, and takes several questions."""
        one_at_a_time = 1 in (self.card.concurrency, card.concurrency)
        return card.sends and not card.untimed and not one_at_a_time

    async def _first_answer(self, question: Question, latencies: Latencies) -> Verdict:
        first = asyncio.create_task(self._timed(question, latencies))
        running, sent = {first}, _Sent(last=self._clock())
        failure: BaseException | None = None
        try:
            while running:
                wait = self._wait(latencies, sent) if sent.copies < COPIES else None
                done, running = await asyncio.wait(running, timeout=wait, return_when=asyncio.FIRST_COMPLETED)
                for call in done:
                    if call.exception() is None:
                        return call.result()
                    failure = call.exception() if call is first or failure is None else failure
                if not done and not sent.is_waiting and self._clock() - sent.last >= latencies.threshold:
                    sent.last = self._clock()
                    if self._may_send():
                        running.add(asyncio.create_task(self._copy(question, latencies, sent)))
                        sent.copies, sent.is_waiting = sent.copies + 1, True
        finally:
            await _cancelled(running)
        raise failure or JudgeFailed("no copy of the call was answered")

    def _wait(self, latencies: Latencies, sent: "_Sent") -> float:
        """Seconds until it is to be looked whether the next copy is due."""
        threshold = latencies.threshold
        return SHORTEST if math.isinf(threshold) else max(_CURRENT, sent.last + threshold - self._clock())

    def _may_send(self) -> bool:
        if self.extra >= EXTRA_FREE + EXTRA_SHARE * self._answers:
            return False
        self.extra += 1
        return True

    async def _copy(self, question: Question, latencies: Latencies, sent: "_Sent") -> Verdict:
        async with self._limited.slot(urgent=True):
            sent.last, sent.is_waiting = self._clock(), False
            try:
                return await self._timed(question, latencies)
            except BudgetSpent as limit:  # the call itself goes on
                raise JudgeFailed(f"no copy of a slow call: {limit}", attempts=0) from limit

    async def _timed(self, question: Question, latencies: Latencies) -> Verdict:
        number, answered = latencies.begin(), False
        try:
            verdict = await self._limited.inside.compare(question)
            answered = True
        finally:
            latencies.end(number, answered=answered)
        self._answers += 1
        return verdict


async def _cancelled(running: set[asyncio.Task[Verdict]]) -> None:
    """Cancel the copies that lost, and wait until they have said what they took."""
    for copy in running:
        copy.cancel()
    if running:
        await asyncio.gather(*running, return_exceptions=True)
