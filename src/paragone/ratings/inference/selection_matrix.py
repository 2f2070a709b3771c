"""Matrices that pick a few parameters for each row, as a comparison picks its two items and its judge's position term.

Three forms give the same sums: a full one for few rows, ``SelectionMatrix`` by numpy alone, and scipy's sparse one,
which is several times as quick as that but takes longer to load than a single board of a hundred items needs it.
"""

import itertools
import sys
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from paragone.ratings.evidence import Floats, Ints
from paragone.ratings.model.curvature import SMALL

if TYPE_CHECKING:
    from scipy.sparse import csr_array

FULL = 20_000
"""Elements up to which the matrix of all rows is kept with its zeros."""
GATHERED_ROWS = 3000
"""Rows up to which the first draws of a process cost less without loading scipy."""
_LAYERS = 16
"""A column that more rows have is summed by itself."""


class SelectionMatrix:
    """A matrix with a few elements in each row; sums are taken in the order of scipy's, so that they are the same.

    Args:
        slots: Columns of the elements of each row, shape (rows, each); those behind the last column do not count.
        factors: The elements, shape (rows, each).
        dimension: How many columns there are.
    """

    def __init__(self, slots: Ints, factors: Floats, dimension: int) -> None:
        order = np.argsort(slots, axis=1, kind="stable")
        self._slots, self._factors = np.take_along_axis(slots, order, 1), np.take_along_axis(factors, order, 1)
        self._dimension = dimension

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        return self._slots.shape[0], self._dimension

    @cached_property
    def T(self) -> "Transposed":  # noqa: N802 - as numpy and scipy call it
        """The transposed matrix."""
        return Transposed(self._slots, self._factors, self._dimension)

    def __getitem__(self, rows: slice) -> "SelectionMatrix":
        """Some of the rows."""
        return SelectionMatrix(self._slots[rows], self._factors[rows], self._dimension)

    def __matmul__(self, values: Floats) -> Floats:
        """The product with points in columns, shape (columns, points)."""
        values = np.concatenate([values, np.zeros((1, values.shape[1]))])
        product = np.zeros((self._slots.shape[0], values.shape[1]))
        for slots, factors in zip(self._slots.T, self._factors.T, strict=True):
            part = values[slots]
            part *= factors[:, None]
            product += part
        return product


class Transposed:
    """A ``SelectionMatrix`` matrix with rows and columns exchanged."""

    def __init__(self, slots: Ints, factors: Floats, dimension: int) -> None:
        columns = slots.ravel()
        order = np.argsort(columns, kind="stable")
        order = order[columns[order] < dimension]
        self._columns, starts, counts = np.unique(columns[order], return_index=True, return_counts=True)
        # Layer k has the k-th element of each column; columns with more elements come first, so that a layer is one
        # stretch of elements that is added to one stretch of sums. Columns that most rows have follow one by one.
        most = np.argsort(np.where(counts > _LAYERS, 0, -counts), kind="stable")
        self._columns, starts, counts = self._columns[most], starts[most], counts[most]
        self._short = int(np.count_nonzero(counts <= _LAYERS))
        short = counts[: self._short]
        sizes = [int(np.count_nonzero(short > layer)) for layer in range(short.max(initial=0))]
        elements = [starts[:size] + layer for layer, size in enumerate(sizes)]
        elements += [np.arange(s, s + n) for s, n in zip(starts[self._short :], counts[self._short :], strict=True)]
        ends = np.cumsum([0, *map(len, elements)]).tolist()
        self._stretches = [slice(start, end) for start, end in itertools.pairwise(ends)]
        order = order[np.concatenate([*elements, np.zeros(0, np.int64)])]
        self._rows, self._factors, self._dimension = order // slots.shape[1], factors.ravel()[order], dimension
        self._layers = len(sizes)

    def __matmul__(self, values: Floats) -> Floats:
        """The product with rows' values, shape (rows,) or (rows, points)."""
        parts = values[self._rows]
        parts *= self._factors.reshape(-1, *[1] * (values.ndim - 1))
        sums = np.zeros((self._columns.size, *values.shape[1:]))
        for layer in self._stretches[: self._layers]:
            sums[: layer.stop - layer.start] += parts[layer]
        for column, elements in enumerate(self._stretches[self._layers :], start=self._short):
            sums[column] = _in_order(parts[elements])
        product = np.zeros((self._dimension, *values.shape[1:]))
        product[self._columns] = sums
        return product


def _in_order(rows: Floats) -> Floats:
    """The sum of the rows, one after the other: along a single column numpy's own sum would add in pairs."""
    total: Floats = rows.sum(axis=0) if rows.ndim > 1 and rows.shape[1] > 1 else np.add.accumulate(rows, axis=0)[-1]
    return total


class _Draws:
    """How often a process wanted a matrix that scipy would be quicker with."""

    count = 0


def selection(slots: Ints, factors: Floats, dimension: int) -> "Floats | SelectionMatrix | csr_array":
    """The matrix that adds up the parameters at each row's slots, times factors.

    Of a full matrix nearly all products are with zeros. For the smallest that costs less than anything else.

    Args:
        slots: Parameters of each row, shape (rows, each); ``dimension`` for none.
        factors: What each is multiplied with; of a shape that broadcasts to that of ``slots``.
        dimension: How many parameters there are.
    """
    count = slots.shape[0]
    factors = np.broadcast_to(factors, slots.shape)
    if dimension <= SMALL and count * dimension <= FULL:
        full = np.zeros((count, dimension + 1))
        full[np.arange(count)[:, None], slots] = factors
        return full[:, :-1].copy()
    if "scipy.sparse" not in sys.modules and count <= GATHERED_ROWS:
        _Draws.count += 1
        if _Draws.count == 1:  # who draws again will do so more often
            return SelectionMatrix(slots, factors, dimension)
    return sparse_selection(slots, factors, dimension)


def sparse_selection(slots: Ints, factors: Floats, dimension: int) -> "csr_array":
    """The same, sparse whatever its size: with one parameter a row, a full matrix would be nearly all zeros."""
    from scipy.sparse import csr_array

    count, each = slots.shape
    row, column = np.repeat(np.arange(count), each), slots.ravel()
    values = np.broadcast_to(factors, slots.shape).ravel()
    real = column < dimension
    return csr_array((values[real], (row[real], column[real])), shape=(count, dimension))
