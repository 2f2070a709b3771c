"""Joint draws of many items, against the covariance of the full matrix."""

from functools import cache

import numpy as np
import pytest

from paragone.ratings import Evidence, FitOptions, draws, fit

ITEMS, COUNT = 40, 5_000


@cache
def fits(reach):
    """The same evidence with a covariance and without; opponents at most ``reach`` ranks away."""
    rng = np.random.default_rng(0)
    first = rng.integers(ITEMS - reach, size=800)
    second = first + rng.integers(1, reach + 1, size=800)
    turned = rng.random(800) < 0.5
    first, second = np.where(turned, second, first), np.where(turned, first, second)
    score = rng.random(800) < 1 / (1 + np.exp((first - second) / 10 - 0.4))
    evidence = Evidence.from_arrays(ITEMS, first, second, score * 1.0)
    return tuple(fit(evidence, FitOptions(spread=1.5, widening=1.2, dense_limit=limit)) for limit in (1500, 0))


@cache
def drawn_of(reach):
    return draws(fits(reach)[1], COUNT, np.random.default_rng(1))


@pytest.mark.parametrize("reach", [2, 39])
def test_they_have_the_covariance_of_the_full_matrix(reach):
    """Of 780 correlations each has a standard error of up to .014; the bound is four of them."""
    (dense, sparse), drawn = fits(reach), drawn_of(reach)
    errors = dense.standard_error
    assert sparse.covariance is None
    assert drawn.shape == (COUNT, ITEMS)
    assert drawn.mean(axis=1) == pytest.approx(np.zeros(COUNT), abs=1e-7)
    assert drawn.mean(axis=0) == pytest.approx(dense.strength, abs=0.05)
    assert drawn.std(axis=0) == pytest.approx(errors, rel=0.05)
    assert np.corrcoef(drawn.T) == pytest.approx(dense.covariance / np.outer(errors, errors), abs=0.06)


def test_neighbours_are_told_apart_better_than_each_from_the_rest():
    """In a chain those side by side go up and down together."""
    _, sparse = fits(2)
    steps, alone = np.diff(drawn_of(2), axis=1).var(axis=0), sparse.standard_error**2
    assert steps.mean() < 0.5 * (alone[1:] + alone[:-1]).mean()


def test_the_generator_decides():
    _, sparse = fits(39)
    one, other, third = (draws(sparse, 5, np.random.default_rng(seed)) for seed in (7, 7, 8))
    assert (one == other).all()
    assert (one != third).any()
