"""Put the wrappers around a judge, in their order."""

import asyncio
from collections.abc import Awaitable, Callable

from paragone.domain import Spending
from paragone.errors import InvalidConfig, JudgeFailed
from paragone.judges.base import Judge
from paragone.judges.budget import Budget, Budgeted
from paragone.judges.circuit_breaker import CircuitBreaker, Outage
from paragone.judges.debates.advocate import Advocate, Speaking
from paragone.judges.debates.debate import DebateJudge, Fallback, JudgeAndAdvocate, Ladder, TurnStore
from paragone.judges.panel_judge import PanelJudge
from paragone.judges.preflight import Discovery, Preflight, remotes_of
from paragone.judges.wrappers import Accounted, Cached, Limited, Lost, Retrying, Settled, Timed, Traced, VerdictStore

Wrap = Callable[[Judge], Judge]


def stacked(
    judge: Judge,
    *,
    store: VerdictStore,
    advocate: Advocate | None = None,
    turns: TurnStore | None = None,
    fell: Callable[[Fallback], None] | None = None,
    rests: Callable[[Outage], None] = lambda rest: None,  # noqa: ARG005
    on_failure: Callable[[JudgeFailed], None] = lambda failure: None,  # noqa: ARG005
    lost: Lost = lambda question, verdict: None,  # noqa: ARG005
    is_new: bool = True,
    discovered: Callable[[Discovery], None] = lambda discovery: None,  # noqa: ARG005
    out: Callable[[JudgeFailed], None] = lambda failure: None,  # noqa: ARG005
    guard: Wrap = lambda judge: judge,
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    budget: Budget | None = None,
    spent: Spending | None = None,
    concurrency: int | None = None,
    per_minute: float | None = None,
    timeout: float = 300.0,
    attempts: int = 3,
    wait: float = 0.5,
) -> Judge:
    """The judge with every extra around it; what is asked passes them from the first to the last.

    From the outside in: the ladder of failed debates, the cache, failures as verdicts, the debate; then, for verdicts
    and turns alike, the first question asked alone, rests, retries, the limits, the budget, the guard, the account, the
    span and the timeout.

    Args:
        judge: Decides; may be a panel.
        store: Where verdicts are found and kept.
        advocate: Speaks in debates; None where none are held.
        turns: Where turns are found and kept; in memory where nothing is said.
        fell: Told of every step that a failed debate takes down the ladder.
        rests: Told of a panel's member or an advocate who failed too often and is left in peace.
        on_failure: Told of every failure that becomes a verdict, with what that does not hold.
        lost: Told of every attempt without an answer as it ends, with what it took.
        is_new: Whether no question of the tournament was answered before.
        discovered: Told what the first answer of a model showed.
        out: Told of the failure that shows that the judge on its own cannot answer; see ``Preflight``.
        guard: Stands before every judge and advocate; may refuse to let a call through.
        sleep: How to wait.
        budget: What may be spent at the most, turns included.
        spent: What was spent of it before, turns included.
        concurrency: Calls at once at the most.
        per_minute: Calls started a minute at the most.
        timeout: Seconds that a call may take.
        attempts: Tries for a call before it counts as failed.
        wait: Seconds before the first retry, at the most; waits double from there.
    """

    def timely(inner: Judge) -> Judge:
        return guard(Accounted(Traced(Timed(inner, timeout)), lost))

    def within_its_limit(inner: Judge) -> Judge:
        """Waiting for one's own turn holds up nobody else, is no part of the timeout, and ends at a closed gate."""
        return Limited(timely(inner), sleep=sleep)

    inside = judge.around(within_its_limit) if isinstance(judge, PanelJudge) else timely(judge)
    if advocate is not None:
        inside = JudgeAndAdvocate(inside, timely(Speaking(advocate)))
    frugal = Budgeted(inside, Budget() if budget is None else budget, spent=spent)
    limited = Limited(frugal, concurrency=concurrency, per_minute=per_minute, sleep=sleep)
    patient: Judge = CircuitBreaker(Retrying(limited, attempts=attempts, first_wait=wait, sleep=sleep), rests=rests)
    patient = Preflight(patient, remotes_of(judge, advocate), is_new=is_new, discovered=discovered, out=out)
    if advocate is None:
        return Cached(Settled(patient, on_failure), store)
    return Ladder(Cached(Settled(DebateJudge(patient, turns), on_failure), store), fell)


def check_debates(judge: Judge) -> None:
    """Refuse debates before a judge that cannot hear them.

    Raises:
        InvalidConfig: If it cannot.
    """
    if judge.card.debates is None:
        raise InvalidConfig(
            f"{judge.card.identity} cannot hear debates, only compare two texts: take another judge, or no advocate"
        )
