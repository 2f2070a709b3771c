"""A planted temperature is found, and it stays finite."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from paragone.analysis.calibration import ResolvedForecasts
from paragone.analysis.calibration.forecasts import EPSILON, chances, log_odds
from paragone.analysis.calibration.scores import temperature


def agent(planted, count, seed):
    """Predictions of an agent whose log-odds are that many times too large."""
    rng = np.random.default_rng(seed)
    confidence = 0.02 + 0.96 * rng.random(count)
    return ResolvedForecasts.of(confidence, rng.random(count) < chances(log_odds(confidence) / planted))


@pytest.mark.parametrize("planted", [0.5, 1.0, 2.0, 3.0])
def test_a_planted_temperature_is_found(planted):
    found = [temperature(agent(planted, 400, seed)) for seed in range(60)]
    assert np.mean([measure.value for measure in found]) == pytest.approx(planted, rel=0.06)
    assert sum(not measure.excludes(planted) for measure in found) >= 51


def test_it_is_the_maximum_that_a_fine_grid_finds():
    forecasts = agent(1.7, 150, 3)
    towards = np.where(forecasts.correct == 1, 1, -1) * log_odds(forecasts.confidence)
    grid = np.linspace(-2, 2, 40_001)
    at = [-np.logaddexp(0, -towards * np.exp(-u)).sum() - u * u / 2 for u in grid[::10]]
    best = grid[::10][int(np.argmax(at))]
    found = temperature(forecasts)
    assert np.log(found.value) == pytest.approx(best, abs=2e-3)
    inside = grid[::10][np.array(at) >= max(at) - 1.959964**2 / 2]
    assert (np.log(found.low), np.log(found.high)) == pytest.approx((inside[0], inside[-1]), abs=2e-3)


def test_it_stays_finite_where_all_are_right_or_all_are_wrong():
    right, wrong = (temperature(ResolvedForecasts.of([0.9] * 1000, [came] * 1000)) for came in (True, False))
    assert 0.05 < right.low < right.value < 1.0
    assert 100.0 < wrong.value < 404.0  # confidences say nothing, or the opposite


def test_confidences_of_a_half_say_nothing_and_leave_the_prior():
    found = temperature(ResolvedForecasts.of([0.5] * 100, [True] * 70 + [False] * 30))
    assert found.value == pytest.approx(1.0, abs=1e-6)
    assert (found.low, found.high) == (pytest.approx(np.exp(-1.959964), 1e-4), pytest.approx(np.exp(1.959964), 1e-4))


def test_certainty_counts_as_nearly_that():
    sure = temperature(ResolvedForecasts.of([1.0] * 30 + [0.0] * 30, [True] * 25 + [False] * 35))
    nearly = temperature(ResolvedForecasts.of([1 - EPSILON] * 30 + [EPSILON] * 30, [True] * 25 + [False] * 35))
    assert sure == nearly
    assert sure.low > 1.0


@given(st.lists(st.tuples(st.floats(0, 1), st.booleans()), min_size=1, max_size=40))
def test_the_interval_holds_the_value_and_all_is_finite(said):
    found = temperature(ResolvedForecasts.of(*zip(*said, strict=True)))
    assert 0.0 < found.low <= found.value * (1 + 1e-9)
    assert found.value <= found.high * (1 + 1e-9) < 1e4


def test_chances_and_log_odds_are_each_others_inverse():
    confidence = np.linspace(0.01, 0.99, 99)
    assert chances(log_odds(confidence)) == pytest.approx(confidence)
