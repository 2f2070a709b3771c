"""What a panel has in common: judges of few answers are taken for one, those of many keep their own."""

import math

import numpy as np
import pytest

from paragone.ratings import Evidence, FitOptions, fit
from paragone.ratings.inference.panel import MOST_EXACT, POSITIONS, SLOPES, TIES, pooled
from paragone.ratings.model.likelihood import ALONE


def crowd(positions, each, *, items=20, seed=0, share=0.5):
    """Evidence of judges with these position terms, each asked so many random pairs; and the true strengths."""
    rng = np.random.default_rng(seed)
    truth = rng.normal(size=items)
    judge = np.repeat(np.arange(len(positions)), each)
    first = rng.integers(items, size=judge.size)
    second = (first + rng.integers(1, items, size=judge.size)) % items
    x = truth[first] - truth[second] + np.asarray(positions)[judge]
    total, roll = np.exp(x / 2) + np.exp(-x / 2) + share, rng.random(judge.size)
    score = np.where(roll < np.exp(x / 2) / total, 1.0, np.where(roll < (np.exp(x / 2) + share) / total, 0.5, 0.0))
    names = [f"judge {at}" for at in range(len(positions))]
    return Evidence.from_arrays(items, first, second, score, judge=judge, judges=names), truth - truth.mean()


def alone(evidence):
    """The same answers from one judge."""
    return Evidence.from_arrays(evidence.item_count, evidence.first, evidence.second, evidence.score)


def by_hand(seen, variance, kind):
    """Posterior means and deviations of center and of spread, that of its logarithm, by a plain double sum."""
    logs = math.log(kind.median) + kind.width * np.linspace(-4, 4, 161)
    centers = np.linspace(-6, 6, 1201)
    weight = np.empty((logs.size, centers.size))
    for at, spread in enumerate(np.exp(logs)):
        wide = np.asarray(variance)[:, None] + spread**2
        squares = (np.asarray(seen)[:, None] - centers) ** 2 / wide + np.log(wide)
        weight[at] = -squares.sum(axis=0) / 2 - (logs[at] - math.log(kind.median)) ** 2 / (2 * kind.width**2)
        weight[at] -= (centers - kind.belief.center) ** 2 / (2 * kind.belief.spread**2)
    weight = np.exp(weight - weight.max())
    weight /= weight.sum()
    mean, share = (weight @ centers).sum(), weight.sum(axis=1)
    errors = (weight @ (centers - mean) ** 2).sum(), share @ (logs - share @ logs) ** 2
    return mean, share @ np.exp(logs), *map(math.sqrt, errors)


@pytest.mark.parametrize("kind", [POSITIONS, TIES])
@pytest.mark.parametrize("seen", [[0.4, 0.5, 0.3], [-1.0, 2.0], [0.1, 0.2, -3.0, 1.0, 0.4]])
def test_center_and_spread_are_those_of_a_plain_double_sum(kind, seen):
    variance = np.linspace(0.05, 0.8, len(seen))
    found = pooled(np.array(seen), 1 / variance, kind)
    center, spread, error, log_error = by_hand(seen, variance, kind)
    assert found.belief.center == pytest.approx(center, abs=2e-3)
    assert found.belief.spread == pytest.approx(spread, rel=5e-3)
    assert found.log_error == pytest.approx(log_error, rel=1e-2)
    assert found.error == pytest.approx(error, rel=1e-2)


def test_slopes_have_a_center_that_is_known():
    found = pooled(np.array([0.3, 0.5, 0.4]), np.full(3, 100.0), SLOPES)
    assert (found.belief.center, found.error) == (0.0, 0.0)
    assert 0.3 < found.belief.spread < SLOPES.median


def test_judges_of_whom_nothing_was_seen_leave_what_was_held_before():
    found = pooled(np.zeros(4), np.zeros(4), POSITIONS)
    assert found.belief.spread == pytest.approx(POSITIONS.median * math.exp(0.5), rel=0.01)
    assert found.error == pytest.approx(2.0, rel=0.01)


def test_many_judges_of_few_answers_are_taken_for_one():
    """A hundred judges of three answers each: strengths come as near to the truth as those of one judge."""
    apart = []
    for seed in range(4):
        evidence, truth = crowd(np.full(100, 0.4), 3, seed=seed)
        many, one = fit(evidence, FitOptions(slope=False)), fit(alone(evidence))
        apart.append([np.mean((found.strength - truth) ** 2) ** 0.5 for found in (many, one)])
        assert many.panel.position.spread < 0.5
        assert np.ptp(many.position) < 1.0
        assert many.panel.position.center == pytest.approx(one.position[0], abs=0.1)
    many, one = np.mean(apart, axis=0)
    assert many < 1.05 * one


def test_few_judges_of_many_answers_keep_their_own():
    positions = np.array([-0.6, 0.2, 1.0])
    evidence, _ = crowd(positions, 600, seed=1)
    found = fit(evidence, FitOptions(slope=False))
    assert found.position == pytest.approx(positions, abs=3 * found.position_se.max())
    for judge in range(3):
        own = evidence.judge == judge
        single = Evidence.from_arrays(20, evidence.first[own], evidence.second[own], evidence.score[own])
        assert found.position[judge] == pytest.approx(fit(single).position[0], abs=0.1)


def test_terms_of_a_panel_are_held_as_often_as_their_intervals_say():
    rng = np.random.default_rng(5)
    held = []
    for seed in range(12):
        positions = rng.normal(0.3, 0.5, size=12)
        evidence, _ = crowd(positions, 12, seed=seed)
        found = fit(evidence, FitOptions(slope=False))
        held.append(np.abs(found.position - positions) < 1.96 * found.position_se)
    assert np.mean(held) >= 0.86


def test_a_judge_alone_is_what_it_was():
    evidence, _ = crowd([0.4], 200)
    assert fit(evidence).panel == ALONE
    silent = Evidence.from_arrays(20, evidence.first, evidence.second, evidence.score, judges=("a", "silent"))
    assert fit(silent).strength.tolist() == fit(alone(evidence)).strength.tolist()


def test_a_sparse_fit_holds_the_same_of_its_panel():
    evidence, _ = crowd([-0.3, 0.2, 0.8], 120)
    dense, sparse = (fit(evidence, FitOptions(slope=False, dense_limit=limit)) for limit in (1500, 0))
    assert sparse.panel.position.center == pytest.approx(dense.panel.position.center, abs=0.01)
    assert sparse.panel.position.spread == pytest.approx(dense.panel.position.spread, rel=0.02)
    many, _ = crowd(np.linspace(-0.5, 0.5, MOST_EXACT + 5), 10)
    assert math.isfinite(fit(many, FitOptions(slope=False, dense_limit=0)).panel.tie.center)
