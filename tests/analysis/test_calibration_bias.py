"""Over- and underconfidence with its interval."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from paragone.analysis.calibration import ResolvedForecasts
from paragone.analysis.calibration.scores import bias
from paragone.analysis.quality.forecast_quality import wilson


def test_worked_numbers():
    """Eight of ten at .9: overconfident by .1; with one confidence the interval is Wilson's, .490 to .943."""
    found = bias(ResolvedForecasts.of([0.9] * 10, [True] * 8 + [False] * 2))
    assert found.value == pytest.approx(0.1)
    assert (round(0.9 - found.high, 3), round(0.9 - found.low, 3)) == (0.490, 0.943)


@given(st.integers(1, 200), st.data(), st.integers(1, 99), st.sampled_from([0.5, 0.8, 0.95]))
def test_with_one_confidence_it_is_wilsons_interval(count, data, hundredths, level):
    correct = data.draw(st.integers(0, count))
    found = bias(
        ResolvedForecasts.of([hundredths / 100] * count, [True] * correct + [False] * (count - correct)), level
    )
    low, high = wilson(correct / count, count, level)
    assert found.low == pytest.approx(hundredths / 100 - high, abs=1e-6)
    assert found.high == pytest.approx(hundredths / 100 - low, abs=1e-6)


def test_five_right_at_nine_tenths_are_no_underconfidence():
    """Which a bootstrap would call certain."""
    found = bias(ResolvedForecasts.of([0.9] * 5, [True] * 5))
    assert found.value == pytest.approx(-0.1)
    assert not found.excludes(0.0)


def test_certainty_that_holds_is_no_bias():
    found = bias(ResolvedForecasts.of([1.0] * 50 + [0.0] * 50, [True] * 50 + [False] * 50))
    assert found.value == 0.0
    assert not found.excludes(0.0)
    held = bias(ResolvedForecasts.of([1.0] * 20, [True] * 20))
    assert (held.value, held.low) == (0.0, 0.0)


@given(st.lists(st.tuples(st.floats(0, 1), st.booleans()), min_size=1, max_size=80))
def test_the_interval_holds_the_value_and_turns_round_with_the_predictions(said):
    confidence, correct = (np.array(column) for column in zip(*said, strict=True))
    found = bias(ResolvedForecasts.of(confidence, correct))
    assert -1.0 <= found.low <= found.value <= found.high <= 1.0
    turned = bias(ResolvedForecasts.of(1 - confidence, ~correct))
    assert (turned.value, turned.low, turned.high) == pytest.approx((-found.value, -found.high, -found.low), abs=1e-6)


@pytest.mark.parametrize(("kind", "usual"), [("even", 60), ("high", 10)])
def test_of_calibrated_agents_the_interval_holds_zero_in_about_95_percent(kind, usual, deep):
    """Of 400: 380 are expected, with a standard deviation of 4.4. Confidences of either kind, few of the one and more
    of the other; few and more of both with --deep.
    """
    for count in (10, 60) if deep else (usual,):
        held = 0
        for seed in range(400):
            rng = np.random.default_rng([count, seed])
            confidence = rng.random(count) if kind == "even" else rng.beta(8, 2, count)
            held += not bias(ResolvedForecasts.of(confidence, rng.random(count) < confidence)).excludes(0.0)
        assert 366 <= held <= 396


def test_a_planted_bias_is_found():
    """Confidences lie .15 above the chances."""
    held = 0
    for seed in range(200):
        rng = np.random.default_rng(seed)
        chance = 0.4 + 0.4 * rng.random(120)
        found = bias(ResolvedForecasts.of(chance + 0.15, rng.random(120) < chance))
        held += not found.excludes(0.15)
    assert 180 <= held <= 199
