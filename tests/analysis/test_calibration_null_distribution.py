"""What chance alone shows, drawn in bulk, against plain loops over the same draws; and the bootstrap likewise."""

import numpy as np
import pytest

from paragone.analysis.calibration import ResolvedForecasts, buckets, ece, ece_by_midpoints
from paragone.analysis.calibration.forecasts import corp
from paragone.analysis.calibration.null_distribution import against, measured, resample, simulate
from paragone.analysis.calibration.report import band, curve
from paragone.analysis.calibration.scores import log_losses


def some(count=60, seed=0, digits=1):
    rng = np.random.default_rng(seed)
    confidence = np.round(rng.random(count), digits)
    return ResolvedForecasts.of(confidence, rng.random(count) < confidence)


@pytest.mark.parametrize("digits", [1, 6])
def test_each_draw_is_what_the_plain_functions_say_of_it(digits):
    """The draws are repeated here, one by one, from the same seed."""
    forecasts = some(digits=digits)
    found = simulate(forecasts, np.random.default_rng(5), 20)
    outcomes = np.random.default_rng(5).random((20, 60)) < forecasts.confidence
    for draw, came in enumerate(outcomes):
        drawn = ResolvedForecasts.of(forecasts.confidence, came)
        made = buckets(drawn)
        assert found.ece[draw] == pytest.approx(ece(made))
        assert found.ece_by_midpoints[draw] == pytest.approx(ece_by_midpoints(made))
        assert found.accuracy[draw] == pytest.approx([bucket.accuracy for bucket in made])
        parts = corp(drawn)
        assert found.miscalibration[draw] == pytest.approx(parts.miscalibration, abs=1e-9)
        assert found.worth[draw] == pytest.approx([parts.worth(said) for said in found.points], abs=1e-9)


def test_many_draws_are_made_some_at_a_time(monkeypatch):
    whole = simulate(some(), np.random.default_rng(1), 30)
    monkeypatch.setattr("paragone.analysis.calibration.null_distribution._CELLS", 60 * 7)
    parts = simulate(some(), np.random.default_rng(1), 30)
    assert (parts.ece == whole.ece).all()
    assert parts.worth == pytest.approx(whole.worth)


def test_each_sample_of_the_bootstrap_is_what_the_plain_functions_say_of_it():
    """Samples in which neither of the two more was drawn; with two in 62 that is one in seven."""
    forecasts = some()
    found = resample(forecasts, np.random.default_rng(9), 40)
    plain = [
        (n, taken) for n, taken in enumerate(np.random.default_rng(9).integers(62, size=(40, 60))) if taken.max() < 60
    ]
    assert len(plain) >= 3
    for draw, taken in plain:
        sample = ResolvedForecasts.of(forecasts.confidence[taken], forecasts.correct[taken] == 1)
        assert found.brier[draw] == pytest.approx(sample.brier.mean())
        assert found.log_score[draw] == pytest.approx(log_losses(sample).mean())
        assert found.ece[draw] == pytest.approx(ece(buckets(sample)))
        assert found.ece_by_midpoints[draw] == pytest.approx(ece_by_midpoints(buckets(sample)))


def test_who_was_never_wrong_has_an_interval_yet():
    """Five right at .9: samples hold .01 for each right one, .81 for each wrong one, of which one in seven is."""
    found = resample(ResolvedForecasts.of([0.9] * 5, [True] * 5), np.random.default_rng(0), 4000)
    wrong = np.round((5 * found.brier - 0.05) / 0.8)
    assert 5 * found.brier == pytest.approx(0.05 + 0.8 * wrong)
    assert wrong.mean() == pytest.approx(5 / 7, abs=0.05)
    assert found.ece == pytest.approx(np.abs(0.9 - (5 - wrong) / 5))


@pytest.mark.parametrize("count", [5, 50])
def test_intervals_of_brier_scores_hold_the_truth_whether_predictions_are_few_or_many(count):
    """Calibrated agents at .6 to 1: the mean of c (1 - c) is .8 - .784 / 1.2. Of 300 intervals some 285 hold it."""
    truth, held = 0.8 - 0.784 / 1.2, 0
    for seed in range(300):
        rng = np.random.default_rng([count, seed])
        confidence = 0.6 + 0.4 * rng.random(count)
        forecasts = ResolvedForecasts.of(confidence, rng.random(count) < confidence)
        low, high = np.quantile(resample(forecasts, rng, 200).brier, [0.025, 0.975])
        held += low <= truth <= high
    assert held >= 270


def test_against_chance():
    """Of 99 draws 4 are at least as large: 5 of 100, the one that was found among them."""
    found = against(0.5, np.array([0.1] * 95 + [0.5, 0.6, 0.7, 0.8]), 0.97)
    assert found.p_value == 0.05
    assert found.expected == pytest.approx((9.5 + 2.6) / 99)
    assert found.high == pytest.approx(0.506)  # at .97 x 98 = 95.06 steps from the lowest


def test_a_percentile_interval():
    made = measured(0.3, np.arange(101) / 100, 0.9)
    assert (made.value, made.low, made.high) == (0.3, pytest.approx(0.05), pytest.approx(0.95))
    assert measured(0.01, np.arange(101) / 100, 0.9).low == 0.01  # it holds the value itself


def test_what_is_drawn_from_calibrated_agents_is_as_large_as_was_found_in_about_5_percent():
    """Of 300: 15 are expected, with a standard deviation of 3.8."""
    surprising = np.zeros(2)
    for seed in range(300):
        forecasts = some(80, seed, digits=2)
        drawn = simulate(forecasts, np.random.default_rng(seed), 100)
        surprising += [
            against(ece(buckets(forecasts)), drawn.ece, 0.95).p_value <= 0.05,
            against(corp(forecasts).miscalibration, drawn.miscalibration, 0.95).p_value <= 0.05,
        ]
    assert (surprising >= 4).all()
    assert (surprising <= 27).all()


def test_the_curve_has_intervals_and_bands():
    """Twenty at .9, of which ten came true: Wilson's .299 to .701, and 18 of 20 by chance, 15 to 20 in 95 %."""
    forecasts = ResolvedForecasts.of([0.9] * 20, [True] * 10 + [False] * 10)
    drawn = simulate(forecasts, np.random.default_rng(0), 2000)
    (point,) = curve(buckets(forecasts), drawn, 0.95)
    assert (round(point.low, 3), round(point.high, 3)) == (0.299, 0.701)
    assert (point.chance_low, point.chance_high) == (0.75, 1.0)
    known = band(drawn, 0.95)
    assert (known.confidence, known.low, known.high) == ((0.9,), (0.75,), (1.0,))


def test_the_band_of_many_confidences_has_about_a_hundred_points():
    drawn = simulate(some(1000, digits=9), np.random.default_rng(0), 50)
    known = band(drawn, 0.9)
    assert 90 <= len(known.confidence) <= 101
    assert list(known.confidence) == sorted(known.confidence)
    assert known.confidence[-1] == drawn.points.max() == some(1000, digits=9).confidence[-1]
    assert all(low <= high for low, high in zip(known.low, known.high, strict=True))
