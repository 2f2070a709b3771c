"""What the judges of a panel have in common, so that one of few answers is taken for one of them.

Position terms of several judges are drawn from a normal of unknown center and spread, log tie parameters from another,
log slopes from a third whose center is 0. Center and spread are estimated from the evidence: each judge's optimum and
its variance, less what the prior put in, are one observation with a normal error, and the spread is averaged over its
marginal posterior on a grid. Judges who say little then behave as one, and those who say much keep their own.

Source: D. V. Lindley, A. F. M. Smith (1972), "Bayes estimates for the linear model", Journal of the Royal Statistical
Society B 34.
"""

import math
from dataclasses import dataclass, replace

import numpy as np

from paragone.ratings.algebra.newton import Optimum
from paragone.ratings.evidence import Floats, Ints
from paragone.ratings.model.posterior import POSITION, SLOPE_SPREAD, TIE, Belief, Hyper, Model, Panel

MOST_EXACT = 30
"""Of so many judges variances are solved for one by one where there is no covariance; those of more are estimated."""
_REACH, _STEPS = 4.0, 81
_LEAST = 1e-6


@dataclass(frozen=True, kw_only=True, slots=True)
class Kind:
    """What is held of a kind of term before evidence.

    Attributes:
        belief: Of the one judge of a fit; its center and spread are also those of a panel's center.
        median: Of the spread among judges.
        width: Standard deviation of that spread's logarithm.
    """

    belief: Belief
    median: float
    width: float


POSITIONS = Kind(belief=POSITION, median=0.5, width=1.0)
TIES = Kind(belief=TIE, median=1.0, width=1.0)
SLOPES = Kind(belief=Belief(center=0.0, spread=0.0), median=SLOPE_SPREAD, width=0.5)
"""Terms of a panel; slopes are relative, so that their center is known."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Pooled:
    """Center and spread of a panel's terms, and the standard errors of the center and of the spread's logarithm."""

    belief: Belief
    error: float
    log_error: float


def pooled(estimates: Floats, information: Floats, kind: Kind) -> Pooled:
    """Center and spread of terms that were seen with normal errors.

    Args:
        estimates: Each judge's term by its own evidence alone, shape (judges,).
        information: One over its variance; 0 where nothing was seen.
        kind: What is held before.
    """
    logs = math.log(kind.median) + kind.width * np.linspace(-_REACH, _REACH, _STEPS)
    error = 1.0 / np.maximum(information, _LEAST)
    weight = 1.0 / (error + np.exp(2 * logs)[:, None])
    center_precision = math.inf if kind.belief.spread == 0.0 else kind.belief.spread**-2
    away, total = estimates - kind.belief.center, weight.sum(axis=1) + center_precision
    center = (weight @ away) / total
    misfit = (weight * (away - center[:, None]) ** 2).sum(axis=1)
    fitting = (np.log(weight).sum(axis=1) - misfit - ((logs - math.log(kind.median)) / kind.width) ** 2) / 2
    if math.isfinite(center_precision):
        fitting -= (np.log(total) + center_precision * center**2) / 2
    share = np.exp(fitting - fitting.max())
    share /= share.sum()
    mean = float(share @ center)
    variance = float(share @ (1.0 / total + (center - mean) ** 2))
    spread, log_mean = float(share @ np.exp(logs)), float(share @ logs)
    return Pooled(
        belief=Belief(center=kind.belief.center + mean, spread=spread),
        error=math.sqrt(variance),
        log_error=math.sqrt(float(share @ (logs - log_mean) ** 2)),
    )


def panel(model: Model, hyper: Hyper, optimum: Optimum) -> tuple[Panel, Floats]:
    """What position terms and log tie parameters have in common, each where several judges have one.

    Args:
        model: The evidence.
        hyper: What the optimum is the optimum under.
        optimum: The optimum.

    Returns:
        Better beliefs about both, and how the optimum moves by a standard error of each center and each spread's
        logarithm, shape (dimension, 2 * beliefs).
    """
    moves, better = [], hyper.panel
    for name, slots, kind in (("position", model.position, POSITIONS), ("tie", model.tie, TIES)):
        terms = slots[slots < model.dimension]
        if terms.size < 2:
            continue
        belief: Belief = getattr(hyper.panel, name)
        precise = belief.spread**-2
        precision = 1.0 / _variances(optimum, terms)
        information = np.maximum(precision - precise, _LEAST * precise)
        estimates = (precision * optimum.theta[terms] - precise * belief.center) / information
        common = pooled(estimates, information, kind)
        away = 2 * (optimum.theta[terms] - belief.center)
        for pulls in (np.full(terms.size, common.error), common.log_error * away):
            pull = np.zeros(model.dimension)
            pull[terms] = precise * pulls
            moves.append(optimum.curvature.solve(pull))
        better = replace(better, position=common.belief) if name == "position" else replace(better, tie=common.belief)
    return better, np.stack(moves, axis=1) if moves else np.zeros((model.dimension, 0))


def first_panel(model: Model) -> Panel:
    """A first idea of what is held of the terms of this model's judges: of a kind that only one has, all there is."""
    position, tie = (np.count_nonzero(slots < model.dimension) > 1 for slots in (model.position, model.tie))
    return Panel(
        position=replace(POSITION, spread=POSITIONS.median) if position else POSITION,
        tie=replace(TIE, spread=TIES.median) if tie else TIE,
    )


def panelled(model: Model) -> bool:
    """Whether several judges have a term of one kind."""
    return any(np.count_nonzero(slots < model.dimension) > 1 for slots in (model.position, model.tie))


def _variances(optimum: Optimum, slots: Ints) -> Floats:
    """Of these parameters, given all others' evidence."""
    covariance = optimum.curvature.covariance
    if covariance is not None:
        return np.diagonal(covariance)[slots]
    if slots.size > MOST_EXACT:
        return optimum.curvature.variances()[slots]
    units = np.zeros((slots.size, optimum.theta.size))
    units[np.arange(slots.size), slots] = 1.0
    return np.array([optimum.curvature.solve(unit)[slot] for unit, slot in zip(units, slots, strict=True)])
