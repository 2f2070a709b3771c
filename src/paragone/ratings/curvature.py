"""The curvature of the log posterior: solving with it, its determinant, its inverse.

Two forms with one face. ``DenseCurvature`` is exact, by Cholesky. ``SparseCurvature`` never forms a full matrix: it
solves by conjugate gradients, and estimates its determinant and the diagonal of its inverse with fixed random probes,
so that the same evidence gives the same numbers.
"""

from typing import Protocol

import numpy as np

from paragone.ratings.evidence import Floats, Ints
from paragone.ratings.sufficient import totals

SMALL = 300
"""Up to this dimension numpy alone is as fast as scipy's triangular solves, and importing scipy would cost more."""


class Curvature(Protocol):
    """The negative second derivative of the log posterior at a point: symmetric and positive definite."""

    @property
    def covariance(self) -> Floats | None:
        """The inverse, shape (dimension, dimension), where it is formed."""
        ...

    def solve(self, right: Floats) -> Floats:
        """The solution of ``curvature @ x = right``, shape (dimension,)."""
        ...

    def log_determinant(self) -> float:
        """Natural logarithm of the determinant."""
        ...

    def variances(self) -> Floats:
        """Diagonal of the inverse, shape (dimension,)."""
        ...

    def products(self, entries: Floats) -> Floats:
        """Entries times the elements of the inverse at their places.

        The sum over all of them is the trace of the inverse times the matrix that the entries add up to. Where the
        inverse is not formed, only sums mean something.
        """
        ...


class Pattern(Protocol):
    """Where the entries of a curvature belong."""

    def curvature(self, entries: Floats) -> Curvature:
        """The curvature that these entries add up to."""
        ...


class DensePattern:
    """Entries of a full matrix; those in its last row or column belong to no parameter."""

    def __init__(self, places: Ints, dimension: int) -> None:
        self.places = places
        self.side = dimension + 1

    def curvature(self, entries: Floats) -> "DenseCurvature":
        full = totals(self.places, entries, self.side**2).reshape(self.side, self.side)
        return DenseCurvature(full[:-1, :-1].copy(), self)


class DenseCurvature:
    """A full matrix with its Cholesky factor."""

    def __init__(self, matrix: Floats, pattern: DensePattern) -> None:
        self._matrix = matrix
        self._pattern = pattern
        self._factor: Floats = np.asarray(np.linalg.cholesky(matrix), np.float64)
        self._inverse: Floats | None = None

    @property
    def covariance(self) -> Floats:
        if self._inverse is None:
            lower = np.tril(_inverse(self._matrix, self._factor))
            self._inverse = lower + np.tril(lower, -1).T
        return self._inverse

    def solve(self, right: Floats) -> Floats:
        if len(right) <= SMALL:
            return np.asarray(np.linalg.solve(self._matrix, right), np.float64)
        from scipy.linalg import cho_solve

        solution: Floats = cho_solve((self._factor, True), right, check_finite=False)
        return solution

    def log_determinant(self) -> float:
        return 2.0 * float(np.log(np.diagonal(self._factor)).sum())

    def variances(self) -> Floats:
        return np.diagonal(self.covariance).copy()

    def products(self, entries: Floats) -> Floats:
        return entries * np.pad(self.covariance, (0, 1)).ravel()[self._pattern.places]


def _inverse(matrix: Floats, factor: Floats) -> Floats:
    """The inverse; only its lower triangle counts."""
    if len(matrix) <= SMALL:
        return np.asarray(np.linalg.inv(matrix), np.float64)
    from scipy.linalg.lapack import dpotri

    inverse: Floats = dpotri(factor, lower=1)[0]
    return inverse
