"""Budgets are never exceeded, whatever is in flight, and nothing is left over that would have fitted."""

import asyncio
from collections import Counter
from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

import virtual_time
from paragone.domain import Choice, Item, Question, Spending, Usage, Verdict
from paragone.errors import BudgetSpent, InvalidConfig, JudgeFailed
from paragone.judges import Budget, Budgeted, Cached, MemoryVerdicts, Stack
from paragone.judges.budget import tokens_at_most
from paragone.judges.function_judge import FunctionJudge
from paragone.judges.simulated_judge import SimulatedJudge

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
    assert judge.spent == Spending(requests=7, dollars=0.0)


def test_money_is_reserved_before_it_is_spent(question):
    judge = Budgeted(SimulatedJudge(EVEN, cost=0.1, delay=0.001), Budget(money=0.3))
    assert asked(judge, question, 10) == {"Verdict": 3, "BudgetSpent": 7}
    assert judge.spent.dollars == pytest.approx(0.3)


def test_tokens_reserved_generously_are_given_back(question):
    # The first calls reserve 1,000 tokens and take 100; after five the bound is what they took, and 25 fit.
    judge = Budgeted(SimulatedJudge(EVEN, tokens=100, delay=0.001), Budget(tokens=2500), tokens=lambda _: 1000)
    assert asked(judge, question, 30) == {"Verdict": 25, "BudgetSpent": 5}
    assert judge.spent.tokens == 2500


def test_failed_calls_are_spent_too(question):
    judge = Budgeted(SimulatedJudge(EVEN, failures=1.0, cost=0.5), Budget(calls=3))
    assert asked(judge, question, 5) == {"JudgeFailed": 3, "BudgetSpent": 2}
    assert judge.spent.dollars == 0.0, "they say that nothing was charged for"


def test_what_the_cache_inside_answers_costs_nothing(question):
    inside = Cached(SimulatedJudge(EVEN, cost=1.0), MemoryVerdicts())
    judge = Budgeted(inside, Budget(calls=2))
    assert asked(judge, question, 5) == {"Verdict": 5}
    assert judge.spent == Spending(requests=1, dollars=1.0)


def test_what_was_spent_before_counts(question):
    judge = Budgeted(SimulatedJudge(EVEN), Budget(calls=10), spent=Spending(requests=8))
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
    assert judge.spent.requests == 1


@pytest.mark.parametrize("wrong", [{"calls": -1}, {"tokens": -5}, {"money": float("nan")}, {"money": float("inf")}])
def test_budgets_out_of_range_are_named(wrong):
    with pytest.raises(InvalidConfig, match=next(iter(wrong))):
        Budget(**wrong)


def test_the_estimate_of_tokens_is_above_what_common_text_takes(question):
    short = question(texts={"x": "", "y": ""}, criteria="")
    assert tokens_at_most(short) == 1000
    assert tokens_at_most(question(texts={"x": "word " * 1000, "y": "假设" * 1000})) > 1000 + 1250 + 2000


class Erratic:
    """A judge whose calls take anything, whatever it says before, and which notes what was spent when each began."""

    card = SimulatedJudge(EVEN).card

    def __init__(self, takes):
        self.takes = list(takes)
        self.spent_at_start = []
        self.budgeted = None

    def price(self, question):
        return 0.3

    async def compare(self, question):
        tenths, fails, turns = self.takes[int(question.call)]
        self.spent_at_start.append(self.budgeted.spent)
        for _ in range(turns):
            await asyncio.sleep(0)
        if fails:
            raise JudgeFailed("erratic", tokens=(tenths * 10, 0), cost=tenths / 10)
        return Verdict(choice=Choice.TIE, judge="", usage=Usage(calls=1, input_tokens=tenths * 10, cost=tenths / 10))

    async def close(self):
        pass


@given(
    st.lists(st.tuples(st.integers(0, 10), st.booleans(), st.integers(0, 3)), max_size=25),
    st.none() | st.integers(0, 12),
    st.none() | st.integers(0, 800),
    st.none() | st.floats(0, 8),
)
def test_no_call_begins_once_a_limit_is_reached_and_calls_are_refused_only_near_it(takes, calls, tokens, money):
    budget = Budget(calls=calls, tokens=tokens, money=money)
    inside = Erratic(takes)
    inside.budgeted = judge = Budgeted(inside, budget, tokens=lambda _: 30)
    item = Item(id="x", text="x")

    async def run():
        questions = (Question(call=str(n), first=item, second=item, criteria="") for n in range(len(takes)))
        return await asyncio.gather(*map(judge.compare, questions), return_exceptions=True)

    results = asyncio.run(run())
    assert all(budget.exceeded_by(spent) is None for spent in inside.spent_at_start)
    assert calls is None or len(inside.spent_at_start) <= calls
    refused = any(isinstance(result, BudgetSpent) for result in results)
    largest = Spending(requests=1, output_tokens=100, dollars=1.0)
    assert not refused or budget.exceeded_by(judge.spent + largest) is not None


