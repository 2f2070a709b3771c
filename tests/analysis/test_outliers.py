"""Improbable results, and judges who contradict themselves."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from paragone.analysis.quality.contests import Contests, FittedContests
from paragone.analysis.quality.outliers import both_orders, chances, false_shares, outliers
from paragone.ratings import Evidence, fit


@given(st.lists(st.floats(0, 1), min_size=1, max_size=30))
def test_false_shares_are_benjamini_and_hochbergs(p_values):
    from scipy.stats import false_discovery_control

    assert false_shares(np.array(p_values)) == pytest.approx(false_discovery_control(p_values))


def test_an_upset_is_as_unlikely_as_a_fit_without_it_says(play):
    """The twin: the fit made anew without the match."""
    played = play(12, 240, seed=4, draws=2000)
    contests, ends = played.contests, chances(played.prediction)
    seen = np.where(contests.score == 1, ends[0], np.where(contests.score == 0, ends[2], ends[1]))
    worst = np.argsort(seen)[:3]
    for place in worst:
        keep = np.arange(len(contests)) != place
        rest = Evidence.from_arrays(12, contests.a[keep], contests.b[keep], contests.score[keep])
        found = fit(rest)
        without = FittedContests(
            contests=contests,
            answers=played.prediction.answers,
            draws=lambda strength=found.strength: strength[None],
            strength=found.strength,
        )
        win, draw = (ends[place] for ends in without.ends(found.strength))
        plain = {1.0: win, 0.5: draw, 0.0: 1 - win - draw}[contests.score[place]]
        assert seen[place] == pytest.approx(plain, rel=0.35)


def test_fair_results_surprise_as_often_as_luck_makes(play):
    found = [outliers(play(20, 300, seed=seed, spread=4).prediction) for seed in range(12)]
    listed, expected = sum(len(one.listed) for one in found), sum(one.expected for one in found)
    assert 0.6 * expected < listed < 1.4 * expected
    assert sum(outlier.q_value <= 0.05 for one in found for outlier in one.listed) <= 1


def test_planted_results_are_among_the_first(play, fitted):
    fair = play(20, 400, seed=1, spread=5)
    contests, best = fair.contests, np.argsort(fair.truth)[::-1]
    rows = list(zip(contests.a, contests.b, contests.score, strict=True))
    planted = [(best[n], best[-1 - n], 0.0) for n in range(2)]
    found = outliers(fitted(fair.truth, rows + planted).prediction)
    assert {"m400", "m401"} == {outlier.match for outlier in found.listed[:2]}
    assert len(found.listed) > found.expected + 1


def test_an_outlier_says_what_happened(told):
    rows = [(0, 1, 1.0)] * 3 + [(0, 1, 0.0)]
    (odd,) = outliers(told(rows, [9.0, 0.0])).listed
    assert (odd.match, odd.winner, odd.result) == ("3", "b", "b beat a")
    assert odd.chance == pytest.approx(np.exp(-9) / (1 + np.exp(-9)))
    assert odd.q_value == pytest.approx(4 * odd.p_value)
    assert outliers(told(rows, [0.5, 0.0])).listed == ()
    assert outliers(told(rows, [9.0, 0.0])).expected == pytest.approx(4 * odd.chance)


def test_no_match_has_no_outlier(told):
    empty = FittedContests(
        contests=Contests.of("ab", [], [], [], []),
        answers=told([(0, 1, 1.0)], [0, 0]).answers,
        draws=lambda: np.zeros((1, 2)),
        strength=np.zeros(2),
    )
    assert outliers(empty).listed == ()


def test_contradictions_in_both_orders_beside_what_noise_and_bias_make(told):
    # a judge who always takes the first: both pairs asked in both orders contradict each other
    rows = [(0, 1, 1.0), (1, 0, 1.0), (2, 3, 1.0), (3, 2, 1.0), (0, 2, 1.0)]
    fair = both_orders(told(rows, [0, 0, 0, 0]))
    assert (fair.pairs, fair.contradicted, fair.expected) == (2, 2, pytest.approx(1.0))
    assert fair.listed == (("a", "b"), ("c", "d"))
    biased = both_orders(told(rows, [0, 0, 0, 0], position=4.0))
    first = 1 / (1 + np.exp(-4))
    assert biased.expected == pytest.approx(2 * (first**2 + (1 - first) ** 2))
    assert biased.p_value > fair.p_value


def test_a_tie_contradicts_nobody(told):
    found = both_orders(told([(0, 1, 1.0), (1, 0, 0.5)], [0, 0], tie=0.0))
    assert (found.pairs, found.contradicted) == (1, 0)
    assert found.expected == pytest.approx(2 / 9)  # each for another side, of three even ends


def test_where_no_pair_was_turned_there_is_nothing_to_say(told):
    found = both_orders(told([(0, 1, 1.0)], [0, 0]))
    assert (found.pairs, found.contradicted, found.expected, found.p_value) == (0, 0, 0.0, None)
