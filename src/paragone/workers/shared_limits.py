"""Limits that all workers of a tournament share: its budget and its rate."""

import asyncio
import json
import uuid
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass

from paragone.domain import Question, Spending
from paragone.errors import BudgetSpent
from paragone.judges.base import Judge
from paragone.judges.budget import Budget, Budgeted, ExpectedCall, WaitForTurn, at_once, most_of, tokens_at_most
from paragone.judges.limits import Limited, Slots
from paragone.ledger import Ledger
from paragone.ledger.records import SharedSpending
from paragone.tournaments.running.control import Gate, GateClosed
from paragone.workers.batching import BatchRunner

_LOOK_AGAIN = 0.2
"""Seconds after which a call that does not fit looks again whether others came out cheaper."""
_LATE = 2.5 * _LOOK_AGAIN
"""Seconds that a reservation may take, a twentieth of ten, without its call taking another turn of the rate."""


@dataclass(frozen=True, kw_only=True, slots=True)
class _Begin:
    """A call that wants to begin."""

    attempt: str
    call: ExpectedCall


@dataclass(frozen=True, kw_only=True, slots=True)
class _End:
    """A call that is over, with what it took."""

    attempt: str
    call: ExpectedCall
    used: Spending
    is_known: bool


@dataclass(frozen=True, kw_only=True, slots=True)
class _Decision:
    """Whether a call may begin: what is reserved for it; the limit that it would exceed; else it waits."""

    expected: Spending | None = None
    limit: str = ""


def change(state: SharedSpending, entry: _Begin | _End) -> _Decision:
    """Begin or end a call; doing the same again changes nothing.

    A call begins where all that is reserved leaves room for the most that it is expected to take. Of a kind of call
    that was not made yet, one is made alone, by whichever worker comes first.
    """
    return _begin(state, entry) if isinstance(entry, _Begin) else _end(state, entry)


def _begin(state: SharedSpending, entry: _Begin) -> _Decision:
    kind = _kind(entry.call)
    estimate = state.kinds.get(kind)
    expected = (
        most_of(entry.call, int(estimate[0]), estimate[1], estimate[2]) if estimate else most_of(entry.call, 0, 0, 0.0)
    )
    reserved = {**state.reserved, **state.begun}
    if entry.attempt in reserved:
        return _Decision(expected=expected)
    in_use = Spending(
        output_tokens=state.tokens + sum(tokens for _, tokens, _ in reserved.values()),
        dollars=state.cost + sum(cost for _, _, cost in reserved.values()),
    )
    limit = Budget(tokens=state.max_tokens, money=state.max_cost).exceeded_by(in_use + expected)
    if limit is not None:
        return _Decision() if reserved else _Decision(limit=limit)
    if estimate is None and any(other == kind for other, _, _ in reserved.values()):
        return _Decision()
    state.begun[entry.attempt] = (kind, expected.tokens, expected.dollars or 0.0)
    return _Decision(expected=expected)


def _end(state: SharedSpending, entry: _End) -> _Decision:
    if entry.attempt not in state.reserved or entry.attempt in state.ended:
        return _Decision()
    state.ended.append(entry.attempt)
    state.reserved = {attempt: spending for attempt, spending in state.reserved.items() if attempt != entry.attempt}
    state.tokens += entry.used.tokens
    state.cost += entry.used.dollars or 0.0
    if entry.is_known:
        more = (entry.used.tokens - entry.call.tokens, (entry.used.dollars or 0.0) - (entry.call.dollars or 0.0))
        estimate = state.kinds.get(_kind(entry.call))
        state.kinds[_kind(entry.call)] = (
            [1, *more] if estimate is None else [estimate[0] + 1, max(estimate[1], more[0]), max(estimate[2], more[1])]
        )
    return _Decision()


def _kind(call: ExpectedCall) -> str:
    return json.dumps(call.kind)


