"""The summit of a smooth function of two variables, from its values alone: each costs a fit.

A quadratic through the values so far, weighted towards the best point, proposes the next point to evaluate.

Source: M. J. D. Powell (2002), "UOBYQA: unconstrained optimization by quadratic approximation", Math. Program. 92.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from paragone.domain.rounding import STRENGTH_DECIMALS, rounded
from paragone.ratings.evidence import Bools, Floats

Height = Callable[[float, float], float]

_STRIDE = 0.5
_FARTHEST = 1.0
_EVALUATIONS = 30
_GAIN = 0.005
_FLATTEST = 0.05
_NEAR = 0.02
_FALLING = -1.5


@dataclass(frozen=True, kw_only=True, eq=False, slots=True)
class Maximum:
    """Where a function is highest, and how sharply it falls off there.

    Attributes:
        x: First variable.
        y: Second variable.
        curvature: Negative second derivative, shape (2, 2).
    """

    x: float
    y: float
    curvature: Floats

    def ridge(self, y: float) -> float:
        """The best first variable for a second one, by the quadratic."""
        return self.x - float(self.curvature[0, 1] / self.curvature[0, 0]) * (y - self.y)

    @property
    def error(self) -> Floats:
        """Standard errors where the function is a log density: of x where y is known, and of y where x is not."""
        of_y = self.curvature[1, 1] - self.curvature[0, 1] ** 2 / self.curvature[0, 0]
        errors: Floats = np.array([self.curvature[0, 0], of_y]) ** -0.5
        return errors


def find_maximum(
    height: Height, start: tuple[float, float], low: tuple[float, float], high: tuple[float, float]
) -> Maximum:
    """Climb to where ``height`` is highest within bounds, to about a tenth of what is a standard error of a density.

    Args:
        height: The function, such as a log density of two logarithms.
        start: Where to evaluate first.
        low: Least values of the variables.
        high: Largest values.
    """
    values: dict[tuple[float, float], float] = {}

    def evaluate(at: Floats) -> None:
        x, y = (float(value) for value in np.clip(at, low, high))
        if (x, y) not in values:
            values[x, y] = height(x, y)

    for around in ((0, 0), (1, 0), (-1, 0), (0, 1), (0, -1), (1, -1)):
        evaluate(np.array(start) + _STRIDE * np.array(around))
    while True:
        best, slope, curvature = _quadratic(values)
        candidate = np.clip(
            best + _step(slope, curvature, (best <= low) & (slope < 0) | (best >= high) & (slope > 0)), low, high
        )
        gain = float(slope @ (candidate - best) - (candidate - best) @ curvature @ (candidate - best) / 2)
        if gain < _GAIN or len(values) >= _EVALUATIONS:
            return Maximum(x=float(candidate[0]), y=float(candidate[1]), curvature=curvature)
        evaluate(candidate)


def _step(slope: Floats, curvature: Floats, fixed: Bools) -> Floats:
    """Towards the quadratic's summit, no further than a quadratic can be trusted; what is at a bound stays there."""
    step, free = np.zeros(2), ~fixed
    step[free] = np.linalg.solve(curvature[np.ix_(free, free)], slope[free])
    farthest: Floats = step / max(float(np.abs(step).max()) / _FARTHEST, 1.0)
    return farthest


def _quadratic(evaluated: dict[tuple[float, float], float]) -> tuple[Floats, Floats, Floats]:
    """The best point, and slope and curvature there of the quadratic that is nearest to the values around it."""
    points, values = np.array(list(evaluated)), np.array(list(evaluated.values()))
    top = int(np.argmax(rounded(values, STRENGTH_DECIMALS)))
    away = points - points[top]
    x, y = away.T
    share = ((away**2).sum(axis=1) + _NEAR**2) ** _FALLING
    terms = np.stack([np.ones_like(x), x, y, x**2 / 2, x * y, y**2 / 2], axis=1)
    _, *rest = np.linalg.lstsq(terms * share[:, None], (values - values[top]) * share, rcond=None)[0].tolist()
    slope, hessian = np.array(rest[:2]), np.array([[rest[2], rest[3]], [rest[3], rest[4]]])
    eigenvalues, axes = np.linalg.eigh(-hessian)
    return points[top], slope, (axes * np.maximum(eigenvalues, _FLATTEST)) @ axes.T
