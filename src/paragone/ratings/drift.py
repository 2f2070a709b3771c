"""Whether a judge answered by other strengths in the second half of its answers than in the first.

A judge that drifts leaves residuals that go one way early and the other way late. With h = -1/2 for the first half of a
judge's answers and 1/2 for the second, the score of a change of strengths between the halves is s = sum h r (e_a - e_b)
over its answers, r the residual of each. If there is no drift its covariance is V, and s's has the mean tr V and the
variance 2 tr V^2; a change of standard deviation tau an item adds tau^2 tr V^2 to the mean. So one sum tests for drift
and estimates it, whatever it does to which item.

Evidence is in the order of record, which is that of time wherever answers are recorded as they come.

Source: X. Lin (1997), "Variance component testing in generalised linear models with random effects", Biometrika 84; F.
E. Satterthwaite (1946), "An approximate distribution of estimates of variance components", Biometrics Bulletin 2.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np

from paragone.domain.rounding import SHARE_DECIMALS
from paragone.ratings.evidence import Bools, Floats, Ints
from paragone.ratings.fit_types import Fit
from paragone.ratings.inference.repeats import SHRINK
from paragone.ratings.model.curvature import one_thread
from paragone.ratings.model.davidson import Davidson
from paragone.ratings.model.likelihood import totals

SIGNIFICANT = 0.01
"""Probability, were there no drift, of what is taken for drift."""
LEAST_ANSWERS = 40
MOST_ITEMS = 1000
"""A larger pool is not looked at: the work grows with the cube."""
MOST_JUDGES = 30


@dataclass(frozen=True, kw_only=True, slots=True)
class Drift:
    """How the strengths behind a judge's answers moved from their first to their second half.

    Attributes:
        size: Standard deviation of the change over the items, in nats.
        p: Probability of so much, were there none.
    """

    size: float
    p: float

    @property
    def is_clear(self) -> bool:
        """Whether it is more than chance."""
        return self.p < SIGNIFICANT


@one_thread
def drifts(fitted: Fit) -> dict[str, Drift]:
    """The drift of each judge with enough answers, by identity; of nobody in large pools.

    Args:
        fitted: The fit, its evidence in the order of record.
    """
    evidence, at = fitted.evidence, fitted.mode or fitted
    busy = np.flatnonzero(np.bincount(evidence.judge, minlength=len(evidence.judges)) >= LEAST_ANSWERS)
    if not busy.size or evidence.item_count > MOST_ITEMS or busy.size > MOST_JUDGES:
        return {}
    residual, variance = _residuals(at)
    return {evidence.judges[judge]: _drift(at, evidence.judge == judge, residual, variance) for judge in busy.tolist()}


def stretch(fitted: Fit, by_judge: Mapping[str, Drift]) -> float:
    """What differences in strength come out too small by under the drifts that are clear; 1 where none is.

    With a change of standard deviation tau an item, half of it taken off first and added later, the difference of two
    items goes up and down by a standard deviation of tau / sqrt(2). The average of such answers is less decided than
    any of them, as for effects of pairs (``repeats``).

    Args:
        fitted: The fit, which took every judge for steady.
        by_judge: Its drifts.
    """
    sizes = {judge: drift.size for judge, drift in by_judge.items() if drift.is_clear}
    if not sizes:
        return 1.0
    evidence = fitted.evidence
    weight = np.bincount(evidence.judge, evidence.weight, len(evidence.judges))
    size = np.array([sizes.get(judge, 0.0) for judge in evidence.judges])
    decided = float(weight @ (1 / np.sqrt(1 + SHRINK * size**2 / 2))) / float(weight.sum())
    return round(1 / decided, SHARE_DECIMALS)


def _residuals(fitted: Fit) -> tuple[Floats, Floats]:
    """Of each answer, what its score is above what was expected, and its variance; by weight."""
    evidence, stretch = fitted.evidence, fitted.repeats.stretch
    strength = fitted.strength / stretch
    gap = fitted.slope[evidence.judge] * (strength[evidence.first] - strength[evidence.second])
    bias = np.nan_to_num(fitted.position / stretch)[evidence.judge]
    outcome = Davidson.at(gap + bias, np.where(evidence.soft, -np.inf, fitted.tie[evidence.judge]))
    spread = np.where(evidence.soft, fitted.dispersion[evidence.judge], 1.0)
    slope = fitted.slope[evidence.judge]
    residual = slope * evidence.weight * (evidence.score - 0.5 - outcome.margin / 2)
    return residual, slope**2 * evidence.weight * spread * outcome.variance


def _drift(fitted: Fit, own: Bools, residual: Floats, variance: Floats) -> Drift:
    evidence, items = fitted.evidence, fitted.evidence.item_count
    first, second = evidence.first[own], evidence.second[own]
    half = np.where(np.arange(first.size) < first.size / 2, -0.5, 0.5)
    score = totals(first, half * residual[own], items) - totals(second, half * residual[own], items)
    within = _laplacian(first, second, half**2 * variance[own], items)
    across = _laplacian(first, second, half * variance[own], items)
    # The strengths were fitted to the same answers, which takes up part of the scores where the halves are not alike.
    curvature = _laplacian(evidence.first, evidence.second, variance, items)
    curvature += np.eye(items) / max(fitted.prior_spread, 1e-3) ** 2
    covariance = within - across @ np.linalg.solve(curvature, across)
    mean, square = float(np.trace(covariance)), float((covariance**2).sum())
    if not square > 0.0:
        return Drift(size=0.0, p=1.0)
    excess = float(score @ score) - mean
    # A sum of weighted squares is close to a multiple of a chi-square of the same mean and variance.
    p = _tail(max(0.0, mean + excess) * mean / square, mean**2 / square)
    return Drift(size=round(math.sqrt(max(excess, 0.0) / square), SHARE_DECIMALS), p=round(p, SHARE_DECIMALS))


def _tail(value: float, degrees: float) -> float:
    """Probability that a chi-square of so many degrees of freedom is larger, by its cube root (Wilson, Hilferty)."""
    scale = 2 / (9 * degrees)
    return NormalDist().cdf(-((value / degrees) ** (1 / 3) - (1 - scale)) / math.sqrt(scale))


def _laplacian(first: Ints, second: Ints, weight: Floats, items: int) -> Floats:
    """Sum of weight (e_a - e_b)(e_a - e_b)' over the rows."""
    across = totals(first * items + second, weight, items**2).reshape(items, items)
    across = across + across.T
    result: Floats = np.diag(across.sum(axis=1)) - across
    return result
