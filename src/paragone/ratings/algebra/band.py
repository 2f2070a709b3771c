"""A band matrix's factor, for graphs along a line: items that only meet near-equals, chains, small parts.

In a good order of the items (reverse Cuthill-McKee) such a matrix has its elements near the diagonal, and its Cholesky
factor has none elsewhere: solving is then exact and costs no more than a few passes over the pairs.

Source: E. Cuthill, J. McKee (1969), "Reducing the bandwidth of sparse symmetric matrices".
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from paragone.ratings.algebra.threads import lapack
from paragone.ratings.evidence import Floats, Ints
from paragone.ratings.loops import compiled, pair_loops
from paragone.ratings.model.pairs import Pairs
from paragone.ratings.model.sufficient import totals

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
        places: Place of each pair in the matrix's lower triangle, by rows of ``width + 1``, shape (pairs,).
    """

    order: Ints
    width: int
    places: Ints

    @classmethod
    def of(cls, pairs: Pairs) -> "BandPattern | None":
        """The band of these pairs; None where it would be so wide that it cost more than it saves."""
        from scipy.sparse.csgraph import reverse_cuthill_mckee

        first, met = pairs.first, pairs.matrix(np.ones(pairs.second.size))
        order = reverse_cuthill_mckee((met + met.T).tocsr(), symmetric_mode=True).astype(np.int64)
        rank = np.empty_like(order)
        rank[order] = np.arange(order.size)
        here, there = rank[first], rank[pairs.second]
        apart = np.abs(here - there)
        width, items = int(apart.max(initial=0)), order.size
        if items * width**2 > _WORK * first.size + _SMALL or items * (width + 1) > _ROOM * first.size + _SMALL:
            return None
        return cls(order=order, width=width, places=np.minimum(here, there) * (width + 1) + apart)

    def factor(self, bends: Floats, diagonal: Floats) -> "Band":
        """The factor of the matrix with these curvatures of pairs and this diagonal."""
        items = diagonal.size
        rows = totals(self.places, -bends, items * (self.width + 1)).reshape(items, self.width + 1)
        rows[:, 0] = diagonal[self.order]
        factor, failed = lapack().dpbtrf(rows.T, lower=1, overwrite_ab=1)
        if failed:
            raise np.linalg.LinAlgError("the curvature is not positive definite")
        return Band(self, factor)


class Band:
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
        return self._inverse.ravel()[self._pattern.places]
