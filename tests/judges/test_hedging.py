"""Calls that take much longer than others are sent again; the first answer counts, and every copy is accounted for."""

import asyncio
from dataclasses import replace

import pytest

import virtual_time
from paragone.domain import Choice, Item, Question, Spending, Usage, Verdict
from paragone.errors import JudgeFailed
from paragone.judges import JudgeCard, Limited
from paragone.judges.budget import Budget, Budgeted
from paragone.judges.hedging import COPIES, EXTRA_FREE, Hedged, Latencies
from paragone.judges.limits import Slots
from paragone.judges.retrying import Accounted

CARD = JudgeCard(identity="timed")


class Timed:
    """A judge whose calls take the seconds that a function of the call and the attempt says; None fails after one."""

    def __init__(self, seconds, card=CARD):
        self.card, self.seconds = card, seconds
        self.asked, self.now, self.most, self.cancelled = {}, 0, 0, 0

    async def compare(self, question):
        attempt = self.asked[question.call] = self.asked.get(question.call, 0) + 1
        self.now += 1
        self.most = max(self.most, self.now)
        seconds = self.seconds(question.call, attempt)
        try:
            await asyncio.sleep(1.0 if seconds is None else seconds)
        except asyncio.CancelledError:
            self.cancelled += 1
            raise
        finally:
            self.now -= 1
        if seconds is None:
            raise JudgeFailed(f"attempt {attempt} failed")
        usage = Usage(calls=1, cost=0.01)
        return Verdict(choice=Choice.FIRST, judge="timed", rationale=str(attempt), usage=usage)

    def price(self, question):
        return 0.01

    async def close(self):
        pass


def question(call):
    return Question(call=str(call), first=Item(id="a", text="a"), second=Item(id="b", text="b"), criteria="c")


def asked(judge, calls, wrap=lambda judge: judge, concurrency=10):
    """Ask so many calls; the verdicts or failures, the hedging wrapper, and the seconds that it took."""

    async def work():
        hedged = Hedged(Limited(wrap(judge), concurrency=concurrency))
        answers = (hedged.compare(question(call)) for call in range(calls))
        return await asyncio.gather(*answers, return_exceptions=True), hedged

    (verdicts, hedged), seconds = virtual_time.run(work)
    return verdicts, hedged, seconds


def test_a_call_that_hangs_is_answered_by_its_copy():
    judge = Timed(lambda call, attempt: 60.0 if call == "50" and attempt == 1 else 2.0)
    verdicts, hedged, seconds = asked(judge, 100)
    # A copy is sent when the call is 1.5 x 2 s old, takes the next free slot, and 2 s; nothing more is lost.
    assert verdicts[50].rationale == "2"
    assert (hedged.extra, judge.cancelled) == (1, 1)
    assert seconds == pytest.approx(22.0, abs=0.5)


def test_a_copy_that_hangs_too_is_followed_by_another_and_no_fifth_is_sent():
    judge = Timed(lambda call, attempt: 600.0 if call == "99" else 1.0)
    verdicts, hedged, seconds = asked(judge, 100)
    assert hedged.extra == COPIES == EXTRA_FREE
    assert judge.asked["99"] == 4
    assert judge.cancelled == 3
    assert verdicts[99].rationale == "1"
    assert seconds == pytest.approx(609.0, abs=0.5)


def test_the_limit_holds_with_copies_and_they_pass_calls_that_wait():
    judge = Timed(lambda call, attempt: 60.0 if call == "30" and attempt == 1 else 2.0)
    verdicts, hedged, _ = asked(judge, 400, concurrency=4)
    assert judge.most == 4
    assert hedged.extra == 1
    assert verdicts[30].rationale == "2"


def test_slow_calls_of_the_beginning_are_not_taken_for_stragglers():
    """Of 200 at once the first answers are the quickest; by them alone, half of the others would be sent again."""
    judge = Timed(lambda call, attempt: 1.0 + int(call) / 100)
    _, hedged, _ = asked(judge, 200, concurrency=200)
    assert hedged.extra == 0


def test_copies_are_a_small_share_of_all_calls():
    judge = Timed(lambda call, attempt: 60.0 if int(call) % 10 == 0 else 1.0)
    _, hedged, _ = asked(judge, 500, concurrency=20)
    assert 0 < hedged.extra <= EXTRA_FREE + 0.02 * 500


def test_a_call_fails_when_all_its_copies_have():
    judge = Timed(lambda call, attempt: None if call == "5" else 1.0)
    verdicts, hedged, _ = asked(judge, 30)
    assert "attempt 1 failed" in str(verdicts[5])
    assert hedged.extra == 0


def test_every_copy_is_paid_for_and_told():
    lost = []
    judge = Timed(lambda call, attempt: 60.0 if call == "50" and attempt == 1 else 2.0)
    budgets = []

    def wrap(judge):
        budgets.append(
            Budgeted(Accounted(judge, lambda question, verdict: lost.append((question.call, verdict))), Budget())
        )
        return budgets[0]

    asked(judge, 100, wrap)
    ((call, verdict),) = lost
    assert (call, verdict.usage.calls) == ("50", 1)
    assert "cut off" in verdict.error
    assert budgets[0].spent.requests == 101
    assert budgets[0].spent.dollars == pytest.approx(1.01)


def test_a_budget_that_pays_for_no_copy_leaves_the_call_alone():
    judge = Timed(lambda call, attempt: 60.0 if call == "99" else 1.0)
    verdicts, _, _ = asked(judge, 100, lambda judge: Budgeted(judge, Budget(calls=100), spent=Spending()))
    assert verdicts[99].rationale == "1"
    assert judge.asked["99"] == 1


@pytest.mark.parametrize(
    "card",
    [replace(CARD, sends=False), replace(CARD, interactive=True), replace(CARD, concurrency=1)],
    ids=["program", "person", "one at a time"],
)
def test_programs_people_and_whoever_takes_one_at_a_time_are_not_asked_twice(card):
    judge = Timed(lambda call, attempt: 60.0 if call == "30" else 1.0, card)
    _, hedged, _ = asked(judge, 31)
    assert (hedged.extra, max(judge.asked.values())) == (0, 1)


def test_the_threshold_is_half_as_much_again_as_the_95th_percentile():
    now = [0.0]
    latencies = Latencies(lambda: now[0])
    for seconds in range(1, 101):
        number = latencies.begin()
        now[0] += seconds
        latencies.end(number, answered=True)
    assert latencies.threshold == 1.5 * 95


def test_cancelled_waiters_lose_no_slot():
    async def work():
        slots, held = Slots(1), []

        async def hold(name, seconds, urgent=False):
            async with slots.slot(urgent=urgent):
                held.append(name)
                await asyncio.sleep(seconds)

        tasks = [asyncio.create_task(hold(name, 1.0)) for name in "abc"]
        await asyncio.sleep(0.5)
        tasks[1].cancel()
        await asyncio.gather(*tasks, hold("urgent", 1.0, urgent=True), return_exceptions=True)
        return held

    assert virtual_time.run(work)[0] == ["a", "urgent", "c"]
