"""Put the wrappers around a judge, in their order."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass

from paragone.domain import Question, Spending, Verdict
from paragone.errors import InvalidConfig, JudgeFailed
from paragone.judges.availability import CircuitBreaker, Discovery, Outage, Outages, Preflight, Remote, remotes_of
from paragone.judges.base import Judge, Wrapper
from paragone.judges.budget import Budget, Budgeted, WaitForTurn
from paragone.judges.call_options import ATTEMPTS, FIRST_WAIT, TIMEOUT
from paragone.judges.debates.debate import (
    Advocate,
    AdvocateAsJudge,
    DebateFallbacks,
    DebateJudge,
    Fallback,
    JudgeAndAdvocate,
    TurnStore,
)
from paragone.judges.error_translation import Translated
from paragone.judges.hedging import Hedged
from paragone.judges.limits import Limited
from paragone.judges.panel_judge import PanelJudge, is_cascade
from paragone.judges.retrying import Accounted, OnLost, Retrying, Settled, Timed
from paragone.judges.verdict_cache import Cached, VerdictStore
from paragone.tracing import is_traced, span

Wrap = Callable[[Judge], Judge]


@dataclass(frozen=True, kw_only=True, slots=True)
class Stack:
    """The wrappers around a judge.

    From the outside in: fallbacks of failed debates, cache, failures as verdicts, debate; then, for verdicts and turns
    alike, preflight, circuit breaker, retries, copies of slow calls, limits, budget, guard, accounting, tracing,
    timeout, and the translation of foreign errors.

    Attributes:
        store: The cache of verdicts.
        advocate: Speaks in debates; None for no debates.
        turns: The cache of turns; in memory by default.
        on_fallback: Called before each simpler form in which a failed debate is tried again.
        on_outage: Called when a panel's member or an advocate is paused.
        on_failure: Called with every failure that becomes a verdict, which lacks the hint.
        on_lost: Called with every attempt without an answer, and what it took.
        is_new: Whether the tournament has no answer yet.
        on_discovery: Called with what a model's first answer showed.
        on_unusable: Called with the failure that shows that the judge cannot answer; see ``Preflight``.
        guard: Wraps every judge and advocate; may refuse a call.
        sleep: How to wait.
        budget: Spending limits, turns included.
        spent: Spent before, turns included.
        concurrency: The most calls in flight.
        per_minute: The most calls started per minute.
        timeout: Seconds that a call may take.
        attempts: Tries for a call before it counts as failed.
        wait: Seconds before the first retry, at the most; waits double from there.
        hedge: Wraps the limited judge, to send slow calls again.
        frugal: Enforces the budget, in place of ``budget`` and ``spent``; for one that several processes share. Gets
            the judge, and what waits for another turn of the rate.
        limited: Limits calls, in place of ``concurrency`` and ``per_minute``.
        outages: Who is paused, where that is known from elsewhere too.
    """

    store: VerdictStore
    advocate: Advocate | None = None
    turns: TurnStore | None = None
    on_fallback: Callable[[Fallback], None] | None = None
    on_outage: Callable[[Outage], None] = lambda rest: None  # noqa: ARG005
    on_failure: Callable[[JudgeFailed], None] = lambda failure: None  # noqa: ARG005
    on_lost: OnLost = lambda question, verdict: None  # noqa: ARG005
    is_new: bool = True
    on_discovery: Callable[[Discovery], None] = lambda discovery: None  # noqa: ARG005
    on_unusable: Callable[[JudgeFailed], None] = lambda failure: None  # noqa: ARG005
    guard: Wrap = lambda judge: judge
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
    budget: Budget | None = None
    spent: Spending | None = None
    concurrency: int | None = None
    per_minute: float | None = None
    timeout: float = TIMEOUT
    attempts: int = ATTEMPTS
    wait: float = FIRST_WAIT
    hedge: Callable[[Limited], Judge] = Hedged
    frugal: Callable[[Judge, WaitForTurn], Judge] | None = None
    limited: Callable[[Judge], Limited] | None = None
    outages: Outages | None = None

    def around(self, judge: Judge) -> Judge:
        """A judge with all its wrappers; it may be a panel."""
        limited = self._limited(self._inside(judge))
        patient = self._patient(limited, remotes_of(judge, self.advocate))
        if self.advocate is not None:
            patient = DebateJudge(patient, self.turns)
        answered = Cached(Settled(patient, self.on_failure), self.store, limited.card.concurrency)
        if self.advocate is None and judge.card.panel_debates is None and not is_cascade(judge.card):
            return answered
        return DebateFallbacks(answered, self.on_fallback)

    def _patient(self, limited: Limited, remotes: Mapping[str, Remote]) -> Judge:
        """Asks once first, retries, and pauses who keeps failing."""
        retrying = Retrying(self.hedge(limited), attempts=self.attempts, first_wait=self.wait, sleep=self.sleep)
        breaker = CircuitBreaker(retrying, on_outage=self.on_outage, outages=self.outages)
        return Preflight(
            breaker, remotes, is_new=self.is_new, on_discovery=self.on_discovery, on_unusable=self.on_unusable
        )

    def _limited(self, inside: Judge) -> Limited:
        """Within the budget, the rate and the number of calls in flight."""

        async def turn() -> None:
            await in_turn.turn()

        if self.frugal is not None:
            frugal = self.frugal(inside, turn)
        else:
            frugal = Budgeted(inside, self.budget or Budget(), spent=self.spent, turn=turn)
        if self.limited is not None:
            in_turn = self.limited(frugal)
        else:
            in_turn = Limited(frugal, concurrency=self.concurrency, per_minute=self.per_minute, sleep=self.sleep)
        return in_turn

    def _inside(self, judge: Judge) -> Judge:
        """The judge, with its advocate, each call within its time."""

        def within_its_limit(inner: Judge) -> Judge:
            """Wait outside the timeout, inside the guard's reach, and without holding up other members."""
            return Limited(self._timely(inner), sleep=self.sleep)

        inside = judge.around(within_its_limit) if isinstance(judge, PanelJudge) else self._timely(judge)
        if self.advocate is None:
            return inside
        return JudgeAndAdvocate(inside, self._timely(AdvocateAsJudge(self.advocate)))

    def _timely(self, inner: Judge) -> Judge:
        """Each call guarded, accounted for, traced, and within its time."""
        return self.guard(Accounted(Traced(Timed(Translated(inner), self.timeout)), self.on_lost))


def check_debates(judge: Judge) -> None:
    """Refuse debates for a judge that cannot decide them.

    Raises:
        InvalidConfig: If it cannot.
    """
    if judge.card.debates is None:
        raise InvalidConfig(
            f"{judge.card.identity} cannot decide debates, only compare two texts: take another judge, or no advocate"
        )


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
