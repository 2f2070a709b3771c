"""The curvature of the log posterior: solving with it, its determinant, its inverse.

Two forms with one face. ``DenseCurvature`` is exact, by Cholesky, and factors only when a determinant or an inverse is
asked for: steps towards the optimum are solved without. ``SparseCurvature`` never forms a full matrix: it solves by
conjugate gradients, and estimates its determinant and the diagonal of its inverse with fixed random probes, so that the
same evidence gives the same numbers.
"""

import sys
from collections.abc import Callable
from contextlib import ContextDecorator
from functools import cached_property, lru_cache
from threading import Lock
from types import ModuleType
from typing import TYPE_CHECKING, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from paragone.ratings.evidence import Floats, Ints
from paragone.ratings.model.likelihood import totals

if TYPE_CHECKING:
    from threadpoolctl import LibController

    from paragone.ratings.model.sparse_curvature import ProbedCurvature, SparseCurvature, SparsePattern

_LAPACK = "scipy.linalg.lapack"


class _OneThread(ContextDecorator):
    """Keeps BLAS and LAPACK at one thread from the first entry to the last exit, in whatever threads these happen.

    On matrices of a few hundred rows more threads cost many times what they bring: the fit of 100 agents took ten times
    the processor time. The number of threads is a setting of the whole process, so the first fit to begin changes it
    and the last to end puts it back.
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self._inside = 0
        self._libraries: list[LibController] | None = None
        self._with_lapack = False
        self._before: list[tuple[LibController, int]] = []

    def __enter__(self) -> None:
        with self._lock:
            if not self._inside:
                self._limit()
            self._inside += 1

    def __exit__(self, *_: object) -> None:
        with self._lock:
            self._inside -= 1
            if not self._inside:
                for library, threads in self._before:
                    _set(library, threads)
                self._before.clear()

    def look_again(self) -> None:
        """Limit libraries that were loaded since the fit began."""
        with self._lock:
            if self._inside:
                self._limit()

    def _limit(self) -> None:
        # To look for libraries takes milliseconds: once, and once more when scipy has brought its own.
        if self._libraries is None or self._with_lapack != (_LAPACK in sys.modules):
            from threadpoolctl import ThreadpoolController

            self._with_lapack = _LAPACK in sys.modules
            self._libraries = ThreadpoolController().select(user_api="blas").lib_controllers
        for library in self._libraries:
            threads = library.num_threads
            if threads is not None and threads > 1:
                self._before.append((library, threads))
                _set(library, 1)


def _set(library: "LibController", threads: int) -> None:
    """Set it from whatever thread this is: threadpoolctl lets one thread alone set OpenBLAS, and others do nothing."""
    release = getattr(library, "clear_controlling_thread", None)
    if release is not None:
        release(force=True)
    library.set_num_threads(threads)
    if release is not None:
        release(force=True)


one_thread = _OneThread()
"""``@one_thread`` or ``with one_thread:``; may be nested."""


def lapack() -> ModuleType:
    """Scipy's LAPACK, loaded when it is first needed."""
    new = _LAPACK not in sys.modules
    from scipy.linalg import lapack as module

    if new:
        one_thread.look_again()
    result: ModuleType = module
    return result


SMALL = 300
"""Up to this dimension numpy alone is as fast as scipy's triangular solves, and importing scipy would cost more."""
_SPARSE_SHARE = 8
"""A matrix with less than one element in so many is solved by conjugate gradients before it is factored."""
_MOST_STEPS = 150
"""Steps of conjugate gradients that still cost less than a factorization."""


class Solver(Protocol):
    """The negative second derivative of the log posterior at a point: symmetric and positive definite."""

    def solve(self, right: Floats) -> Floats:
        """The solution of ``curvature @ x = right``, shape (dimension,)."""
        ...

    def step(self, gradient: Floats, accuracy: float) -> Floats:
        """About the same, the residual at most so small a share of the gradient where that costs less."""
        ...

    def log_determinant(self) -> float:
        """Natural logarithm of the determinant."""
        ...

    def samples(self, normal: Floats) -> Floats:
        """Draws with the inverse for covariance, from standard normals, shape (dimension, draws)."""
        ...


