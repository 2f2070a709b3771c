"""Newton's method on the log posterior, with a line search. It is concave: its optimum is the only one.

Steps that are solved by conjugate gradients are solved no better than the distance to the optimum warrants.

Source: S. C. Eisenstat, H. F. Walker (1996), "Choosing the forcing terms in an inexact Newton method", SIAM J. Sci.
Comput. 17.
"""

from dataclasses import dataclass

import numpy as np

from paragone.ratings.algebra.curvature import Curvature, Pattern
from paragone.ratings.evidence import Floats
from paragone.ratings.model.posterior import Derivatives, Hyper, Model

_HALVINGS = 40
_ROUNDING = 1e-13
_FIRST_ACCURACY = 0.1
_PACE = 1.6
_ENOUGH = 0.05


@dataclass(frozen=True, kw_only=True, eq=False, slots=True)
class Optimum:
    """Where the log posterior is highest, as far as Newton's method came.

    Attributes:
        theta: The parameters.
        at: The log posterior there.
        curvature: Its negative second derivative there.
        iterations: Newton steps taken.
        converged: Whether every component of the gradient is below the tolerance.
    """

    theta: Floats
    at: Derivatives
    curvature: Curvature
    iterations: int
    converged: bool

    @property
    def gradient_norm(self) -> float:
        """The largest component of the gradient."""
        return float(np.abs(self.at.gradient).max())

    @property
    def log_evidence(self) -> float:
        """Laplace's approximation to the log marginal likelihood."""
        return self.at.value - self.curvature.log_determinant() / 2


def maximise(
    model: Model, hyper: Hyper, start: Floats, *, pattern: Pattern, max_iterations: int, tolerance: float
) -> Optimum:
    """Climb to the maximum of the log posterior.

    Args:
        model: The evidence.
        hyper: Spread and dispersions, held fixed.
        start: Where to start, shape (dimension,).
        pattern: How to build the curvature.
        max_iterations: Newton steps allowed.
        tolerance: Bound on each component of the gradient, as a share of the weight that speaks of one parameter.
    """
    bound = tolerance * (1.0 + model.total_weight(hyper))
    theta, at = start, model.derivatives(start, hyper)
    curvature = pattern.curvature(at.entries)
    iterations, accuracy, norm = 0, _FIRST_ACCURACY, float(np.abs(at.gradient).max())
    while (unsettled := norm > bound) and iterations < max_iterations:
        theta, at = _climb(model, hyper, theta, at, curvature.step(at.gradient, max(accuracy, _ENOUGH * bound / norm)))
        curvature = pattern.curvature(at.entries)
        iterations, before, norm = iterations + 1, norm, float(np.abs(at.gradient).max())
        # As exact as the step before has shown that it pays: its error shrinks with the square of the distance.
        accuracy = min(_FIRST_ACCURACY, (norm / before) ** _PACE)
    return Optimum(theta=theta, at=at, curvature=curvature, iterations=iterations, converged=not unsettled)


def _climb(model: Model, hyper: Hyper, theta: Floats, at: Derivatives, step: Floats) -> tuple[Floats, Derivatives]:
    """The first of the full step, its half, its quarter, ... that does not go down."""
    lowest = at.value - _ROUNDING * (1.0 + abs(at.value))
    for _ in range(_HALVINGS):
        derivatives = model.derivatives(theta + step, hyper)
        if derivatives.value >= lowest:
            return theta + step, derivatives
        step = step / 2
    return theta, at
