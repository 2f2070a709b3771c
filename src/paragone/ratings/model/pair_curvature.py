"""The curvature of a large fit: by passes over the pairs, or by the Cholesky factor of a band.

Where items only meet near-equals, the pairs lie along a line. In the order of reverse Cuthill-McKee the matrix then has
its elements near the diagonal, and so has its Cholesky factor: solving is exact and costs a few passes over the pairs.

Source: E. Cuthill, J. McKee (1969), "Reducing the bandwidth of sparse symmetric matrices".
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from paragone.ratings.evidence import Floats, Ints
from paragone.ratings.loops import compiled, pair_loops
from paragone.ratings.model.curvature import SMALL, DenseCurvature, lapack
from paragone.ratings.model.likelihood import totals
from paragone.ratings.model.pair_model import JudgedPairs, PairModel
from paragone.ratings.model.sparse_curvature import ROUGH_PROBES, ProbedCurvature, probed_trace, probes

if TYPE_CHECKING:
    from scipy.sparse import csr_array


_WORK = 3000
"""A factorization may cost so many multiplications for each pair of items."""
_ROOM = 16
"""And hold so many numbers for each."""
_SMALL = 1_000_000


@dataclass(frozen=True, kw_only=True, eq=False, slots=True)
class BandPattern:
    """Where the pairs belong in a band matrix.

    Attributes:
        order: Items in the order of the band, shape (items,).
        width: How far off the diagonal its elements are.
        positions: Place of each pair in the matrix's lower triangle, by rows of ``width + 1``, shape (pairs,).
    """

    order: Ints
    width: int
    positions: Ints

    @classmethod
    def of(cls, pairs: JudgedPairs) -> "BandPattern | None":
        """The band of these pairs; None where it would be so wide that it cost more than it saves."""
        from scipy.sparse.csgraph import reverse_cuthill_mckee

        first, adjacency = pairs.first, pairs.matrix(np.ones(pairs.second.size))
        order = reverse_cuthill_mckee((adjacency + adjacency.T).tocsr(), symmetric_mode=True).astype(np.int64)
        rank = np.empty_like(order)
        rank[order] = np.arange(order.size)
        row, column = rank[first], rank[pairs.second]
        apart = np.abs(row - column)
        width, items = int(apart.max(initial=0)), order.size
        # A band's factor takes items * width^2 multiplications and holds items * (width + 1) numbers.
        if items * width**2 > _WORK * first.size + _SMALL or items * (width + 1) > _ROOM * first.size + _SMALL:
            return None
        # LAPACK's lower band form by columns: element (i + k, i) is the k-th of column i.
        return cls(order=order, width=width, positions=np.minimum(row, column) * (width + 1) + apart)

    def factor(self, curvatures: Floats, diagonal: Floats) -> "BandFactor":
        """The factor of the matrix with these curvatures of pairs and this diagonal."""
        items = diagonal.size
        rows = totals(self.positions, -curvatures, items * (self.width + 1)).reshape(items, self.width + 1)
        rows[:, 0] = diagonal[self.order]
        factor, failed = lapack().dpbtrf(rows.T, lower=1, overwrite_ab=1)
        if failed:
            raise np.linalg.LinAlgError("the curvature is not positive definite")
        return BandFactor(self, factor)


class BandFactor:
    """The Cholesky factor of a band matrix, shape (width + 1, items) in LAPACK's form."""

    def __init__(self, pattern: BandPattern, factor: Floats) -> None:
        self._pattern = pattern
        self._factor = factor

    def solve(self, right: Floats) -> Floats:
        """The solution for one or several right sides in columns."""
        solution = np.empty_like(right)
        solution[self._pattern.order] = lapack().dpbtrs(self._factor, right[self._pattern.order], lower=1)[0]
        return solution

    def sample(self, normal: Floats) -> Floats:
        """Draws with the inverse for covariance, from standard normals, shape (items, draws)."""
        drawn = np.empty_like(normal)
        drawn[self._pattern.order] = lapack().dtbtrs(self._factor, normal, uplo="L", trans="T")[0]
        return drawn

    def log_determinant(self) -> float:
        """Natural logarithm of the determinant."""
        return 2.0 * float(np.log(self._factor[0]).sum())

    @property
    def exact(self) -> bool:
        """Whether elements of the inverse can be had: that takes a compiled loop."""
        return compiled.available()

    @cached_property
    def _inverse(self) -> Floats:
        factor = np.ascontiguousarray(self._factor.T)
        inverse = np.zeros_like(factor)
        pair_loops.invert_band.compiled(factor, inverse)
        return inverse

    def variances(self) -> Floats:
        """Diagonal of the inverse, shape (items,)."""
        diagonal = np.empty(self._inverse.shape[0])
        diagonal[self._pattern.order] = self._inverse[:, 0]
        return diagonal

    def covariances(self) -> Floats:
        """The inverse's element for each pair, shape (pairs,)."""
        return self._inverse.ravel()[self._pattern.positions]


