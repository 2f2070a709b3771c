"""The one async loop: plan, play, record, until there is a reason to stop."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from paragone.domain import Board, Comparison, Item, Lineup, Match, Planned, Ranking, Verdict
from paragone.errors import BudgetSpent
from paragone.judges.base import Judge
from paragone.judges.both_orders import hold, order
from paragone.judges.budgeted import Budget, Budgeted, Spending
from paragone.judges.cached import Cached
from paragone.judges.limited import Limited
from paragone.judges.retrying import Retrying
from paragone.judges.settled import Settled
from paragone.judges.timed import Timed
from paragone.ledger import Ledger, PlannedRound
from paragone.tournaments.gate import Closed, Gate
from paragone.tournaments.progress import Meter, Observer, Progress
from paragone.tournaments.results import board_of
from paragone.tournaments.schedule import budget_left, most_comparisons, plan, within
from paragone.tournaments.state import State
from paragone.tournaments.verdicts import LedgerVerdicts

PASSES = 3
"""How often a round goes over the matches that failed before it leaves them for later."""


UNDECIDED = 50
"""Abstentions without a single decision in a run that are taken for a judge that cannot judge this."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Pace:
    """How judge calls are made; none of it changes the result.

    Attributes:
        concurrency: Calls at once at the most.
        per_minute: Calls a minute at the most.
        timeout: Seconds a call may take.
        attempts: Tries for a call before it counts as failed.
        wait: Seconds before the first retry; waits double from there.
    """

    concurrency: int = 8
    per_minute: float | None = None
    timeout: float = 300.0
    attempts: int = 3
    wait: float = 0.5

    @property
    def outage(self) -> int:
        """Failures in a row that are taken for an outage of the judge."""
        return max(10, 2 * self.concurrency)


@dataclass(frozen=True, kw_only=True, slots=True)
class Stop:
    """Why a run ended.

    Attributes:
        reason: In words.
        finished: Whether the tournament is over; otherwise ``resume`` goes on with it.
        failed: Whether something broke, rather than somebody asking for the stop.
    """

    reason: str
    finished: bool
    failed: bool = False


