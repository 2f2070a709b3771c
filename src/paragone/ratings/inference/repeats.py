"""What answers to the same pair have in common, and what follows for the fit.

The likelihood takes every answer for a new one. Two things may be otherwise. A judge may give the same answer whenever
it sees the same pair in the same order: then a repeat tells nothing (``stickiness``, the correlation of such answers).
And a pair may have a say of its own, in both orders the same, that the strengths know nothing of, so that preferences
go round in circles (``pair_effect``, its standard deviation in nats). Such effects do two things to a fit that does not
know of them: answers to one pair count for too much, and as the average of many pairs is less decided than any one, all
differences come out too small (``stretch``).

Both are estimated from the products of residuals of answers to the same pair by the same judge. Soft verdicts are left
out: their dispersion holds what scatters, pair by pair or not.

Source: the logistic of a sum with a normal variable, S. L. Zeger, K.-Y. Liang, P. S. Albert (1988), "Models for
longitudinal data: a generalized estimating equation approach", Biometrics 44.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache

import numpy as np

from paragone.domain.rounding import STRENGTH_DECIMALS, rounded
from paragone.ratings.evidence import Bools, Evidence, Floats, Ints
from paragone.ratings.fit_types import Fit, Repeats
from paragone.ratings.model.davidson import Davidson
from paragone.ratings.model.likelihood import Rows, merge, totals

PAIR_SPREAD = 0.8
"""Scale of the half-normal belief about a pair effect's standard deviation before evidence, in nats."""
STICKY_ODDS = 1 / 9
"""Odds, before evidence, that repeats are correlated at all; how much is then as likely as any other."""
# The square of Zeger, Liang and Albert's c: averaged over a normal of standard deviation s, logistic(x) is about
# logistic(x / sqrt(1 + c^2 s^2)).
SHRINK = (16 * math.sqrt(3) / (15 * math.pi)) ** 2
_EFFECTS = np.linspace(0.0, 3.0, 31)
_CORRELATIONS = np.linspace(0.0, 1.0, 41)
_MOST_PAIRS = 20_000
_BLOCK = 20_000
_LEAST = 1e-12
_NOTICED = 0.01
_DECIMALS = 8


DifferenceVariance = Callable[[Ints, Ints], Floats]


@dataclass(frozen=True, kw_only=True, eq=False, slots=True)
class _Residuals:
    """What a fit left unexplained of the answers to pairs that were asked more than once; a row as in ``Rows``.

    Attributes:
        rows: The answers, added up.
        x: Log-odds of the item shown first.
        tie: Log tie parameter.
        mean: Mean residual of the score.
        product: Sum of the products of residuals of two different answers.
        variance: Of one answer's score.
        leverage: The part of the row's information that the strengths took up.
    """

    rows: Rows
    x: Floats
    tie: Floats
    mean: Floats
    product: Floats
    variance: Floats
    leverage: Floats


def stickiness(fitted: Fit, doubt: DifferenceVariance, repeatable: Bools) -> float:
    """Correlation of answers to one pair in one order by one judge, from what the fit left unexplained.

    Args:
        fitted: The fit, every answer taken for a new one.
        doubt: Variance of the difference in strength between items, in nats squared.
        repeatable: Which answers may be repeats of the same question, shape (comparisons,).
    """
    residuals = _residuals(fitted, _repeated(fitted.evidence, repeatable), doubt)
    repeated = np.flatnonzero((residuals.rows.count > 1) & (residuals.rows.count == residuals.rows.weight))
    correlation = _correlation(residuals, repeated) if repeated.size else 0.0
    return round(correlation, _DECIMALS) if correlation > _NOTICED else 0.0


def repeats(fitted: Fit, doubt: DifferenceVariance, sticky: float, repeatable: Bools) -> Repeats:
    """What the fit left unexplained says about answers to the same pair in two orders.

    Args:
        fitted: The fit, answers discounted for their stickiness, but otherwise taken for new ones.
        doubt: Variance of the difference in strength between items, in nats squared.
        sticky: Correlation of answers in one order.
        repeatable: Which answers may be repeats of the same question, shape (comparisons,).
    """
    residuals = _residuals(fitted, _repeated(fitted.evidence, repeatable), doubt)
    forward, backward = _both_orders(residuals.rows, fitted)
    if not forward.size:
        return Repeats(stickiness=sticky)
    belief, across = _belief(residuals, forward, backward)
    mean, error = _moments(belief, _EFFECTS)
    stretch, stretch_error = _moments(belief, np.sqrt(1 + SHRINK * _EFFECTS**2))
    return Repeats(
        pair_effect=mean,
        pair_effect_se=error,
        stretch=stretch,
        stretch_se=stretch_error,
        across=round(across, _DECIMALS),
        stickiness=sticky,
        pairs=forward.size,
    )


