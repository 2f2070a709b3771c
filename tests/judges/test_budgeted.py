"""Budgets are never exceeded, whatever is in flight, and nothing is left over that would have fitted."""

import asyncio
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from paragone.domain import Choice, Item, Question, Usage, Verdict
from paragone.errors import BudgetSpent, InvalidConfig, JudgeFailed
from paragone.judges import Budget, Budgeted, Cached, MemoryVerdicts, Spending
from paragone.judges.budgeted import tokens_at_most
from paragone.judges.function import FunctionJudge
from paragone.judges.simulated import SimulatedJudge

EVEN = {"x": 0.0, "y": 0.0}


def asked(judge, question, count):
    """Ask so many questions at once, and count answers and exceptions by name."""

    async def run():
        calls = (judge.compare(question(call=f"m{n}")) for n in range(count))
        return await asyncio.gather(*calls, return_exceptions=True)

    return Counter(type(result).__name__ for result in asyncio.run(run()))


@pytest.mark.parametrize("delay", [0.0, 0.001])
def test_calls_at_once_stop_exactly_at_the_budget(question, delay):
    judge = Budgeted(SimulatedJudge(EVEN, delay=delay), Budget(calls=7))
    assert asked(judge, question, 20) == {"Verdict": 7, "BudgetSpent": 13}
    assert judge.spent == Spending(calls=7)


def test_money_is_reserved_before_it_is_spent(question):
    judge = Budgeted(SimulatedJudge(EVEN, cost=0.1, delay=0.001), Budget(money=0.3))
    assert asked(judge, question, 10) == {"Verdict": 3, "BudgetSpent": 7}
    assert judge.spent.money == pytest.approx(0.3)


def test_tokens_reserved_generously_are_given_back(question):
    # 1,000 tokens are reserved a call and 100 taken: at first two fit, then one by one until less than 1,000 is left.
    judge = Budgeted(SimulatedJudge(EVEN, tokens=100, delay=0.001), Budget(tokens=2500), tokens=lambda _: 1000)
    assert asked(judge, question, 30) == {"Verdict": 16, "BudgetSpent": 14}
    assert judge.spent.tokens == 1600


def test_failed_calls_are_spent_too(question):
    judge = Budgeted(SimulatedJudge(EVEN, failures=1.0, cost=0.5), Budget(calls=3))
    assert asked(judge, question, 5) == {"JudgeFailed": 3, "BudgetSpent": 2}
    assert judge.spent.money == pytest.approx(1.5)


def test_what_the_cache_inside_answers_costs_nothing(question):
    inside = Cached(SimulatedJudge(EVEN, cost=1.0), MemoryVerdicts())
    judge = Budgeted(inside, Budget(calls=2))
    assert asked(judge, question, 5) == {"Verdict": 5}
    assert judge.spent == Spending(calls=1, money=1.0)


def test_what_was_spent_before_counts(question):
    judge = Budgeted(SimulatedJudge(EVEN), Budget(calls=10), spent=Spending(calls=8))
    assert asked(judge, question, 5) == {"Verdict": 2, "BudgetSpent": 3}


def test_a_budget_of_nothing_allows_nothing_and_none_allows_all(question):
    assert asked(Budgeted(SimulatedJudge(EVEN), Budget(calls=0)), question, 2) == {"BudgetSpent": 2}
    assert asked(Budgeted(SimulatedJudge(EVEN), Budget()), question, 50) == {"Verdict": 50}


def test_the_error_names_the_limit(ask):
    for budget, said in ((Budget(calls=0), "0 calls"), (Budget(tokens=10), "10 tokens"), (Budget(money=1.0), r"\$1 ")):
        with pytest.raises(BudgetSpent, match=f"the budget of {said}"):
            ask(Budgeted(SimulatedJudge(EVEN, cost=2.0), budget))


def test_money_without_a_price_is_refused(ask):
    judge = FunctionJudge(lambda *_: "tie")
    with pytest.raises(InvalidConfig, match=r"a budget in money needs a price, and that of python:.* is not known"):
        ask(Budgeted(judge, Budget(money=1.0)))
    assert ask(Budgeted(judge, Budget(calls=1))).choice is Choice.TIE


def test_a_cancelled_call_gives_its_place_back_and_stays_paid(question):
    judge = Budgeted(SimulatedJudge(EVEN, delay=30.0), Budget(calls=2))

    async def run():
        asking = asyncio.create_task(judge.compare(question()))
        await asyncio.sleep(0.01)
        asking.cancel()
        await asyncio.gather(asking, return_exceptions=True)

    asyncio.run(run())
    assert judge.spent.calls == 1


@pytest.mark.parametrize("wrong", [{"calls": -1}, {"tokens": -5}, {"money": float("nan")}, {"money": float("inf")}])
def test_budgets_out_of_range_are_named(wrong):
    with pytest.raises(InvalidConfig, match=next(iter(wrong))):
        Budget(**wrong)


def test_the_estimate_of_tokens_is_above_what_common_text_takes(question):
    short = question(texts={"x": "", "y": ""}, criteria="")
    assert tokens_at_most(short) == 1000
    assert tokens_at_most(question(texts={"x": "word " * 1000, "y": "假设" * 1000})) > 1000 + 1250 + 2000


class Erratic:
    """A judge that takes anything up to its price, fails at times, and keeps a tally of its own."""

    def __init__(self, takes):
        self.takes = list(takes)
        self.tally = Spending()

    card = SimulatedJudge(EVEN).card

    def price(self, question):
        return 1.0

    async def compare(self, question):
        tenths, fails, turns = self.takes[int(question.call)]
        for _ in range(turns):
            await asyncio.sleep(0)
        self.tally += Spending(calls=1, tokens=tenths * 10, money=tenths / 10)
        if fails:
            raise JudgeFailed("erratic")
        return Verdict(choice=Choice.TIE, judge="", usage=Usage(calls=1, input_tokens=tenths * 10, cost=tenths / 10))

    async def close(self):
        pass


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.tuples(st.integers(0, 10), st.booleans(), st.integers(0, 3)), max_size=25),
    st.none() | st.integers(0, 12),
    st.none() | st.integers(0, 800),
    st.none() | st.floats(0, 8),
)
def test_no_limit_is_ever_exceeded_and_no_call_that_fits_is_refused(takes, calls, tokens, money):
    inside = Erratic(takes)
    budget = Budget(calls=calls, tokens=tokens, money=money)
    judge = Budgeted(inside, budget, tokens=lambda _: 100)
    item = Item(id="x", text="x")

    async def run():
        questions = (Question(call=str(n), first=item, second=item, criteria="") for n in range(len(takes)))
        return await asyncio.gather(*map(judge.compare, questions), return_exceptions=True)

    results = asyncio.run(run())
    assert budget.exceeded_by(inside.tally) is None
    assert budget.exceeded_by(judge.spent) is None
    refused = any(isinstance(result, BudgetSpent) for result in results)
    full = budget.exceeded_by(judge.spent + Spending(calls=1, tokens=100, money=1.0)) is not None
    assert full or not refused


def test_a_failure_that_says_what_it_took_is_settled_at_that(question):
    class Malformed(SimulatedJudge):
        async def compare(self, question):
            raise JudgeFailed("malformed", tokens=(60, 40), cost=0.02)

    judge = Budgeted(Malformed(EVEN, cost=0.5), Budget(), tokens=lambda _: 1000)
    assert asked(judge, question, 3) == {"JudgeFailed": 3}
    assert judge.spent == Spending(calls=3, tokens=300, money=pytest.approx(0.06))