class SharedBudget:
    """The budget of a tournament, in one row of the ledger.

    A call is reserved just before it is made, in one transaction with others that begin or end then, so that nothing is
    reserved that has not begun. What was reserved by a worker that died counts as spent.

    Args:
        ledger: The ledger.
        tournament: Id of the tournament.
        worker: The worker.
        gate: Closed when the worker ends; nothing is reserved from then on.
    """

    def __init__(self, ledger: Ledger, tournament: str, worker: str, gate: Gate) -> None:
        def work(entries: Sequence[_Begin | _End]) -> Sequence[_Decision]:
            # What ends comes first: it may make room.
            order = sorted(range(len(entries)), key=lambda index: isinstance(entries[index], _Begin))
            decisions: dict[int, _Decision] = {}

            def all_of(state: SharedSpending) -> None:
                decisions.update((index, change(state, entries[index])) for index in order)

            ledger.remote_judging.spend(tournament, worker, all_of)
            return [decisions[index] for index in range(len(entries))]

        self.gate = gate
        self.changes: BatchRunner[_Begin | _End, _Decision] = BatchRunner(work)

    def around(self, judge: Judge, budget: Budget, turn: WaitForTurn) -> Judge:
        """The judge within the budget; as it is if there is no limit."""
        return SharedBudgeted(judge, budget, self, turn=turn) if budget.needs_estimates else judge


class SharedBudgeted(Budgeted):
    """Refuses calls that would exceed the budget of all workers together."""

    def __init__(
        self,
        judge: Judge,
        budget: Budget,
        shared: SharedBudget,
        *,
        tokens: Callable[[Question], int] = tokens_at_most,
        turn: WaitForTurn = at_once,
    ) -> None:
        super().__init__(judge, budget, tokens=tokens, turn=turn)
        self._shared = shared
        self._attempts: dict[int, str] = {}

    async def _reserve(self, call: ExpectedCall) -> tuple[int, Spending, bool]:
        attempt, clock = uuid.uuid4().hex, asyncio.get_running_loop().time
        began = clock()
        while True:
            if self._shared.gate.closed:
                raise GateClosed(self._shared.gate.reason)
            adding = self._shared.changes.add(_Begin(attempt=attempt, call=call))
            try:
                decision = await asyncio.shield(adding)
            except asyncio.CancelledError:  # it may have been reserved; it was not made
                adding.add_done_callback(lambda _: self._end(attempt, call, Spending(), is_known=False))
                raise
            if decision.expected is not None:
                self._numbers += 1
                self._attempts[self._numbers] = attempt
                return self._numbers, decision.expected, clock() - began >= _LATE
            if decision.limit:
                raise BudgetSpent(f"the budget of {decision.limit} is spent; the next call would exceed it")
            await asyncio.sleep(_LOOK_AGAIN)

    def _settle(self, call: ExpectedCall, number: int, used: Spending, *, is_known: bool) -> None:
        self._end(self._attempts.pop(number), call, used, is_known=is_known)

    def _end(self, attempt: str, call: ExpectedCall, used: Spending, *, is_known: bool) -> None:
        self._shared.changes.add(_End(attempt=attempt, call=call, used=used, is_known=is_known))


class SharedLimited(Limited):
    """Limits calls in flight of a judge and a whole worker, and spaces starts over all workers of a tournament.

    Args:
        judge: The judge inside.
        slots: The worker's, which every call takes besides one of the judge's.
        most: How many these are.
        per_minute: Calls started a minute at the most, by all workers together; None for no limit.
        starts: Gives the seconds to wait before a call.
        sleep: How to wait.
    """

    def __init__(
        self,
        judge: Judge,
        *,
        slots: Slots,
        most: int,
        per_minute: float | None,
        starts: BatchRunner[None, float],
        sleep: Callable[[float], Awaitable[None]],
    ) -> None:
        super().__init__(judge, concurrency=most, per_minute=per_minute, sleep=sleep)
        self._of_worker = slots
        self._starts = starts

    @asynccontextmanager
    async def slot(self, *, urgent: bool = False) -> AsyncIterator[None]:
        """Hold one of the judge's calls at once and one of the worker's during the block."""
        async with self._slots.slot(urgent=urgent), self._of_worker.slot(urgent=urgent):
            await self.turn()
            yield

    async def turn(self) -> None:
        """Wait until a call may start by the rate of all workers together."""
        if not self._spacing:
            return
        wait = await self._starts.add(None)
        if wait > 0.0:
            await self._sleep(wait)


def starts_of(ledger: Ledger, tournament: str, per_minute: float | None) -> BatchRunner[None, float]:
    """Hands out the starts of calls at the rate of a tournament."""
    spacing = 0.0 if per_minute is None else 60.0 / per_minute
    return BatchRunner(lambda entries: ledger.remote_judging.next_starts(tournament, len(entries), spacing))
