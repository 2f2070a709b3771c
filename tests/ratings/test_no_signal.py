"""Whether there is any signal, and strengths averaged over spreads."""

import math

import numpy as np
import pytest
from numpy.typing import NDArray

from paragone.errors import InvalidConfig
from paragone.ratings import Evidence, Fit, FitOptions, draws, fit, rank_intervals
from paragone.ratings.bradley_terry import model_of, pattern_of
from paragone.ratings.inference.no_signal import correction
from paragone.ratings.inference.optimum import maximise
from paragone.ratings.model.likelihood import Hyper

SPIKE = FitOptions(no_signal=2 / 3)


def votes(items: int, count: int, spread: float, seed: int) -> Evidence:
    """Random pairs, answered by strengths of this spread in nats; a coin at 0."""
    rng = np.random.default_rng(seed)
    strength = spread * rng.standard_normal(items)
    first = rng.integers(0, items, count)
    second = (first + rng.integers(1, items, count)) % items
    won = rng.random(count) < 1 / (1 + np.exp(strength[second] - strength[first]))
    return Evidence.from_arrays(items, first, second, won.astype(float))


def test_coin_flips_leave_no_signal_and_no_spread_of_ratings() -> None:
    coin = votes(20, 300, 0.0, seed=3)
    plain, averaged = fit(coin), fit(coin, SPIKE)
    assert averaged.no_signal > 0.8
    assert np.ptp(averaged.strength) < 0.2 * np.ptp(plain.strength)
    assert averaged.mode is not None
    np.testing.assert_allclose(averaged.mode.strength, plain.strength, atol=1e-6)


def test_a_real_signal_is_not_doubted_and_ratings_stay() -> None:
    real = votes(20, 300, 2.0, seed=4)
    plain, averaged = fit(real), fit(real, SPIKE)
    assert averaged.no_signal < 1e-6
    np.testing.assert_allclose(averaged.strength, plain.strength, atol=0.1 * np.ptp(plain.strength))


def test_before_any_vote_the_prior_comes_back() -> None:
    nothing = fit(Evidence.from_arrays(5, [], [], []), SPIKE)
    assert nothing.no_signal == pytest.approx(2 / 3, abs=0.02)
    assert not nothing.strength.any()


def test_the_probability_is_that_of_summing_over_every_strength() -> None:
    """Two items, n votes: the evidence of a spread is one integral, and the average over spreads another."""
    wins, losses = 9, 3
    evidence = Evidence.from_arrays(2, [0] * 12, [1] * 12, [1.0] * wins + [0.0] * losses)
    averaged = fit(evidence, FitOptions(no_signal=0.5, position=False))
    gap = np.linspace(-60.0, 60.0, 12_001)
    likelihood = np.exp(-wins * np.logaddexp(0.0, -gap) - losses * np.logaddexp(0.0, gap))
    logs = np.linspace(math.log(0.05), math.log(6.0), 200)
    own = np.exp(-((logs - math.log(1.5)) ** 2) / 2) / math.sqrt(2 * math.pi) * (logs[1] - logs[0])
    density = [np.exp(-(gap**2) / (4 * math.exp(2 * s))) / math.sqrt(4 * math.pi * math.exp(2 * s)) for s in logs]
    by_spread = np.array([float((row * likelihood).sum()) * (gap[1] - gap[0]) for row in density])
    signal = float(own @ by_spread)
    assert averaged.no_signal == pytest.approx(0.5**12 / (0.5**12 + signal), abs=0.02)


@pytest.mark.parametrize("spread", [1.0, 3.0])
def test_the_corrected_evidence_is_the_integral_where_laplace_is_too_low(spread: float) -> None:
    evidence = votes(4, 10, 2.0, seed=5)
    model = model_of(evidence, FitOptions(position=False))
    hyper = Hyper(spread=spread, dispersion=np.ones(1))
    pattern = pattern_of(model, FitOptions())
    optimum = maximise(model, hyper, np.zeros(4), pattern=pattern, max_iterations=50, tolerance=1e-10)
    exact = integral(evidence, spread)
    missed = exact - optimum.log_evidence
    assert missed > 0.01
    assert abs(missed - correction(model, hyper, optimum)) < 0.35 * missed


def integral(evidence: Evidence, spread: float) -> float:
    """Log evidence from four hundred thousand draws of the prior."""
    sample = spread * np.random.default_rng(6).standard_normal((400_000, evidence.item_count))
    signs = 2 * evidence.score - 1
    log_likelihood = np.zeros(len(sample))
    for first, second, sign in zip(evidence.first, evidence.second, signs, strict=True):
        log_likelihood -= np.logaddexp(0.0, -sign * (sample[:, first] - sample[:, second]))
    return float(np.log(np.exp(log_likelihood).mean()))