class Runner:
    """Plays one tournament from wherever its ledger stands.

    Args:
        ledger: Keeps everything.
        state: Where the tournament is; kept in step with the ledger.
        judge: Answers; wrapped here with cache, budget, retries, limits and timeout.
        gate: Closed from outside to stop the run.
        pace: How calls are made.
        observer: Told of every verdict and every round.
    """

    def __init__(
        self, ledger: Ledger, state: State, judge: Judge, *, gate: Gate, pace: Pace, observer: Observer
    ) -> None:
        self._ledger = ledger
        self._state = state
        self._gate = gate
        self._pace = pace
        self._observer = observer
        self._board: Board | None = None
        self._broken = self._spent = False
        tally = ledger.tally(state.id)
        self._meter = Meter(before=tally.answered)
        self._judge = self._wrapped(judge)

    async def run(self) -> Stop:
        """Play until the tournament is over, the gate closes, or the judge is out."""
        while True:
            await self._play_open()
            if self._gate.closed:
                return Stop(reason=self._gate.reason, finished=self._spent, failed=self._broken)
            following = await asyncio.to_thread(plan, self._state)
            if not following.pairings:
                return Stop(reason=following.reason, finished=True)
            self._begin(following.pairings)

    def _begin(self, pairings: tuple[Planned, ...]) -> None:
        number = len(self._state.rounds) + 1
        self._ledger.plan_round(self._state.id, number, pairings)
        self._state.rounds.append(PlannedRound(number=number, pairings=pairings))

    async def _play_open(self) -> None:
        for turn in range(1, PASSES + 1):
            left = self._affordable(self._state.open_matches)
            if self._gate.closed or not left:
                break
            await self._play(left, final=turn == PASSES)
        self._check_for_outage()
        if self._state.played:
            self._board = await asyncio.to_thread(board_of, self._ledger, self._state)
            self._report()

    def _check_for_outage(self) -> None:
        """A round of which nothing was answered: planning another would only lengthen the list of failures."""
        planned = len(self._state.rounds[-1].pairings) if self._state.rounds else 0
        if self._meter.failing and len(self._state.open_matches) == planned and not self._gate.closed:
            self._out(f"the judge answered none of {planned} matches")

    def _affordable(self, named: list[tuple[str, Planned]]) -> list[tuple[str, Planned]]:
        fitting = within(tuple(pairing for _, pairing in named), budget_left(self._state))
        return named[: len(fitting)]

    async def _play(self, named: Sequence[tuple[str, Planned]], *, final: bool) -> None:
        """Judge all matches at once; commit them in the order of the plan.

        The matches behind the first one without an answer wait for it until the last pass: their verdicts are kept, and
        the next pass, or the run that goes on, commits them in their order.
        """
        items = {item.id: item for item in self._state.items}
        tasks = [asyncio.create_task(self._asked(id, planned, items)) for id, planned in named]
        halted = False
        try:
            for (id, planned), task in zip(named, tasks, strict=True):
                try:
                    answers = await task
                except Closed:
                    halted = not self._spent
                except BudgetSpent as limit:
                    self._spent = self._spent or not self._gate.closed
                    self._gate.close(str(limit))
                else:
                    halted = halted or not self._commit(id, planned, answers, final=final)
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    async def _asked(self, id: str, planned: Planned, items: Mapping[str, Item]) -> tuple[Comparison | Ranking, ...]:
        criteria = self._state.brief.criteria
        if isinstance(planned, Lineup):
            return (await order(self._judge, planned, items, criteria, id),)
        return await hold(self._judge, planned, items, criteria, id)

    def _commit(self, id: str, planned: Planned, answers: tuple[Comparison | Ranking, ...], *, final: bool) -> bool:
        """Record a match; false where those behind it have to wait for it."""
        answered = tuple(answer for answer in answers if answer.verdict.choice.is_answer)
        if not answered or (len(answered) < len(answers) and not final):
            return final  # left open: the next pass, or a later run, asks what failed again
        match = Match.of(id, planned, answered, round=self._state.rounds[-1].number)
        self._ledger.record_match(self._state.id, match)
        self._state.played.append(match)
        return True

    def _arrived(self, verdict: Verdict) -> None:
        self._meter.add(verdict)
        if self._meter.failing >= self._pace.outage:
            self._out(f"the judge failed {self._meter.failing} times in a row")
        if self._meter.abstained >= UNDECIDED and not self._meter.decided:
            self._out(f"the judge abstained {self._meter.abstained} times and decided nothing", "look at the criteria")
        self._report()

    def _out(self, what: str, why: str = "") -> None:
        """Stop the run: the judge is out."""
        self._broken = True
        self._gate.close(f"{what}: {why or self._meter.last_error}")

    def _report(self) -> None:
        meter, state = self._meter, self._state
        self._observer(
            Progress(
                tournament=state.id,
                round=len(state.rounds),
                done=meter.done,
                most=most_comparisons(state.brief, len(state.items)),
                calls=meter.calls,
                cached=meter.cached,
                failed=meter.failed,
                cost=meter.cost,
                rate=meter.rate,
                board=self._board,
            )
        )

    def _wrapped(self, judge: Judge) -> Judge:
        """The judge with every extra around it; what is asked passes them from the last to the first."""
        pace, brief = self._pace, self._state.brief
        gated = self._gate.guard(Timed(judge, pace.timeout))
        limited = Limited(gated, concurrency=pace.concurrency, per_minute=pace.per_minute, sleep=self._gate.sleep)
        tally = self._ledger.tally(self._state.id)
        spent = Spending(tokens=tally.input_tokens + tally.output_tokens, money=tally.cost or 0.0)
        frugal = Budgeted(limited, Budget(tokens=brief.max_tokens, money=brief.max_cost), spent=spent)
        patient = Retrying(frugal, attempts=pace.attempts, first_wait=pace.wait, sleep=self._gate.sleep)
        return Cached(Settled(patient), LedgerVerdicts(self._ledger, self._state.id, self._arrived))


async def play(ledger: Ledger, state: State, judge: Judge, *, gate: Gate, pace: Pace, observer: Observer) -> Stop:
    """Run a tournament as its only runner, and record why it stopped.

    Raises:
        Busy: If somebody else is running it.
    """
    try:
        with ledger.claim(state.id):
            if state.rounds:
                ledger.add_event(state.id, "resumed", {})
            stop = await Runner(ledger, state, judge, gate=gate, pace=pace, observer=observer).run()
            ledger.add_event(state.id, "stopped", {"reason": stop.reason, "finished": stop.finished})
            return stop
    finally:
        await judge.close()
