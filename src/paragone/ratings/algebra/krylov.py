"""Solving with a large matrix and functions of it, from nothing but its products with vectors.

All of it is meant for a positive definite matrix of unit diagonal. Several vectors go through at once, in columns.

Source: S. Ubaru, J. Chen, Y. Saad (2017), "Fast estimation of tr(f(A)) via stochastic Lanczos quadrature", SIAM J.
Matrix Anal. Appl. 38.
"""

from collections.abc import Callable, Iterator
from typing import Protocol

import numpy as np

from paragone.ratings.evidence import Floats

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
    direction, square = residual.copy(), _inner(residual, residual)
    enough = square * accuracy**2
    for step in range(steps + 1):
        if np.all(square <= enough):
            return solution, step
        image = matrix @ direction
        length = square / np.maximum(_inner(direction, image), _TINY)
        solution += length * direction
        residual -= length * image
        square, before = _inner(residual, residual), square
        direction = residual + (square / np.maximum(before, _TINY)) * direction
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
    beta = np.zeros(start.shape[1])
    for _ in range(min(STEPS, len(start))):
        following = matrix @ current - beta * before
        alpha = (following * current).sum(axis=0)
        following -= alpha * current
        beta = np.linalg.norm(following, axis=0)
        yield alpha, beta, current
        current, before = following / np.maximum(beta, _TINY), current


def log_trace(matrix: Matrix, start: Floats) -> float:
    """The trace of the matrix's logarithm, by Lanczos quadrature from random vectors of signs (dimension, probes)."""
    alphas: list[Floats] = []
    betas: list[Floats] = []
    estimate = np.inf
    for alpha, beta, _ in lanczos(matrix, start):
        alphas.append(alpha)
        if len(alphas) % _CHECKED == 0 or len(alphas) == min(STEPS, len(start)):
            values, vectors = _eigen(np.array(alphas), np.array(betas))
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
            weights = np.einsum("pij,pj,pj->ip", vectors, function(values), vectors[:, 0, :])
            if np.all(np.abs(weights[-1]) <= accuracy * np.abs(weights).max(axis=0)):
                break
        betas.append(beta)
    result = np.zeros_like(start)
    for weight, vector in zip(weights * np.linalg.norm(start, axis=0), basis, strict=True):
        result += weight * vector
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
