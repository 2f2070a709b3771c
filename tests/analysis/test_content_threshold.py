"""Thresholds of R: by hand, beside a plain twin, and refusals."""

import itertools

import numpy as np
import pytest

from paragone.analysis.content import ThresholdCalibration, calibrate


def calibrated(true: list[float], false: list[float], **rest: int) -> ThresholdCalibration:
    labels = [True] * len(true) + [False] * len(false)
    return calibrate([*true, *false], labels, np.random.default_rng(1), **rest)


def test_where_all_true_ones_are_above_the_threshold_lies_in_the_middle_of_the_gap():
    found = calibrated([3.0] * 6 + [4.0] * 6, [1.0] * 6 + [2.0] * 6, draws=100)

    assert found.threshold == 2.5
    assert (found.youden, found.held_out, found.sensitivity, found.specificity, found.auc) == (1.0, 1.0, 1.0, 1.0, 1.0)
    assert not found.refusal
    assert "fewer than 30" in found.warning


def test_the_largest_difference_of_shares_wins_by_hand():
    true = [1.0] * 2 + [3.0] * 4 + [5.0] * 4
    false = [1.0] * 5 + [2.0] * 3 + [4.0] * 2
    found = calibrated(true, false, draws=200)

    # between 1 and 2: .8 - .5; 2 and 3: .8 - .2; 3 and 4: .4 - .2; 4 and 5: .4
    assert found.threshold == 2.5
    assert found.youden == pytest.approx(0.6)
    # a true 1 beats none and draws with 5: 2.5; a 3 beats 8; a 5 beats 10
    assert found.auc == pytest.approx((2 * 2.5 + 4 * 8 + 4 * 10) / 100)


def test_of_thresholds_as_good_the_one_in_the_widest_gap_is_taken():
    true, false = [2.0] * 5 + [10.0] * 5, [1.0] * 5 + [2.0] * 5

    assert calibrated(true, false, draws=50).threshold == 6.0  # J is .5 at 1.5 as well


def test_it_is_what_a_plain_search_finds():
    rng = np.random.default_rng(4)
    true, false = np.round(rng.normal(2, 1, 41), 1), np.round(rng.normal(1, 1, 37), 1)
    found = calibrated(list(true), list(false), draws=50)
    every = np.unique([*true, *false])
    gains = {
        (a + b) / 2: np.mean(true > (a + b) / 2) - np.mean(false > (a + b) / 2) for a, b in itertools.pairwise(every)
    }

    assert found.youden == pytest.approx(max(gains.values()))
    assert gains[found.threshold] == pytest.approx(found.youden)
    assert found.auc == pytest.approx(np.mean((true[:, None] > false) + 0.5 * (true[:, None] == false)))


def test_intervals_hold_what_they_are_of_and_luck_on_other_pairs_is_less():
    rng = np.random.default_rng(5)
    found = calibrated(list(rng.normal(1.0, 1, 60)), list(rng.normal(0.0, 1, 60)), draws=300)

    assert found.low <= found.threshold <= found.high
    assert 0.5 < found.auc_low < found.auc < found.auc_high < 1.0
    assert found.held_out < found.youden
    assert found.warning == ""


def test_too_few_are_refused_with_what_is_needed():
    found = calibrated([2.0] * 50, [1.0] * 9)

    assert (found.threshold, found.auc) == (None, None)
    assert found.refusal == "50 true and 9 false ones are too few: 10 of each are needed"


@pytest.mark.parametrize("shift", [0.0, -2.0])
def test_r_that_does_not_tell_true_from_false_has_no_threshold(shift):
    rng = np.random.default_rng(6)
    found = calibrated(list(rng.normal(shift, 1, 30)), list(rng.normal(0.0, 1, 30)), draws=200)

    assert found.threshold is None
    assert "does not tell true from false" in found.refusal


def test_equal_values_throughout_are_refused():
    assert calibrated([1.0] * 12, [1.0] * 12, draws=20).refusal.endswith("is 0.50 (0.50 to 0.50)")


@pytest.mark.parametrize(("values", "labels"), [([1.0], [True, False]), ([float("nan")], [True])])
def test_what_has_no_label_or_is_no_number_is_refused(values, labels):
    with pytest.raises(ValueError, match="finite"):
        calibrate(values, labels, np.random.default_rng(0))
