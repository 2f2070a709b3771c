"""Large fits: the sparse form against the dense one on the same evidence, and how good its estimates are."""

import numpy as np
import pytest
from scipy.sparse import csr_array

from paragone.ratings import Evidence, FitOptions, fit
from paragone.ratings.model.sparse_curvature import apply_function, conjugate_gradients, log_trace

ITEMS = 400
SPARSE = FitOptions(dense_limit=0)


def wide(rng):
    """Opponents from anywhere."""
    first = rng.integers(ITEMS, size=10 * ITEMS)
    return first, (first + rng.integers(1, ITEMS, size=first.size)) % ITEMS


def near(rng):
    """Opponents at most ten ranks away, as good pairing makes them."""
    first = rng.integers(ITEMS - 10, size=10 * ITEMS)
    return first, first + rng.integers(1, 11, size=first.size)


def evidence(pairs, seed=0):
    rng = np.random.default_rng(seed)
    skill = np.linspace(6, -6, ITEMS)
    first, second = pairs(rng)
    turned = rng.random(first.size) < 0.5
    first, second = np.where(turned, second, first), np.where(turned, first, second)
    latent = skill[first] - skill[second] + 0.4 + rng.logistic(size=first.size)
    score = np.where(np.abs(latent) < 0.3, 0.5, latent > 0)
    rankings = [np.sort(rng.choice(ITEMS, 5, replace=False)).tolist() for _ in range(20)]
    return Evidence.from_arrays(ITEMS, first, second, score, rankings=rankings)


@pytest.fixture(scope="module", params=[wide, near])
def fits(request):
    votes = evidence(request.param)
    return fit(votes), fit(votes, SPARSE)


def test_the_spread_is_off_by_a_fraction_of_its_own_error(fits):
    dense, sparse = fits
    assert sparse.covariance is None
    off = abs(np.log(sparse.prior_spread / dense.prior_spread))
    assert off < 0.1 * dense.log_spread_se


def test_strengths_and_judges_agree(fits):
    dense, sparse = fits
    assert sparse.converged
    assert np.abs(sparse.strength - dense.strength).max() < 0.05 * dense.standard_error.min()
    assert sparse.position == pytest.approx(dense.position, abs=1e-3)
    assert sparse.tie == pytest.approx(dense.tie, abs=1e-3)


def test_standard_errors_agree_on_both_shapes_of_graph(fits):
    dense, sparse = fits
    ratio = sparse.standard_error / dense.standard_error
    assert ratio.mean() == pytest.approx(1, abs=0.02)
    assert (np.abs(ratio - 1) < 0.06).all()
    assert sparse.position_se == pytest.approx(dense.position_se, rel=0.1)


def test_the_log_evidence_is_good_to_a_few_nats(fits):
    dense, sparse = fits
    assert sparse.log_evidence == pytest.approx(dense.log_evidence, abs=5)


@pytest.mark.parametrize("pairs", [wide, near])
def test_the_optimum_is_the_same_to_rounding_under_the_same_spread(pairs):
    votes = evidence(pairs)
    dense, sparse = (fit(votes, FitOptions(spread=2.0, dense_limit=limit)) for limit in (ITEMS + 9, 0))
    assert np.abs(sparse.strength - dense.strength).max() < 1e-7


def test_the_same_evidence_gives_the_same_numbers():
    votes = evidence(wide)
    assert fit(votes, SPARSE).standard_error.tolist() == fit(votes, SPARSE).standard_error.tolist()


def test_soft_verdicts():
    rng = np.random.default_rng(1)
    skill = rng.standard_normal(ITEMS)
    first, second = wide(rng)
    log_odds = skill[first] - skill[second] + 1.0 + 0.5 * rng.standard_normal(first.size)
    votes = Evidence.from_arrays(ITEMS, first, second, 1 / (1 + np.exp(-log_odds)))
    dense, sparse = fit(votes), fit(votes, SPARSE)
    assert sparse.dispersion == pytest.approx(dense.dispersion, rel=0.03)
    assert np.abs(sparse.strength - dense.strength).max() < 0.02


def test_even_a_handful_of_items_may_be_sparse():
    votes = Evidence.from_arrays(3, [0, 1, 2, 0], [1, 2, 0, 1], [1, 1, 0.5, 0])
    dense, sparse = (fit(votes, FitOptions(spread=1.0, dense_limit=limit)) for limit in (9, 0))
    assert sparse.strength == pytest.approx(dense.strength, abs=1e-7)
    assert sparse.standard_error == pytest.approx(dense.standard_error, rel=0.3)


def matrix_of(rng, size=80):
    """A random positive definite matrix of unit diagonal."""
    factor = rng.standard_normal((size, 2 * size))
    full = factor @ factor.T
    scale = np.sqrt(np.diagonal(full))
    return full / scale / scale[:, None]


def test_conjugate_gradients_solve():
    rng = np.random.default_rng(2)
    full, right = matrix_of(rng), rng.standard_normal(80)
    solution, steps = conjugate_gradients(csr_array(full), right, 200)
    assert solution == pytest.approx(np.linalg.solve(full, right), abs=1e-8)
    assert steps <= 80
    assert conjugate_gradients(csr_array(full), right, 3)[1] == 4, "three steps were not enough"


def test_conjugate_gradients_solve_several_sides_at_once_and_as_well_as_asked():
    rng = np.random.default_rng(2)
    full, right = matrix_of(rng), rng.standard_normal((80, 3))
    rough, steps = conjugate_gradients(csr_array(full), right, 200, 1e-2)
    assert (np.linalg.norm(full @ rough - right, axis=0) <= 1e-2 * np.linalg.norm(right, axis=0)).all()
    exact, more = conjugate_gradients(csr_array(full), right, 200)
    assert exact == pytest.approx(np.linalg.solve(full, right), abs=1e-8)
    assert steps < more


def test_the_trace_of_the_logarithm():
    """All 2^8 vectors of signs together give the trace itself."""
    full = matrix_of(np.random.default_rng(4), 8)
    signs = np.array(np.meshgrid(*[(-1.0, 1.0)] * 8)).reshape(8, -1)
    assert log_trace(csr_array(full), signs) == pytest.approx(np.linalg.slogdet(full)[1], abs=1e-9)


def test_functions_of_a_matrix():
    rng = np.random.default_rng(3)
    full, start = matrix_of(rng), rng.standard_normal((80, 5))
    values, vectors = np.linalg.eigh(full)
    expected = vectors @ (vectors.T @ start / np.sqrt(values)[:, None])
    assert apply_function(csr_array(full), start, lambda value: value**-0.5) == pytest.approx(expected, abs=1e-6)
