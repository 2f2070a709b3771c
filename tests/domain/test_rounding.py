"""Rounding before a decision."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from paragone.domain.rounding import STRENGTH_DECIMALS, in_order, rounded


def test_what_differs_in_the_last_bits_is_equal():
    third = np.array([1 / 3, 1 / 3 + 2e-16, 1 / 3 - 1e-12])
    assert len(set(rounded(third, STRENGTH_DECIMALS).tolist())) == 1


def test_there_are_no_negative_zeros():
    assert not np.signbit(rounded([-1e-12, -0.0, 1e-12], STRENGTH_DECIMALS)).any()


def test_what_is_no_number_stays():
    assert np.isnan(rounded(np.nan, 3))
    assert rounded([-np.inf, np.inf], 3).tolist() == [-np.inf, np.inf]


@given(hnp.arrays(np.float64, st.tuples(st.integers(0, 4), st.integers(1, 70)), elements=st.integers(-9, 9).map(float)))
def test_equal_values_stay_in_their_order(rows):
    order, ascending = in_order(rows)
    assert order.tolist() == np.argsort(rows, axis=1, kind="stable").tolist()
    assert ascending.tolist() == np.sort(rows, axis=1).tolist()
