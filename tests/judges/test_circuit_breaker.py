"""Who fails at everything rests; who can be done without does, a judge on its own does not."""

import asyncio

import pytest

from paragone.domain import Choice, Item, Question, Usage, Verdict
from paragone.errors import BudgetSpent, JudgeFailed
from paragone.judges.availability import CircuitBreaker
from paragone.judges.base import JudgeCard
from paragone.judges.function_judge import FunctionJudge
from paragone.judges.panel_judge import PanelJudge
from paragone.judges.stack import Stack
from paragone.judges.verdict_cache import MemoryVerdicts


class Member:
    """Answers, or raises what ``fails`` makes of the number of the question, where it makes anything."""

    def __init__(self, name, fails=lambda number: None):
        self.card, self.fails, self.asked = JudgeCard(identity=name), fails, 0

    async def compare(self, question):
        self.asked += 1
        if error := self.fails(self.asked):
            raise error
        return Verdict(choice=Choice.FIRST, judge=self.card.identity, usage=Usage(calls=1))

    def price(self, question):
        return 0.0

    async def close(self):
        pass


class Bench:
    """A panel of ``bad``, whose turn it is at even calls, and one who always answers."""

    def __init__(self, fails):
        self.now, self.told = 0.0, []
        self.bad, self.good = Member("bad", fails), Member("good")
        panel = PanelJudge([self.bad, self.good])
        self.judge = CircuitBreaker(panel, on_outage=self.told.append, clock=lambda: self.now)

    def ask(self, *calls):
        """The answers to calls of these numbers, asked one after the other: a verdict, or an error."""

        async def run():
            return [(await asyncio.gather(self.judge.compare(call(n)), return_exceptions=True))[0] for n in calls]

        return asyncio.run(run())


def call(number):
    return Question(call=str(number), first=Item(id="x", text="x"), second=Item(id="y", text="y"), criteria="c")


def down(_):
    return JudgeFailed("no connection")


def test_a_member_that_fails_five_times_in_a_row_rests_and_the_others_go_on():
    bench = Bench(down)
    answers = bench.ask(*range(40))
    assert (bench.bad.asked, bench.good.asked) == (5, 20)
    assert [type(answer).__name__ for answer in answers[1::2]] == ["Verdict"] * 20
    assert [(rest.who, rest.reason, rest.seconds) for rest in bench.told] == [("bad", "no connection", 60.0)]
    refused = answers[-2]
    assert (str(refused), refused.attempts, refused.retryable) == ("bad is paused: no connection", 0, False)


def test_a_rest_ends_with_one_trial_and_is_twice_as_long_where_that_fails():
    bench = Bench(down)
    bench.ask(*range(0, 20, 2))
    for rest in (60.0, 120.0, 240.0):
        asked = bench.bad.asked
        bench.now += rest - 1.0
        bench.ask(0, 2)
        assert bench.bad.asked == asked
        bench.now += 1.0
        bench.ask(0, 2, 4)
        assert bench.bad.asked == asked + 1
    assert [rest.seconds for rest in bench.told] == [60.0, 120.0, 240.0, 480.0]


def test_who_answers_a_trial_is_back_as_if_nothing_had_been():
    bench = Bench(lambda number: down(number) if number <= 5 or number > 7 else None)
    bench.ask(*range(0, 20, 2))
    bench.now = 60.0
    assert [type(answer).__name__ for answer in bench.ask(0, 2)] == ["Verdict", "Verdict"]
    bench.ask(*range(0, 20, 2))
    assert bench.bad.asked == 7 + 5
    assert [rest.seconds for rest in bench.told] == [60.0, 60.0]


def test_failures_now_and_then_are_no_reason_for_a_rest():
    bench = Bench(lambda number: down(number) if number % 5 else None)
    bench.ask(*range(0, 100, 2))
    assert bench.bad.asked == 50
    assert bench.told == []


def test_a_key_that_is_refused_is_refused_once():
    bench = Bench(lambda number: JudgeFailed("the key was refused", permanent=True))
    bench.ask(0, 2)
    bench.now = 1e9
    bench.ask(4)
    assert bench.bad.asked == 1
    assert [rest.seconds for rest in bench.told] == [None]


def test_questions_under_way_when_a_rest_begins_do_not_lengthen_it():
    class Slow(Member):
        async def compare(self, question):
            await asyncio.sleep(0)
            return await super().compare(question)

    bench = Bench(down)
    bench.judge = CircuitBreaker(
        PanelJudge([Slow("bad", down), bench.good]), on_outage=bench.told.append, clock=lambda: bench.now
    )

    async def run():
        return await asyncio.gather(*(bench.judge.compare(call(2 * n)) for n in range(50)), return_exceptions=True)

    asyncio.run(run())
    assert [rest.seconds for rest in bench.told] == [60.0]


def test_a_trial_that_was_never_put_leaves_room_for_another():
    errors = [down(0)] * 5 + [BudgetSpent("spent"), None]
    bench = Bench(lambda number: errors[number - 1])
    bench.ask(*range(0, 10, 2))
    bench.now = 60.0
    first, second = bench.ask(0, 2)
    assert isinstance(first, BudgetSpent)
    assert isinstance(second, Verdict)


def test_a_judge_on_its_own_never_rests():
    judge = Member("alone", down)
    alone = CircuitBreaker(judge)

    async def run():
        return await asyncio.gather(*(alone.compare(call(n)) for n in range(30)), return_exceptions=True)

    asyncio.run(run())
    assert judge.asked == 30


@pytest.mark.parametrize(("error", "attempts"), [(TypeError, 1), (NameError, 1), (OSError, 3), (ValueError, 3)])
def test_a_fault_of_the_function_itself_is_not_asked_for_again(error, attempts):
    asked = []

    def broken(first, second, criteria):
        asked.append(first.id)
        raise error("broken")

    judge = Stack(store=MemoryVerdicts(), attempts=3, wait=0.0).around(FunctionJudge(broken))
    verdict = asyncio.run(judge.compare(call(1)))
    assert (verdict.choice, verdict.usage.calls, len(asked)) == (Choice.FAILED, 0, attempts)


def test_a_function_may_say_itself_what_its_failure_means():
    def refused(first, second, criteria):
        raise JudgeFailed("no credit left", permanent=True, tokens=(7, 0))

    with pytest.raises(JudgeFailed, match=r"^no credit left$") as raised:
        asyncio.run(FunctionJudge(refused).compare(call(1)))
    assert (raised.value.permanent, raised.value.retryable, raised.value.tokens) == (True, False, (7, 0))
