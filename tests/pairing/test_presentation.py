"""History of what was asked, and who is shown first."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from paragone.pairing.presentation import PairHistory, present


def test_the_history_counts_orders_pairs_and_items():
    asked = PairHistory.of(4, [(0, 1), (1, 0), (0, 1), (2, 0)])

    assert (asked.times(0, 1), asked.times(1, 0), asked.times(2, 0), asked.times(0, 2)) == (2, 1, 1, 0)
    assert (asked.orders(0, 1), asked.orders(1, 0), asked.orders(0, 2), asked.orders(2, 3)) == (2, 2, 1, 0)
    assert (asked.total, asked.pairs, asked.both) == (4, 2, 1)
    assert asked.counts == [4, 3, 1, 0]
    assert asked.leads == [0, -1, 1, 0]


@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)).filter(lambda p: p[0] != p[1])), st.randoms())
def test_the_order_of_adding_makes_no_difference(comparisons, random):
    shuffled = random.sample(comparisons, len(comparisons))

    assert vars(PairHistory.of(5, comparisons)) == vars(PairHistory.of(5, shuffled))


@pytest.mark.parametrize("pair", [(1, 1), (0, 3), (-1, 0)])
def test_what_is_no_pair_of_items_is_refused(pair):
    with pytest.raises(ValueError, match="two different items"):
        PairHistory(3).add(*pair)


def test_whoever_was_shown_second_more_often_goes_first():
    asked = PairHistory.of(4, [(0, 1), (0, 2), (3, 2)])  # leads 2, -1, -2, 1

    for seed in range(10):
        rng = np.random.default_rng(seed)
        assert present([(0, 3)], asked, rng=rng) == ((3, 0),)
        assert present([(1, 2)], asked, rng=rng) == ((2, 1),)


def test_a_pair_that_was_asked_is_turned_round_whatever_the_balance():
    asked = PairHistory.of(
        4, [(0, 1), (2, 0), (3, 0)]
    )  # 0 has been second more often than first, and yet goes second again

    assert present([(0, 1)], asked, rng=np.random.default_rng(0)) == ((1, 0),)


def test_pairs_count_for_those_after_them_in_the_same_batch():
    asked = PairHistory.of(4, [(1, 0), (2, 1), (3, 2), (0, 3)])  # everybody level
    rng = np.random.default_rng(1)

    for _ in range(20):
        (first, _), (second_first, second_second) = present([(0, 2), (0, 2)], asked, rng=rng)
        assert second_first != first
        assert second_second == first


def test_between_equals_the_coin_decides_and_not_the_index():
    rng = np.random.default_rng(2)
    firsts = [present([(0, 1)], PairHistory(2), rng=rng)[0][0] for _ in range(1000)]

    assert 440 <= sum(firsts) <= 560


def test_the_history_is_left_as_it_is():
    asked = PairHistory.of(3, [(0, 1)])
    present([(1, 2), (0, 2)], asked, rng=np.random.default_rng(0))

    assert vars(asked) == vars(PairHistory.of(3, [(0, 1)]))


@given(st.integers(3, 9), st.integers(0, 2**32 - 1))
def test_everybody_is_shown_first_and_second_about_equally_often(items, seed):
    rng = np.random.default_rng(seed)
    asked = PairHistory(items)
    pairs = list(combinations(range(items), 2))
    for index in rng.permutation(len(pairs)):
        asked.add(*present([pairs[index]], asked, rng=rng)[0])

    assert max(map(abs, asked.leads)) <= 3
