"""Buckets of a tenth, and the expected calibration error over them."""

from decimal import Decimal

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from paragone.analysis.calibration import ResolvedForecasts, bucket_of, buckets, ece, ece_by_midpoints
from paragone.errors import InvalidEvidence


def test_every_hundredth_falls_where_its_digits_say():
    """In exact arithmetic, and however the float came about."""
    for hundredths in range(101):
        exact = min(9, int(Decimal(hundredths) / 10))
        ways = [
            hundredths / 100,
            hundredths * 0.01,
            1 - (100 - hundredths) / 100,
            sum([0.01] * hundredths),
            float(f"0.{hundredths:02d}"),
        ]
        ways = [min(1.0, max(0.0, way)) for way in (ways if hundredths < 100 else ways[:-1])]
        assert bucket_of(np.array(ways)).tolist() == [exact] * len(ways)


def test_the_edges_that_floats_get_wrong():
    (low, six, seven) = buckets(ResolvedForecasts.of([0.3, 0.6, 0.7], [True, True, False]))
    assert (low.key, six.key, seven.key) == ("0.3-0.4", "0.6-0.7", "0.7-0.8")


def test_certainty_falls_in_the_last_bucket():
    (last,) = buckets(ResolvedForecasts.of([1.0, 0.9, 0.95], [True, True, False]))
    assert (last.key, last.predictions, last.correct) == ("0.9-1.0", 3, 2)


def test_a_bucket_in_numbers():
    """.80, .85 and .89, of which two came true."""
    (made,) = buckets(ResolvedForecasts.of([0.85, 0.8, 0.89], [True, True, False]))
    assert (made.start, made.end, made.expected_accuracy) == (0.8, 0.9, 0.85)
    assert made.accuracy == pytest.approx(2 / 3)
    assert made.mean_confidence == pytest.approx(2.54 / 3)
    assert made.brier_score == pytest.approx((0.15**2 + 0.2**2 + 0.89**2) / 3)


def test_both_errors_by_hand():
    """Ten at .91 with nine right, ten at .62 with four right.

    By means: (|.9 - .91| + |.4 - .62|) / 2 = .115; by midpoints (|.9 - .95| + |.4 - .65|) / 2 = .15.
    """
    made = buckets(ResolvedForecasts.of([0.91] * 10 + [0.62] * 10, [True] * 9 + [False] + [True] * 4 + [False] * 6))
    assert ece(made) == pytest.approx(0.115)
    assert ece_by_midpoints(made) == pytest.approx(0.15)


def test_the_error_is_the_worst_without_predictions():
    assert buckets(ResolvedForecasts.of([], [])) == ()
    assert (ece(()), ece_by_midpoints(())) == (1.0, 1.0)


def test_the_curve_is_that_of_scikit_learn_away_from_the_edges():
    from sklearn.calibration import calibration_curve

    rng = np.random.default_rng(0)
    confidence = rng.integers(0, 100, 500) / 100 + 0.005
    correct = rng.random(500) < confidence
    made = buckets(ResolvedForecasts.of(confidence, correct))
    accuracy, mean = calibration_curve(correct, confidence, n_bins=10)
    assert [bucket.accuracy for bucket in made] == pytest.approx(accuracy.tolist())
    assert [bucket.mean_confidence for bucket in made] == pytest.approx(mean.tolist())


@given(st.lists(st.tuples(st.floats(0, 1), st.booleans()), min_size=1, max_size=60), st.randoms())
def test_no_prediction_is_lost_and_their_order_says_nothing(said, random):
    made = buckets(ResolvedForecasts.of(*zip(*said, strict=True)))
    assert sum(bucket.predictions for bucket in made) == len(said)
    assert sum(bucket.correct for bucket in made) == sum(came for _, came in said)
    assert all(bucket.start - 1e-9 <= bucket.mean_confidence <= bucket.end + 1e-9 for bucket in made)
    assert 0.0 <= ece(made) <= 1.0
    assert abs(ece(made) - ece_by_midpoints(made)) <= 0.05 + 1e-9  # no confidence is further from its middle
    random.shuffle(said)
    assert buckets(ResolvedForecasts.of(*zip(*said, strict=True))) == made


@pytest.mark.parametrize("confidence", [1.01, -0.1, float("nan"), float("inf")])
def test_what_is_no_confidence_is_refused(confidence):
    with pytest.raises(InvalidEvidence, match="lies in"):
        ResolvedForecasts.of([0.5, confidence], [True, False])


@pytest.mark.parametrize("outcome", [0.5, float("nan"), 2])
def test_what_is_no_outcome_is_refused(outcome):
    with pytest.raises(InvalidEvidence, match="neither 0 nor 1"):
        ResolvedForecasts.of([0.5, 0.6], [True, outcome])


def test_columns_of_two_lengths_are_refused():
    with pytest.raises(InvalidEvidence, match="each takes one"):
        ResolvedForecasts.of([0.5], [True, False])
