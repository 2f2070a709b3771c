"""Retries: how often, how long between, and what is counted."""

import asyncio
import random

import pytest

from paragone.domain import Choice, Usage, Verdict
from paragone.errors import BudgetSpent, InvalidConfig, JudgeFailed
from paragone.judges import Budget, Budgeted, JudgeCard, Retrying
from paragone.judges.base import Wrapper
from paragone.judges.simulated_judge import SimulatedJudge

ANSWER = Verdict(choice=Choice.TIE, judge="script", usage=Usage(calls=1))


class Script:
    """A judge that raises or returns what it was given, in turn."""

    card = JudgeCard(identity="script")

    def __init__(self, *outcomes):
        self.outcomes = list(outcomes)

    async def compare(self, question):
        outcome = self.outcomes.pop(0)
        if isinstance(outcome, BaseException):
            raise outcome
        return outcome

    def price(self, question):
        return None

    async def close(self):
        pass


class Waits(list):
    async def __call__(self, seconds):
        self.append(seconds)


def test_attempts_are_made_until_there_is_an_answer(ask):
    waits = Waits()
    judge = Retrying(Script(JudgeFailed("1"), JudgeFailed("2"), ANSWER), 3, sleep=waits)
    assert ask(judge) is ANSWER
    assert len(waits) == 2


def test_the_last_failure_is_passed_on(ask):
    waits = Waits()
    with pytest.raises(JudgeFailed, match="3") as raised:
        ask(Retrying(Script(*(JudgeFailed(str(n)) for n in range(1, 5))), 3, sleep=waits))
    assert raised.value.attempts == 1
    assert len(waits) == 2


def test_waits_double_are_blurred_and_bounded(ask):
    waits = Waits()
    script = Script(*(JudgeFailed("") for _ in range(7)), ANSWER)
    ask(Retrying(script, 8, first_wait=1.0, longest_wait=20.0, chance=random.Random(5), sleep=waits))
    for wait, longest in zip(waits, [1, 2, 4, 8, 16, 20, 20], strict=True):
        assert longest / 2 <= wait <= longest
    assert len({wait / longest for wait, longest in zip(waits, [1, 2, 4, 8, 16], strict=False)}) == 5


def test_the_same_chance_gives_the_same_waits(ask):
    def waits(seed):
        found = Waits()
        ask(Retrying(Script(JudgeFailed(""), JudgeFailed(""), ANSWER), chance=random.Random(seed), sleep=found))
        return list(found)

    assert waits(1) == waits(1) != waits(2)


def test_what_asking_again_does_not_mend_is_not_asked_again(ask):
    waits = Waits()
    with pytest.raises(JudgeFailed, match="no key"):
        ask(Retrying(Script(JudgeFailed("no key", retryable=False), ANSWER), sleep=waits))
    assert waits == []


def test_a_wait_that_was_asked_for_is_kept(ask):
    waits = Waits()
    ask(Retrying(Script(JudgeFailed("slow down", retry_after=7.0), ANSWER), sleep=waits))
    assert waits == [7.0]


def test_a_wait_too_long_is_not_waited_for(ask):
    waits = Waits()
    with pytest.raises(JudgeFailed, match="tomorrow"):
        ask(Retrying(Script(JudgeFailed("tomorrow", retry_after=86_400.0), ANSWER), sleep=waits))
    assert waits == []


def test_other_exceptions_pass_through(ask):
    for error in (BudgetSpent("spent"), KeyboardInterrupt(), ValueError("a fault of ours")):
        with pytest.raises(type(error)):
            ask(Retrying(Script(error, ANSWER), sleep=Waits()))


def test_subclasses_of_failures_stay_what_they_are(ask):
    class Throttled(JudgeFailed):
        pass

    with pytest.raises(Throttled):
        ask(Retrying(Script(Throttled("1"), Throttled("2")), 2, sleep=Waits()))


def test_a_simulated_failure_is_retried_until_it_answers(ask):
    waits = Waits()
    ask(Retrying(SimulatedJudge({"x": 0.0, "y": 0.0}, failures=0.6, seed=1), 30, sleep=waits))
    assert waits


def test_every_attempt_comes_out_of_the_budget_inside(ask):
    inside = Budgeted(SimulatedJudge({"x": 0.0, "y": 0.0}, failures=1.0), Budget(calls=2))
    with pytest.raises(BudgetSpent):
        ask(Retrying(inside, 5, sleep=Waits()))
    assert inside.spent.requests == 2


@pytest.mark.parametrize("wrong", [{"attempts": 0}, {"first_wait": -1.0}, {"longest_wait": -1.0}])
def test_parameters_out_of_range(wrong):
    with pytest.raises(InvalidConfig):
        Retrying(Script(), **wrong)


def test_a_wrapper_passes_on_card_price_and_closing(ask, question):
    class Closing(Script):
        closed = False

        async def close(self):
            self.closed = True

    inside = Closing(ANSWER)
    wrapper = Wrapper(inside)
    assert wrapper.card is inside.card
    assert Wrapper(SimulatedJudge({}, cost=2.0)).price(question()) == 2.0
    assert ask(wrapper) is ANSWER
    asyncio.run(wrapper.close())
    assert inside.closed