def _moments(belief: Floats, values: Floats) -> tuple[float, float]:
    """Mean and standard deviation, rounded since draws and another fit hang on them."""
    mean = float(belief @ values)
    return round(mean, _DECIMALS), round(math.sqrt(max(float(belief @ (values - mean) ** 2), 0.0)), _DECIMALS)


def discounted(evidence: Evidence, shared: Repeats, repeatable: Bools) -> Evidence:
    """The evidence with answers to the same pair by the same judge weighing less, by as much as they share.

    Args:
        evidence: The evidence.
        shared: What such answers have in common.
        repeatable: Which answers may be repeats of the same question, shape (comparisons,); others keep their weight.
    """
    if shared.across == 0.0 and shared.stickiness == 0.0:
        return evidence
    pair = _pairs(evidence)
    own = evidence.soft | ~repeatable
    counted = np.where(own, 0.0, evidence.weight)
    same = _sums(pair * 2 + (evidence.first < evidence.second), counted)
    new = (evidence.weight == 1.0) & ~own
    # The design effect of a cluster: n answers correlated by rho tell as much as n / (1 + rho (n - 1)) independent
    # ones. Answers that already have another weight are not discounted for it.
    factor = np.where(new, 1 / (1 + shared.stickiness * np.maximum(same - 1, 0.0)), 1.0)
    turned = np.maximum(_sums(pair, counted * factor) - same * factor, 0.0)
    factor = np.where(own, 1.0, factor / (1 + shared.across * turned))
    return replace(evidence, weight=evidence.weight * factor)


def stretched(fitted: Fit, shared: Repeats) -> Fit:
    """The fit with its strengths and terms of positions and places stretched, and their errors made to hold how far."""
    wider, doubt = shared.stretch, shared.stretch_se
    covariance = fitted.covariance
    if covariance is not None:
        covariance = wider**2 * covariance + doubt**2 * np.outer(fitted.strength, fitted.strength)
    return replace(
        fitted,
        strength=rounded(wider * fitted.strength, STRENGTH_DECIMALS),
        standard_error=np.hypot(wider * fitted.standard_error, doubt * fitted.strength),
        covariance=covariance,
        position=rounded(wider * fitted.position, STRENGTH_DECIMALS),
        position_se=np.hypot(wider * fitted.position_se, doubt * fitted.position),
        place=rounded(wider * fitted.place, STRENGTH_DECIMALS),
        place_se=np.hypot(wider * fitted.place_se, doubt * fitted.place),
        repeats=shared,
    )


def _pairs(evidence: Evidence) -> Ints:
    """A number for each pair and judge, whatever the order."""
    low, high = np.minimum(evidence.first, evidence.second), np.maximum(evidence.first, evidence.second)
    numbers: Ints = (low * evidence.item_count + high) * max(len(evidence.judges), 1) + evidence.judge
    return numbers


