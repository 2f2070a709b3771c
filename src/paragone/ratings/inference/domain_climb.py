"""The optimum of a domain model, by Newton's method; a factor serves for as long as it brings the gradient down."""

from dataclasses import dataclass

from paragone.ratings.algebra.domain_curvature import DomainCurvature
from paragone.ratings.model.domain_model import DomainModel, Point, Scales

_HALVINGS = 40
_ROUNDING = 1e-13
_FALL = 0.25


@dataclass(frozen=True, kw_only=True, eq=False, slots=True)
class DomainOptimum:
    """Where the log posterior of a domain model is highest.

    Attributes:
        scales: What it is the optimum under.
        point: The parameters.
        value: The log posterior there.
        curvature: Its negative second derivative there.
        gradient_norm: The largest component of the gradient.
        iterations: Newton steps taken.
        converged: Whether the gradient is as small as was asked.
    """

    scales: Scales
    point: Point
    value: float
    curvature: DomainCurvature
    gradient_norm: float
    iterations: int
    converged: bool

    @property
    def log_evidence(self) -> float:
        """Laplace's approximation to the log marginal likelihood."""
        return self.value - self.curvature.log_determinant() / 2


def climb(model: DomainModel, scales: Scales, start: Point, *, steps: int, tolerance: float) -> DomainOptimum:
    """Climb to the maximum of the log posterior; it is concave, so there is one.

    Args:
        model: The debates.
        scales: Held fixed.
        start: Where to start.
        steps: Newton steps allowed.
        tolerance: Bound on each component of the gradient, as a share of the weight that speaks of one agent.
    """
    bound = tolerance * (1.0 + model.total_weight)
    point, taken = start, 0
    value, slope = model.slope(point, scales)
    curvature, fresh, norm = _curvature(model, point, scales), True, slope.size
    while norm > bound and taken < steps:
        there, value, slope = _forward(model, scales, point, value, slope, curvature)
        stuck, fell = there is point, slope.size <= max(bound, _FALL * norm)
        point, norm, taken = there, slope.size, taken + 1
        if stuck and fresh:
            break
        fresh = not fell
        if not fell:
            curvature = _curvature(model, point, scales)
    return DomainOptimum(
        scales=scales,
        point=point,
        value=value,
        curvature=curvature if fresh else _curvature(model, point, scales),
        gradient_norm=norm,
        iterations=taken,
        converged=norm <= bound,
    )


def _curvature(model: DomainModel, point: Point, scales: Scales) -> DomainCurvature:
    return DomainCurvature(model, model.bends(point, scales), scales)


def _forward(
    model: DomainModel, scales: Scales, point: Point, value: float, slope: Point, curvature: DomainCurvature
) -> tuple[Point, float, Point]:
    """The first of the full step, its half, its quarter, ... that does not go down."""
    step, share = curvature.solve(slope), 1.0
    for _ in range(_HALVINGS):
        there = point.ahead(step, share)
        reached, ahead = model.slope(there, scales)
        if reached >= value - _ROUNDING * (1.0 + abs(value)):
            return there, reached, ahead
        share /= 2
    return point, value, slope
