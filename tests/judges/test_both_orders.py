"""A match held in both orders (S2)."""

import asyncio

import pytest

from paragone.domain import Choice, Item, Match, Order, Outcome, Pairing, Usage
from paragone.errors import BudgetSpent, JudgeFailed
from paragone.judges import Budget, Budgeted, Cached, MemoryVerdicts, Settled, compare_pair
from paragone.judges.function_judge import FunctionJudge
from paragone.judges.simulated_judge import SimulatedJudge

BOTH = Pairing(a="x", b="y", orders=(Order.AB, Order.BA))
ITEMS = {name: Item(id=name, text=f"text of {name}") for name in "xyz"}


def held(judge, pairing=BOTH):
    return asyncio.run(compare_pair(judge, pairing, ITEMS, "clarity", "r1.m2"))


def outcome(judge, pairing=BOTH):
    return Match.of("r1.m2", pairing, held(judge, pairing)).outcome


def test_the_documents_example_of_a_clear_winner():
    comparisons = held(SimulatedJudge({"x": 1.0, "y": 0.0}, noise=0.0))
    assert [(c.call, c.first, c.second, c.verdict.choice) for c in comparisons] == [
        ("r1.m2.1", "x", "y", Choice.FIRST),
        ("r1.m2.2", "y", "x", Choice.SECOND),
    ]
    assert Match.of("r1.m2", BOTH, comparisons).outcome is Outcome.A


def test_a_judge_that_always_names_the_first_comes_to_a_draw():
    assert outcome(FunctionJudge(lambda *_: "first")) is Outcome.DRAW
    assert outcome(FunctionJudge(lambda *_: "first"), Pairing(a="x", b="y")) is Outcome.A


def test_an_error_skips_that_comparison():
    def fails_in_reverse(first, second, criteria):
        if first.id == "y":
            raise ConnectionError("down")
        return "second"

    assert outcome(Settled(FunctionJudge(fails_in_reverse))) is Outcome.B


def test_an_outage_is_void_and_no_draw():
    assert outcome(Settled(SimulatedJudge({}, failures=1.0))) is Outcome.VOID


def test_orders_may_repeat():
    four = Pairing(a="x", b="y", orders=(Order.AB, Order.BA) * 2)
    assert [c.call for c in held(SimulatedJudge({"x": 0.0, "y": 0.0}), four)] == [f"r1.m2.{n}" for n in (1, 2, 3, 4)]


def test_both_are_asked_at_once_and_results_keep_their_order():
    arrived = []

    async def slower_first(first, second, criteria):
        await asyncio.sleep(0.02 if first.id == "x" else 0.0)
        arrived.append(first.id)
        return "first"

    comparisons = held(FunctionJudge(slower_first))
    assert arrived == ["y", "x"]
    assert [comparison.first for comparison in comparisons] == ["x", "y"]


def test_what_was_paid_for_is_kept_when_the_budget_ends_between_the_orders():
    store = MemoryVerdicts()
    judge = Cached(Budgeted(SimulatedJudge({"x": 0.0, "y": 0.0}, delay=0.001), Budget(calls=1)), store)
    with pytest.raises(BudgetSpent):
        held(judge)
    assert len(store) == 1
    again = asyncio.run(compare_pair(judge, Pairing(a="x", b="y"), ITEMS, "clarity", "r1.m2"))
    assert again[0].verdict.usage == Usage(calls=0, cost=0.0)


def test_the_other_order_is_waited_for_when_one_fails_at_once():
    async def fails_in_reverse(first, second, criteria):
        if first.id == "y":
            raise ConnectionError("down")
        await asyncio.sleep(0.01)
        return "first"

    store = MemoryVerdicts()
    with pytest.raises(JudgeFailed):
        held(Cached(FunctionJudge(fails_in_reverse), store))
    assert len(store) == 1


def test_a_failure_that_nobody_settles_is_raised_when_all_are_done():
    with pytest.raises(JudgeFailed):
        held(SimulatedJudge({}, failures=1.0))
