"""Whether a judge drifts."""

import math

import numpy as np
import pytest
from scipy.special import chdtri, expit

from paragone.ratings import Evidence, fit
from paragone.ratings.drift import Drift, _tail, drifts, stretch

ITEMS = 20


def answers(seed, moved, *, count=400):
    """A judge whose strengths move by so much, in standard deviations of an item, halfway."""
    rng = np.random.default_rng(seed)
    truth, taste = rng.normal(0, 1.5, ITEMS), rng.standard_normal(ITEMS)
    a = rng.integers(ITEMS, size=count)
    b = (a + rng.integers(1, ITEMS, size=count)) % ITEMS
    strength = truth[:, None] + moved * taste[:, None] * np.where(np.arange(count) < count / 2, -0.5, 0.5)
    at = np.arange(count)
    score = (rng.random(count) < expit(strength[a, at] - strength[b, at] + 0.4)) * 1.0
    return Evidence.from_arrays(ITEMS, a, b, score)


def test_steady_judges_are_seldom_called_drifting():
    p = [drifts(fit(answers(seed, 0.0)))["judge"].p for seed in range(40)]
    assert sum(value < 0.01 for value in p) <= 2
    assert 0.25 < np.mean(p) < 0.75


def test_drift_is_told_with_its_size():
    found = [drifts(fit(answers(seed, 2.0, count=1200)))["judge"] for seed in range(6)]
    assert all(drift.is_clear for drift in found)
    # Answers are less decided the more their reasons differ, so that the size of a large drift comes out low.
    assert 1.0 < np.mean([drift.size for drift in found]) < 2.3


def test_of_two_judges_the_one_that_drifts_is_named():
    steady, moving = answers(1, 0.0), answers(1, 3.0)
    both = Evidence.from_arrays(
        ITEMS,
        np.append(steady.first, moving.first),
        np.append(steady.second, moving.second),
        np.append(steady.score, moving.score),
        judge=np.repeat([0, 1], 400),
        judges=["steady", "moving"],
    )
    found = drifts(fit(both))
    assert found["moving"].is_clear
    assert not found["steady"].is_clear


def test_strengths_are_stretched_by_what_an_average_over_drift_hides():
    fitted = fit(answers(1, 0.0))
    # A change of 1.5 nats an item: the difference of two goes up and down by 1.5 / sqrt(2), and 0.588 is the
    # logistic's constant: sqrt(1 + 0.588^2 * 1.125) = 1.179.
    assert stretch(fitted, {"judge": Drift(size=1.5, p=0.001)}) == pytest.approx(1.179, abs=1e-3)
    assert stretch(fitted, {"judge": Drift(size=1.5, p=0.02)}) == 1.0
    assert stretch(fitted, {}) == 1.0


def test_the_stretch_is_that_of_decisions_that_flip():
    # The average itself, of halves that differ by 2 nats an item: 1 nat looks like .73. The formula is good to 6 %.
    rng = np.random.default_rng(0)
    change = rng.normal(0, 2.0, (200_000, 2)) @ [0.5, -0.5]
    averaged = (expit(1.0 + change) + expit(1.0 - change)).mean() / 2
    fitted = fit(answers(1, 0.0))
    factor = stretch(fitted, {"judge": Drift(size=2.0, p=0.001)})
    assert factor * math.log(averaged / (1 - averaged)) == pytest.approx(1.0, abs=0.06)


def test_few_answers_and_large_pools_are_not_looked_at():
    assert drifts(fit(answers(1, 0.0, count=30))) == {}


def test_the_score_of_two_items_by_hand():
    # Two items, strengths equal: residuals are +-1/2, the first 20 answers for one, the others for the other.
    evidence = Evidence.from_arrays(2, [0] * 40, [1] * 40, [1.0] * 20 + [0.0] * 20)
    fitted = fit(evidence)
    drift = drifts(fitted)["judge"]
    # s = (-1/2)(20 / 2) + (1/2)(-20 / 2) = -10 on item 0 and 10 on item 1; V = 40 / 4 / 4 = 2.5 times (1 -1; -1 1).
    excess, square = 2 * 10**2 - 2 * 2.5, 4 * 2.5**2
    assert drift.size == pytest.approx(math.sqrt(excess / square), rel=1e-3)
    assert drift.p < 1e-6


@pytest.mark.parametrize("degrees", [3.0, 10.0, 60.0])
def test_the_tail_is_nearly_that_of_the_chi_square(degrees):
    for p in (0.5, 0.1, 0.01):
        assert _tail(float(chdtri(degrees, p)), degrees) == pytest.approx(p, rel=0.06)