class Curvature(Solver, Protocol):
    """The same with its inverse's elements."""

    @property
    def covariance(self) -> Floats | None:
        """The inverse, shape (dimension, dimension), where it is formed."""
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

    def trace(self, entries: Floats) -> float:
        """The trace of the inverse times the matrix that the entries add up to."""
        ...

    def rough_trace(self, entries: Floats) -> float:
        """About the same, where that can be had for less; the error changes smoothly with the matrix."""
        ...


Form = TypeVar("Form", bound=Solver)
_Form_co = TypeVar("_Form_co", bound=Solver, covariant=True)


class Pattern(Protocol[_Form_co]):
    """Where the entries of a curvature belong.

    Attributes:
        rough: Whether ``Curvature.rough_trace`` costs less than the trace.
    """

    rough: bool

    def curvature(self, entries: Floats) -> _Form_co:
        """The curvature that these entries add up to."""
        ...


class FullPattern(Protocol):
    """Where the entries of a full matrix belong.

    Attributes:
        dimension: How many parameters.
        rough: Whether the matrix is so large that rough traces pay.
    """

    dimension: int
    rough: bool

    def full(self, entries: Floats) -> Floats:
        """The matrix; where it is not small, its lower triangle in Fortran's order, and zeros above."""
        ...

    def elements(self, matrix: Floats) -> Floats:
        """The element at the place of each entry of a matrix as ``full`` makes it, 0 for entries of no parameter."""
        ...

    def iterative(self, entries: Floats) -> "ProbedCurvature | None":
        """A form to solve with without a factor, where that may pay."""
        ...

    def rough_trace(self, inverted: Floats, entries: Floats, solve: Callable[[Floats], Floats]) -> float:
        """The trace of one matrix's inverse times another, by a few fixed probes; ``solve`` solves with the one."""
        ...


class DensePattern:
    """Entries of a full matrix; those in its last row or column belong to no parameter."""

    def __init__(self, places: Ints, dimension: int) -> None:
        self.dimension = dimension
        self.rough = dimension > SMALL
        row, column = np.divmod(places, dimension + 1)
        if self.rough:  # the lower triangle of a matrix in Fortran's order, as LAPACK likes it
            row, column = np.minimum(row, column), np.maximum(row, column)
            # A place modulo dimension + 2 is column - row: 0 on the diagonal alone.
            self._mirrored = np.divmod(places, dimension + 2)[1] != 0
        spare = dimension**2
        self.places = np.where((row < dimension) & (column < dimension), row * dimension + column, spare)
        self._entry_places = places

    def curvature(self, entries: Floats) -> "DenseCurvature":
        return DenseCurvature(entries, self)

    @cached_property
    def _sparse(self) -> "SparsePattern":
        from paragone.ratings.model.sparse_curvature import SparsePattern

        return SparsePattern(self._entry_places, self.dimension)

    def iterative(self, entries: Floats) -> "SparseCurvature | None":
        """A form to solve with without a factor, where that may pay."""
        if self._sparse.columns.size * _SPARSE_SHARE > self.dimension**2:
            return None
        return self._sparse.curvature(entries)

    def rough_trace(self, inverted: Floats, entries: Floats, solve: Callable[[Floats], Floats]) -> float:
        """The trace of one matrix's inverse times another, by a few fixed probes."""
        return self._sparse.rough_trace(inverted, entries, solve)

    def full(self, entries: Floats) -> Floats:
        """The matrix; where it is not small, its lower triangle in Fortran's order, and zeros above."""
        side = self.dimension
        if not self.rough:
            return totals(self.places, entries, side**2 + 1)[:-1].reshape(side, side)
        # Entries (i, j) and (j, i) both fall on one place of the triangle. The sums are the upper one by rows, which
        # read by columns is the lower one: the transpose costs no copy.
        halved = np.where(self._mirrored, entries / 2, entries)
        return totals(self.places, halved, side**2 + 1)[:-1].reshape(side, side).T

    def elements(self, matrix: Floats) -> Floats:
        """The element at the place of each entry, 0 for entries that belong to no parameter."""
        return np.append((matrix.T if self.rough else matrix).reshape(-1), 0.0)[self.places]


