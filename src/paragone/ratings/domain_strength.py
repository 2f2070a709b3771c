"""Strengths by domain, shrunk towards the global ones as far as the evidence says.

An agent's strength in a domain is its global one plus a deviation that a Gaussian of standard deviation tau holds near
0. One fit of all debates finds both, and tau comes from the evidence: where domains agree it is small and all debates
count everywhere, where they differ each domain with enough debates speaks for itself. The design note
``0018-strength-by-domain.md`` in ``docs/design`` says why it is one fit, and how well intervals hold.
"""

import math
from dataclasses import dataclass, field
from statistics import NormalDist
from typing import Any

import numpy as np

from paragone.domain.rounding import DRAW_DECIMALS, SCALE_DECIMALS, SHARE_DECIMALS, STRENGTH_DECIMALS, rounded
from paragone.errors import InvalidConfig, InvalidEvidence
from paragone.ratings.algebra.domain_curvature import DomainCurvature
from paragone.ratings.algebra.threads import one_thread
from paragone.ratings.evidence import Floats, Ints
from paragone.ratings.fitted import FitOptions
from paragone.ratings.inference.deviation import DeviationPrior, Node, Search, log_tau_moments, nodes
from paragone.ratings.inference.laplace import SpreadPrior
from paragone.ratings.inference.quadratic_search import Maximum
from paragone.ratings.intervals import rank_intervals, ranks
from paragone.ratings.model.domain_model import DomainModel, Point, Scales
from paragone.ratings.score_pairs import PAIR_WEIGHT, ScoreColumns, ScorePairs


@dataclass(frozen=True, kw_only=True, eq=False, slots=True)
class Mixture:
    """Strengths less the average of the pool, a row for what is global and one for each domain.

    Attributes:
        mean: Shape (rows, agents), in nats.
        variance: Within and between the fits, and what the uncertainty of the spread adds.
        draws: Shape (rows, draws, agents).
    """

    mean: Floats
    variance: Floats
    draws: Floats


def mixture(
    model: DomainModel, nodes: tuple[Node, ...], spread_error: float, count: int, rng: np.random.Generator
) -> Mixture:
    """The average over these fits.

    Args:
        model: The debates.
        nodes: The fits.
        spread_error: Standard error of the logarithm of the spread.
        count: How many draws.
        rng: Source of randomness, for the draws alone.
    """
    shape = (len(model.fields), model.agents)
    mean, square, draws = np.zeros(shape), np.zeros(shape), np.empty((shape[0], count, shape[1]))
    ends = np.round(rounded(np.cumsum([node.weight for node in nodes]), SHARE_DECIMALS) * count).astype(int)
    for node, start, end in zip(nodes, [0, *ends], ends, strict=False):
        at, curvature = _centred(model, node.point, node.scales), _curvature(model, node)
        along = spread_error * _drift(model, node, curvature)
        normal = rng.standard_normal((node.point.shared.size + 1, end - start))
        shared = curvature.shared_samples(normal[:-1])
        for row, tau in enumerate(model.taus(node.scales)):
            left_out = (node.scales.spread**2 + tau**2) / max(model.agents, 1)
            variance = np.maximum(curvature.variances(row) - left_out, 0.0) + along[row] ** 2
            mean[row] += node.weight * at[row]
            square[row] += node.weight * (variance + at[row] ** 2)
            away = curvature.samples(row, shared, rng.standard_normal((model.agents, end - start)))
            away -= away.mean(axis=0)
            draws[row, start:end] = (at[row][:, None] + away + np.outer(along[row], normal[-1])).T
    variance = np.maximum(square - mean**2, 0.0)
    return Mixture(mean=rounded(mean, STRENGTH_DECIMALS), variance=variance, draws=rounded(draws, DRAW_DECIMALS))


def _curvature(model: DomainModel, node: Node) -> DomainCurvature:
    return DomainCurvature(model, model.curvatures(node.point, node.scales), node.scales)


def _drift(model: DomainModel, node: Node, curvature: DomainCurvature) -> Floats:
    """How the strengths move with the logarithm of the spread, row by row."""
    pull = np.zeros_like(node.point.shared)
    pull[: model.agents] = 2 * node.point.shared[: model.agents] / node.scales.spread**2
    response = curvature.solve(Point(shared=pull, own=tuple(np.zeros_like(own) for own in node.point.own)))
    return _centred(model, response, node.scales)