_PATIENCE = 40
"""Conjugate gradients that take more steps are a sign of pairs along a line."""
_TRACED = 1e-6


class PairPattern:
    """Where the entries of a ``PairModel`` belong; finds out whether its pairs lie along a line.

    Attributes:
        model: The model.
        slow: Whether conjugate gradients were found to take many steps.
    """

    rough = False

    def __init__(self, model: PairModel) -> None:
        self.model = model
        self.slow = False

    def curvature(self, entries: Floats) -> "PairCurvature":
        return PairCurvature(entries, self)

    @cached_property
    def band(self) -> BandPattern | None:
        """The band that the pairs lie in, if there is one worth factoring."""
        return BandPattern.of(self.model.pairs)


class PairOperator:
    """The matrix that entries of a ``PairModel`` add up to, times a factor for each row and column."""

    def __init__(self, model: PairModel, entries: Floats, scale: Floats | None = None) -> None:
        self.curvatures, self.degree, self.coupling, self.columns, self.precision = model.parts(entries)
        self._model = model
        self._scale = scale

    @property
    def diagonal(self) -> Floats:
        """The matrix's diagonal, not scaled."""
        return np.append(self.degree, np.diagonal(self.columns)) + self.precision

    def __matmul__(self, vectors: Floats) -> Floats:
        block = vectors.reshape(vectors.shape[0], -1)
        product = self._product_compiled(block) if self._model.pairs.is_compiled else self._product(block)
        return product.reshape(vectors.shape)

    def _product(self, block: Floats) -> Floats:
        """By scipy: the part between items is one sparse matrix, its factors put in."""
        items, result = self._model.item_count, np.empty_like(block)
        result[:items] = self._between @ block[:items]
        if items < block.shape[0]:
            coupling, columns = self._border
            result[:items] += coupling @ block[items:]
            result[items:] = coupling.T @ block[:items] + columns @ block[items:]
        return result

    @cached_property
    def _between(self) -> "csr_array":
        items, pairs = self._model.item_count, self._model.pairs
        scale = np.ones(items) if self._scale is None else self._scale[:items]
        between = self.curvatures * scale[pairs.first] * scale[pairs.second]
        return pairs.layout.matrix(self.diagonal[:items] * scale**2, between)

    @cached_property
    def _border(self) -> tuple[Floats, Floats]:
        """The rest: items with columns, and columns."""
        items = self._model.item_count
        scale = np.ones(self.precision.size) if self._scale is None else self._scale
        columns = self.columns + np.diag(self.precision[items:])
        return scale[:items, None] * self.coupling * scale[items:], scale[items:, None] * columns * scale[items:]

    def _product_compiled(self, block: Floats) -> Floats:
        scale = None if self._scale is None else self._scale[:, None]
        values = block if scale is None else scale * block
        result, items, pairs = self.precision[:, None] * values, self._model.item_count, self._model.pairs
        flow, own = np.zeros((items, block.shape[1])), np.ascontiguousarray(values[:items])
        if block.shape[1] == 1:
            pair_loops.apply.compiled(pairs.starts, pairs.second, self.curvatures, own[:, 0], flow[:, 0])
        else:
            pair_loops.apply_block.compiled(pairs.starts, pairs.second, self.curvatures, own, flow)
        result[:items] += flow
        if items < values.shape[0]:
            result[:items] += self.coupling @ values[items:]
            result[items:] += self.coupling.T @ values[:items] + self.columns @ values[items:]
        product: Floats = result if scale is None else scale * result
        return product