@lru_cache(8)
def _lower(side: int) -> NDArray[np.bool_]:
    """Where the lower triangle is, the diagonal included."""
    return np.tri(side, dtype=np.bool_)


class DenseCurvature:
    """A full matrix, factored when first needed."""

    def __init__(self, entries: Floats, pattern: FullPattern) -> None:
        self._entries = entries
        self._pattern = pattern

    @cached_property
    def _matrix(self) -> Floats:
        return self._pattern.full(self._entries)

    @cached_property
    def _factor(self) -> Floats:
        if not self._pattern.rough:
            return np.asarray(np.linalg.cholesky(self._matrix), np.float64)
        # A matrix of its own, since LAPACK writes the factor over it.
        factor, failed = lapack().dpotrf(self._pattern.full(self._entries), lower=1, clean=0, overwrite_a=1)
        if failed:
            raise np.linalg.LinAlgError("the curvature is not positive definite")
        result: Floats = factor
        return result

    @cached_property
    def _iterative(self) -> "ProbedCurvature | None":
        return self._pattern.iterative(self._entries)

    @cached_property
    def _inverse(self) -> Floats:
        """The inverse; only its lower triangle counts, and is all there is where it is not small."""
        if not self._pattern.rough:
            return np.asarray(np.linalg.inv(self._matrix), np.float64)
        inverse: Floats = lapack().dpotri(self._factor, lower=1)[0]
        return inverse

    @cached_property
    def covariance(self) -> Floats:
        inverse = self._inverse
        # The zero makes negative zeros positive.
        full: Floats = np.where(_lower(len(inverse)), inverse, inverse.T) + 0.0
        return full

    def solve(self, right: Floats) -> Floats:
        if not self._pattern.rough:
            return np.asarray(np.linalg.solve(self._matrix, right), np.float64)
        # A Newton step needs one solution of a matrix that is then discarded; a factor pays where a determinant or an
        # inverse is wanted too.
        if "_factor" not in self.__dict__ and self._iterative is not None:
            solution, solved = self._iterative.solved(right, _MOST_STEPS)
            if solved:
                return solution
        exact: Floats = lapack().dpotrs(self._factor, right, lower=1)[0]
        return exact

    def log_determinant(self) -> float:
        # det(L L^T) is the product of the squared diagonal of L.
        return 2.0 * float(np.log(np.diagonal(self._factor)).sum())

    def variances(self) -> Floats:
        return np.diagonal(self._inverse).copy()

    def samples(self, normal: Floats) -> Floats:
        # L^-T z has the covariance (L L^T)^-1.
        return np.asarray(np.linalg.solve(np.tril(self._factor).T, normal), np.float64)

    def products(self, entries: Floats) -> Floats:
        if not self._pattern.rough:
            return entries * self._pattern.elements(self.covariance)
        return entries * self._pattern.elements(self._inverse)

    def step(self, gradient: Floats, accuracy: float) -> Floats:  # noqa: ARG002 - exact at no extra cost
        return self.solve(gradient)

    def trace(self, entries: Floats) -> float:
        return float(self.products(entries).sum())

    def rough_trace(self, entries: Floats) -> float:
        if not self._pattern.rough:
            return self.trace(entries)
        return self._pattern.rough_trace(self._entries, entries, self.solve)
