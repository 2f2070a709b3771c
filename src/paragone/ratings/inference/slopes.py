"""How sharply each judge tells items apart.

Where several judges speak of the same items, each has a slope: what it multiplies differences in strength by. A judge
who often decides against the others has a low one, and its answers count for little. Slopes are relative: their product
is 1, so that strengths are in the nats of the judge in the middle, and before evidence each is log-normal around 1.

They are found where Laplace's approximation to the marginal likelihood is highest: a judge whose answers the strengths
follow because they are few or loud gains nothing by it.
"""

import math
from dataclasses import dataclass, replace

import numpy as np

from paragone.ratings.algebra.newton import Optimum
from paragone.ratings.evidence import Bools, Floats, Ints
from paragone.ratings.inference.panel import SLOPES, pooled
from paragone.ratings.model.plackett_luce import PlackettLuce
from paragone.ratings.model.posterior import SLOPE_SPREAD, Hyper, Model, totals

MOST_JOINT = 30
"""Of more judges than this each holds little of the evidence, and how the strengths follow each is left out."""
_NUDGE = 1e-5
_LITTLE = 0.01
_CAREFUL = 0.6
"""Share of a step that is taken where the search leaves something out and would swing about."""
_LONGEST = 1.0
_DIFFERENCE = np.array([1.0, -1.0, 0.0, 0.0])
_STRENGTHS = np.array([1.0, 1.0, 0.0, 0.0])


@dataclass(frozen=True, kw_only=True, eq=False, slots=True)
class Slopes:
    """What one optimum tells about the slopes.

    Attributes:
        better: Slopes nearer to where their evidence is highest, shape (judges,).
        spread: Standard deviation of the panel's log slopes.
        standard_error: Of their logarithms, shape (judges,); 0 for judges without a slope.
        reach: How the optimum moves by a standard error in each independent direction of the log slopes, shape
            (dimension, directions).
    """

    better: Floats
    spread: float
    standard_error: Floats
    reach: Floats


def sloping(model: Model) -> Bools:
    """Which judges have a slope: all that are heard, where there are two or more; shape (judges,)."""
    judges = model.slope.size
    compared = totals(model.rows.judge, model.rows.weight, judges)
    has_evidence: Bools = compared + totals(model.ranking_judge, model.ranking_weight, judges) > 0
    return has_evidence & (np.count_nonzero(has_evidence) > 1)


def slopes(model: Model, hyper: Hyper, optimum: Optimum) -> Slopes:
    """A step towards the slopes of highest evidence from those of the model, and how sure they are.

    Args:
        model: The evidence, and the slopes as they were.
        hyper: Spread and dispersions.
        optimum: The optimum under all of these.
    """
    chosen = sloping(model)
    pull, information, cross_curvature, cross_residual = _answers(model, hyper, optimum.theta)
    log_slope = np.log(model.slope)
    moves = np.zeros((model.dimension, chosen.size))
    joint_curvature = np.diag(information)
    pace = 1.0 if np.count_nonzero(chosen) <= MOST_JOINT else _CAREFUL
    if pace == 1.0:
        determinant_slope = np.zeros(chosen.size)
        for judge in np.flatnonzero(chosen).tolist():
            shared = optimum.curvature.solve(cross_curvature[judge])
            joint_curvature[:, judge] -= cross_curvature @ shared
            moves[:, judge] = optimum.curvature.solve(cross_residual[judge]) - shared
            determinant_slope[judge] = _determinant_slope(model, hyper, optimum, moves[:, judge], judge)
    else:
        if optimum.curvature.covariance is not None:
            reached = optimum.curvature.covariance @ cross_curvature.T
            joint_curvature -= cross_curvature @ reached
            moves = optimum.curvature.covariance @ cross_residual.T - reached
        determinant_slope = _determinant_slope_fixed(model, optimum)
    ascent = pull - determinant_slope / 2
    curvature = np.maximum(np.diagonal(joint_curvature)[chosen], 0.0)
    estimates = log_slope[chosen] + ascent[chosen] / np.maximum(curvature, _LITTLE)
    spread = min(pooled(estimates, curvature, SLOPES).belief.spread, SLOPE_SPREAD)
    if pace < 1.0:
        spread = math.sqrt(hyper.panel.slope * spread)
    ascent -= log_slope / spread**2
    scale = _constrained_root(joint_curvature, chosen, spread)
    step = np.clip(pace * (scale @ (scale.T @ ascent)), -_LONGEST, _LONGEST)
    step -= np.where(chosen, step[chosen].mean(), 0.0)
    error = np.sqrt((scale**2).sum(axis=1))
    return Slopes(better=np.exp(log_slope + step), spread=spread, standard_error=error, reach=moves @ scale)