def _repeated(evidence: Evidence, repeatable: Bools) -> Bools:
    """Decided answers of some weight to pairs that the same judge was asked more than once; not too many of them."""
    decided = repeatable & ~evidence.soft & (evidence.weight > 0)
    _, group, count = np.unique(_pairs(evidence)[decided], return_inverse=True, return_counts=True)
    number = np.where(count > 1, np.cumsum(count > 1), 0)[group]
    result = np.zeros(evidence.first.size, dtype=np.bool_)
    step = max(-(-int(number.max(initial=0)) // _MOST_PAIRS), 1)
    result[decided] = (number > 0) & (number % step == 0)
    return result


def _sums(keys: Ints, values: Floats) -> Floats:
    """At each place, the sum of the values with the same key."""
    group = np.unique(keys, return_inverse=True)[1]
    return totals(group, values, int(group.max(initial=-1)) + 1)[group]


def _both_orders(rows: Rows, fitted: Fit) -> tuple[Ints, Ints]:
    """Rows of one pair and one judge in two orders, each pair once."""
    judges, items = len(fitted.judges), fitted.strength.size
    key = (rows.first * items + rows.second) * judges + rows.judge
    mirror = (rows.second * items + rows.first) * judges + rows.judge
    up, down = np.flatnonzero(rows.first < rows.second), np.flatnonzero(rows.first > rows.second)
    _, forward, backward = np.intersect1d(key[up], mirror[down], assume_unique=True, return_indices=True)
    return up[forward], down[backward]


def _residuals(fitted: Fit, chosen: Bools, doubt: DifferenceVariance) -> _Residuals:
    evidence = fitted.evidence
    rows = merge(evidence, used=chosen)
    slope, tie = fitted.slope[rows.judge], fitted.tie[rows.judge]
    x = (
        slope * (fitted.strength[rows.first] - fitted.strength[rows.second])
        + np.nan_to_num(fitted.position)[rows.judge]
    )
    outcome = Davidson.at(x, tie)
    gap, variance = outcome.margin / 2, np.maximum(outcome.variance, _LEAST)
    total = rows.lead - gap * rows.weight
    squares = rows.square - 2 * gap * rows.lead + gap**2 * rows.weight
    share = rows.weight * variance * slope**2 * doubt(rows.first, rows.second)
    return _Residuals(
        rows=rows,
        x=x,
        tie=tie,
        mean=total / rows.weight,
        # Over all pairs of different answers: sum_ij r_i r_j - sum_i r_i^2.
        product=total**2 - squares,
        variance=variance,
        leverage=np.clip(share, 0.0, 1.0),
    )


def _correlation(residuals: _Residuals, chosen: Ints) -> float:
    """Posterior mean of the correlation of answers to one pair in one order."""
    asks, leverage, variance = residuals.rows.weight[chosen], residuals.leverage[chosen], residuals.variance[chosen]
    retained = (1 - leverage) ** 2
    observed = float((residuals.product[chosen] + (asks - 1) * leverage * variance).sum())
    expected = float(((asks - 1) * (asks * retained + 1 - retained) * variance).sum())
    scatter = float((2 * asks * (asks - 1) * variance**2 * (retained + 1 / asks) ** 2).sum())
    fitting = -((observed - _CORRELATIONS * expected) ** 2) / (2 * scatter)
    weight = np.exp(fitting - fitting.max())
    weight[0] = weight[0] / STICKY_ODDS
    weight[1:] /= _CORRELATIONS.size - 1
    return float(weight @ _CORRELATIONS / weight.sum())


def _belief(residuals: _Residuals, forward: Ints, backward: Ints) -> tuple[Floats, float]:
    """Posterior of the pair effect over ``_EFFECTS``, and the correlation of answers in two orders that it means."""
    own, other = residuals.leverage[forward], residuals.leverage[backward]
    variance = residuals.variance[forward] * residuals.variance[backward]
    asks = residuals.rows.weight[forward] * residuals.rows.weight[backward]
    overlap = np.sqrt(own * other * variance / asks)
    observed = float((overlap - residuals.mean[forward] * residuals.mean[backward]).sum())
    retained = (1 - own) * (1 - other) + own * other
    scatter = float((variance * retained / asks).sum())
    shared = _shared(residuals, forward, backward)
    expected, spread = retained @ shared, scatter + retained @ shared**2
    fitting = -((observed - expected) ** 2) / (2 * spread) - np.log(spread) / 2 - _EFFECTS**2 / (2 * PAIR_SPREAD**2)
    weight = np.exp(fitting - fitting.max())
    # A half-normal prior times a normal likelihood whose variance depends on the effect, on a grid.
    belief: Floats = weight / weight.sum()
    return belief, float(belief @ (shared.sum(axis=0) / np.sqrt(variance).sum()))


def _shared(residuals: _Residuals, forward: Ints, backward: Ints) -> Floats:
    """Covariance of the scores in two orders under each pair effect, shape (pairs, effects)."""
    nodes, weights = _quadrature()
    result = np.empty((_EFFECTS.size, forward.size))
    size = max(1, _BLOCK // (forward.size * nodes.size))
    for start in range(0, _EFFECTS.size, size):
        some = slice(start, start + size)
        effects = _EFFECTS[some, None, None]
        wider = np.sqrt(1 + SHRINK * effects**2)
        ahead, back = (
            Davidson.at(wider * residuals.x[rows, None] + sign * effects * nodes, residuals.tie[rows, None]).margin / 2
            for rows, sign in ((forward, 1.0), (backward, -1.0))
        )
        result[some] = (ahead @ weights) * (back @ weights) - (ahead * back) @ weights
    return result.T


@cache
def _quadrature() -> tuple[Floats, Floats]:
    """Nodes and weights of the mean over a standard normal."""
    nodes, weights = np.polynomial.hermite_e.hermegauss(15)  # here, since it takes long to import
    return nodes, weights / weights.sum()
