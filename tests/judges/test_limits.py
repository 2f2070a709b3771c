"""Limits: at once, a minute, in seconds; and failures settled into verdicts."""

import asyncio

import pytest

from paragone.domain import Choice, Verdict
from paragone.errors import BudgetSpent, InvalidConfig, JudgeFailed
from paragone.judges import JudgeCard, Limited, Settled, Timed
from paragone.judges.function_judge import FunctionJudge
from paragone.judges.simulated_judge import SimulatedJudge

EVEN = {"x": 0.0, "y": 0.0}


class Gauge:
    """A judge that knows how many ask it at once, at the most."""

    def __init__(self, concurrency=None):
        self.card = JudgeCard(identity="gauge", concurrency=concurrency)
        self.now = self.most = 0

    async def compare(self, question):
        self.now += 1
        self.most = max(self.most, self.now)
        await asyncio.sleep(0)
        self.now -= 1
        return Verdict(choice=Choice.TIE, judge="gauge")

    def price(self, question):
        return None

    async def close(self):
        pass


@pytest.mark.parametrize(
    ("card", "limit", "most"), [(None, 3, 3), (2, 5, 2), (4, 3, 3), (None, None, 12), (2, None, 2)]
)
def test_the_smaller_limit_holds(question, card, limit, most):
    gauge = Gauge(card)
    judge = Limited(gauge, limit)

    async def run():
        await asyncio.gather(*(judge.compare(question()) for _ in range(12)))

    asyncio.run(run())
    assert gauge.most == most
    assert judge.card.concurrency == (most if card or limit else None)


class Clock:
    """Time that passes only when somebody sleeps; sleepers wake in the order of their times."""

    def __init__(self):
        self.now = 0.0
        self.starts = []

    def __call__(self):
        return self.now

    async def sleep(self, seconds):
        self.starts.append(self.now + seconds)


def test_calls_are_spaced_through_the_minute(question):
    clock = Clock()
    judge = Limited(Gauge(), per_minute=30, clock=clock, sleep=clock.sleep)

    async def run():
        await asyncio.gather(*(judge.compare(question()) for _ in range(4)))
        clock.now = 100.0
        await judge.compare(question())
        await judge.compare(question())

    asyncio.run(run())
    # The first call and the first after a pause start at once, the others two seconds apart.
    assert clock.starts == [2.0, 4.0, 6.0, 102.0]


def test_the_rate_holds_by_the_loops_clock(question):
    judge = Limited(Gauge(), per_minute=6000)

    async def run():
        clock = asyncio.get_running_loop()
        start = clock.time()
        await asyncio.gather(*(judge.compare(question()) for _ in range(6)))
        return clock.time() - start

    assert asyncio.run(run()) >= 0.049


@pytest.mark.parametrize("wrong", [{"concurrency": 0}, {"per_minute": 0}, {"per_minute": -1.0}])
def test_limits_must_be_positive(wrong):
    with pytest.raises(InvalidConfig):
        Limited(Gauge(), **wrong)


def test_a_call_that_takes_too_long_has_failed(ask):
    with pytest.raises(JudgeFailed, match=r"simulated:.* gave no answer within") as raised:
        ask(Timed(SimulatedJudge(EVEN, delay=30.0), 0.01))
    assert raised.value.retryable
    assert ask(Timed(SimulatedJudge(EVEN), 30.0)).choice.is_evidence


def test_a_person_is_not_hurried(ask):
    class Pondering(Gauge):
        async def compare(self, question):
            await asyncio.sleep(0.02)
            return await super().compare(question)

    person = Pondering()
    person.card = JudgeCard(identity="person", interactive=True)
    assert ask(Timed(person, 0.001)).choice is Choice.TIE


def test_a_timeout_inside_the_judge_is_not_taken_for_ours(ask):
    class Late(Gauge):
        async def compare(self, question):
            raise TimeoutError("of its own")

    with pytest.raises(TimeoutError, match="of its own"):
        ask(Timed(Late(), 30.0))


def test_a_cancelled_call_stays_cancelled(question):
    async def run():
        asking = asyncio.create_task(Settled(Timed(SimulatedJudge(EVEN, delay=30.0), 60.0)).compare(question()))
        await asyncio.sleep(0.01)
        asking.cancel()
        await asking

    with pytest.raises(asyncio.CancelledError):
        asyncio.run(run())


def test_a_timeout_must_be_positive():
    with pytest.raises(InvalidConfig):
        Timed(Gauge(), 0)


def test_a_failure_is_settled_into_a_verdict(ask):
    verdict = ask(Settled(SimulatedJudge(EVEN, failures=1.0)), call="m7.2")
    assert verdict.choice is Choice.FAILED
    assert verdict.error == "simulated failure of call 'm7.2', attempt 1"
    assert verdict.usage.calls == 1
    assert verdict.judge.startswith("simulated:")
    assert ask(Settled(SimulatedJudge(EVEN))).choice.is_evidence


@pytest.mark.parametrize("error", [BudgetSpent("spent"), KeyboardInterrupt(), asyncio.CancelledError()])
def test_what_is_no_failure_of_the_judge_passes_through(ask, error):
    class Raising(Gauge):
        async def compare(self, question):
            raise error

    with pytest.raises(type(error)):
        ask(Settled(Raising()))


def test_an_outage_is_failures_and_never_ties(ask):
    def down(*_):
        raise ConnectionError("the network is down")

    verdict = ask(Settled(FunctionJudge(down)))
    assert verdict.choice is Choice.FAILED
    assert not verdict.choice.is_evidence
    assert "the network is down" in verdict.error
