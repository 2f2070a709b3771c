"""The simulated judge: its odds, its faults, and that it can be repeated."""

import math
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paragone.domain import Choice
from paragone.errors import InvalidConfig, JudgeFailed
from paragone.judges.base import uniform
from paragone.judges.simulated_judge import SimulatedJudge, probabilities


def shares(ask_often, judge, count=2000):
    drawn = Counter(verdict.choice for verdict in ask_often(judge, count))
    return {choice: drawn[choice] / count for choice in Choice}


def test_odds_are_those_of_davidsons_model():
    # Worked by hand: x = ln 3 gives 3 : 1 without ties.
    assert probabilities(math.log(3), bias=0.0, ties=0.0, noise=1.0) == pytest.approx((0.75, 0.0))
    assert probabilities(math.log(3) / 2, bias=0.0, ties=0.0, noise=0.5) == pytest.approx((0.75, 0.0))
    assert probabilities(0.0, bias=math.log(3), ties=0.0, noise=1.0) == pytest.approx((0.75, 0.0))
    assert probabilities(0.0, bias=0.0, ties=0.2, noise=1.0) == pytest.approx((0.4, 0.2))
    # exp(x/2) : exp(t) : exp(-x/2) = 2 : 0.5 : 0.5 with x = ln 4 and ties = 0.2.
    assert probabilities(math.log(4), bias=0.0, ties=0.2, noise=1.0) == pytest.approx((2 / 3, 1 / 6))


@given(
    lead=st.floats(-1e6, 1e6),
    bias=st.floats(-50, 50),
    ties=st.floats(0, 0.99),
    noise=st.sampled_from([0.0, 0.01, 0.5, 1.0, 100.0]),
)
def test_odds_are_odds_and_turn_round(lead, bias, ties, noise):
    first, tie = probabilities(lead, bias=bias, ties=ties, noise=noise)
    second, same = probabilities(-lead, bias=-bias, ties=ties, noise=noise)
    assert 0 <= first <= 1
    assert 0 <= tie <= 1
    assert tie == pytest.approx(same)
    assert first + tie + second == pytest.approx(1.0)


def test_drawn_shares_follow_the_odds(ask_often):
    judge = SimulatedJudge({"x": math.log(4), "y": 0.0}, ties=0.2, sticky=False)
    found = shares(ask_often, judge)
    # Standard deviation of a share of 2/3 over 2,000 draws: .0105; of 1/6: .0083.
    assert found[Choice.FIRST] == pytest.approx(2 / 3, abs=0.042)
    assert found[Choice.TIE] == pytest.approx(1 / 6, abs=0.034)


def test_a_judge_without_noise_never_errs(ask):
    judge = SimulatedJudge({"x": 1.0, "y": 1.001}, noise=0.0, bias=3.0, sticky=False)
    assert {ask(judge, call=f"m{n}").choice for n in range(20)} == {Choice.SECOND}


def test_sticky_answers_depend_on_the_ordered_pair_and_others_on_the_call(ask):
    even = {"x": 0.0, "y": 0.0}
    assert len({ask(SimulatedJudge(even, seed=3), call=f"m{n}").choice for n in range(20)}) == 1
    assert len({ask(SimulatedJudge(even, seed=3, sticky=False), call=f"m{n}").choice for n in range(20)}) == 2
    answers = {
        (ask(SimulatedJudge(even, seed=n), "x", "y").choice, ask(SimulatedJudge(even, seed=n), "y", "x").choice)
        for n in range(30)
    }
    assert len(answers) == 4


def test_abstentions_and_failures_have_their_share(ask_often):
    judge = SimulatedJudge({"x": 0.0, "y": 0.0}, abstentions=0.3, sticky=False)
    assert shares(ask_often, judge)[Choice.ABSTAIN] == pytest.approx(0.3, abs=0.042)
    failing = SimulatedJudge({"x": 0.0, "y": 0.0}, failures=0.2)
    failed = sum(isinstance(answer, JudgeFailed) for answer in ask_often(failing, 1000))
    assert failed / 1000 == pytest.approx(0.2, abs=0.051)


def test_failures_follow_from_seed_call_and_attempt(ask):
    def outcomes(judge, call):
        for _ in range(10):
            try:
                yield ask(judge, call=call).choice.value
            except JudgeFailed as failure:
                yield str(failure)

    def made():
        return SimulatedJudge({"x": 9.0, "y": 0.0}, failures=0.5, seed=2)

    other_first = made()
    list(outcomes(other_first, "other"))
    one = list(outcomes(made(), "m1"))
    assert list(outcomes(other_first, "m1")) == one
    assert 0 < sum("failure" in outcome for outcome in one) < 10


def test_usage_price_and_identity(ask):
    judge = SimulatedJudge({"x": 0.0, "y": 0.0}, tokens=100, cost=0.01)
    usage = ask(judge).usage
    assert (usage.calls, usage.output_tokens, usage.cost) == (1, 100, 0.01)
    assert judge.price(None) == 0.01
    same = SimulatedJudge({"x": 0.0, "y": 0.0}, delay=0.1, failures=0.5)
    assert same.card.identity == judge.card.identity
    for other in ({"bias": 0.1}, {"ties": 0.1}, {"noise": 2.0}, {"seed": 1}, {"sticky": False}, {"abstentions": 0.1}):
        assert SimulatedJudge({"x": 0.0, "y": 0.0}, **other).card.identity != judge.card.identity


def test_an_unknown_item_is_a_failure_that_asking_again_does_not_mend(ask):
    with pytest.raises(JudgeFailed, match="knows no item 'z'") as raised:
        ask(SimulatedJudge({"x": 0.0}), "x", "z")
    assert not raised.value.retryable


@pytest.mark.parametrize(
    "wrong",
    [
        {"ties": 1.0}, {"ties": -0.1}, {"failures": 1.1}, {"abstentions": -1}, {"noise": -1.0}, {"delay": -1.0},
        {"bias": math.nan}, {"noise": math.inf}, {"failures": math.nan}, {"cost": -1.0},
    ],
)  # fmt: skip
def test_parameters_out_of_range_are_named(wrong):
    with pytest.raises(InvalidConfig, match=next(iter(wrong))):
        SimulatedJudge({}, **wrong)


@given(st.lists(st.text() | st.integers(), min_size=1), st.lists(st.text() | st.integers(), min_size=1))
def test_chance_is_uniform_in_the_unit_interval_and_names_do_not_run_together(one, other):
    assert 0 <= uniform(*one) < 1
    assert (uniform(*one) == uniform(*other)) == (one == other)