def test_what_a_model_thinks_is_foreseen_after_its_first_call(question):
    """The price says 1 cent and every call takes 10: the first is made alone, and then the budget holds."""

    class Thinking(SimulatedJudge):
        at_once = most_at_once = 0

        async def compare(self, question):
            self.at_once += 1
            self.most_at_once = max(self.most_at_once, self.at_once)
            verdict = await super().compare(question)
            self.at_once -= 1
            return replace(verdict, usage=replace(verdict.usage, output_tokens=900, cost=0.1))

    inside = Thinking(EVEN, delay=0.001, cost=0.01)
    judge = Budgeted(inside, Budget(money=0.55))
    assert asked(judge, question, 40) == {"Verdict": 5, "BudgetSpent": 35}
    assert judge.spent.dollars == pytest.approx(0.5)
    assert inside.most_at_once == 4, "one alone, then as many as fit"


def test_what_is_not_known_of_earlier_runs_is_taken_for_the_mean_of_the_rest(question):
    spent = Spending(requests=10, output_tokens=800, unmetered=2, dollars=0.8, unpriced=2)
    judge = Budgeted(SimulatedJudge(EVEN, cost=0.1), Budget(money=1.25), spent=spent)
    assert judge.spent.tokens == 1000
    assert judge.spent.dollars == pytest.approx(1.0)
    assert asked(judge, question, 5) == {"Verdict": 2, "BudgetSpent": 3}


def test_a_failure_that_says_what_it_took_is_settled_at_that(question):
    class Malformed(SimulatedJudge):
        async def compare(self, question):
            raise JudgeFailed("malformed", tokens=(60, 40), cost=0.02)

    judge = Budgeted(Malformed(EVEN, cost=0.5), Budget(), tokens=lambda _: 1000)
    assert asked(judge, question, 3) == {"JudgeFailed": 3}
    assert judge.spent == Spending(requests=3, input_tokens=180, output_tokens=120, dollars=pytest.approx(0.06))


class Paced(SimulatedJudge):
    """A judge that notes when each call begins; the first takes twenty seconds, the others two."""

    def __init__(self, first=20.0, later=2.0):
        super().__init__(EVEN, tokens=100)
        self.starts = []
        self.first, self.later = first, later

    async def compare(self, question):
        self.starts.append(asyncio.get_running_loop().time())
        await asyncio.sleep(self.later if len(self.starts) > 1 else self.first)
        return await super().compare(question)


@pytest.mark.parametrize("budget", [None, Budget(tokens=100_000), Budget(tokens=2300)])
def test_calls_that_waited_for_a_reservation_do_not_begin_together(question, budget):
    """Beside no budget: one large, whose first call of a kind is made alone, and one that lends as answers come in."""
    inside = Paced()
    judge = Stack(
        store=MemoryVerdicts(), budget=budget, per_minute=60, concurrency=30, is_new=False, attempts=1
    ).around(inside)

    async def run():
        texts = [{"x": str(n), "y": "y"} for n in range(30)]
        calls = (judge.compare(question(call=f"m{n}", texts=texts[n])) for n in range(30))
        return await asyncio.gather(*calls, return_exceptions=True)

    results, seconds = virtual_time.run(run)
    assert all(after - before > 0.999 for before, after in pairwise(inside.starts))
    if budget is None or budget.tokens > 10_000:
        assert len(inside.starts) == 30
        assert seconds < 20 + 30 + 2 + 1, "turns that passed while all waited are no loss"
    else:
        assert 2 < len(inside.starts) < 30
        assert any(isinstance(result, BudgetSpent) for result in results)


def test_a_call_that_is_cancelled_while_it_waits_for_another_turn_took_nothing(question):
    inside = Paced(first=5.0)
    turns = asyncio.Event()
    judge = Budgeted(inside, Budget(tokens=100_000), turn=turns.wait)

    async def run():
        calls = [asyncio.create_task(judge.compare(question(call=f"m{n}"))) for n in range(3)]
        await asyncio.sleep(6.0)
        assert len(inside.starts) == 1, "the others wait"
        calls[1].cancel()
        turns.set()
        return await asyncio.gather(*calls, return_exceptions=True)

    virtual_time.run(run)
    assert len(inside.starts) == 2
    assert judge.spent.requests == 2
    assert judge.spent.tokens == 200