def test_the_correction_is_the_plain_sum_over_votes_and_pairs_of_votes() -> None:
    """The three terms of the module's docstring, vote by vote, for a judge that favours the first."""
    evidence = votes(5, 14, 1.0, seed=11)
    model, hyper = model_of(evidence, FitOptions()), Hyper(spread=1.5, dispersion=np.ones(1))
    pattern = pattern_of(model, FitOptions())
    optimum = maximise(model, hyper, np.zeros(model.dimension), pattern=pattern, max_iterations=50, tolerance=1e-10)
    design = np.zeros((14, model.dimension))
    design[np.arange(14), evidence.first], design[np.arange(14), evidence.second] = 1.0, -1.0
    design[:, model.position[0]] = 1.0
    covariance = design @ np.asarray(optimum.curvature.covariance) @ design.T
    chance = 1 / (1 + np.exp(-design @ optimum.theta))
    third = -chance * (1 - chance) * (1 - 2 * chance)
    fourth = -chance * (1 - chance) * (1 - 6 * chance + 6 * chance**2)
    total = sum(fourth[v] * covariance[v, v] ** 2 / 8 for v in range(14))
    for v in range(14):
        for w in range(14):
            both = third[v] * third[w] * covariance[v, w]
            total += both * (covariance[v, v] * covariance[w, w] / 8 + covariance[v, w] ** 2 / 12)
    assert correction(model, hyper, optimum) == pytest.approx(total, abs=1e-12)


def test_the_cheap_sum_over_some_rows_is_near_the_whole() -> None:
    evidence = votes(30, 400, 1.5, seed=7)
    model = model_of(evidence, FitOptions())
    hyper = Hyper(spread=1.5, dispersion=np.ones(1))
    pattern = pattern_of(model, FitOptions())
    optimum = maximise(model, hyper, np.zeros(model.dimension), pattern=pattern, max_iterations=50, tolerance=1e-10)
    whole = correction(model, hyper, optimum)
    assert whole != 0.0
    assert correction(model, hyper, optimum, most=20_000) == pytest.approx(whole, abs=0.15)


def test_draws_hold_as_many_rows_of_equal_items_as_there_is_no_signal() -> None:
    averaged = fit(votes(10, 40, 0.0, seed=8), SPIKE)
    sample = draws(averaged, 200, np.random.default_rng(1))
    level = np.ptp(sample, axis=1) == 0.0
    assert 0.3 < averaged.no_signal < 1.0
    assert level.mean() == pytest.approx(averaged.no_signal, abs=0.005)
    assert level[:100].mean() == pytest.approx(averaged.no_signal, abs=0.01)


def test_items_that_are_equal_may_have_any_rank() -> None:
    low, high = rank_intervals(np.zeros((100, 5)))
    assert low.tolist() == [1] * 5
    assert high.tolist() == [5] * 5


def test_sides_and_order_of_votes_change_nothing() -> None:
    coin = votes(12, 80, 0.3, seed=9)
    turned = Evidence.from_arrays(12, coin.second[::-1], coin.first[::-1], 1 - coin.score[::-1])
    options = FitOptions(no_signal=2 / 3, position=False)
    one, other = fit(coin, options), fit(turned, options)
    assert one.no_signal == pytest.approx(other.no_signal, abs=2e-6)
    np.testing.assert_allclose(one.strength, other.strength, atol=1e-5)


def test_errors_hold_what_is_not_known_of_the_signal() -> None:
    averaged = fit(votes(12, 80, 0.6, seed=10), SPIKE)
    assert averaged.covariance is not None
    np.testing.assert_allclose(np.sqrt(np.diagonal(averaged.covariance)), averaged.standard_error, rtol=1e-6)
    assert spread_of(averaged) == pytest.approx(float(averaged.standard_error.mean()), rel=0.2)


def spread_of(averaged: Fit) -> float:
    sample: NDArray[np.float64] = draws(averaged, 2000, np.random.default_rng(2))
    return float(sample.std(axis=0).mean())


@pytest.mark.parametrize("share", [-0.1, 1.0, math.nan])
def test_a_share_that_is_none_is_refused(share: float) -> None:
    with pytest.raises(InvalidConfig, match="no_signal"):
        FitOptions(no_signal=share)
