"""The optimum of the log posterior, and the spread of the strengths from the evidence itself.

The log posterior is concave, so its optimum is the only one: Newton's method with a line search finds it. Steps that
are solved by conjugate gradients are solved no better than the distance to the optimum warrants.

The spread is where Laplace's approximation to the marginal likelihood, times a weak hyper-prior, is highest. That the
curvature changes with the spread counts too; maximising by expectation steps instead leaves that out, and shrinks the
scale.

Source: S. C. Eisenstat, H. F. Walker (1996), "Choosing the forcing terms in an inexact Newton method", SIAM J. Sci.
Comput. 17.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Generic

import numpy as np

from paragone.errors import NotConverged
from paragone.ratings.evidence import Floats
from paragone.ratings.fit_types import SpreadPrior
from paragone.ratings.model.curvature import Curvature, Form, Pattern, Solver
from paragone.ratings.model.likelihood import Derivatives, Hyper, Model

_HALVINGS = 40
_ROUNDING = 1e-13
_FIRST_ACCURACY = 0.1
_PACE = 1.6
_ENOUGH = 0.05
_FALL = 0.25


@dataclass(frozen=True, kw_only=True, eq=False, slots=True)
class Optimum(Generic[Form]):
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
    curvature: Form
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
    model: Model,
    hyper: Hyper,
    start: Floats,
    *,
    pattern: Pattern[Form],
    max_iterations: int,
    tolerance: float,
    lasting: bool = False,
) -> Optimum[Form]:
    """Climb to the maximum of the log posterior.

    Args:
        model: The evidence.
        hyper: Spread and dispersions, held fixed.
        start: Where to start, shape (dimension,).
        pattern: How to build the curvature.
        max_iterations: Newton steps allowed.
        tolerance: Bound on each component of the gradient, as a share of the weight that bears on one parameter.
        lasting: Whether a factor is used again for as long as it brings the gradient down: where it costs much more
            than a gradient does.
    """
    weight = 1.0 + model.total_weight(hyper)
    bound = tolerance * weight
    theta, at = start, model.derivatives(start, hyper)
    curvature, fresh = pattern.curvature(at.entries), True
    iterations, accuracy, norm = 0, _FIRST_ACCURACY, _steepness(at)
    while (unsettled := norm > bound) and iterations < max_iterations:
        previous, before = at, norm
        # The residual of a step need not be far smaller than the tolerance, or work is wasted.
        step = curvature.step(at.gradient, max(accuracy, _ENOUGH * bound / norm))
        theta, at = _climb(model, hyper, theta, at, step, noise=_ROUNDING * weight)
        iterations, norm = iterations + 1, _steepness(at)
        # No share of the step goes up any more: rounding decides here, and another try would be the same.
        if at is previous and fresh:
            break
        fresh = not lasting or norm > max(bound, _FALL * before)
        curvature = pattern.curvature(at.entries) if fresh else curvature
        # As exact as the step before has shown that it pays: its error shrinks with the square of the distance.
        accuracy = min(_FIRST_ACCURACY, (norm / before) ** _PACE)
    curvature = curvature if fresh else pattern.curvature(at.entries)
    return Optimum(theta=theta, at=at, curvature=curvature, iterations=iterations, converged=not unsettled)


def _climb(
    model: Model, hyper: Hyper, theta: Floats, at: Derivatives, step: Floats, *, noise: float
) -> tuple[Floats, Derivatives]:
    """The first of the full step, its half, its quarter, ... that does not go down.

    Near the optimum the value is flat and its last digits are noise; without some slack good steps would be refused.
    The value may be small where large terms of it cancel, and then its noise is theirs: a full step that goes down by
    no more than ``noise`` is good if it lowers the gradient.
    """
    lowest = at.value - _ROUNDING * (1.0 + abs(at.value))
    for halvings in range(_HALVINGS):
        derivatives = model.derivatives(theta + step, hyper)
        is_flat = not halvings and derivatives.value >= at.value - noise
        if derivatives.value >= lowest or (is_flat and _steepness(derivatives) < _steepness(at)):
            return theta + step, derivatives
        step = step / 2
    return theta, at


def _steepness(at: Derivatives) -> float:
    return float(np.abs(at.gradient).max())


_NUDGE = 1e-4
_STEP = 0.05
_STRIDE = 1.0
_PROBES = 60
_ROUGH = 1e-4
_MISS = 10.0


@dataclass(kw_only=True, eq=False, slots=True)
class Ascent(Generic[Form]):
    """A climb that goes on from where it was when spread or dispersions change.

    Attributes:
        model: The evidence.
        pattern: How to build the curvature.
        theta: Where the climb stands.
        steps: Newton steps allowed in all.
        tolerance: See ``maximise``.
        lasting: See ``maximise``.
        iterations: Newton steps taken.
        trajectory: Where the climb stood under which spread, and how it moves with the logarithm of the spread.
    """

    model: Model
    pattern: Pattern[Form]
    theta: Floats
    steps: int
    tolerance: float
    lasting: bool = False
    iterations: int = field(default=0, init=False)
    trajectory: tuple[float, Floats] | None = field(default=None, init=False)

    def to(self, hyper: Hyper) -> Optimum[Form]:
        """The optimum under ``hyper``.

        Raises:
            NotConverged: If the steps allowed do not suffice; its partial result is the ``Optimum`` reached.
        """
        steps_left, start = self.steps - self.iterations, self.theta
        # A first-order prediction along the path of optima; beyond a stride it would lead astray.
        if self.trajectory is not None and abs(ahead := math.log(hyper.spread) - self.trajectory[0]) < _STRIDE:
            start = start + ahead * self.trajectory[1]
        optimum = maximise(
            self.model,
            hyper,
            start,
            pattern=self.pattern,
            max_iterations=steps_left,
            tolerance=self.tolerance,
            lasting=self.lasting,
        )
        self.theta, self.trajectory = optimum.theta, None
        self.iterations += optimum.iterations
        if not optimum.converged:
            raise NotConverged(f"no optimum after {self.iterations} Newton steps; allow more", optimum)
        return optimum


def best_spread(ascent: Ascent[Curvature], hyper: Hyper, prior: SpreadPrior, tolerance: float) -> float:
    """The spread in nats of highest evidence under ``prior``, from that of ``hyper`` on, to a share of ``tolerance``.

    Where the curvature offers rough traces, they lead the way and show how the slope bends; exact ones finish.
    """
    most = math.log(prior.most)
    log_spread, steepness = min(math.log(hyper.spread), most), ascent.model.item_count + prior.width**-2
    if ascent.pattern.rough:
        rough = _Slope(ascent, hyper, prior, rough=True)
        log_spread, steepness = falling_root(rough, log_spread, steepness, max(tolerance, _ROUGH), most)
    return math.exp(falling_root(_Slope(ascent, hyper, prior), log_spread, steepness, tolerance, most)[0])


def log_spread_error(ascent: Ascent[Curvature], hyper: Hyper, prior: SpreadPrior, optimum: Optimum[Curvature]) -> float:
    """Standard error of the logarithm of the best spread, from the curvature of its evidence around its optimum."""
    slope, log_spread = _Slope(ascent, hyper, prior, rough=True), math.log(hyper.spread)
    # Exact slopes are 0 at the best spread. Rough ones are off there by what their probes are off, and as that changes
    # smoothly, it cancels in the difference.
    level = slope(log_spread, optimum) if ascent.pattern.rough else 0.0
    steepness = (level - slope(log_spread + _STEP)) / _STEP
    return 1 / math.sqrt(max(steepness, prior.width**-2))


def drift(model: Model, hyper: Hyper, theta: Floats, curvature: Solver) -> Floats:
    """How the optimum ``theta`` moves with the logarithm of the spread, shape (dimension,)."""
    # At the optimum the gradient is 0 under every spread: curvature @ dtheta = d gradient / d log(spread). Of the
    # gradient only the prior's part, -theta / spread^2, depends on the spread: its derivative is 2 theta / spread^2.
    pull = np.zeros(model.dimension)
    pull[: model.item_count] = model.spread_pull(theta[: model.item_count], hyper.spread)
    return curvature.solve(pull)


class _Slope:
    """Derivative, in the logarithm of the spread, of the log evidence and the log prior; leads the climb onwards."""

    def __init__(self, ascent: Ascent[Curvature], hyper: Hyper, prior: SpreadPrior, *, rough: bool = False) -> None:
        self._ascent, self._hyper, self._prior, self._rough = ascent, hyper, prior, rough

    def __call__(self, log_spread: float, optimum: Optimum[Curvature] | None = None) -> float:
        """The slope at this spread; ``optimum`` is the one under it, if that is known."""
        ascent, hyper = self._ascent, replace(self._hyper, spread=math.exp(log_spread))
        optimum = ascent.to(hyper) if optimum is None else optimum
        along = drift(ascent.model, hyper, optimum.theta, optimum.curvature)
        ascent.trajectory = (log_spread, along)
        return _evidence_slope(ascent.model, hyper, optimum, along, self._rough) + self._prior.slope(log_spread)


def _evidence_slope(model: Model, hyper: Hyper, optimum: Optimum[Curvature], along: Floats, rough: bool) -> float:
    """The total derivative: that of the curvature is taken by a small step along the path of the optimum."""
    ahead, behind = (
        model.entries(optimum.theta + nudge * along, replace(hyper, spread=hyper.spread * math.exp(nudge)))
        for nudge in (_NUDGE, -_NUDGE)
    )
    change = (ahead - behind) / (2 * _NUDGE)
    determinant_slope = optimum.curvature.rough_trace(change) if rough else optimum.curvature.trace(change)
    # log evidence = log posterior - log det / 2. Its first part changes with log(spread) by sum (theta / spread)^2 -
    # items: the gradient being 0, the optimum's own move does not count. The second is tr(A^-1 dA) / 2.
    size = model.prior_size(optimum.theta[: model.item_count], hyper.spread)
    return size - model.item_count - determinant_slope / 2


def falling_root(
    slope: Callable[[float], float], start: float, steepness: float, tolerance: float, most: float = math.inf
) -> tuple[float, float]:
    """Where a function falls through zero, by secants kept within the bracket found so far.

    A secant from two points misses by about their distances from the root multiplied, and so the search ends with the
    step before the one that could only confirm it.

    Args:
        slope: A smooth function, positive far to the left and negative far to the right.
        start: Where to look first.
        steepness: How steeply it falls, roughly; for the first step.
        tolerance: How far off the root may be.
        most: Where to stop if the function is positive up to there.

    Returns:
        The root, and how steeply the function falls there.
    """
    low, high, before = -math.inf, math.inf, math.inf
    x, value = start, slope(start)
    for _ in range(_PROBES):
        low, high = (x, high) if value > 0 else (low, x)
        if low >= most:
            return most, steepness
        following = min(x + min(max(value / steepness, -_STRIDE), _STRIDE), most)
        if abs(following - x) * min(1.0, _MISS * abs(following - before)) < tolerance:
            return following, steepness
        if not low < following < high:
            following = (low + high) / 2
            if high - low < tolerance:
                return following, steepness
        before, value_before = x, value
        x, value = following, slope(following)
        fall = (value_before - value) / (x - before)
        steepness = fall if fall > 0 else steepness
    return x, steepness
