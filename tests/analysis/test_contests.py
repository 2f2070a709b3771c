"""Matches as columns, and how a fit says they could have ended."""

from itertools import product

import numpy as np
import pytest

from paragone.analysis.quality.contests import AnswerTable, Contests, FittedContests, MetPairs


def answers(match, first, second, forward, **how):
    ones = np.ones(len(match))
    habits = {"slope": 1.0, "position": 0.0, "tie": -np.inf, "scatter": 0.0, **how}
    return AnswerTable(
        match=np.array(match),
        first=np.array(first),
        second=np.array(second),
        forward=np.array(forward),
        choice=ones,
        **{name: value * ones for name, value in habits.items()},
    )


def prediction(told, matches=1):
    contests = Contests.of("ab", [str(n) for n in range(matches)], [0] * matches, [1] * matches, [1] * matches)
    return FittedContests(contests=contests, answers=told, draws=lambda: np.zeros((3, 2)), strength=np.zeros(2))


def test_one_answer_is_davidsons_model():
    # a lead of log 3, no ties: three to one
    win, draw = prediction(answers([0], [0], [1], [True])).ends(np.array([np.log(3), 0.0]))
    assert (win[0], draw[0]) == (pytest.approx(0.75), pytest.approx(0.0))
    # shown second, with a bias of log 3 for the first: even
    win, _ = prediction(answers([0], [1], [0], [False], position=np.log(3))).ends(np.array([np.log(3), 0.0]))
    assert win[0] == pytest.approx(0.5)
    # between equals exp(t) / (2 + exp(t)) are ties
    win, draw = prediction(answers([0], [0], [1], [True], tie=np.log(2))).ends(np.zeros(2))
    assert (win[0], draw[0]) == (pytest.approx(0.25), pytest.approx(0.5))


def test_several_answers_are_counted_out():
    told = answers([0] * 3, [0, 1, 0], [1, 0, 1], [True, False, True], tie=-0.5, position=0.7, slope=1.3)
    strength = np.array([0.4, -0.2])
    first, tie = told.probabilities(strength)
    ours = np.where(told.forward, first, 1 - first - tie)
    chances = np.stack([ours, tie, 1 - ours - tie])
    win = draw = 0.0
    for ends in product(range(3), repeat=3):
        chance, lead = np.prod(chances[list(ends), range(3)]), sum(1 - end for end in ends)
        win, draw = win + chance * (lead > 0), draw + chance * (lead == 0)
    found = prediction(told).ends(strength)
    assert (found[0][0], found[1][0]) == (pytest.approx(win), pytest.approx(draw))


def test_matches_with_different_numbers_of_answers_keep_their_places():
    told = answers([1, 0, 1], [0, 0, 1], [1, 1, 0], [True, True, False])
    win, draw = prediction(told, matches=2).ends(np.array([np.log(3), 0.0]))
    assert win == pytest.approx([0.75, 0.5625])
    assert draw == pytest.approx([0.0, 0.375])


def test_a_judge_who_states_probabilities_scatters_as_the_fit_found():
    sure = answers([0], [0], [1], [True], scatter=0.01)
    loose = answers([0], [0], [1], [True], scatter=1.0)
    lead = np.array([0.5, 0.0])
    assert sure.probabilities(lead)[0][0] > 0.99 > loose.probabilities(lead)[0][0] > 0.55
    assert sure.probabilities(lead)[1][0] == 0.0


def test_a_stated_probability_is_above_one_half_as_often_as_by_its_beta_distribution():
    """Mean .15 and variance .068 of .1275: a beta of 2.06 and 11.65. A normal one would make of .0023 a .00009."""
    told = answers([0, 0], [0, 1], [1, 0], [True, True], scatter=[0.068, 1.0])
    lead = np.array([np.log(0.15 / 0.85), 0.0])
    chance, _ = told.probabilities(lead)
    drawn = np.random.default_rng(1).beta(0.15 * 13.706, 0.85 * 13.706, 400_000)
    assert chance[0] == pytest.approx((drawn > 0.5).mean(), abs=0.0004)
    assert chance[1] == pytest.approx(0.85, abs=1e-4), "plain decisions have no scatter of their own"


def test_pairs_and_by_how_much_one_has_won():
    contests = Contests.of("abc", "12345", [0, 1, 2, 0, 1], [1, 0, 1, 2, 0], [1, 1, 0.5, 0, 1])
    pairs = MetPairs.met(contests)
    assert list(zip(pairs.low, pairs.high, pairs.net, strict=True)) == [(0, 1, -1), (0, 2, -1), (1, 2, 0)]
    assert pairs.of.tolist() == [0, 0, 2, 1, 0]


def test_the_more_matches_the_fewer_draws():
    many = FittedContests(
        contests=Contests.of("ab", [str(n) for n in range(500_000)], [0] * 500_000, [1] * 500_000, [1] * 500_000),
        answers=answers([0], [0], [1], [True]),
        draws=lambda: np.arange(400.0).reshape(200, 2),
        strength=np.zeros(2),
    )
    assert len(many.few_draws()) == 40
    assert len(prediction(answers([0], [0], [1], [True])).few_draws()) == 3


@pytest.mark.parametrize("at_once", [1, 50, 20_000])
def test_many_draws_at_once_are_each_draw_by_itself_to_the_last_bit(monkeypatch, at_once):
    monkeypatch.setattr("paragone.analysis.quality.contests._ANSWERS_AT_ONCE", at_once)
    rng = np.random.default_rng(8)
    match = rng.integers(9, size=22)  # of none to several answers, by judges with and without ties and scatter
    several = AnswerTable(
        match=match,
        first=rng.integers(5, size=22),
        second=rng.integers(5, size=22),
        forward=rng.random(22) < 0.5,
        choice=np.ones(22),
        slope=rng.gamma(2.0, size=22),
        position=rng.normal(size=22),
        tie=np.where(match % 3 == 0, -np.inf, rng.normal(size=22)),
        scatter=np.where(match % 2 == 0, 0.0, 0.2),
    )
    drawn = rng.normal(size=(13, 5))
    contests = Contests.of("abcde", "123456789", [0] * 9, [1] * 9, [1] * 9)
    predicted = FittedContests(contests=contests, answers=several, draws=lambda: drawn, strength=np.zeros(5))
    ends = list(predicted.ends_by_draw())
    assert len(ends) == 13
    for (win, draw), strength in zip(ends, drawn, strict=True):
        alone = predicted.ends(strength)
        assert (win.tolist(), draw.tolist()) == (alone[0].tolist(), alone[1].tolist())


def test_what_cannot_be_is_refused():
    with pytest.raises(ValueError, match="as many sides"):
        Contests.of("ab", "12", [0], [1], [1])
    with pytest.raises(ValueError, match="two different ones"):
        Contests.of("ab", "1", [0], [0], [1])
    with pytest.raises(ValueError, match="two different ones"):
        Contests.of("ab", "1", [0], [2], [1])
