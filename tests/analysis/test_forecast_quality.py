"""Whether favourites win as often as was said."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from paragone.analysis.quality.forecast_quality import LEAST, bins, elo_forecasts, wilson
from paragone.domain import RatingChange


def change(item, match, expected, score):
    return RatingChange(item=item, match=match, old=0.0, new=0.0, k=32.0, expected=expected, score=score)


def test_each_match_is_counted_once_and_only_where_it_stands():
    changes = [
        change("a", "1", 0.6, 1.0),
        change("b", "1", 0.4, 0.0),
        change("a", "undone", 0.9, 0.0),
        change("c", "2", 0.3, 0.5),
        change("a", "2", 0.7, 0.5),
        change("a", "1", 0.0, 0.0),  # what takes a match back names it too
    ]
    expected, score = elo_forecasts(changes, ["1", "2"])
    assert (expected.tolist(), score.tolist()) == ([0.6, 0.3], [1.0, 0.5])


def test_it_is_the_favourite_that_is_looked_at():
    """Eight matches at 0.3 that the other side won six of: the favourite, at 0.7, won 6 of 8."""
    score = np.array([0.0] * 6 + [1.0] * 2)
    (only,) = bins(np.full(8, 0.3), score)
    assert (only.expected, only.observed, only.count) == (pytest.approx(0.7), 0.75, 8)


def test_thin_bins_are_joined_and_none_is_lost():
    expected = np.concatenate([np.full(20, 0.52), np.full(3, 0.63), np.full(7, 0.77), np.full(2, 0.99)])
    made = bins(expected, np.ones(32))
    assert [part.count for part in made] == [20, 12]
    assert bins(np.array([0.6] * (LEAST - 1)), np.ones(LEAST - 1)) == ()


@given(st.lists(st.tuples(st.floats(0, 1), st.sampled_from([0.0, 0.5, 1.0])), max_size=80))
def test_every_forecast_is_in_one_bin(said):
    expected = np.array([chance for chance, _ in said])
    made = bins(expected, np.array([score for _, score in said]))
    assert sum(part.count for part in made) == (len(said) if made else 0)
    assert bool(made) == (len(said) >= LEAST)
    for part in made:
        assert 0.5 <= part.expected <= 1.0
        assert 0.0 <= part.low <= part.observed <= part.high <= 1.0


def test_wilsons_interval():
    """E. B. Wilson's interval of 8 of 10 at 95 %: 0.490 to 0.943."""
    low, high = wilson(0.8, 10)
    assert (round(low, 3), round(high, 3)) == (0.490, 0.943)
    assert wilson(0.0, 10)[0] == 0.0
    assert wilson(1.0, 10)[1] == 1.0
