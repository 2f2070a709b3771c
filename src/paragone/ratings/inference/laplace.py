"""The spread of the strengths, from the evidence itself.

The spread is where Laplace's approximation to the marginal likelihood, times a weak hyper-prior, is highest. That the
curvature changes with the spread counts too; maximising by expectation steps instead leaves that out, and shrinks the
scale.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, field, replace

import numpy as np

from paragone.errors import NotConverged
from paragone.ratings.algebra.curvature import Pattern
from paragone.ratings.algebra.newton import Optimum, maximise
from paragone.ratings.evidence import Floats
from paragone.ratings.model.posterior import Hyper, Model

_NUDGE = 1e-4
_STEP = 0.05
_STRIDE = 1.0
_PROBES = 60
_ROUGH = 1e-4
_MISS = 10.0
_AT_BOUND = 1e-9


@dataclass(kw_only=True, eq=False, slots=True)
class Ascent:
    """A climb that goes on from where it was when spread or dispersions change.

    Attributes:
        model: The evidence.
        pattern: How to build the curvature.
        theta: Where the climb stands.
        steps: Newton steps still allowed at the start.
        tolerance: See ``newton.maximise``.
        iterations: Newton steps taken.
        trajectory: Where the climb stood under which spread, and how it moves with the logarithm of the spread.
    """

    model: Model
    pattern: Pattern
    theta: Floats
    steps: int
    tolerance: float
    iterations: int = field(default=0, init=False)
    trajectory: tuple[float, Floats] | None = field(default=None, init=False)

    def to(self, hyper: Hyper) -> Optimum:
        """The optimum under ``hyper``.

        Raises:
            NotConverged: If the steps allowed do not suffice; its partial result is the ``Optimum`` reached.
        """
        steps_left, start = self.steps - self.iterations, self.theta
        if self.trajectory is not None and abs(ahead := math.log(hyper.spread) - self.trajectory[0]) < _STRIDE:
            start = start + ahead * self.trajectory[1]
        optimum = maximise(
            self.model, hyper, start, pattern=self.pattern, max_iterations=steps_left, tolerance=self.tolerance
        )
        self.theta, self.trajectory = optimum.theta, None
        self.iterations += optimum.iterations
        if not optimum.converged:
            raise NotConverged(f"no optimum after {self.iterations} Newton steps", optimum)
        return optimum


@dataclass(frozen=True, kw_only=True, slots=True)
class SpreadPrior:
    """What is held of the spread before evidence: log-normal around ``center`` nats, ``width`` in log units.

    More than ``most`` nats it cannot be.
    """

    center: float
    width: float
    most: float

    def bounds(self, spread: float) -> bool:
        """Whether this spread is at the bound."""
        return spread >= self.most * (1 - _AT_BOUND)

    def slope(self, log_spread: float) -> float:
        """Derivative of the log density."""
        return (math.log(self.center) - log_spread) / self.width**2


def best_spread(ascent: Ascent, hyper: Hyper, prior: SpreadPrior, tolerance: float) -> float:
    """The spread in nats of highest evidence under ``prior``, from that of ``hyper`` on, to a share of ``tolerance``.

    Where the curvature offers rough traces, they lead the way and show how the slope bends; exact ones finish.
    """
    most = math.log(prior.most)
    log_spread, steepness = min(math.log(hyper.spread), most), ascent.model.item_count + prior.width**-2
    if ascent.pattern.rough:
        rough = _Slope(ascent, hyper, prior, rough=True)
        log_spread, steepness = falling_root(rough, log_spread, steepness, max(tolerance, _ROUGH), most)
    return math.exp(falling_root(_Slope(ascent, hyper, prior), log_spread, steepness, tolerance, most)[0])


def log_spread_error(ascent: Ascent, hyper: Hyper, prior: SpreadPrior, optimum: Optimum) -> float:
    """Standard error of the logarithm of the best spread, from the curvature of its evidence around its optimum."""
    slope, log_spread = _Slope(ascent, hyper, prior, rough=True), math.log(hyper.spread)
    level = slope(log_spread, optimum) if ascent.pattern.rough else 0.0
    steepness = (level - slope(log_spread + _STEP)) / _STEP
    return 1 / math.sqrt(max(steepness, prior.width**-2))


def drift(model: Model, hyper: Hyper, optimum: Optimum) -> Floats:
    """How the optimum moves with the logarithm of the spread, shape (dimension,)."""
    pull = np.zeros(model.dimension)
    pull[: model.item_count] = 2 * optimum.theta[: model.item_count] / hyper.spread**2
    return optimum.curvature.solve(pull)


class _Slope:
    """Derivative, in the logarithm of the spread, of the log evidence and the log prior; leads the climb onwards."""

    def __init__(self, ascent: Ascent, hyper: Hyper, prior: SpreadPrior, *, rough: bool = False) -> None:
        self._ascent, self._hyper, self._prior, self._rough = ascent, hyper, prior, rough

    def __call__(self, log_spread: float, optimum: Optimum | None = None) -> float:
        """The slope at this spread; ``optimum`` is the one under it, if that is known."""
        ascent, hyper = self._ascent, replace(self._hyper, spread=math.exp(log_spread))
        optimum = ascent.to(hyper) if optimum is None else optimum
        along = drift(ascent.model, hyper, optimum)
        ascent.trajectory = (log_spread, along)
        return _evidence_slope(ascent.model, hyper, optimum, along, self._rough) + self._prior.slope(log_spread)


def _evidence_slope(model: Model, hyper: Hyper, optimum: Optimum, along: Floats, rough: bool) -> float:
    """The total derivative: that of the curvature is taken by a small step along the path of the optimum."""
    ahead, behind = (
        model.derivatives(optimum.theta + nudge * along, replace(hyper, spread=hyper.spread * math.exp(nudge))).entries
        for nudge in (_NUDGE, -_NUDGE)
    )
    change = (ahead - behind) / (2 * _NUDGE)
    determinant_slope = optimum.curvature.rough_trace(change) if rough else optimum.curvature.trace(change)
    size = float(((optimum.theta[: model.item_count] / hyper.spread) ** 2).sum())
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
