"""A fit of strengths: what it is asked, its options and priors, and what it answers."""

import math
from collections.abc import Collection
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np

from paragone.errors import InvalidConfig
from paragone.ratings.evidence import Evidence, Floats, Ints
from paragone.ratings.model.covariates import PriorShape
from paragone.ratings.model.likelihood import Panel

MOST_SPREAD = 100.0
"""A prior of this spread, in nats, is no longer informative; a wider one only costs digits."""
_SPREAD_PRIOR = ("spread_center", "spread_width", "spread_most")
_AT_BOUND = 1e-9


@dataclass(frozen=True, kw_only=True, slots=True)
class SpreadPrior:
    """The hyper-prior of the prior's spread: log-normal around ``center`` nats, ``width`` in log units.

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


@dataclass(frozen=True, kw_only=True, slots=True)
class FitOptions:
    """Parameters of a fit.

    Attributes:
        position: Whether judges have a position term; or the identities of those that have one. Switch it off where the
            order of presentation was not recorded: the fit is then the same whichever side of a row an item is on.
        slope: Whether judges, where there are several, have a slope each: how sharply each tells items apart.
        repeats: Whether to find out what answers to the same pair have in common, so that they count for as much as
            they tell and intervals hold for a judge whose preferences go round in circles; see ``Repeats``. Or the
            identities of the judges for whom a repeat is the same question; answers of all others are independent.
            Where no pair was asked twice by one judge it changes nothing.
        spread: Standard deviation of the strengths before evidence, in nats, at most 100; None takes it from the
            evidence.
        spread_center: Where the hyper-prior of the spread has its median, in nats; a pilot of the judge may say better.
        spread_width: Its standard deviation in log units.
        spread_most: The largest spread that evidence may bring about, in nats. A judge that never errs would otherwise
            drive the items apart without end; at the bound the spread counts as given and the scale as not identified.
        no_signal: Probability, before evidence, that all items are equal and every difference is chance; strengths and
            draws are then averaged over this and all spreads. At 0 they are those of the best spread.
        dispersion: Dispersion of soft verdicts; None estimates one for each judge.
        widening: Factor on every standard error, for variance that the comparisons cannot show, such as that of judges
            who contradict themselves.
        max_iterations: Newton steps allowed in all.
        tolerance: Bound on each component of the gradient, as a share of the weight that bears on one parameter.
        dense_limit: Up to this many parameters the curvature is a full matrix and exact; above, it is sparse and its
            determinant and standard errors are estimates.
        shape: What is known of the strengths before evidence, beside their spread; see ``side_information``. The
            curvature is then a full matrix, whatever ``dense_limit``.

    Raises:
        InvalidConfig: If a parameter is out of its range.
    """

    position: bool | frozenset[str] = True
    slope: bool = True
    repeats: bool | frozenset[str] = False
    spread: float | None = None
    spread_center: float = 1.5
    spread_width: float = 1.0
    spread_most: float = 6.0
    no_signal: float = 0.0
    dispersion: float | None = None
    widening: float = 1.0
    max_iterations: int = 1000
    tolerance: float = 1e-10
    dense_limit: int = 1500
    shape: PriorShape | None = None

    def __post_init__(self) -> None:
        for name in ("spread", *_SPREAD_PRIOR, "dispersion", "widening", "tolerance"):
            value = getattr(self, name)
            if value is not None and not (math.isfinite(value) and value > 0):
                raise InvalidConfig(f"{name} must be a positive number, not {value}")
        if self.spread is not None and self.spread > MOST_SPREAD:
            raise InvalidConfig(f"spread must be at most {MOST_SPREAD:g} nats, not {self.spread}")
        if self.spread_most > MOST_SPREAD:
            raise InvalidConfig(f"spread_most must be at most {MOST_SPREAD:g} nats, not {self.spread_most}")
        if not 0.0 <= self.no_signal < 1.0:
            raise InvalidConfig(f"no_signal must be a probability below 1, not {self.no_signal}")
        for name in ("max_iterations", "dense_limit"):
            if getattr(self, name) < 0:
                raise InvalidConfig(f"{name} must be 0 or more, not {getattr(self, name)}")

    @property
    def spread_prior(self) -> SpreadPrior:
        """The hyper-prior of the spread."""
        return SpreadPrior(center=self.spread_center, width=self.spread_width, most=self.spread_most)

    def positioned(self, judges: Collection[str]) -> Collection[str]:
        """Which of these judges have a position term."""
        return _chosen(self.position, judges)

    def repeating(self, judges: Collection[str]) -> Collection[str]:
        """For which of these judges answers to one pair may have something in common."""
        return _chosen(self.repeats, judges)


def _chosen(choice: bool | frozenset[str], judges: Collection[str]) -> Collection[str]:
    if isinstance(choice, bool):
        return judges if choice else ()
    return choice


@dataclass(frozen=True, kw_only=True, slots=True)
class Repeats:
    """What answers to the same pair have in common; the defaults are those of a judge that is asked nothing twice.

    Attributes:
        pair_effect: Standard deviation of what belongs to a pair and not to its items, in nats: posterior mean.
        pair_effect_se: Its posterior standard deviation.
        stretch: What strengths and position terms were multiplied by for it: the average over many pairs is less
            decided than any one of them.
        stretch_se: Standard deviation of that factor.
        across: Correlation of two answers to a pair in two orders.
        stickiness: Correlation of two answers to a pair in one order: 1 where a judge never changes its mind.
        pairs: Pairs that one judge was asked in both orders.
    """

    pair_effect: float = 0.0
    pair_effect_se: float = 0.0
    stretch: float = 1.0
    stretch_se: float = 0.0
    across: float = 0.0
    stickiness: float = 0.0
    pairs: int = 0


@dataclass(frozen=True, kw_only=True, eq=False, slots=True)
class Fit:
    """Strengths, and what the evidence says about the judges.

    Uncertainty is that of an item against the average of the pool: only the prior pins the average itself.

    Attributes:
        strength: Strength of each item in nats, of mean 0, shape (items,).
        standard_error: Of each strength less the pool's average.
        covariance: Of the strengths less their average, shape (items, items); None above ``options.dense_limit``.
        judges: Identities of the judges.
        position: Log-odds in favour of the item shown first, in nats, by judge; NaN where there is no such term.
        position_se: Its standard error.
        place: What the item at each place of a judge's lists gains by it, in nats, of mean 0, shape (judges, longest);
            NaN where the judge has no lists so long, or the places are not known.
        place_se: Its standard error.
        tie: Log tie parameter by judge; -inf for a judge that gave no ties. Between equals a share of
            exp(tie) / (2 + exp(tie)) are ties.
        tie_se: Its standard error; NaN where there is no such parameter.
        slope: What each judge multiplies differences in strength by, relative to the others: their product is 1. All 1
            where one judge was heard.
        slope_se: Standard error of its logarithm; 0 where it is not estimated.
        repeats: What answers to the same pair have in common, where that was asked for.
        dispersion: Variance of soft verdicts relative to decisions, by judge; 1 where there are none.
        panel: What the terms of several judges have in common, and what is held of a judge who was not heard.
        prior_spread: Standard deviation of the prior of the strengths, in nats.
        log_spread_se: Standard error of its logarithm; 0 where it was given or is at its bound. It is part of the
            standard errors.
        log_likelihood: Of the evidence at the optimum, soft verdicts divided by their dispersion.
        log_evidence: Laplace's approximation to the log marginal likelihood.
        gradient_norm: Largest component of the gradient of the log posterior.
        iterations: Newton steps taken.
        converged: Whether the gradient is as small as was asked.
        components: Number of parts that no comparison ties together.
        component: Part of each item, shape (items,).
        identified: Whether the evidence ties all items together and fixes the scale. The scale counts as fixed where
            one standard error of the prior's spread moves it by no more than a quarter, and something (a tie, a doubt,
            an upset) keeps the items from drifting ever further apart.
        evidence: What it was made of; answers to the same pair may weigh less than they did, see ``repeats``.
        options: The parameters that made it.
        no_signal: Probability that all items are equal; 0 where the options do not allow for it.
        mode: The fit under the best spread, where this one is averaged over spreads: its strengths are the optimum.
        parts: The fits that this one is the average of, where there are several or something is taken out of them.
        removed: What was taken out of each strength, in nats, shape (items,); None for nothing.
        effects: Of the differences between the sides of comparisons, in nats for one unit each, shape (kinds,).
        effects_se: Their standard errors.
    """

    strength: Floats
    standard_error: Floats
    covariance: Floats | None
    judges: tuple[str, ...]
    position: Floats
    position_se: Floats
    place: Floats
    place_se: Floats
    tie: Floats
    tie_se: Floats
    slope: Floats
    slope_se: Floats
    repeats: Repeats
    dispersion: Floats
    panel: Panel
    prior_spread: float
    log_spread_se: float
    log_likelihood: float
    log_evidence: float
    gradient_norm: float
    iterations: int
    converged: bool
    components: int
    component: Ints
    identified: bool
    evidence: Evidence
    options: FitOptions
    no_signal: float = 0.0
    mode: "Fit | None" = None
    parts: "tuple[FitPart, ...]" = ()
    removed: Floats | None = None
    effects: Floats = field(default_factory=lambda: np.zeros(0))
    effects_se: Floats = field(default_factory=lambda: np.zeros(0))

    @property
    def method(self) -> dict[str, Any]:
        """Name and parameters of the fit as plain values, ready for JSON."""
        position = self.options.position
        return {
            "name": "bradley-terry-davidson",
            "prior_spread": self.prior_spread,
            "no_signal": {"prior": self.options.no_signal, "posterior": self.no_signal},
            "spread": "evidence" if self.options.spread is None else "given",
            "position": position if isinstance(position, bool) else sorted(position),
            "dispersion": dict(zip(self.judges, self.dispersion.tolist(), strict=True)),
            "slope": dict(zip(self.judges, self.slope.tolist(), strict=True)),
            "repeats": asdict(self.repeats) if self.options.repeats else None,
            "widening": self.options.widening,
            "form": "sparse" if self.covariance is None else "dense",
            "gradient_norm": self.gradient_norm,
            "iterations": self.iterations,
        }


@dataclass(frozen=True, kw_only=True, eq=False, slots=True)
class Removal:
    """How the effect of columns is taken out of strengths: what is left of t is ``t - values (gain (t - mean) + e)``.

    Attributes:
        values: The columns, shape (items, columns).
        gain: The expected effect of each column, in nats, from strengths less their mean before evidence, shape
            (columns, items).
        mean: Of the strengths before evidence, in nats, shape (items,).
        root: A root of the covariance of the effects when the strengths are known: e is ``root`` times standard
            normals, shape (columns, columns).
    """

    values: Floats
    gain: Floats
    mean: Floats
    root: Floats

    def effect(self, strength: Floats) -> Floats:
        """Expected effects of strengths of shape (..., items), shape (..., columns)."""
        effect: Floats = (strength - self.mean) @ self.gain.T
        return effect


@dataclass(frozen=True, kw_only=True, eq=False, slots=True)
class FitPart:
    """A fit that is averaged with others.

    Attributes:
        weight: Its share.
        fit: The fit.
        removal: What is taken out of its strengths; None for nothing.
    """

    weight: float
    fit: Fit
    removal: Removal | None = None

    def left(self, strength: Floats) -> Floats:
        """What is expected to be left of its strengths."""
        return strength if self.removal is None else strength - self.removal.effect(strength) @ self.removal.values.T
