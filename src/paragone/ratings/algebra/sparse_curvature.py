"""The curvature of many items of any kind of evidence: a sparse matrix, solved by conjugate gradients and probed."""

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from paragone.ratings.algebra.krylov import apply_function
from paragone.ratings.algebra.probed_curvature import ROUGH_PROBES, ProbedCurvature, probed_trace
from paragone.ratings.evidence import Floats, Ints
from paragone.ratings.model.sufficient import totals

if TYPE_CHECKING:
    from scipy.sparse import csr_array

_TABLE = 4_000_000


class SparsePattern:
    """Entries of a compressed sparse row matrix; those in its last row or column belong to no parameter."""

    rough = False

    def __init__(self, places: Ints, dimension: int) -> None:
        row, column = np.divmod(places, dimension + 1)
        self._inside = (row < dimension) & (column < dimension)
        keys, self._targets = _distinct(places[self._inside], (dimension + 1) ** 2)
        self.rows, self.columns = np.divmod(keys, dimension + 1)
        self._starts = np.searchsorted(self.rows, np.arange(dimension + 1))
        self._diagonal = np.flatnonzero(self.rows == self.columns)
        self._dimension = dimension

    def curvature(self, entries: Floats) -> "SparseCurvature":
        data = self.elements(entries)
        scale = data[self._diagonal] ** -0.5
        return SparseCurvature(self.matrix(data * scale[self.rows] * scale[self.columns]), scale, self)

    def elements(self, entries: Floats) -> Floats:
        """What the entries add up to, aligned with ``rows`` and ``columns``."""
        return totals(self._targets, entries[self._inside], self.columns.size)

    def matrix(self, elements: Floats) -> "csr_array":
        """The matrix of these elements."""
        from scipy.sparse import csr_array

        return csr_array((elements, self.columns, self._starts), shape=(self._dimension, self._dimension))

    def rough_trace(self, inverted: Floats, entries: Floats, solve: Callable[[Floats], Floats]) -> float:
        """The trace of one matrix's inverse times another, by a few fixed probes.

        Args:
            inverted: Entries of the one.
            entries: Entries of the other.
            solve: Solves with the one, several right sides in columns at once.
        """
        scale, elements = self.elements(inverted)[self._diagonal] ** -0.5, self.elements(entries)
        return probed_trace(self.matrix(elements), elements[self._diagonal], scale, solve, ROUGH_PROBES)

    def at_entries(self, elements: Floats) -> Floats:
        """One value for each entry: the element at its place, 0 for entries that belong to no parameter."""
        values = np.zeros(self._inside.size)
        values[self._inside] = elements[self._targets]
        return values


def _distinct(keys: Ints, most: int) -> tuple[Ints, Ints]:
    """The different keys in order, and where each one is among them; by a table where there are few that could be."""
    if most > _TABLE:
        distinct, where = np.unique(keys, return_inverse=True)
        return distinct, where
    table = np.zeros(most, dtype=np.int64)
    table[keys] = 1
    distinct = np.flatnonzero(table)
    table[distinct] = np.arange(distinct.size)
    return distinct, table[keys]


class SparseCurvature(ProbedCurvature):
    """A sparse matrix, scaled to a unit diagonal."""

    def __init__(self, unit: "csr_array", scale: Floats, pattern: SparsePattern) -> None:
        super().__init__(unit, scale)
        self._pattern = pattern

    def products(self, entries: Floats) -> Floats:
        signs = self._signs()
        solved = apply_function(self._unit, signs, lambda value: 1 / value)
        left, right = (self._scale[:, None] * probes for probes in (signs, solved))
        inverse = np.einsum("kp,kp->k", left[self._pattern.rows], right[self._pattern.columns]) / signs.shape[1]
        return entries * self._pattern.at_entries(inverse)
