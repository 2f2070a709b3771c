"""The spread of the strengths, from the evidence itself.

The spread is where Laplace's approximation to the marginal likelihood, times a weak hyper-prior, is highest. That the
curvature changes with the spread counts too; maximising by expectation steps instead leaves that out, and shrinks the
scale.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from paragone.errors import NotConverged
from paragone.ratings.curvature import Pattern
from paragone.ratings.evidence import Floats
from paragone.ratings.newton import Optimum, maximise
from paragone.ratings.posterior import Hyper, Model

_NUDGE = 1e-4
_BEND = 0.05
_STRIDE = 1.0
_PROBES = 60
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
    """

    model: Model
    pattern: Pattern
    theta: Floats
    steps: int
    tolerance: float
    iterations: int = field(default=0, init=False)

    def to(self, hyper: Hyper) -> Optimum:
        """The optimum under ``hyper``.

        Raises:
            NotConverged: If the steps allowed do not suffice; its partial result is the ``Optimum`` reached.
        """
        left = self.steps - self.iterations
        optimum = maximise(
            self.model, hyper, self.theta, pattern=self.pattern, max_iterations=left, tolerance=self.tolerance
        )
        self.theta = optimum.theta
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


def best_spread(ascent: Ascent, dispersion: Floats, prior: SpreadPrior, start: float, tolerance: float) -> float:
    """The spread in nats of highest evidence under ``prior``, searched from ``start``, to a share of ``tolerance``."""
    bend = ascent.model.item_count + prior.width**-2
    slope, most = _slope(ascent, dispersion, prior), math.log(prior.most)
    return math.exp(falling_root(slope, min(math.log(start), most), bend, tolerance, most))


def log_spread_error(ascent: Ascent, hyper: Hyper, prior: SpreadPrior) -> float:
    """Standard error of the logarithm of the best spread, from the curvature of its evidence."""
    bend = -_slope(ascent, hyper.dispersion, prior)(math.log(hyper.spread) + _BEND) / _BEND
    return 1 / math.sqrt(max(bend, prior.width**-2))


def drift(model: Model, hyper: Hyper, optimum: Optimum) -> Floats:
    """How the optimum moves with the logarithm of the spread, shape (dimension,)."""
    pull = np.zeros(model.dimension)
    pull[: model.item_count] = 2 * optimum.theta[: model.item_count] / hyper.spread**2
    return optimum.curvature.solve(pull)


def _slope(ascent: Ascent, dispersion: Floats, prior: SpreadPrior) -> Callable[[float], float]:
    """Derivative, in the logarithm of the spread, of the log evidence and the log prior; leads the climb onwards."""

    def at(log_spread: float) -> float:
        hyper = Hyper(spread=math.exp(log_spread), dispersion=dispersion)
        optimum = ascent.to(hyper)
        return _evidence_slope(ascent.model, hyper, optimum) + prior.slope(log_spread)

    return at


def _evidence_slope(model: Model, hyper: Hyper, optimum: Optimum) -> float:
    """The total derivative: that of the curvature is taken by a small step along the path of the optimum."""
    along = drift(model, hyper, optimum)
    ahead, behind = (
        model.derivatives(
            optimum.theta + nudge * along, Hyper(spread=hyper.spread * math.exp(nudge), dispersion=hyper.dispersion)
        ).entries
        for nudge in (_NUDGE, -_NUDGE)
    )
    bending = float(optimum.curvature.products((ahead - behind) / (2 * _NUDGE)).sum())
    size = float(((optimum.theta[: model.item_count] / hyper.spread) ** 2).sum())
    return size - model.item_count - bending / 2


def falling_root(
    slope: Callable[[float], float], start: float, bend: float, tolerance: float, most: float = math.inf
) -> float:
    """Where a function falls through zero, by secants kept within the bracket found so far.

    Args:
        slope: A smooth function, positive far to the left and negative far to the right.
        start: Where to look first.
        bend: How steeply it falls, roughly; for the first step.
        tolerance: The search ends with a step shorter than this.
        most: Where to stop if the function is positive up to there.
    """
    low, high = -math.inf, math.inf
    here, value = start, slope(start)
    for _ in range(_PROBES):
        low, high = (here, high) if value > 0 else (low, here)
        if low >= most:
            return most
        following = min(here + min(max(value / bend, -_STRIDE), _STRIDE), most)
        if abs(following - here) < tolerance:
            return following
        if not low < following < high:
            following = (low + high) / 2
            if high - low < tolerance:
                return following
        before, value_before = here, value
        here, value = following, slope(following)
        fall = (value_before - value) / (here - before)
        bend = fall if fall > 0 else bend
    return here
