"""How far strengths in a domain lie from global ones, from the evidence itself.

Spread and deviation are where Laplace's approximation to the marginal likelihood, times a hyper-prior, is highest in
their logarithms. Few debates leave the deviation open by a factor of two, and a small one is never ruled out; so
strengths are averaged over it by adaptive Gauss-Hermite quadrature, each node with a fit of its own.

Source: J. C. Naylor, A. F. M. Smith (1982), "Applications of a method for the efficient computation of posterior
distributions", Applied Statistics 31; Y. Chung et al. (2013), "A nondegenerate penalized likelihood estimator for
variance parameters in multilevel models", Psychometrika 78.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from paragone.domain.rounding import STRENGTH_DECIMALS, rounded
from paragone.ratings.evidence import Bools, Floats
from paragone.ratings.fit_types import SpreadPrior
from paragone.ratings.inference.optimum import Ascent
from paragone.ratings.model.domain_model import DomainCurvature, DomainModel, DomainPattern
from paragone.ratings.model.likelihood import Hyper

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
        # The Schur complement: y's curvature once the best x follows it.
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
    # Rounded, so that two points that are equal but for the processor's last bits are chosen between alike.
    top = int(np.argmax(rounded(values, STRENGTH_DECIMALS)))
    away = points - points[top]
    x, y = away.T
    # Near points count most, since the function is a quadratic only near its maximum; the maximum itself does not count
    # without bound.
    share = ((away**2).sum(axis=1) + _NEAR**2) ** _FALLING
    terms = np.stack([np.ones_like(x), x, y, x**2 / 2, x * y, y**2 / 2], axis=1)
    _, *rest = np.linalg.lstsq(terms * share[:, None], (values - values[top]) * share, rcond=None)[0].tolist()
    slope, hessian = np.array(rest[:2]), np.array([[rest[2], rest[3]], [rest[3], rest[4]]])
    eigenvalues, axes = np.linalg.eigh(-hessian)
    return points[top], slope, (axes * np.maximum(eigenvalues, _FLATTEST)) @ axes.T


LEAST_TAU = 0.005
"""Nats, less than an Elo point: deviations so small are none."""
_LEAST_SPREAD = 0.02
_FIRST_SPREAD, _FIRST_TAU = 1.0, 0.3
_NODES = 5
_SURE = 0.1
"""A deviation known as well as that is not averaged over."""


@dataclass(frozen=True, kw_only=True, slots=True)
class DeviationPrior:
    """What is held of deviations before evidence: exponential with a mean in nats, so that none at all is likeliest.

    More than ``most`` nats they cannot be.
    """

    mean: float
    most: float

    def log_density(self, log_tau: float) -> float:
        """Of the logarithm of tau, up to a constant."""
        # log_tau is the logarithm's Jacobian: the density of log(tau) is tau times that of tau.
        return log_tau - math.exp(log_tau) / self.mean


@dataclass(frozen=True, kw_only=True, eq=False, slots=True)
class Node:
    """The fit under one spread and tau, without its curvature: those of all nodes at once would fill the memory.

    Attributes:
        model: The debates, under this tau.
        hyper: The spread.
        theta: The parameters.
        gradient_norm: The largest component of the gradient there.
        log_density: Log posterior density of the logarithms of both scales, up to a constant.
        weight: Its share in an average.
    """

    model: DomainModel
    hyper: Hyper
    theta: Floats
    gradient_norm: float
    log_density: float
    weight: float = 1.0

    @property
    def tau(self) -> float:
        """Standard deviation of the deviations, in nats; 0 where there are no domains."""
        return self.model.domains[-1].tau

    @property
    def curvature(self) -> DomainCurvature:
        """The curvature at the optimum, computed anew."""
        return DomainPattern(self.model).curvature(self.model.derivatives(self.theta, self.hyper).entries)


@dataclass(frozen=True, kw_only=True, eq=False, slots=True)
class SpreadSearch:
    """Fits under one spread and tau after another, each from where the last one ended.

    Attributes:
        model: The debates.
        ascent: The climb.
        spread: The hyper-prior of the spread of the global strengths.
        deviation: What is held of the deviations.
        fixed_tau: Standard deviation of the deviations in nats, where it is given.
    """

    model: DomainModel
    ascent: Ascent[DomainCurvature]
    spread: SpreadPrior
    deviation: DeviationPrior
    fixed_tau: float | None

    def node(self, log_spread: float, log_tau: float) -> Node:
        """The fit under these scales.

        Raises:
            NotConverged: If the steps allowed do not suffice; its partial result is the ``Optimum`` reached.
        """
        model = self.model.deviating(math.exp(log_tau) if self.fixed_tau is None else self.fixed_tau)
        hyper = Hyper(spread=math.exp(log_spread), dispersion=np.ones(model.slope.size))
        self.ascent.model, self.ascent.pattern = model, DomainPattern(model)
        optimum = self.ascent.to(hyper)
        prior = -(((log_spread - math.log(self.spread.center)) / self.spread.width) ** 2) / 2
        if self.fixed_tau is None:
            prior += self.deviation.log_density(log_tau)
        return Node(
            model=model,
            hyper=hyper,
            theta=optimum.theta,
            gradient_norm=optimum.gradient_norm,
            log_density=optimum.log_evidence + prior,
        )

    def best(self) -> Maximum:
        """Where the density of both scales is highest."""
        fixed = None if self.fixed_tau is None else 0.0
        low, high = (math.log(LEAST_TAU), math.log(self.deviation.most)) if fixed is None else (fixed, fixed)
        return find_maximum(
            lambda log_spread, log_tau: self.node(log_spread, log_tau).log_density,
            (math.log(_FIRST_SPREAD), math.log(_FIRST_TAU) if fixed is None else fixed),
            (math.log(_LEAST_SPREAD), low),
            (math.log(self.spread.most), high),
        )


def nodes(search: SpreadSearch, top: Maximum) -> tuple[Node, ...]:
    """Fits under different deviations, with the spread that suits each, weighted by how likely they are.

    Args:
        search: The search.
        top: Its maximum.
    """
    error = float(top.error[1])
    count = 1 if search.fixed_tau is not None or error < _SURE else _NODES
    away, share = np.polynomial.hermite_e.hermegauss(count)
    within = top.y + error * away <= math.log(search.deviation.most)
    within[count // 2] = True
    log_taus, most = top.y + error * away[within], math.log(search.spread.most)
    fits = [search.node(min(top.ridge(log_tau), most), log_tau) for log_tau in log_taus.tolist()]
    # The quadrature is for a normal density; what the true one is beside it comes on top.
    heights = np.array([node.log_density for node in fits]) + away[within] ** 2 / 2
    weight = share[within] * np.exp(heights - heights.max())
    return tuple(replace(node, weight=float(part)) for node, part in zip(fits, weight / weight.sum(), strict=True))


def log_tau_moments(nodes: tuple[Node, ...], top: Maximum) -> tuple[float, float]:
    """Mean and standard deviation of the logarithm of tau, where it is not given."""
    if len(nodes) == 1:
        return top.y, float(top.error[1])
    weight = np.array([node.weight for node in nodes])
    values: Floats = np.log([node.tau for node in nodes])
    mean = float(weight @ values)
    return mean, math.sqrt(float(weight @ (values - mean) ** 2))
