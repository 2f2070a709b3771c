"""The document's calibration score, and what K is multiplied by."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paragone.analysis.calibration import calibration_score, k_multiplier
from paragone.domain.brier import mean_brier
from paragone.errors import InvalidEvidence


@pytest.mark.parametrize(
    ("count", "brier_sum", "score"),
    [
        (0, 0.0, 0.0),
        (4, 0.0, 0.0),  # four perfect predictions are too few
        (5, 0.0, 0.5),  # (1 - 0) x .5
        (5, 1.25, 0.375),  # (1 - .25) x .5
        (25, 5.0, 0.6),  # (1 - .2) x (.5 + .5 x 20/40)
        (45, 9.0, 0.8),  # (1 - .2) x 1
        (1000, 200.0, 0.8),  # no more than 1
    ],
)
def test_worked_scores(count, brier_sum, score):
    assert calibration_score(count, brier_sum) == pytest.approx(score, abs=1e-12)


def test_another_ramp():
    assert calibration_score(15, 3.0, ramp=20) == pytest.approx(0.8 * 0.75)


def test_the_mean_is_the_worst_without_predictions():
    assert mean_brier(0, 0.0) == 1.0
    assert mean_brier(4, 1.0) == 0.25


@pytest.mark.parametrize(
    ("quality", "k"), [(1.0, 1.0), (0.0, 2.0), (0.25, 1.75), (1.5, 1.0), (-3.0, 2.0), (float("inf"), 1.0)]
)
def test_k_is_multiplied_by_one_to_two(quality, k):
    assert k_multiplier(quality) == k


def test_a_quality_that_is_no_number_is_refused():
    with pytest.raises(InvalidEvidence, match="NaN"):
        k_multiplier(float("nan"))


@given(st.integers(5, 500), st.floats(0, 1), st.floats(0, 1))
def test_the_score_falls_as_the_brier_score_rises_and_stays_within_0_and_1(count, one, other):
    better, worse = sorted((one, other))
    assert 0.0 <= calibration_score(count, count * worse) <= calibration_score(count, count * better) <= 1.0