def _centred(model: DomainModel, point: Point, scales: Scales) -> Floats:
    """Strengths of all agents less their mean, shape (rows, agents)."""
    rows = np.tile(point.shared[: model.agents], (len(model.fields), 1))
    for row, group, strength in zip(rows, model.fields, model.strengths(point, scales), strict=True):
        row[group.present] = strength
    centred: Floats = rows - rows.mean(axis=1, keepdims=True)
    return centred


MOST_TAU = 3.0
"""Nats, some 520 Elo points: deviations larger than strengths are would be no deviations."""


@dataclass(frozen=True, kw_only=True, slots=True)
class DomainOptions:
    """Parameters of a fit by domain.

    Attributes:
        tau: Standard deviation of the deviations from the global strengths, in nats; None takes it from the evidence.
        tau_mean: Mean of the exponential hyper-prior of tau, in nats.
        tau_most: The largest tau that evidence may bring about, in nats.
        level: Probability that intervals are meant to hold.
        draws: Posterior draws for intervals of ranks.
        strengths: Of the global strengths: ``spread_center``, ``spread_width``, ``spread_most``, ``max_iterations`` and
            ``tolerance``.

    Raises:
        InvalidConfig: If a parameter is out of its range.
    """

    tau: float | None = None
    tau_mean: float = 0.75
    tau_most: float = MOST_TAU
    level: float = 0.95
    draws: int = 1000
    strengths: FitOptions = field(default_factory=lambda: FitOptions(tolerance=1e-9))

    def __post_init__(self) -> None:
        if self.tau is not None and not 0.0 <= self.tau <= MOST_TAU:
            raise InvalidConfig(f"tau must lie between 0 and {MOST_TAU:g} nats, not {self.tau}")
        if not 0.0 < self.tau_mean < math.inf:
            raise InvalidConfig(f"tau_mean must be a positive number, not {self.tau_mean}")
        if not 0.1 <= self.tau_most <= MOST_TAU:
            raise InvalidConfig(f"tau_most must lie between 0.1 and {MOST_TAU:g} nats, not {self.tau_most}")
        if not 0.0 < self.level < 1.0:
            raise InvalidConfig(f"an interval's level lies strictly between 0 and 1, not {self.level}")
        if self.draws < 1:
            raise InvalidConfig(f"draws must be at least 1, not {self.draws}")


@dataclass(frozen=True, kw_only=True, eq=False, slots=True)
class DomainStrengths:
    """Strengths in each domain, and beside it. Row 0 is what all domains have in common, row d + 1 is domain d.

    All are against the average of the pool in that row, as in a ``Fit``.

    Attributes:
        agents: Names of the agents.
        domains: Names of the domains.
        strength: In nats, of mean 0 in each row, shape (1 + domains, agents).
        standard_error: Of each, the uncertainty of tau and of the spread included.
        low: Lower ends of the intervals.
        high: Upper ends.
        rank: Rank from 1 in each row, best first; equal strengths share one.
        rank_low: Best rank of each interval.
        rank_high: Worst rank.
        tau: Standard deviation of the deviations, in nats: its posterior mean on the log scale;
            0 where there are no domains.
        tau_low: Lower end of its interval.
        tau_high: Upper end.
        spread: Standard deviation of the global strengths, in nats.
        log_spread_se: Standard error of its logarithm.
        gradient_norm: Largest component of the gradient of any fit that was averaged over.
        iterations: Newton steps taken in all.
        nodes: The values of tau that were averaged over, with their weights.
        options: The parameters that made it.
    """

    agents: tuple[str, ...]
    domains: tuple[str, ...]
    strength: Floats
    standard_error: Floats
    low: Floats
    high: Floats
    rank: Ints
    rank_low: Ints
    rank_high: Ints
    tau: float
    tau_low: float
    tau_high: float
    spread: float
    log_spread_se: float
    gradient_norm: float
    iterations: int
    nodes: tuple[tuple[float, float], ...]
    options: DomainOptions

    def row(self, domain: str) -> int:
        """Row of a domain.

        Raises:
            KeyError: If there is no such domain.
        """
        if domain not in self.domains:
            raise KeyError(domain)
        return 1 + self.domains.index(domain)

    @property
    def method(self) -> dict[str, Any]:
        """Name and parameters of the fit as plain values, ready for JSON."""
        return {
            "name": "bradley-terry-davidson by domain",
            "pair_weight": PAIR_WEIGHT,
            "tau": self.tau,
            "tau_low": self.tau_low,
            "tau_high": self.tau_high,
            "tau_from": "evidence" if self.options.tau is None else "given",
            "tau_mean": self.options.tau_mean,
            "prior_spread": self.spread,
            "level": self.options.level,
            "draws": self.options.draws,
            "nodes": [list(node) for node in self.nodes],
            "gradient_norm": self.gradient_norm,
            "iterations": self.iterations,
        }


