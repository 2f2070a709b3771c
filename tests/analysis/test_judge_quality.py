"""How good each judge is, and what its answers are worth."""

import math
from collections import Counter

import pytest

from paragone.analysis.board_rows import judge_reports
from paragone.analysis.quality.forecast_quality import wilson
from paragone.analysis.quality.judge_quality import Habits, Took, agreement, rated
from paragone.domain import Choice, Comparison, Verdict


def said(judge, choice, first="a", second="b"):
    return Comparison(call="", first=first, second=second, verdict=Verdict(choice=choice, judge=judge))


def test_information_of_one_answer_about_two_equals():
    assert Habits().information == pytest.approx(0.25)
    assert Habits(slope=2).information == pytest.approx(1.0)
    # ties for a third of even pairs: each end one third, variance 1/9 + (2/3)(1/3)/4
    assert Habits(tie=0.0).information == pytest.approx(1 / 6)
    assert Habits(position=math.log(9)).information == pytest.approx(0.09)  # 0.9 * 0.1
    assert Habits(scatter=0.5).information == pytest.approx(0.5)


def test_agreement_is_about_decided_answers_on_unequals():
    strength = {"a": 1.0, "b": 0.0, "c": 0.0}
    answers = [
        said("x", Choice.FIRST),
        said("x", Choice.FIRST),
        said("x", Choice.SECOND),
        said("x", Choice.FIRST, "b", "a"),
        said("x", Choice.TIE),
        said("x", Choice.FIRST, "b", "c"),
        said("x", Choice.ABSTAIN),
    ]
    assert agreement(answers, strength) == (0.5, 4)
    assert agreement([said("x", Choice.TIE)], strength)[1] == 0


def test_wilsons_interval():
    assert wilson(0.5, 100) == pytest.approx((0.4038, 0.5962), abs=1e-4)
    assert wilson(1.0, 10) == pytest.approx((0.7225, 1.0), abs=1e-4)
    assert wilson(math.nan, 0) == (0.0, 1.0)


def reports(*judges):
    return judge_reports({judge: Counter({Choice.FIRST: 4}) for judge in judges}, {})


def test_judges_are_ranked_by_what_they_tell_for_their_price():
    took = {
        "cheap": Took(answered=10, decided=8, abstentions=5, failures=5, debates=3, cost=0.02),
        "dear": Took(answered=20, decided=20, cost=20.0),
    }
    habits = {"cheap": Habits(slope=0.8), "dear": Habits(slope=1.25)}
    cheap, dear = rated(reports("dear", "cheap"), took, habits, {"cheap": (0.75, 8)})
    assert (cheap.judge, cheap.abstentions, cheap.failures, cheap.debates) == ("cheap", 5, 5, 3)
    assert cheap.cost_per_decided == pytest.approx(0.0025)
    assert cheap.information == pytest.approx(0.25 * 0.64 / 2)  # every second call told nothing
    assert cheap.information_per_dollar == pytest.approx(0.08 / 0.001)
    assert (cheap.agreement, cheap.agreement_low) == (0.75, pytest.approx(wilson(0.75, 8)[0]))
    assert dear.information_per_dollar == pytest.approx(0.25 * 1.5625)
    assert dear.agreement is None


def test_where_a_price_is_not_known_or_nothing_they_are_ranked_by_call():
    habits = {"free": Habits(slope=0.5), "unknown": Habits(slope=2.0)}
    took = {"free": Took(answered=4, decided=4, cost=0.0), "unknown": Took(answered=4, decided=4)}
    best, other = rated(reports("free", "unknown"), took, habits, {})
    assert (best.judge, other.judge) == ("unknown", "free")
    assert (other.cost, other.cost_per_decided, other.information_per_dollar) == (0.0, 0.0, None)
    assert (best.cost, best.cost_per_decided) == (None, None)


def test_a_judge_of_whom_nothing_more_is_known_keeps_its_report():
    (alone,) = rated(reports("x"), {}, {}, {})
    assert (alone.comparisons, alone.information, alone.failures) == (4, None, None)
