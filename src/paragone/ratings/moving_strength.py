"""Strengths of agents that change: by version, by period of a random walk, and from ratings to begin with.

``model/moving_model`` says how a strength follows from the one before. How far a new version, a period, a domain or a
starting rating leads comes from the evidence: strengths are averaged over these scales. The design note
``0042-agents-that-change.md`` in ``docs/design`` says how well a change is followed, and what it costs where there is
none.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from statistics import NormalDist
from typing import Any

import numpy as np

from paragone.domain.rounding import DRAW_DECIMALS, SCALE_DECIMALS, SHARE_DECIMALS, STRENGTH_DECIMALS, rounded
from paragone.errors import InvalidConfig, InvalidEvidence
from paragone.ratings.elo import ELO_PER_NAT
from paragone.ratings.evidence import Floats, Ints
from paragone.ratings.fit_types import FitOptions
from paragone.ratings.inference.lattice import Axis, Weighted, averaged
from paragone.ratings.intervals import rank_intervals, ranks
from paragone.ratings.model.curvature import lapack, one_thread
from paragone.ratings.model.moving_model import Mode, MovingModel, Scales
from paragone.ratings.score_pairs import PAIR_WEIGHT, AgentVersions, ScoreColumns

MOST_DRIFT = 3.0
"""Nats, some 520 Elo points: as much as strengths differ at all."""
LEAST = 0.05
"""Nats, some 9 Elo points: changes below count as none."""

SHARES = ((0.0, 0.1), (0.25, 0.1), (0.5, 0.2), (0.75, 0.3), (0.9, 0.2), (0.97, 0.1))
"""How much of a starting rating may count, and how likely each is before a debate: whoever gives one trusts it."""

_MOST_FITS = 200
_LEAST_FITS = 25
_WORK = 1e9


@dataclass(frozen=True, kw_only=True, slots=True)
class MovingOptions:
    """Parameters of a fit of strengths that change.

    Attributes:
        every: Debates in a period of the random walk; None for strengths that new versions alone change.
        drift: Standard deviation of what a new version changes, in nats; None takes it from the evidence.
        walk: Standard deviation of what a period changes; None takes it from the evidence.
        tau: Standard deviation of deviations by domain; None takes it from the evidence.
        share: How much of a starting rating counts, from 0 to 1; None takes it from the evidence.
        spread: Standard deviation of strengths at first, in nats; None takes it from the evidence.
        drift_mean: Mean of the exponential hyper-prior of the drift, in nats.
        walk_mean: And of the walk's.
        tau_mean: And of tau's.
        level: Probability that intervals are meant to hold.
        draws: Posterior draws.
        strengths: ``spread_center``, ``spread_width`` and ``spread_most``.

    Raises:
        InvalidConfig: If a parameter is out of its range.
    """

    every: int | None = None
    drift: float | None = None
    walk: float | None = None
    tau: float | None = None
    share: float | None = None
    spread: float | None = None
    drift_mean: float = 0.75
    walk_mean: float = 0.2
    tau_mean: float = 0.75
    level: float = 0.95
    draws: int = 1000
    strengths: FitOptions = field(default_factory=FitOptions)

    def __post_init__(self) -> None:
        if self.every is not None and self.every < 1:
            raise InvalidConfig(f"a period of a random walk has at least one debate, not {self.every}")
        for name in ("drift", "walk", "tau", "share", "spread"):
            value = getattr(self, name)
            if value is not None and not 0.0 <= value < math.inf:
                raise InvalidConfig(f"{name} must be a number from 0, not {value}")
        for name in ("drift_mean", "walk_mean", "tau_mean"):
            if not 0.0 < getattr(self, name) < math.inf:
                raise InvalidConfig(f"{name} must be a positive number, not {getattr(self, name)}")
        if not 0.0 < self.level < 1.0:
            raise InvalidConfig(f"an interval's level lies strictly between 0 and 1, not {self.level}")
        if self.draws < 1:
            raise InvalidConfig(f"draws must be at least 1, not {self.draws}")


@dataclass(frozen=True, kw_only=True, eq=False, slots=True)
class MovingStrengths:
    """Strengths of today. Row 0 is what all domains have in common, or all debates; row d + 1 is domain d.

    All but those of newcomers are against the average of the pool in that row.

    Attributes:
        agents: Names of the agents.
        domains: Names of the domains; none where all debates count alike.
        strength: In nats, of mean 0 in each row, shape (1 + domains, agents).
        standard_error: Of each, shape (1 + domains, agents).
        low: Lower ends of the intervals.
        high: Upper ends.
        rank: Rank from 1 in each row, best first; equal strengths share one.
        rank_low: Best rank of each interval.
        rank_high: Worst rank.
        sample: Draws of the strengths, in nats, shape (1 + domains, draws, agents).
        newcomer: Draws of the strength of an agent of which nothing is known, shape (1 + domains, draws).
        scales: The average of each scale.
        unchanged: Probability that new versions change nothing that counts; None where nobody has a new version.
        fits: Over how many values of the scales was averaged.
        gradient_norm: Largest component of the gradient of any of the fits.
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
    newcomer: Floats
    scales: Scales
    unchanged: float | None
    fits: int
    gradient_norm: float
    options: MovingOptions

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
            "name": "bradley-terry-davidson with strengths that change",
            "pair_weight": PAIR_WEIGHT,
            "prior_spread": self.scales.spread,
            "drift": self.scales.drift,
            "unchanged": self.unchanged,
            "walk": self.scales.walk,
            "every": self.options.every,
            "tau": self.scales.tau,
            "start_share": self.scales.share,
            "level": self.options.level,
            "draws": self.options.draws,
            "fits": self.fits,
            "gradient_norm": self.gradient_norm,
        }