_DEFAULTS = DomainOptions()


@one_thread
def fit_domains(
    columns: ScoreColumns, options: DomainOptions = _DEFAULTS, *, rng: np.random.Generator
) -> DomainStrengths:
    """Strengths of all agents in all domains from all debates together; the order of the debates changes nothing.

    Args:
        columns: The debates; a domain may have none.
        options: Parameters of the fit.
        rng: Source of randomness, for intervals of ranks alone.

    Raises:
        InvalidEvidence: If there are no agents.
        NotConverged: If an optimum was not reached in the steps allowed.
    """
    if not columns.agents:
        raise InvalidEvidence("there are no agents to rate")
    fixed_tau = options.tau if columns.domains else 0.0
    search = _search(DomainModel.of(ScorePairs.of(columns), len(columns.domains)), options, fixed_tau)
    top = search.summit()
    averaged = nodes(search, top)
    reach = NormalDist().inv_cdf((1 + options.level) / 2)
    taus = (fixed_tau,) * 3 if fixed_tau is not None else _taus(averaged, top, reach, options.tau_most)
    scales = rounded([*taus, math.exp(top.x), float(top.error[0])], SCALE_DECIMALS)
    tau, tau_low, tau_high, spread, spread_error = scales.tolist()
    return DomainStrengths(
        agents=columns.agents,
        domains=columns.domains,
        **_rows(mixture(search.model, averaged, float(top.error[0]), options.draws, rng), reach, options.level),
        tau=tau,
        tau_low=tau_low,
        tau_high=tau_high,
        spread=spread,
        log_spread_se=spread_error,
        gradient_norm=max(node.gradient_norm for node in averaged),
        iterations=search.iterations,
        nodes=tuple(tuple(rounded([node.scales.tau, node.weight], SCALE_DECIMALS).tolist()) for node in averaged),
        options=options,
    )


def _search(model: DomainModel, options: DomainOptions, fixed_tau: float | None) -> Search:
    chosen = options.strengths
    return Search(
        model=model,
        spread=SpreadPrior(center=chosen.spread_center, width=chosen.spread_width, most=chosen.spread_most),
        deviation=DeviationPrior(mean=options.tau_mean, most=options.tau_most),
        steps=chosen.max_iterations,
        tolerance=chosen.tolerance,
        fixed_tau=fixed_tau,
    )


def _rows(mixed: Mixture, reach: float, level: float) -> dict[str, Any]:
    error = np.sqrt(mixed.variance)
    rank = np.stack([ranks(row) for row in mixed.mean])
    ends = [rank_intervals(sample, level, reported) for sample, reported in zip(mixed.draws, rank, strict=True)]
    best, worst = np.stack(ends, axis=1)
    return {
        "strength": mixed.mean,
        "standard_error": error,
        "low": mixed.mean - reach * error,
        "high": mixed.mean + reach * error,
        "rank": rank,
        "rank_low": best,
        "rank_high": worst,
    }


def _taus(nodes: tuple[Node, ...], top: Maximum, reach: float, most: float) -> tuple[float, float, float]:
    """Tau from the evidence, and the ends of its interval."""
    center, error = log_tau_moments(nodes, top)
    return math.exp(center), math.exp(center - reach * error), min(math.exp(center + reach * error), most)
