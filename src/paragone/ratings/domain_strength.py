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

from paragone.domain.rounding import SCALE_DECIMALS, rounded
from paragone.errors import InvalidConfig, InvalidEvidence
from paragone.ratings.algebra.threads import one_thread
from paragone.ratings.evidence import Floats, Ints
from paragone.ratings.fitted import FitOptions
from paragone.ratings.inference.deviation import DeviationPrior, Node, Search, log_tau_moments, nodes
from paragone.ratings.inference.domain_mixture import Mixture, mixture
from paragone.ratings.inference.laplace import SpreadPrior
from paragone.ratings.inference.summit import Summit
from paragone.ratings.intervals import rank_intervals, ranks
from paragone.ratings.model.domain_model import DomainModel
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
        raise InvalidEvidence("there are no agents whose strength could be told")
    given = options.tau if columns.domains else 0.0
    search = _search(DomainModel.of(ScorePairs.of(columns), len(columns.domains)), options, given)
    top = search.summit()
    held = nodes(search, top)
    reach = NormalDist().inv_cdf((1 + options.level) / 2)
    taus = (given,) * 3 if given is not None else _taus(held, top, reach, options.tau_most)
    scales = rounded([*taus, math.exp(top.x), float(top.error[0])], SCALE_DECIMALS)
    tau, tau_low, tau_high, spread, spread_error = scales.tolist()
    return DomainStrengths(
        agents=columns.agents,
        domains=columns.domains,
        **_rows(mixture(search.model, held, float(top.error[0]), options.draws, rng), reach, options.level),
        tau=tau,
        tau_low=tau_low,
        tau_high=tau_high,
        spread=spread,
        log_spread_se=spread_error,
        gradient_norm=max(node.gradient_norm for node in held),
        iterations=search.iterations,
        nodes=tuple(tuple(rounded([node.scales.tau, node.weight], SCALE_DECIMALS).tolist()) for node in held),
        options=options,
    )


def _search(model: DomainModel, options: DomainOptions, given: float | None) -> Search:
    chosen = options.strengths
    return Search(
        model=model,
        spread=SpreadPrior(center=chosen.spread_center, width=chosen.spread_width, most=chosen.spread_most),
        deviation=DeviationPrior(mean=options.tau_mean, most=options.tau_most),
        steps=chosen.max_iterations,
        tolerance=chosen.tolerance,
        given=given,
    )


def _rows(found: Mixture, reach: float, level: float) -> dict[str, Any]:
    error = np.sqrt(found.variance)
    rank = np.stack([ranks(row) for row in found.mean])
    ends = [rank_intervals(sample, level, places) for sample, places in zip(found.draws, rank, strict=True)]
    best, worst = np.stack(ends, axis=1)
    return {
        "strength": found.mean,
        "standard_error": error,
        "low": found.mean - reach * error,
        "high": found.mean + reach * error,
        "rank": rank,
        "rank_low": best,
        "rank_high": worst,
    }


def _taus(held: tuple[Node, ...], top: Summit, reach: float, most: float) -> tuple[float, float, float]:
    """Tau from the evidence, and the ends of its interval."""
    center, error = log_tau_moments(held, top)
    return math.exp(center), math.exp(center - reach * error), min(math.exp(center + reach * error), most)
