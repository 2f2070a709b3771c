"""Matrices of a few elements a row: all forms give the same sums, and a first board loads no scipy."""

import subprocess
import sys

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from paragone.ratings.inference.selection_matrix import SelectionMatrix, selection, sparse_selection


@given(st.integers(0, 10**6), st.integers(1, 400), st.integers(3, 60), st.integers(1, 9))
def test_gathered_sums_are_those_of_the_sparse_matrix_to_the_last_bit(seed, rows, dimension, points):
    rng = np.random.default_rng(seed)
    slots = np.column_stack([rng.integers(0, dimension, rows) for _ in range(2)])
    slots[:, 1] = (slots[:, 0] + 1 + slots[:, 1] % (dimension - 1)) % dimension
    # A position term that all rows have; or none of them, which is no parameter at all.
    slots = np.column_stack([slots % (dimension - 1), np.full(rows, dimension - seed % 2)])
    slots[slots[:, 0] == slots[:, 1], 1] = dimension
    factors = np.array([1.0, -1.0, 1.0]) * rng.uniform(0.5, 2, (rows, 1))
    gathered, sparse = SelectionMatrix(slots, factors, dimension), sparse_selection(slots, factors, dimension)
    theta, margin = rng.standard_normal((dimension, points)), rng.standard_normal((rows, points))
    assert gathered.shape == sparse.shape
    assert np.array_equal(gathered @ theta, sparse @ theta)
    assert np.array_equal(gathered.T @ margin, sparse.T @ margin)
    assert np.array_equal(gathered.T @ margin[:, 0], sparse.T @ margin[:, 0])
    some = slice(rows // 3, rows // 2 + 1)
    assert np.array_equal(gathered[some] @ theta, sparse[some] @ theta)
    assert np.array_equal(gathered[some].T @ margin[some], sparse[some].T @ margin[some])


def test_a_small_matrix_is_full():
    full = selection(np.array([[0, 1, 3], [2, 0, 3]]), np.array([1.0, -1.0, 1.0]), 3)
    assert np.array_equal(full, [[1.0, -1.0, 0.0], [-1.0, 0.0, 1.0]])


_DRAWS = """
import sys
import numpy as np
from paragone.ratings.bradley_terry import fit
from paragone.ratings.evidence import Evidence
from paragone.ratings.posterior_draws import draws
rng = np.random.default_rng(1)
first = rng.integers(0, 80, 400)
second = (first + rng.integers(1, 80, 400)) % 80
score, judge = (rng.random(400) < 0.5).astype(float), np.zeros(400, int)
evidence = Evidence.from_arrays(80, first, second, score, judge=judge, judges=["j"])
fitted = fit(evidence)
once = draws(fitted, 100, np.random.default_rng(2))
assert not {"scipy.sparse", "numba"} & set(sys.modules), "the first draws load nothing"
again = draws(fitted, 100, np.random.default_rng(2))
assert "scipy.sparse" in sys.modules, "who draws again has it"
assert np.array_equal(once, again)
"""


def test_the_first_draws_of_a_process_do_without_scipy_and_are_the_same_as_later_ones():
    done = subprocess.run([sys.executable, "-c", _DRAWS], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
