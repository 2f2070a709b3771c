"""Whether a ranking has settled."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from paragone.analysis.progress.convergence import (
    Sweep,
    convergence,
    convergence_rate,
    in_words,
    rank_stability,
    stable_rounds,
    top_stability,
    trend,
)

RATINGS = st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), min_size=2, max_size=12)


def naive_tau_b(first, second):
    """Pair by pair."""
    score = ties = others = 0
    for i, j in combinations(range(len(first)), 2):
        a, b = np.sign(first[i] - first[j]), np.sign(second[i] - second[j])
        score += a * b
        ties += a != 0
        others += b != 0
    return score / np.sqrt(ties * others)


@given(RATINGS)
def test_stability_is_tau_b_counted_pair_by_pair(pairs):
    first, second = map(list, zip(*pairs, strict=True))
    if len(set(first)) > 1 and len(set(second)) > 1:
        assert rank_stability(first, second) == pytest.approx(naive_tau_b(first, second))


def test_worked_stabilities():
    assert rank_stability([4, 3, 2, 1], [40, 30, 20, 10]) == 1
    assert rank_stability([4, 3, 2, 1], [1, 2, 3, 4]) == -1
    # one of six pairs turned round: (5 - 1) / 6
    assert rank_stability([4, 3, 2, 1], [3, 4, 2, 1]) == pytest.approx(2 / 3)
    # Spearman: 1 - 6 * (1 + 1) / (4 * 15)
    assert rank_stability([4, 3, 2, 1], [3, 4, 2, 1], by="spearman") == pytest.approx(0.8)


def test_what_has_no_order_is_as_stable_as_can_be_only_where_it_stays_so():
    assert rank_stability([5, 5, 5], [1, 1, 1]) == 1
    assert rank_stability([7], [3]) == 1
    assert rank_stability([5, 5, 5], [1, 2, 3]) == 0


def test_ratings_that_cannot_be_compared_are_refused():
    with pytest.raises(ValueError, match="3 ratings and 2"):
        rank_stability([1, 2, 3], [1, 2])
    with pytest.raises(ValueError, match="finite"):
        rank_stability([1, float("nan")], [1, 2])


def test_the_top_that_stayed():
    before = [100, 90, 80, 70, 60]
    assert top_stability(before, [100, 90, 80, 70, 60], top=2) == 1
    assert top_stability(before, [90, 100, 80, 70, 60], top=2) == 1  # within the top nothing counts
    assert top_stability(before, [100, 70, 80, 90, 60], top=2) == 0.5
    assert top_stability(before, [1, 2, 3, 4, 5], top=10) == 1  # all of them are the top


def test_only_the_last_rounds_in_a_row_count():
    assert stable_rounds([0.99, 0.9, 0.96, 0.95]) == 2
    assert stable_rounds([0.99, 0.97, 0.9]) == 0
    assert stable_rounds([]) == 0
    assert stable_rounds([float("nan"), 0.99]) == 1


def test_a_rate_is_the_share_by_which_disagreement_shrinks():
    assert convergence_rate([1 - 0.4 * 0.5**n for n in range(6)]) == pytest.approx(0.5)
    assert convergence_rate([0.8] * 5) == pytest.approx(0)
    assert convergence_rate([0.9, 0.8, 0.6]) < 0
    assert convergence_rate([0.5, 0.9]) is None
    assert convergence_rate([1.0, 1.0, 1.0]) == pytest.approx(0)  # nothing is left to shrink


def test_trends_say_falling_only_where_the_interval_does():
    falling = trend([20 - 2 * n for n in range(6)])
    assert (falling.word, falling.slope) == ("falling", pytest.approx(-2 / 15))
    assert trend([10, 14, 9, 13, 10, 12]).word == "steady"
    assert trend([10, 12]) is None
    assert trend([10, float("nan"), 12]) is None


@given(st.lists(st.floats(1, 100), min_size=3, max_size=20))
def test_trends_are_theil_and_sens(values):
    from scipy.stats import theilslopes

    peer, found = theilslopes(values, alpha=0.95), trend(values)
    middle = np.median(values)
    assert found.slope == pytest.approx(peer.slope / middle, abs=1e-9)
    if len(values) >= 8 and len(set(values)) == len(values):  # below, there is no interval, and scipy cuts it off
        assert (found.low, found.high) == pytest.approx((peer.low_slope / middle, peer.high_slope / middle), abs=1e-9)


def test_a_tournament_that_settles():
    rng, truth = np.random.default_rng(1), np.linspace(1500, 900, 30)
    rounds = [truth + rng.normal(0, 300 * 0.5**n, 30) for n in range(10)]
    found = convergence(rounds, [30, 20, 14, 10, 7, 5, 3.5, 2.5, 1.8, 1.2])
    assert found.stable_rounds >= 3
    assert found.stability[0] < 0.8 < found.stability[-1]
    assert 0.2 < found.rate < 0.8
    assert found.trend.word == "falling"
    assert 0 < found.mean_top_stability <= 1
    assert in_words(found).startswith("stable: ")
    assert "rating changes are falling" in in_words(found)


def test_one_round_says_nothing():
    assert in_words(convergence([[1, 2]])) == "one round says nothing about convergence yet"
    assert convergence([]).mean_top_stability is None


def test_a_sweep_is_over_when_everyone_has_played_once_on_average():
    sweep = Sweep(10)
    matches = {1: 2, 2: 2, 3: 1, 4: 4, 5: 0, 6: 7, 7: 5}
    assert [number for number, count in matches.items() if sweep.ends_with(count)] == [3, 6, 7]
