"""The logarithmic score, and what false certainty does to it."""

from math import inf, log

import numpy as np
import pytest

from paragone.analysis.calibration import LogScore, Measure, ResolvedForecasts
from paragone.analysis.calibration.scores import falsely_certain, log_losses


def test_worked_losses():
    """A right .8 costs -ln .8, a wrong one -ln .2; a false certainty no more than -ln .001."""
    forecasts = ResolvedForecasts.of([0.8, 0.8, 1.0, 1.0], [True, False, True, False])
    assert log_losses(forecasts) == pytest.approx([-log(0.2), -log(0.8), -log(0.001), -log(0.999)])


def test_they_are_those_of_scikit_learn():
    from sklearn.metrics import log_loss

    rng = np.random.default_rng(0)
    confidence = 0.01 + 0.98 * rng.random(200)
    correct = rng.random(200) < 0.6
    assert log_losses(ResolvedForecasts.of(confidence, correct)).mean() == pytest.approx(log_loss(correct, confidence))


def test_one_false_certainty_makes_the_score_infinite():
    forecasts = ResolvedForecasts.of([1.0, 0.0, 1.0, 0.0, 0.9999], [False, True, True, False, False])
    assert falsely_certain(forecasts) == 2
    clipped = Measure(value=0.4, low=0.3, high=0.5)
    assert LogScore(clipped=clipped, infinite=2).value == inf
    assert LogScore(clipped=clipped, infinite=0).value == 0.4
