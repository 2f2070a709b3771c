"""Curvatures that are no full matrix: solved by conjugate gradients, known by random probes.

Everything works on the matrix scaled to a unit diagonal. The log determinant is a stochastic Lanczos quadrature. The
diagonal of the inverse comes from posterior samples, with the known part put in exactly. The probes are fixed, so that
the same evidence gives the same numbers. ``SparseCurvature`` is the form for any kind of evidence about many items.

Source: P. Siden, F. Lindgren, D. Bolin, M. Villani (2018), "Efficient covariance approximations for large sparse
precision matrices", J. Comput. Graph. Stat. 27 (the Rao-Blackwellised estimate); S. Ubaru, J. Chen, Y. Saad (2017),
"Fast estimation of tr(f(A)) via stochastic Lanczos quadrature", SIAM J. Matrix Anal. Appl. 38.
"""

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Protocol

import numpy as np

from paragone.ratings.evidence import Floats, Ints
from paragone.ratings.model.likelihood import totals

if TYPE_CHECKING:
    from scipy.sparse import csr_array

SOLVED = 1e-10
"""Relative residual at which conjugate gradients stop if nothing else is asked."""
STEPS = 240
"""Lanczos steps at most."""
_CHECKED = 4  # steps from one look at what is reached to the next
_EXACT = 1e-9
_SUMMED = 1e-7
_MEMORY = 40_000_000  # numbers in the bases held at once
_TINY = np.finfo(np.float64).tiny


class Matrix(Protocol):
    """What multiplies vectors."""

    def __matmul__(self, vectors: Floats, /) -> Floats:
        """The product with a vector (dimension,), or with several in columns (dimension, count)."""
        ...


def conjugate_gradients(matrix: Matrix, right: Floats, steps: int, accuracy: float = SOLVED) -> tuple[Floats, int]:
    """Solve ``matrix @ x = right``.

    Args:
        matrix: Shape (dimension, dimension).
        right: Shape (dimension,), or (dimension, sides) for several at once.
        steps: Steps allowed.
        accuracy: Residual, as a share of ``right``, at which a solution is good enough.

    Returns:
        The solution in the shape of ``right``, and the steps it took; one more than allowed if they did not suffice.
    """
    solution, residual = np.zeros_like(right), right.copy()
    direction, square, scratch = residual.copy(), _inner(residual, residual), np.empty_like(residual)
    enough = square * accuracy**2
    for step in range(steps + 1):
        if np.all(square <= enough):
            return solution, step
        image = matrix @ direction
        # A column that is solved exactly stands still (0 / tiny is 0, not NaN) while the others go on: one product
        # serves all.
        length = square / np.maximum(_inner(direction, image), _TINY)
        solution += np.multiply(length, direction, out=scratch)
        residual -= np.multiply(length, image, out=scratch)
        square, before = _inner(residual, residual), square
        direction *= square / np.maximum(before, _TINY)
        direction += residual
    return solution, steps + 1


def _inner(left: Floats, right: Floats) -> Floats:
    """Inner product of each column."""
    product: Floats = np.einsum("i...,i...->...", left, right)
    return product


def lanczos(matrix: Matrix, start: Floats) -> Iterator[tuple[Floats, Floats, Floats]]:
    """Lanczos tridiagonalisation from several starting vectors at once, a step at a time.

    Args:
        matrix: Symmetric, shape (dimension, dimension).
        start: Starting vectors, shape (dimension, probes).

    Yields:
        Diagonal element (probes,), next off-diagonal element (probes,), basis vector (dimension, probes).
    """
    current, before = start / np.linalg.norm(start, axis=0), np.zeros_like(start)
    beta, scratch = np.zeros(start.shape[1]), np.empty_like(start)
    for _ in range(min(STEPS, len(start))):
        # Without reorthogonalisation: what it loses are copies of eigenvalues that have converged, and functions of the
        # matrix are computed as well with them (C. Musco, C. Musco, A. Sidford 2018, "Stability of the Lanczos method
        # for matrix function approximation").
        following = matrix @ current
        following -= np.multiply(beta, before, out=scratch)
        alpha = np.multiply(following, current, out=scratch).sum(axis=0)
        following -= np.multiply(alpha, current, out=scratch)
        beta = np.sqrt(np.multiply(following, following, out=scratch).sum(axis=0))
        yield alpha, beta, current
        following /= np.maximum(beta, _TINY)
        current, before = following, current