def _constrained_root(joint_curvature: Floats, chosen: Bools, spread: float) -> Floats:
    """A root of the inverse of the curvature among the chosen while their sum is held, shape (judges, chosen - 1).

    Args:
        joint_curvature: The evidence's curvature.
        chosen: Who has a slope.
        spread: Of the log slopes before evidence.
    """
    count = int(np.count_nonzero(chosen))
    # An orthonormal basis of all directions in which the sum does not change.
    basis = np.linalg.qr(np.eye(count) - 1 / count)[0][:, : count - 1]
    eigenvalues, turns = np.linalg.eigh(basis.T @ joint_curvature[np.ix_(chosen, chosen)] @ basis)
    scale = np.zeros((chosen.size, count - 1))
    # Far from the optimum the answers may seem to say less than nothing; what the prior says remains.
    scale[chosen] = basis @ (turns / np.sqrt(np.maximum(eigenvalues, 0.0) + spread**-2))
    return scale


def _answers(model: Model, hyper: Hyper, theta: Floats) -> tuple[Floats, Floats, Floats, Floats]:
    """What the answers say of each log slope while the parameters are held.

    Returns:
        Slope (judges,) and expected curvature (judges,) of the log-likelihood, the expected curvature across log slopes
        and parameters (judges, dimension), and by how much the one seen is less.
    """
    rows, outcome, judges = model.rows, model.outcomes(theta), model.slope.size
    values = np.append(theta, 0.0)[model.slots]
    gap = model.slope[rows.judge] * (values[:, 0] - values[:, 1])
    certainty = model.certainty(hyper)
    away = certainty * (rows.lead - rows.weight * outcome.margin / 2)
    weight = rows.weight * certainty
    information = totals(rows.judge, weight * outcome.variance * gap**2, judges)
    slopes = outcome.variance[:, None] * np.array([1.0, -1.0, 1.0, 0.0]) * model.lever
    slopes[:, 3] = outcome.covariance
    compared = (
        totals(rows.judge, away * gap, judges),
        information,
        _by_judge(rows.judge, model.slots, (weight * gap)[:, None] * slopes, model),
        _by_judge(rows.judge, model.slots, away[:, None] * _DIFFERENCE * model.lever, model),
    )
    if not model.rankings.size:
        return compared
    pull, information, cross_curvature, cross_residual = map(np.add, compared, _orderings(model, theta))
    return pull, information, cross_curvature, cross_residual


def _orderings(model: Model, theta: Floats) -> tuple[Floats, Floats, Floats, Floats]:
    """The same of the orderings."""
    judges, weight, slope = model.slope.size, model.ranking_weight, model.slope[model.ranking_judge]
    placed = slope[:, None] * np.append(theta, -np.inf)[model.rankings]
    ordered = PlackettLuce.at(placed)
    away = np.where(np.isfinite(placed), placed, 0.0)
    turned = np.einsum("rij,rj->ri", ordered.curvature, away)
    pull = totals(model.ranking_judge, weight * (ordered.gradient * away).sum(axis=1), judges)
    information = totals(model.ranking_judge, weight * (turned * away).sum(axis=1), judges)
    weight = (weight * slope)[:, None]
    cross_curvature = _by_judge(model.ranking_judge, model.rankings, weight * turned, model)
    return (
        pull,
        information,
        cross_curvature,
        _by_judge(model.ranking_judge, model.rankings, weight * ordered.gradient, model),
    )


def _by_judge(judge: Ints, slots: Ints, values: Floats, model: Model) -> Floats:
    """Sums of the values at each judge and parameter, shape (judges, dimension)."""
    side = model.dimension + 1
    keys = (judge[:, None] * side + slots).ravel()
    return totals(keys, values.ravel(), model.slope.size * side).reshape(-1, side)[:, :-1]


def _determinant_slope(model: Model, hyper: Hyper, optimum: Optimum, moves: Floats, judge: int) -> float:
    """How the logarithm of the curvature's determinant grows with a log slope, the optimum moving along."""
    slope = model.slope.copy()
    slope[judge] *= math.exp(_NUDGE)
    ahead = replace(model, slope=slope).derivatives(optimum.theta + _NUDGE * moves, hyper).entries
    return float(optimum.curvature.products((ahead - optimum.at.entries) / _NUDGE).sum())


def _determinant_slope_fixed(model: Model, optimum: Optimum) -> Floats:
    """The same for all judges at once, but for what single answers' curvature changes by, shape (judges,)."""
    degrees = np.add.outer(_STRENGTHS, _STRENGTHS).ravel()
    compared, each = 16 * model.rows.judge.size, model.rankings.shape[1] ** 2
    ranked = np.full(len(model.rankings) * each, 2.0)
    degree = np.concatenate([np.tile(degrees, model.rows.judge.size), ranked, np.zeros(model.dimension)])
    judge = np.concatenate([np.repeat(model.rows.judge, 16), np.repeat(model.ranking_judge, each)])
    shares = optimum.curvature.products(optimum.at.entries * degree)[: compared + ranked.size]
    return totals(judge, shares, model.slope.size)