_DEFAULTS = MovingOptions()


@one_thread
def fit_moving(
    columns: ScoreColumns, options: MovingOptions = _DEFAULTS, *, by_domain: bool, rng: np.random.Generator
) -> MovingStrengths:
    """Strengths of today from all debates, as far as versions, periods and starting ratings say that they changed.

    Args:
        columns: The debates in the order of record, with the history of their agents.
        options: Parameters of the fit.
        by_domain: Whether strengths deviate by domain; if not, all debates count alike.
        rng: Source of randomness, for draws alone.

    Raises:
        InvalidEvidence: If there are no agents.
        NotConverged: If an optimum was not reached in the steps allowed.
    """
    if not columns.agents:
        raise InvalidEvidence("there are no agents to rate")
    history = columns.history or AgentVersions.none(columns.match.size, len(columns.agents))
    by_domain = by_domain and bool(columns.domains)
    model = MovingModel.of(columns, history, every=options.every, domains=by_domain, nat=ELO_PER_NAT)
    fits = averaged(_axes(model, history, options), _fitting(model), most=_most_fits(model))
    rows = [_row(model, fits, row, options, rng) for row in range(1 + len(columns.domains) * by_domain)]
    moments = _scales(fits)
    unchanged = math.fsum(each.weight for each in fits if each.fit.scales.drift == 0.0)
    return MovingStrengths(
        agents=columns.agents,
        domains=columns.domains if by_domain else (),
        **{name: np.stack([row[name] for row in rows]) for name in rows[0]},
        scales=moments,
        unchanged=round(unchanged, SCALE_DECIMALS) if history.current.any() else None,
        fits=len(fits),
        gradient_norm=max(each.fit.gradient_norm for each in fits),
        options=options,
    )


def _fitting(model: MovingModel) -> "Callable[[tuple[float, ...], Mode | None], Mode]":
    """Makes the fit at some scales, from that of near ones."""

    def fit(values: tuple[float, ...], near: Mode | None) -> Mode:
        spread, drift, walk, tau, share = values
        scales = Scales(spread=spread, drift=drift, walk=walk, tau=tau, share=share)
        return model.mode(scales, np.zeros(model.initial.size) if near is None else near.z)

    return fit


