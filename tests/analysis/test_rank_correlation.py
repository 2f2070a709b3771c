"""Rank correlation, against scipy's."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from paragone.analysis.progress.convergence import inversions, kendall, mean_ranks, spearman

NUMBERS = st.integers(0, 6)


@given(st.lists(st.tuples(NUMBERS, NUMBERS), min_size=2, max_size=30))
def test_both_are_scipys(pairs):
    from scipy.stats import kendalltau, rankdata, spearmanr

    first, second = np.array(pairs, dtype=float).T
    if np.ptp(first) and np.ptp(second):
        assert kendall(first, second) == pytest.approx(kendalltau(first, second).statistic)
        assert spearman(first, second) == pytest.approx(spearmanr(first, second).statistic)
    assert mean_ranks(first) == pytest.approx(rankdata(first))


@given(st.lists(st.integers(0, 200), max_size=40))
def test_inversions_are_counted_pair_by_pair(values):
    naive = sum(a > b for a, b in combinations(values, 2))
    assert inversions(np.array(values, dtype=np.int64)) == naive


def test_a_hundred_thousand_are_no_matter():
    first = np.random.default_rng(0).normal(size=100_000)
    assert kendall(first, np.exp(first)) == 1
    assert kendall(first, -first) == -1


def test_what_ties_everything_has_no_correlation():
    assert np.isnan(kendall(np.ones(3), np.arange(3.0)))
    assert np.isnan(spearman(np.ones(3), np.arange(3.0)))