class PairCurvature(ProbedCurvature):
    """What the pairs, the judges and the prior add up to."""

    def __init__(self, entries: Floats, pattern: PairPattern) -> None:
        self._plain = PairOperator(pattern.model, entries)
        scale = self._plain.diagonal**-0.5
        super().__init__(PairOperator(pattern.model, entries, scale), scale)
        self._pattern = pattern
        self._factor: Bordered | None = None

    @property
    def _bordered(self) -> "Bordered | None":
        """The exact factor, where conjugate gradients are slow and there is one."""
        if self._factor is None and self._pattern.slow and self._pattern.band is not None:
            self._factor = Bordered(self._plain, self._pattern.band)
        return self._factor

    def solved(self, right: Floats, steps: int, accuracy: float | None = None) -> tuple[Floats, bool]:
        if self._bordered is None:
            # On a line of pairs information travels one item a step, so conjugate gradients may take as many steps as
            # the line is long. The first solution that does not converge in time shows it; the band of such pairs is
            # narrow.
            solution, enough = super().solved(right, min(steps, _PATIENCE), accuracy)
            if enough:
                return solution, True
            self._pattern.slow = True
        if self._bordered is None:
            return super().solved(right, steps, accuracy)
        return self._bordered.solve(right), True

    def log_determinant(self) -> float:
        return super().log_determinant() if self._bordered is None else self._bordered.log_determinant()

    def samples(self, normal: Floats) -> Floats:
        return super().samples(normal) if self._bordered is None else self._bordered.samples(normal)

    def variances(self) -> Floats:
        if self._bordered is None or not self._bordered.exact:
            return super().variances()
        return self._bordered.variances()

    def trace(self, entries: Floats) -> float:
        product = PairOperator(self._pattern.model, entries)
        if self._bordered is not None and self._bordered.exact:
            return self._bordered.trace(product)
        count = probes(self._scale.size)
        return probed_trace(product, product.diagonal, self._scale, self._roughly, count)

    def _roughly(self, right: Floats) -> Floats:
        return self.solved(right, 10 * right.shape[0], _TRACED)[0]

    def products(self, entries: Floats) -> Floats:
        """One number, the sum of all."""
        return np.array([self.trace(entries)])


