"""What single answers do to strengths, against fits of the same evidence without them, or with one more."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from paragone.ratings.bradley_terry import fit
from paragone.ratings.evidence import Evidence
from paragone.ratings.fit_types import FitOptions
from paragone.ratings.influence import Influence

HELD = FitOptions(spread=1.0, position=False, slope=False)
"""Nothing but strengths is found, so a fit from scratch holds what a refit holds."""


def plain(first, second, score, weight):
    return fit(Evidence.from_arrays(4, first, second, score, weight=weight), HELD).strength


@settings(max_examples=settings().max_examples // 2)
@given(
    st.lists(
        st.tuples(st.integers(0, 3), st.integers(1, 3), st.sampled_from([0.0, 0.5, 1.0])), min_size=2, max_size=12
    ),
    st.data(),
)
def test_it_is_what_fits_from_scratch_come_to(answers, data):
    first = [answer[0] for answer in answers]
    second = [(a + step) % 4 for a, step, _ in answers]
    score, weight = [answer[2] for answer in answers], [1.0] * len(answers)
    fitted = fit(Evidence.from_arrays(4, first, second, score), HELD)
    influence, now = Influence(fit=fitted), fitted.strength
    gone = data.draw(st.sets(st.integers(0, len(answers) - 1), min_size=1, max_size=3))
    without = [0.0 if row in gone else 1.0 for row in range(len(answers))]
    change = influence.without(np.array(sorted(gone)))
    assert change == pytest.approx(plain(first, second, score, without) - now, abs=1e-6)
    more = plain([*first, 0, 1], [*second, 1, 0], [*score, 1.0, 0.0], [*weight, 0.5, 0.5])
    assert influence.with_win(0, 1) == pytest.approx(more - now, abs=1e-6)


def test_two_equals_after_one_win_by_hand():
    """With spread 1 and one win the log odds x solve 1 / (1 + e^x) = x / 2: the win and the prior pull evenly."""
    fitted = fit(Evidence.from_arrays(2, [0], [1], [1.0]), HELD)
    odds = fitted.strength[0] - fitted.strength[1]
    assert 1 / (1 + np.exp(odds)) == pytest.approx(odds / 2, abs=1e-6)
    influence = Influence(fit=fitted)
    assert influence.without(np.array([0])) == pytest.approx([-odds / 2, odds / 2], abs=1e-6)
    assert influence.without(np.array([], dtype=np.int64)) == pytest.approx([0.0, 0.0], abs=1e-8)
    back = influence.with_win(1, 0)
    assert back == pytest.approx([-odds / 2, odds / 2], abs=1e-6)


def test_rankings_can_be_left_out():
    evidence = Evidence.from_arrays(3, [0], [1], [1.0], rankings=[[2, 1, 0]])
    fitted = fit(evidence, HELD)
    change = Influence(fit=fitted).without(np.array([], dtype=np.int64), np.array([0]))
    without = fit(Evidence.from_arrays(3, [0], [1], [1.0]), HELD).strength
    assert fitted.strength + change == pytest.approx(without, abs=1e-6)
