"""How far strengths in a domain lie from global ones, from the evidence itself.

Spread and deviation are where Laplace's approximation to the marginal likelihood, times a hyper-prior, is highest in
their logarithms. Few debates leave the deviation open by a factor of two, and a small one is never ruled out; so
strengths are averaged over it by adaptive Gauss-Hermite quadrature, each node with a fit of its own.

Source: J. C. Naylor, A. F. M. Smith (1982), "Applications of a method for the efficient computation of posterior
distributions", Applied Statistics 31; Y. Chung et al. (2013), "A nondegenerate penalized likelihood estimator for
variance parameters in multilevel models", Psychometrika 78.
"""

import math
from dataclasses import dataclass, field

import numpy as np

from paragone.errors import NotConverged
from paragone.ratings.algebra.domain_curvature import DomainOptimum, climb
from paragone.ratings.evidence import Floats
from paragone.ratings.inference.laplace import SpreadPrior
from paragone.ratings.inference.quadratic_search import Maximum, find_maximum
from paragone.ratings.model.domain_model import DomainModel, Point, Scales

LEAST_TAU = 0.005
"""Nats, less than an Elo point: deviations so small are none."""
_LEAST_SPREAD = 0.02
_FIRST = Scales(spread=1.0, tau=0.3)
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
        return log_tau - math.exp(log_tau) / self.mean


@dataclass(kw_only=True, eq=False, slots=True)
class Search:
    """A climb that goes on from where it was when spread or deviation change.

    Attributes:
        model: The debates.
        spread: What is held of the spread of the global strengths.
        deviation: What is held of the deviations.
        steps: Newton steps allowed in all.
        tolerance: See ``domain_curvature.climb``.
        fixed_tau: The deviation in nats where it is given.
        iterations: Newton steps taken.
    """

    model: DomainModel
    spread: SpreadPrior
    deviation: DeviationPrior
    steps: int
    tolerance: float
    fixed_tau: float | None = None
    iterations: int = field(default=0, init=False)
    _at: Point | None = field(default=None, init=False)

    def to(self, log_spread: float, log_tau: float) -> DomainOptimum:
        """The optimum under these scales.

        Raises:
            NotConverged: If the steps allowed do not suffice; its partial result is the ``DomainOptimum`` reached.
        """
        scales = Scales(
            spread=math.exp(log_spread), tau=math.exp(log_tau) if self.fixed_tau is None else self.fixed_tau
        )
        start = self.model.start if self._at is None else self._at
        steps_left = self.steps - self.iterations
        optimum = climb(self.model, scales, start, steps=steps_left, tolerance=self.tolerance)
        self.iterations += optimum.iterations
        if not optimum.converged:
            raise NotConverged(f"no strengths by domain after {self.iterations} Newton steps; allow more", optimum)
        self._at = optimum.point
        return optimum

    def density(self, optimum: DomainOptimum) -> float:
        """Log posterior density of the logarithms of the scales, up to a constant."""
        away = math.log(optimum.scales.spread / self.spread.center) / self.spread.width
        prior = 0.0 if self.fixed_tau is not None else self.deviation.log_density(math.log(optimum.scales.tau))
        return optimum.log_evidence - away**2 / 2 + prior

    def summit(self) -> Maximum:
        """Where the density is highest."""
        fixed = None if self.fixed_tau is None else 0.0
        low, high = (math.log(LEAST_TAU), math.log(self.deviation.most)) if fixed is None else (fixed, fixed)
        return find_maximum(
            lambda log_spread, log_tau: self.density(self.to(log_spread, log_tau)),
            (math.log(_FIRST.spread), math.log(_FIRST.tau) if fixed is None else fixed),
            (math.log(_LEAST_SPREAD), low),
            (math.log(self.spread.most), high),
        )


@dataclass(frozen=True, kw_only=True, eq=False, slots=True)
class Node:
    """One of the fits that are averaged over, without its curvature: all of them at once would fill the memory.

    Attributes:
        weight: Its share.
        scales: What it is the optimum under.
        point: The parameters.
        gradient_norm: The largest component of the gradient there.
    """

    weight: float
    scales: Scales
    point: Point
    gradient_norm: float


def nodes(search: Search, top: Maximum) -> tuple[Node, ...]:
    """Fits under different deviations, with the spread that suits each, weighted by how likely they are.

    Args:
        search: The search that found the summit.
        top: The summit.
    """
    error = float(top.error[1])
    count = 1 if search.fixed_tau is not None or error < _SURE else _NODES
    away, share = np.polynomial.hermite_e.hermegauss(count)
    within = top.y + error * away <= math.log(search.deviation.most)
    within[count // 2] = True
    away, share, optima, heights = away[within], share[within], [], []
    for z in away.tolist():
        log_tau = top.y + error * z
        optimum = search.to(min(top.ridge(log_tau), math.log(search.spread.most)), log_tau)
        optima.append((optimum.scales, optimum.point, optimum.gradient_norm))
        heights.append(search.density(optimum) + z**2 / 2)
    weight = share * np.exp(np.array(heights) - max(heights))
    return tuple(
        Node(weight=float(part), scales=scales, point=point, gradient_norm=norm)
        for part, (scales, point, norm) in zip(weight / weight.sum(), optima, strict=True)
    )


def log_tau_moments(nodes: tuple[Node, ...], top: Maximum) -> tuple[float, float]:
    """Mean and standard deviation of the logarithm of tau, where it is not given."""
    if len(nodes) == 1:
        return top.y, float(top.error[1])
    weight = np.array([node.weight for node in nodes])
    values: Floats = np.log([node.scales.tau for node in nodes])
    mean = float(weight @ values)
    return mean, math.sqrt(float(weight @ (values - mean) ** 2))
