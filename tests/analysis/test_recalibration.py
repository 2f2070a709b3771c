"""Confidences are corrected where predictions left out show that it helps, and stay as stated elsewhere."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from paragone.analysis.calibration import ResolvedForecasts, buckets, ece, recalibrate
from paragone.analysis.calibration.forecasts import chances, log_odds
from paragone.analysis.calibration.recalibration import (
    CORRECTIONS,
    LEAST_PREDICTIONS,
    PRIOR_PREDICTIONS,
    beta,
    isotonic,
    platt,
)
from paragone.wire.calibration import AS_STATED

GRID = np.linspace(0.0, 1.0, 101)


def predictions(count, seed, *, truth=lambda stated: stated):
    """Confidences, and outcomes with the chances that these are worth."""
    rng = np.random.default_rng(seed)
    stated = 0.02 + 0.96 * rng.random(count)
    return ResolvedForecasts.of(stated, rng.random(count) < truth(stated))


def overconfident(stated):
    return chances(0.5 * log_odds(stated) - 0.4)


def lopsided(stated):
    """Right where it doubts, far too sure where it is sure: no slope and offset say that."""
    return np.where(stated < 0.6, stated, 0.6)


def error_on(fitted, truth):
    fresh = predictions(20_000, 99, truth=truth)
    corrected = ResolvedForecasts.of(fitted.correction.corrected(fresh.confidence), fresh.correct.astype(bool))
    return ece(buckets(fresh)), ece(buckets(corrected))


def test_a_planted_slope_and_offset_are_found():
    correction = platt(predictions(20_000, 1, truth=overconfident))
    assert correction.corrected(GRID[5:-5]) == pytest.approx(overconfident(GRID[5:-5]), abs=0.02)


def test_few_predictions_are_held_near_what_was_stated():
    # Two predictions at .9 that came false: by themselves they would say that .9 is worth 0.
    forecasts = ResolvedForecasts.of([0.9, 0.9], [False, False])
    for correction in (fitted(forecasts) for fitted in CORRECTIONS):
        assert 0.5 < float(correction.corrected(np.array([0.9]))[0]) < 0.9


def test_isotonic_is_the_mean_of_its_block_with_the_prior_beside():
    forecasts = ResolvedForecasts.of([0.2, 0.4, 0.6, 0.8], [False, True, False, True])
    prior = PRIOR_PREDICTIONS / 4
    # .4 came true and .6 did not: one block, at half, of which the prior says .4 and .6.
    ends = (0.0 + prior * 0.2) / (1 + prior), (1.0 + prior * 0.8) / (1 + prior)
    low, high = (1.0 + prior * 0.4) / (1 + prior), (0.0 + prior * 0.6) / (1 + prior)
    assert low <= high  # so many prior predictions keep them apart
    assert isotonic(forecasts).corrected(forecasts.confidence) == pytest.approx([ends[0], low, high, ends[1]])


def test_isotonic_is_that_of_scikit_learn_where_predictions_are_many():
    from sklearn.isotonic import IsotonicRegression

    forecasts = predictions(3_000, 4, truth=lopsided)
    prior = PRIOR_PREDICTIONS / len(forecasts)
    towards = (forecasts.correct + prior * forecasts.confidence) / (1 + prior)
    twin = IsotonicRegression().fit(forecasts.confidence, towards)
    inside = np.linspace(0.1, 0.9, 33)
    assert isotonic(forecasts).corrected(inside) == pytest.approx(twin.predict(inside), abs=1e-6)


@pytest.mark.parametrize(("truth", "left"), [(overconfident, 0.33), (lopsided, 0.5)])
def test_the_error_on_later_predictions_falls(truth, left):
    before, after = error_on(recalibrate(predictions(2_000, 7, truth=truth)), truth)
    assert before > 0.06
    assert after < left * before


def test_what_no_slope_can_say_is_left_to_a_freer_correction():
    assert recalibrate(predictions(5_000, 7, truth=lopsided)).report.method != "platt"


def test_confidences_that_fit_stay_as_stated(deep):
    """Of 20 agents, or 40 with --deep; if chance picked one in twenty, more than three of 20 would be in 1.6 %."""
    agents = 40 if deep else 20
    methods = [recalibrate(predictions(200, seed)).report.method for seed in range(agents)]
    assert methods.count(AS_STATED) >= 0.85 * agents


def test_below_the_least_number_nothing_is_tried():
    few = recalibrate(predictions(LEAST_PREDICTIONS - 1, 3, truth=lambda stated: 1 - stated))
    assert (few.report.method, few.report.trials) == (AS_STATED, ())
    assert few.confidence(0.83) == 0.83
    assert recalibrate(ResolvedForecasts.of([], [])).report.predictions == 0


def test_the_report_has_each_trial_and_the_curve():
    fitted = recalibrate(predictions(1_000, 2, truth=overconfident))
    report = fitted.report
    assert [trial.method for trial in report.trials] == [AS_STATED, "platt", "beta", "isotonic"]
    used = next(trial for trial in report.trials if trial.method == report.method)
    assert used.gain == pytest.approx(report.trials[0].log_loss - used.log_loss)
    assert report.trials[0].gain == 0.0
    assert report.corrected[8] == pytest.approx(fitted.confidence(0.8))
    assert report.stated[8] == 0.8


@given(
    st.lists(st.tuples(st.sampled_from([0.0, 0.1, 0.5, 0.7, 0.95, 1.0]), st.booleans()), min_size=1, max_size=80),
    st.randoms(use_true_random=False),
)
def test_every_correction_keeps_the_order_of_confidences_and_forgets_that_of_predictions(said, random):
    forecasts = ResolvedForecasts.of(*zip(*said, strict=True))
    shuffled = random.sample(said, len(said))
    again = ResolvedForecasts.of(*zip(*shuffled, strict=True))
    for fitted in (platt, beta, isotonic):
        corrected = fitted(forecasts).corrected(GRID)
        assert np.all(np.diff(corrected) >= -1e-9)
        assert np.all((corrected >= 0.0) & (corrected <= 1.0))
        assert np.array_equal(corrected, fitted(again).corrected(GRID))


def test_the_report_does_not_depend_on_the_order_of_predictions():
    forecasts = predictions(300, 6, truth=overconfident)
    backwards = ResolvedForecasts.of(forecasts.confidence[::-1], forecasts.correct[::-1].astype(bool))
    assert recalibrate(forecasts).report == recalibrate(backwards).report
