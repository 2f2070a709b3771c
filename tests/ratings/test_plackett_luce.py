"""The likelihood of orderings: by hand, against its own logarithmic form, and for strengths beyond a float's reach."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from paragone.domain import Choice, Ranking, Verdict
from paragone.errors import InvalidVotes
from paragone.ratings.evidence import Evidence, list_judge
from paragone.ratings.model.plackett_luce import PlackettLuce, _in_logarithms, value_and_gradient


def test_three_by_hand():
    """P(a > b > c) with odds 3 : 2 : 1 is 3/6 * 2/3."""
    strength = np.log([[3.0, 2.0, 1.0]])
    assert PlackettLuce.at(strength).value == pytest.approx([math.log(1 / 3)])
    value, gradient = value_and_gradient(strength[:, :, None])
    assert value[0, 0] == pytest.approx(math.log(1 / 3))
    assert gradient[0, :, 0] == pytest.approx([1 - 1 / 2, 1 - 1 / 3 - 2 / 3, 0 - 1 / 6 - 1 / 3])


@given(seed=st.integers(0, 10_000), scale=st.sampled_from([0.1, 3.0, 80.0]))
def test_the_quick_form_and_the_one_in_logarithms_agree(seed, scale):
    rng = np.random.default_rng(seed)
    strength = scale * rng.standard_normal((4, 5, 3))
    strength[1:3, 3:] = -np.inf
    quick, plain = value_and_gradient(strength), _in_logarithms(strength, np.isfinite(strength))
    assert quick[0] == pytest.approx(plain[0])
    assert quick[1] == pytest.approx(plain[1], abs=1e-12)
    for point in range(3):
        exact = PlackettLuce.at(strength[:, :, point])
        assert quick[0][:, point] == pytest.approx(exact.value)
        assert quick[1][:, :, point] == pytest.approx(exact.gradient, abs=1e-12)


@given(seed=st.integers(0, 10_000))
def test_whole_orderings_have_the_same_numbers_beside_shorter_ones(seed):
    rng = np.random.default_rng(seed)
    strength = 3.0 * rng.standard_normal((4, 5, 3))
    filled = np.concatenate([strength, strength[:1]])
    filled[4, 2:] = -np.inf
    for whole, beside in zip(value_and_gradient(strength), value_and_gradient(filled), strict=True):
        assert np.array_equal(whole, beside[:4])


def test_strengths_a_thousand_nats_apart_stay_finite():
    strength = np.array([[-2000.0, 0.0, 1500.0, -np.inf]])[:, :, None]
    value, gradient = value_and_gradient(strength)
    assert value[0, 0] == pytest.approx(-5000.0)
    assert gradient[0, :, 0] == pytest.approx([1.0, 1.0, -2.0, 0.0])


def ranking(shown, order, judge="j"):
    choice = Choice.RANKED if order else Choice.ABSTAIN
    verdict = Verdict(choice=choice, judge=judge, order=order)
    return Ranking(call="c", shown=tuple(shown), verdict=verdict)


def test_lists_of_each_length_enter_as_a_judge_of_their_own():
    lists = [ranking("abc", (2, 0, 1)), ranking("ba", (0, 1)), ranking("abc", ()), ranking("cab", (0, 1, 2), "k")]
    evidence = Evidence.of([], "abc", {"k": 2.0}, rankings=lists)
    assert evidence.judges == ("j, lists of 2", "j, lists of 3", "k, lists of 3")
    assert evidence.rankings.tolist() == [[2, 0, 1], [1, 0, -1], [2, 0, 1]]
    assert [evidence.judges[judge] for judge in evidence.ranking_judge] == [
        list_judge(lists[0]),
        list_judge(lists[1]),
        list_judge(lists[3]),
    ]
    assert evidence.ranking_weight.tolist() == [1.0, 1.0, 2.0]


def test_a_ranking_of_an_unknown_item_is_refused_by_name():
    with pytest.raises(InvalidVotes, match="ranking 'c' names 'z'"):
        Evidence.of([], "ab", rankings=[ranking("az", (0, 1))])
