"""What every curvature that is no full matrix has in common: solved by conjugate gradients, known by probes.

Everything works on the matrix scaled to a unit diagonal. The log-determinant is a stochastic Lanczos quadrature; the
diagonal of the inverse comes from samples of the posterior with the part that is known put in exactly. Probes are
fixed, so that the same evidence gives the same numbers.

Source: P. Siden, F. Lindgren, D. Bolin, M. Villani (2018), "Efficient covariance approximations for large sparse
precision matrices", J. Comput. Graph. Stat. 27 (the Rao-Blackwellised estimate).
"""

import math
from abc import ABC, abstractmethod
from collections.abc import Callable

import numpy as np

from paragone.ratings.algebra.krylov import Matrix, apply_function, conjugate_gradients, log_trace
from paragone.ratings.evidence import Floats

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
    signs = random_signs(scale.size, count)
    scaled = scale[:, None] * signs
    rest = solve(signs / scale[:, None]) - scaled
    return float((diagonal * scale**2).sum() + ((product @ scaled) * rest).sum() / count)