def _axes(model: MovingModel, history: AgentVersions, options: MovingOptions) -> tuple[Axis, ...]:
    """Values of spread, drift, walk, tau and share; one alone where there is nothing that it could change."""
    prior = options.strengths.spread_prior
    spread = (
        Axis.log_normal(center=prior.center, width=prior.width, most=prior.most)
        if options.spread is None
        else Axis.given(options.spread)
    )
    drift = _changing(options.drift, options.drift_mean, is_present=bool(model.versions.any()))
    walk = _changing(options.walk, options.walk_mean, is_present=bool(model.periods.any()))
    tau = _changing(options.tau, options.tau_mean, is_present=bool(model.deviating.any()))
    share = Axis.given(0.0 if options.share is None else options.share)
    if options.share is None and not np.isnan(history.start).all():
        values, masses = zip(*SHARES, strict=True)
        share = Axis(values=values, log_prior=tuple(map(math.log, masses)), first=len(values) // 2)
    return spread, drift, walk, tau, share


def _changing(scale: float | None, mean: float, *, is_present: bool) -> Axis:
    if scale is not None or not is_present:
        return Axis.given(0.0 if scale is None else scale)
    return Axis.exponential(mean=mean, least=LEAST, most=MOST_DRIFT)


def _most_fits(model: MovingModel) -> int:
    """How many fits are made at most: fewer of a large model, whose evidence leaves its scales less open."""
    return max(_LEAST_FITS, min(_MOST_FITS, int(_WORK / max(model.initial.size, 1) ** 3)))


def _scales(fits: tuple[Weighted[Mode], ...]) -> Scales:
    def mean(name: str) -> float:
        return round(math.fsum(each.weight * getattr(each.fit.scales, name) for each in fits), SCALE_DECIMALS)

    return Scales(spread=mean("spread"), drift=mean("drift"), walk=mean("walk"), tau=mean("tau"), share=mean("share"))


def _row(
    model: MovingModel, fits: tuple[Weighted[Mode], ...], row: int, options: MovingOptions, rng: np.random.Generator
) -> dict[str, Any]:
    """Strengths less the average, errors, intervals and ranks of one row, averaged over the fits."""
    agents = len(model.today)
    mean, square = np.zeros(agents), np.zeros(agents)
    sample, newcomer = np.empty((options.draws, agents)), np.empty(options.draws)
    # Rounded before the cut, or a last bit of a weight would move a draw from one fit to the next.
    shares = rounded(np.cumsum([each.weight for each in fits]), SHARE_DECIMALS)
    ends = np.round(shares * options.draws).astype(int)
    for each, start, end in zip(fits, [0, *ends], ends, strict=False):
        center, variance, drawn, level = _posterior(model, each.fit, row, rng.standard_normal, end - start)
        mean += each.weight * center
        square += each.weight * (variance + center**2)
        sample[start:end] = drawn
        newcomer[start:end] = (
            math.hypot(each.fit.scales.spread, each.fit.scales.tau * (row > 0)) * rng.standard_normal(end - start)
            - level
        )
    error = np.sqrt(np.maximum(square - mean**2, 0.0))
    strength, sample = rounded(mean, STRENGTH_DECIMALS), rounded(sample, DRAW_DECIMALS)
    rank, reach = ranks(strength), NormalDist().inv_cdf((1 + options.level) / 2)
    best, worst = rank_intervals(sample, options.level, rank)
    return {
        "strength": strength,
        "standard_error": error,
        "low": strength - reach * error,
        "high": strength + reach * error,
        "rank": rank,
        "rank_low": best,
        "rank_high": worst,
        "sample": sample,
        "newcomer": rounded(newcomer, DRAW_DECIMALS),
    }


def _posterior(
    model: MovingModel, mode: Mode, row: int, normal: Callable[[tuple[int, int]], Floats], count: int
) -> tuple[Floats, Floats, Floats, Floats]:
    """Strengths of one fit less their average, variances of these, draws of them, and of the average itself."""
    prior, loadings, beyond = model.strengths(mode.scales, row)
    agents = prior.size
    strength, centred = prior + loadings @ mode.z, loadings - loadings.mean(axis=0)
    roots = lapack().dtrtrs(mode.factor, np.asfortranarray(centred.T), lower=1)[0]
    # Of independent parts less their average: 1 - 2 / n of its own, and an n-th of the mean of all.
    own = beyond * (1.0 - 2.0 / agents) + beyond.sum() / agents**2
    drawn = lapack().dtrtrs(mode.factor, normal((mode.z.size, count)), lower=1, trans=1)[0]
    away = loadings @ drawn + np.sqrt(beyond)[:, None] * normal((agents, count))
    level = strength.mean() + away.mean(axis=0)
    draws = strength[:, None] + away - level
    return strength - strength.mean(), (roots**2).sum(axis=0) + own, draws.T, level
