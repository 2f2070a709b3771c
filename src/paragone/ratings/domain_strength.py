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
from paragone.ratings.evidence import Floats, Ints
from paragone.ratings.fit_types import FitOptions
from paragone.ratings.inference.domain_deviation import (
    DeviationPrior,
    Maximum,
    Node,
    SpreadSearch,
    log_tau_moments,
    nodes,
)
from paragone.ratings.inference.optimum import Ascent, drift
from paragone.ratings.intervals import rank_intervals, ranks
from paragone.ratings.model.curvature import one_thread
from paragone.ratings.model.domain_model import DomainModel, DomainPattern
from paragone.ratings.score_pairs import PAIR_WEIGHT, ScoreColumns, ScorePairs

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
    """Strengths in each domain, and in common. Row 0 is what all domains share, row d + 1 is domain d.

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
        sample: Draws of the strengths from their posterior, in nats, shape (1 + domains, draws, agents).
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
    sample: Floats
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
    """Strengths of all agents in all domains from all debates together; the order of the debates does not matter.

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
    search = _search(DomainModel.of_pairs(ScorePairs.of(columns), len(columns.domains)), options, fixed_tau)
    top = search.best()
    averaged = nodes(search, top)
    reach = NormalDist().inv_cdf((1 + options.level) / 2)
    taus = (fixed_tau,) * 3 if fixed_tau is not None else _taus(averaged, top, reach, options.tau_most)
    scales = rounded([*taus, math.exp(top.x), float(top.error[0])], SCALE_DECIMALS)
    tau, tau_low, tau_high, spread, spread_error = scales.tolist()
    return DomainStrengths(
        agents=columns.agents,
        domains=columns.domains,
        **_rows(averaged, float(top.error[0]), reach, options, rng),
        tau=tau,
        tau_low=tau_low,
        tau_high=tau_high,
        spread=spread,
        log_spread_se=spread_error,
        gradient_norm=max(node.gradient_norm for node in averaged),
        iterations=search.ascent.iterations,
        nodes=tuple(tuple(rounded([node.tau, node.weight], SCALE_DECIMALS).tolist()) for node in averaged),
        options=options,
    )


def _search(model: DomainModel, options: DomainOptions, fixed_tau: float | None) -> SpreadSearch:
    chosen = options.strengths
    ascent = Ascent(
        model=model,
        pattern=DomainPattern(model),
        theta=model.start,
        steps=chosen.max_iterations,
        tolerance=chosen.tolerance,
        lasting=True,
    )
    return SpreadSearch(
        model=model,
        ascent=ascent,
        spread=chosen.spread_prior,
        deviation=DeviationPrior(mean=options.tau_mean, most=options.tau_most),
        fixed_tau=fixed_tau,
    )


def _rows(
    nodes: tuple[Node, ...], spread_error: float, reach: float, options: DomainOptions, rng: np.random.Generator
) -> dict[str, Any]:
    """Strengths less the pool's average, their errors, intervals and ranks, a row each; averaged over the nodes.

    Args:
        nodes: The fits.
        spread_error: Standard error of the logarithm of the spread.
        reach: Standard errors from a strength to the ends of its interval.
        options: Level and draws.
        rng: Source of randomness, for the draws alone.
    """
    model = nodes[0].model
    shape = (len(model.domains), model.item_count)
    mean, square, draws = np.zeros(shape), np.zeros(shape), np.empty((shape[0], options.draws, shape[1]))
    # Each node has its share of the draws; rounded before the cut, or a last bit of a weight would move a draw from one
    # node to the next on another processor.
    ends = np.round(rounded(np.cumsum([node.weight for node in nodes]), SHARE_DECIMALS) * options.draws).astype(int)
    for node, start, end in zip(nodes, [0, *ends], ends, strict=False):
        center, variance, drawn = _node_rows(node, spread_error, end - start, rng)
        mean += node.weight * center
        # Second moments add up over a mixture; variances do not.
        square += node.weight * (variance + center**2)
        draws[:, start:end] = drawn
    mean, draws = rounded(mean_of := mean, STRENGTH_DECIMALS), rounded(draws, DRAW_DECIMALS)
    error = np.sqrt(np.maximum(square - mean_of**2, 0.0))
    rank = np.stack([ranks(row) for row in mean])
    intervals = [rank_intervals(sample, options.level, row) for sample, row in zip(draws, rank, strict=True)]
    best, worst = np.stack(intervals, axis=1)
    return {
        "strength": mean,
        "standard_error": error,
        "low": mean - reach * error,
        "high": mean + reach * error,
        "rank": rank,
        "rank_low": best,
        "rank_high": worst,
        "sample": draws,
    }


def _node_rows(node: Node, spread_error: float, count: int, rng: np.random.Generator) -> tuple[Floats, Floats, Floats]:
    """One fit's strengths less their average and their variances, shape (rows, agents), and draws of them.

    The average itself has the prior's variance and no covariance with the differences, so it is taken off.
    """
    model, curvature = node.model, node.curvature
    theta, drift_of_spread = node.theta, spread_error * drift(model, node.hyper, node.theta, curvature)
    centers, variances, draws = [], [], []
    shared = rng.standard_normal((model.shared + 1, count))
    own = rng.standard_normal((len(model.domains), model.item_count, count))
    present = [own[row, domain.present] for row, domain in enumerate(model.domains)]
    drawn = curvature.samples(np.concatenate([shared[:-1], *present]))
    for row, domain in enumerate(model.domains):
        center, along = _centred(model.strengths(theta, row)), _centred(model.strengths(drift_of_spread, row))
        # Comparisons see only differences: the row's average keeps its prior's variance.
        average = (node.hyper.spread**2 + domain.tau**2) / model.item_count
        away = model.strengths(drawn, row)
        absent = np.setdiff1d(np.arange(model.item_count), domain.present)
        away[absent] += domain.tau * own[row, absent]
        centers.append(center)
        variances.append(np.maximum(curvature.strength_variances(row) - average, 0.0) + along**2)
        draws.append((center[:, None] + _centred(away) + np.outer(along, shared[-1])).T)
    return np.array(centers), np.array(variances), np.array(draws)


def _centred(strength: Floats) -> Floats:
    centred: Floats = strength - strength.mean(axis=0)
    return centred


def _taus(nodes: tuple[Node, ...], top: Maximum, reach: float, most: float) -> tuple[float, float, float]:
    """Tau from the evidence, and the ends of its interval."""
    center, error = log_tau_moments(nodes, top)
    return math.exp(center), math.exp(center - reach * error), min(math.exp(center + reach * error), most)