def log_trace(matrix: Matrix, start: Floats) -> float:
    """The trace of the matrix's logarithm, by Lanczos quadrature from random vectors of signs (dimension, probes)."""
    alphas: list[Floats] = []
    betas: list[Floats] = []
    estimate = np.inf
    for alpha, beta, _ in lanczos(matrix, start):
        alphas.append(alpha)
        if len(alphas) % _CHECKED == 0 or len(alphas) == min(STEPS, len(start)):
            values, vectors = _eigen(np.array(alphas), np.array(betas))
            # Gauss quadrature: z^T log(A) z is |z|^2 times the sum of log(eigenvalue) times the squared first component
            # of the tridiagonal's eigenvector. Of signs |z|^2 is the dimension.
            before, estimate = estimate, float((vectors[:, 0, :] ** 2 * np.log(values)).sum(axis=1).mean())
            if abs(estimate - before) <= _SUMMED:
                break
        betas.append(beta)
    return len(start) * estimate


def apply_function(
    matrix: Matrix, start: Floats, function: Callable[[Floats], Floats], accuracy: float = _EXACT
) -> Floats:
    """``function(matrix) @ start`` by Lanczos, shape (dimension, probes).

    Args:
        matrix: Shape (dimension, dimension).
        start: Shape (dimension, probes).
        function: Of the eigenvalues.
        accuracy: The share of the result that one more step may add.
    """
    batch = max(1, min(start.shape[1], _MEMORY // (start.shape[0] * STEPS)))
    parts = [_apply(matrix, start[:, at : at + batch], function, accuracy) for at in range(0, start.shape[1], batch)]
    return np.concatenate(parts, axis=1)


def _apply(matrix: Matrix, start: Floats, function: Callable[[Floats], Floats], accuracy: float) -> Floats:
    alphas: list[Floats] = []
    betas: list[Floats] = []
    basis: list[Floats] = []
    weights = np.zeros((0, start.shape[1]))
    for alpha, beta, vector in lanczos(matrix, start):
        alphas.append(alpha)
        basis.append(vector)
        if len(basis) % _CHECKED == 0 or len(basis) == min(STEPS, len(start)):
            values, vectors = _eigen(np.array(alphas), np.array(betas))
            # f(A) z is about |z| Q f(T) e1, with T = V diag(values) V^T; the last coefficient tells what one more step
            # could add.
            weights = np.einsum("pij,pj,pj->ip", vectors, function(values), vectors[:, 0, :])
            if np.all(np.abs(weights[-1]) <= accuracy * np.abs(weights).max(axis=0)):
                break
        betas.append(beta)
    result, scratch = np.zeros_like(start), np.empty_like(start)
    for weight, vector in zip(weights * np.linalg.norm(start, axis=0), basis, strict=True):
        result += np.multiply(weight, vector, out=scratch)
    return result


def _eigen(alphas: Floats, betas: Floats) -> tuple[Floats, Floats]:
    """Eigenvalues (probes, steps) and eigenvectors (probes, steps, steps) of the tridiagonal matrices."""
    steps, probes = alphas.shape
    full = np.zeros((probes, steps, steps))
    at = np.arange(steps)
    full[:, at, at] = alphas.T
    full[:, at[1:], at[:-1]] = full[:, at[:-1], at[1:]] = betas.reshape(-1, probes).T
    values, vectors = np.linalg.eigh(full)
    return np.maximum(values, _TINY), vectors


PROBES = 16
"""Probes of the determinant and of traces, where a pass costs little; fewer where it costs much, see ``probes``."""
ROUGH_PROBES = 8
"""Probes of a trace that only leads the way to where it is taken exactly."""
SAMPLES = 128
"""Posterior samples, at most, behind the diagonal of the inverse: its correction is then good to about 12 %."""
_SETTLED = 0.005
"""And no more once the whole of a typical element is as good as this."""
_SEED = 20_250_101
_BATCH = 8
_DRAWN = 1e-4
_FEWER = 320_000
_LEAST = 4


def probes(dimension: int) -> int:
    """How many probes: the larger the matrix, the less a sum over all of it varies from one probe to the next."""
    return max(_LEAST, min(PROBES, _FEWER // max(dimension, 1)))


class ProbedCurvature(ABC):
    """A matrix scaled to a unit diagonal: ``unit[i, j] / scale[i] / scale[j]`` are its elements."""

    covariance = None

    def __init__(self, unit: Matrix, scale: Floats) -> None:
        self._unit = unit
        self._scale = scale

    @abstractmethod
    def products(self, entries: Floats) -> Floats:
        """See ``curvature.Curvature``."""

    def solve(self, right: Floats) -> Floats:
        return self.solved(right, 10 * right.shape[0])[0]

    def step(self, gradient: Floats, accuracy: float) -> Floats:
        return self.solved(gradient, 10 * gradient.size, accuracy)[0]

    def solved(self, right: Floats, steps: int, accuracy: float | None = None) -> tuple[Floats, bool]:
        """The solution for one or several right sides in columns, and whether so many steps were enough."""
        scale = self._scale if right.ndim == 1 else self._scale[:, None]
        chosen = {} if accuracy is None else {"accuracy": accuracy}
        solution, took = conjugate_gradients(self._unit, scale * right, steps, **chosen)
        return scale * solution, took <= steps

    def log_determinant(self) -> float:
        signs = self._signs()
        # To first order the logarithm is what is off the diagonal, of which it is known that it has no trace.
        noise = float((signs * (self._unit @ signs - signs)).sum()) / signs.shape[1]
        # The matrix is diag(1 / scale) unit diag(1 / scale).
        return float(log_trace(self._unit, signs) - noise - 2 * np.log(self._scale).sum())

    def samples(self, normal: Floats) -> Floats:
        return self._scale[:, None] * apply_function(self._unit, normal, lambda value: value**-0.5, _DRAWN)

    def variances(self) -> Floats:
        """Diagonal of the inverse: that of the diagonal exactly, plus what samples of the neighbours add."""
        rng, scale = np.random.default_rng(_SEED), self._scale[:, None]
        added, drawn = np.zeros(self._scale.size), 0
        batch = min(_BATCH, probes(added.size))
        while drawn < SAMPLES:
            sample = self.samples(rng.standard_normal((added.size, batch))) / scale
            # A sample x has the inverse of the unit matrix for covariance. Given all others, x_i has variance 1 and the
            # mean -(unit @ x - x)_i, so that Var x_i = 1 + E[mean_i^2]: only the second part is sampled (Rao and
            # Blackwell).
            added += ((self._unit @ sample - sample) ** 2).sum(axis=1)
            drawn += batch
            share = added / (drawn + added)
            if float(share.mean()) * math.sqrt(2 / drawn) < _SETTLED:
                break
        diagonal: Floats = self._scale**2 * (1 + added / drawn)
        return diagonal

    def trace(self, entries: Floats) -> float:
        return float(self.products(entries).sum())

    def rough_trace(self, entries: Floats) -> float:
        return self.trace(entries)

    def _signs(self) -> Floats:
        return random_signs(self._scale.size, probes(self._scale.size))


def random_signs(dimension: int, count: int) -> Floats:
    """The fixed probes, shape (dimension, count)."""
    return np.random.default_rng(_SEED).choice((-1.0, 1.0), size=(dimension, count))


def probed_trace(
    product: Matrix, diagonal: Floats, scale: Floats, solve: Callable[[Floats], Floats], count: int
) -> float:
    """The trace of the inverse of one matrix times another, by fixed probes; what diagonals give is put in exactly.

    Args:
        product: The other matrix.
        diagonal: Its diagonal.
        scale: One over the root of the first matrix's diagonal.
        solve: Solves with the first, several right sides in columns at once.
        count: How many probes.
    """
    # E[z^T M z] = tr M for random signs z. The part diag(A)^-1 of the inverse of A gives its share exactly, and the
    # probes see only what is left, which is small where A is nearly diagonal.
    signs = random_signs(scale.size, count)
    scaled = scale[:, None] * signs
    rest = solve(signs / scale[:, None]) - scaled
    return float((diagonal * scale**2).sum() + ((product @ scaled) * rest).sum() / count)


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
        signed, right = (self._scale[:, None] * probes for probes in (signs, solved))
        # E[z_i (A^-1 z)_j] is the element (i, j) of the inverse, looked at only where the matrix has one.
        inverse = np.einsum("kp,kp->k", signed[self._pattern.rows], right[self._pattern.columns]) / signs.shape[1]
        return entries * self._pattern.at_entries(inverse)
