"""The curvature of many items: sparse, solved by conjugate gradients, probed by Lanczos.

Everything works on the matrix scaled to a unit diagonal. The log-determinant is a stochastic Lanczos quadrature; the
diagonal of the inverse comes from samples of the posterior with the part that is known put in exactly.

Source: S. Ubaru, J. Chen, Y. Saad (2017), "Fast estimation of tr(f(A)) via stochastic Lanczos quadrature", SIAM J.
Matrix Anal. Appl. 38; P. Siden, F. Lindgren, D. Bolin, M. Villani (2018), "Efficient covariance approximations for
large sparse precision matrices", J. Comput. Graph. Stat. 27 (the Rao-Blackwellised estimate).
"""

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import numpy as np

from paragone.ratings.evidence import Floats, Ints
from paragone.ratings.sufficient import totals

if TYPE_CHECKING:
    from scipy.sparse import csr_array

PROBES = 16
"""Probes of the determinant, and of the leverages."""
SAMPLES = 128
"""Posterior samples behind the diagonal of the inverse: its correction is good to about 12 %, the whole to a few."""
STEPS = 60
"""Lanczos steps a probe."""
SOLVED = 1e-10
"""Relative residual at which conjugate gradients stop."""
_SEED = 20_250_101
_BATCH = 16
_MEMORY = 20_000_000  # numbers in the bases held at once


class SparsePattern:
    """Entries of a compressed sparse row matrix; those in its last row or column belong to no parameter."""

    def __init__(self, places: Ints, dimension: int) -> None:
        row, column = np.divmod(places, dimension + 1)
        self._inside = (row < dimension) & (column < dimension)
        keys, self._targets = np.unique(places[self._inside], return_inverse=True)
        self.rows, self.columns = np.divmod(keys, dimension + 1)
        self._starts = np.searchsorted(self.rows, np.arange(dimension + 1))
        self._dimension = dimension

    def curvature(self, entries: Floats) -> "SparseCurvature":
        from scipy.sparse import csr_array

        data = totals(self._targets, entries[self._inside], self.columns.size)
        shape = (self._dimension, self._dimension)
        return SparseCurvature(csr_array((data, self.columns, self._starts), shape=shape), self)

    def at_entries(self, elements: Floats) -> Floats:
        """One value for each entry: the element at its place, 0 for entries that belong to no parameter."""
        values = np.zeros(self._inside.size)
        values[self._inside] = elements[self._targets]
        return values


class SparseCurvature:
    """A sparse matrix, scaled to a unit diagonal."""

    covariance = None

    def __init__(self, matrix: "csr_array", pattern: SparsePattern) -> None:
        from scipy.sparse import diags_array

        self._pattern = pattern
        self._scale = matrix.diagonal() ** -0.5
        scaling = diags_array(self._scale)
        self._unit = (scaling @ matrix @ scaling).tocsr()

    def solve(self, right: Floats) -> Floats:
        solution: Floats = self._scale * conjugate_gradients(self._unit, self._scale * right)
        return solution

    def log_determinant(self) -> float:
        steps = [(alpha, beta) for alpha, beta, _ in lanczos(self._unit, self._signs())]
        values, vectors = _eigen(np.array([alpha for alpha, _ in steps]), np.array([beta for _, beta in steps[:-1]]))
        traces = (vectors[:, 0, :] ** 2 * np.log(values)).sum(axis=1)
        return float(self._scale.size * traces.mean() - 2 * np.log(self._scale).sum())

    def variances(self) -> Floats:
        """Diagonal of the inverse: that of the diagonal exactly, plus what samples of the neighbours add."""
        rng = np.random.default_rng(_SEED)
        added = np.zeros(self._scale.size)
        for _ in range(SAMPLES // _BATCH):
            sample = apply_function(self._unit, rng.standard_normal((added.size, _BATCH)), lambda value: value**-0.5)
            added += ((self._unit @ sample - sample) ** 2).sum(axis=1)
        diagonal: Floats = self._scale**2 * (1 + added / SAMPLES)
        return diagonal

    def products(self, entries: Floats) -> Floats:
        signs = self._signs()
        solved = apply_function(self._unit, signs, lambda value: 1 / value)
        left, right = (self._scale[:, None] * probes for probes in (signs, solved))
        inverse = np.einsum("kp,kp->k", left[self._pattern.rows], right[self._pattern.columns]) / PROBES
        return entries * self._pattern.at_entries(inverse)

    def _signs(self) -> Floats:
        return np.random.default_rng(_SEED).choice((-1.0, 1.0), size=(self._scale.size, PROBES))


def conjugate_gradients(matrix: "csr_array", right: Floats) -> Floats:
    """Solve ``matrix @ x = right`` for a positive definite matrix of unit diagonal, to ``SOLVED`` of ``right``."""
    solution, residual = np.zeros_like(right), right.copy()
    direction, square = residual.copy(), float(residual @ residual)
    enough = square * SOLVED**2
    for _ in range(10 * right.size):
        if square <= enough:
            break
        image = matrix @ direction
        length = square / float(direction @ image)
        solution += length * direction
        residual -= length * image
        square, before = float(residual @ residual), square
        direction = residual + (square / before) * direction
    return solution


def lanczos(matrix: "csr_array", start: Floats) -> Iterator[tuple[Floats, Floats, Floats]]:
    """Lanczos tridiagonalisation from several starting vectors at once, a step at a time.

    Args:
        matrix: Symmetric, shape (dimension, dimension).
        start: Starting vectors, shape (dimension, probes).

    Yields:
        Diagonal element (probes,), next off-diagonal element (probes,), basis vector (dimension, probes).
    """
    current, before = start / np.linalg.norm(start, axis=0), np.zeros_like(start)
    beta = np.zeros(start.shape[1])
    for _ in range(min(STEPS, len(start))):
        following = matrix @ current - beta * before
        alpha = (following * current).sum(axis=0)
        following -= alpha * current
        beta = np.linalg.norm(following, axis=0)
        yield alpha, beta, current
        current, before = following / np.maximum(beta, np.finfo(np.float64).tiny), current


def apply_function(matrix: "csr_array", start: Floats, function: Callable[[Floats], Floats]) -> Floats:
    """``function(matrix) @ start`` by Lanczos, shape (dimension, probes)."""
    batch = max(1, min(start.shape[1], _MEMORY // (start.shape[0] * STEPS)))
    parts = [_apply(matrix, start[:, at : at + batch], function) for at in range(0, start.shape[1], batch)]
    return np.concatenate(parts, axis=1)


def _apply(matrix: "csr_array", start: Floats, function: Callable[[Floats], Floats]) -> Floats:
    alphas, betas, basis = zip(*lanczos(matrix, start), strict=True)
    values, vectors = _eigen(np.array(alphas), np.array(betas[:-1]))
    weights = np.einsum("pij,pj,pj->ip", vectors, function(values), vectors[:, 0, :]) * np.linalg.norm(start, axis=0)
    result = np.zeros_like(start)
    for weight, vector in zip(weights, basis, strict=True):
        result += weight * vector
    return result


def _eigen(alphas: Floats, betas: Floats) -> tuple[Floats, Floats]:
    """Eigenvalues (probes, steps) and eigenvectors (probes, steps, steps) of the tridiagonal matrices."""
    steps, probes = alphas.shape
    full = np.zeros((probes, steps, steps))
    at = np.arange(steps)
    full[:, at, at] = alphas.T
    full[:, at[1:], at[:-1]] = full[:, at[:-1], at[1:]] = betas.T
    values, vectors = np.linalg.eigh(full)
    return np.maximum(values, np.finfo(np.float64).tiny), vectors