class Bordered:
    """The factor of a band matrix with a few full columns: the items, and the parameters of the judges.

    With ``lead = [solve(coupling); -1]`` and ``left``, the inverse of what the items leave of the columns' curvature,
    the whole inverse is that of the items alone plus ``lead @ left @ lead.T``.
    """

    def __init__(self, operator: PairOperator, pattern: BandPattern) -> None:
        items = operator.degree.size
        self._items = items
        self._band: BandFactor = pattern.factor(operator.curvatures, operator.degree + operator.precision[:items])
        reach = self._band.solve(np.asfortranarray(operator.coupling))
        rest = operator.columns + np.diag(operator.precision[items:]) - operator.coupling.T @ reach
        self._left = np.linalg.inv(rest)
        self._rest_log_determinant = float(np.linalg.slogdet(rest)[1])
        self._lead = np.concatenate([reach, -np.eye(len(rest))])

    @property
    def exact(self) -> bool:
        """Whether elements of the inverse can be had."""
        return self._band.exact

    def solve(self, right: Floats) -> Floats:
        """The solution for one or several right sides in columns."""
        alone = np.zeros_like(right)
        alone[: self._items] = self._band.solve(right[: self._items])
        solution: Floats = alone + self._lead @ (self._left @ (self._lead.T @ right))
        return solution

    def samples(self, normal: Floats) -> Floats:
        """Draws with the inverse for covariance, from standard normals, shape (dimension, draws)."""
        drawn = np.zeros_like(normal)
        drawn[: self._items] = self._band.sample(normal[: self._items])
        if self._left.size:
            # Independent of the items' own draws, so that covariances add: the band's inverse and lead @ left @ lead.T.
            drawn += self._lead @ (np.linalg.cholesky(self._left) @ normal[self._items :])
        return drawn

    def log_determinant(self) -> float:
        """Natural logarithm of the determinant."""
        return self._band.log_determinant() + self._rest_log_determinant

    def variances(self) -> Floats:
        """Diagonal of the inverse."""
        alone = np.append(self._band.variances(), np.zeros(len(self._left)))
        diagonal: Floats = alone + np.einsum("ij,jk,ik->i", self._lead, self._left, self._lead)
        return diagonal

    def trace(self, product: PairOperator) -> float:
        """The trace of the inverse times another matrix of the same pairs."""
        # tr(inverse @ matrix) = sum of inverse_ij matrix_ij; off the diagonal the matrix is minus a pair's curvature,
        # twice.
        within = self._band.variances() @ (product.degree + product.precision[: self._items])
        across = 2 * float(product.curvatures @ self._band.covariances())
        return float(within - across + (self._left * (self._lead.T @ (product @ self._lead))).sum())


class DensePairPattern:
    """Where the entries of a ``PairModel`` belong in a full matrix; see ``curvature.DensePattern``."""

    def __init__(self, model: PairModel) -> None:
        self._pairs = PairPattern(model)
        self._model = model
        self.dimension = model.dimension
        self.rough = model.dimension > SMALL
        first, second = model.pairs.first, model.pairs.second
        self._positions = np.minimum(first, second) * model.dimension + np.maximum(first, second)

    def curvature(self, entries: Floats) -> DenseCurvature:
        return DenseCurvature(entries, self)

    def full(self, entries: Floats) -> Floats:
        """The matrix; where it is not small, its lower triangle in Fortran's order, and zeros above."""
        side, items = self.dimension, self._model.item_count
        operator = PairOperator(self._model, entries)
        # The upper triangle by rows; its transpose is the lower one by columns, as LAPACK takes it.
        upper = totals(self._positions, -operator.curvatures, side**2).reshape(side, side)
        upper[:items, items:], upper[items:, items:] = operator.coupling, np.triu(operator.columns, 1)
        upper[np.diag_indices(side)] = operator.diagonal
        return upper.T if self.rough else upper + np.triu(upper, 1).T

    def elements(self, matrix: Floats) -> Floats:
        """What each entry counts for in a trace: the element at its place, as often as it is there."""
        upper, items = matrix.T, self._model.item_count
        diagonal, columns = np.diagonal(upper), upper[items:, items:]
        full_columns = columns + np.triu(columns, 1).T if self.rough else columns
        of_pairs = upper.ravel()[self._positions]
        return np.concatenate(
            [-2 * of_pairs, diagonal[:items], 2 * upper[:items, items:].ravel(), full_columns.ravel(), diagonal]
        )

    def iterative(self, entries: Floats) -> PairCurvature:
        """A form to solve with without a factor."""
        return self._pairs.curvature(entries)

    def rough_trace(self, inverted: Floats, entries: Floats, solve: Callable[[Floats], Floats]) -> float:
        """The trace of one matrix's inverse times another, by a few fixed probes."""
        product, scale = PairOperator(self._model, entries), PairOperator(self._model, inverted).diagonal ** -0.5
        return probed_trace(product, product.diagonal, scale, solve, ROUGH_PROBES)
