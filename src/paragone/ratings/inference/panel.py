"""What the judges of a panel have in common, so that one of few answers is taken for one of them.

Position terms of several judges are drawn from a normal of unknown center and spread, log tie parameters from another,
log slopes from a third whose center is 0. Center and spread are estimated from the evidence: each judge's optimum and
its variance, less what the prior put in, are one observation with a normal error, and the spread is averaged over its
marginal posterior on a grid. Judges who say little then behave as one, and those who say much keep their own.

Where several judges speak of the same items, each has a slope: what it multiplies differences in strength by. A judge
who often decides against the others has a low one, and its answers count for little. Slopes are relative: their product
is 1, so that strengths are in the nats of the judge in the middle. They are found where Laplace's approximation to the
marginal likelihood is highest: a judge whose answers the strengths follow because they are few or loud gains nothing
by it.

A soft verdict is not a decision: its variance is ``dispersion * p * (1 - p)``, with a dispersion of 1 for decisions and
much less for probabilities that follow the strengths closely. It divides the judge's part of the log-likelihood
(quasi-likelihood).

Source: D. V. Lindley, A. F. M. Smith (1972), "Bayes estimates for the linear model", Journal of the Royal Statistical
Society B 34; P. McCullagh, J. A. Nelder (1989), "Generalized linear models", 2nd edition, chapter 9.
"""

import math
from dataclasses import dataclass, replace

import numpy as np

from paragone.ratings.evidence import Bools, Floats, Ints
from paragone.ratings.inference.optimum import Optimum
from paragone.ratings.model.curvature import Curvature
from paragone.ratings.model.davidson import Davidson
from paragone.ratings.model.likelihood import (
    POSITION,
    SLOPE_SPREAD,
    TIE,
    Belief,
    Hyper,
    Model,
    Panel,
    row_shares,
    totals,
)
from paragone.ratings.model.plackett_luce import PlackettLuce

MOST_EXACT = 30
"""Of so many judges variances are solved for one by one where there is no covariance; those of more are estimated."""
_REACH, _STEPS = 4.0, 81
_LEAST = 1e-6


@dataclass(frozen=True, kw_only=True, slots=True)
class TermKind:
    """What is held of a kind of term before evidence.

    Attributes:
        belief: Of the one judge of a fit; its center and spread are also those of a panel's center.
        median: Of the spread among judges.
        width: Standard deviation of that spread's logarithm.
    """

    belief: Belief
    median: float
    width: float


POSITIONS = TermKind(belief=POSITION, median=0.5, width=1.0)
TIES = TermKind(belief=TIE, median=1.0, width=1.0)
SLOPES = TermKind(belief=Belief(center=0.0, spread=0.0), median=SLOPE_SPREAD, width=0.5)
"""Terms of a panel; slopes are relative, so that their center is known."""


@dataclass(frozen=True, kw_only=True, slots=True)
class PooledBelief:
    """Center and spread of a panel's terms, and the standard errors of the center and of the spread's logarithm."""

    belief: Belief
    error: float
    log_error: float


def pooled(estimates: Floats, information: Floats, kind: TermKind) -> PooledBelief:
    """Center and spread of terms that were seen with normal errors.

    Args:
        estimates: Each judge's term by its own evidence alone, shape (judges,).
        information: One over its variance; 0 where nothing was seen.
        kind: What is held before.
    """
    logs = math.log(kind.median) + kind.width * np.linspace(-_REACH, _REACH, _STEPS)
    error = 1.0 / np.maximum(information, _LEAST)
    # A judge's estimate is normal around the common center with variance spread^2 + its own error. For each spread of
    # the grid the center is integrated out, as it is normal given the spread.
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
    # The law of total variance: within each spread, and between spreads.
    variance = float(share @ (1.0 / total + (center - mean) ** 2))
    spread, log_mean = float(share @ np.exp(logs)), float(share @ logs)
    return PooledBelief(
        belief=Belief(center=kind.belief.center + mean, spread=spread),
        error=math.sqrt(variance),
        log_error=math.sqrt(float(share @ (logs - log_mean) ** 2)),
    )


def panel(model: Model, hyper: Hyper, optimum: Optimum[Curvature]) -> tuple[Panel, Floats]:
    """What position terms and log tie parameters have in common, each where several judges have one.

    Args:
        model: The evidence.
        hyper: What the optimum is the optimum under.
        optimum: The optimum.

    Returns:
        Better beliefs about both, and how the optimum moves by a standard error of each center and each spread's
        logarithm, shape (dimension, 2 * beliefs).
    """
    pulls, better = [], hyper.panel
    for name, slots, kind in (("position", model.position, POSITIONS), ("tie", model.tie, TIES)):
        terms = slots[slots < model.dimension]
        if terms.size < 2:
            continue
        belief: Belief = getattr(hyper.panel, name)
        precise = belief.spread**-2
        precision = 1.0 / _variances(optimum, terms)
        # The judge's own evidence is its posterior with the prior taken out: precisions subtract, and so do means times
        # precisions. Rounding must not leave less than nothing.
        information = np.maximum(precision - precise, _LEAST * precise)
        estimates = (precision * optimum.theta[terms] - precise * belief.center) / information
        common = pooled(estimates, information, kind)
        # The prior's gradient is -(term - center) / spread^2; in the center it changes by the precision, 1 / spread^2,
        # and in log(spread) by twice the precision times (term - center).
        away = 2 * (optimum.theta[terms] - belief.center)
        pull = np.zeros((2, model.dimension))
        pull[0, terms], pull[1, terms] = precise * common.error, precise * common.log_error * away
        pulls.append(pull)
        better = replace(better, position=common.belief) if name == "position" else replace(better, tie=common.belief)
    moves = _solutions(optimum.curvature, np.concatenate(pulls)) if pulls else np.zeros((0, model.dimension))
    return better, moves.T


def _solutions(curvature: Curvature, right: Floats) -> Floats:
    """The solution of ``curvature @ x = right`` for each row of right sides, of the same shape."""
    covariance = curvature.covariance
    if covariance is not None:
        solutions: Floats = right @ covariance
        return solutions
    return np.array([curvature.solve(each) if each.any() else each for each in right])


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


def _variances(optimum: Optimum[Curvature], slots: Ints) -> Floats:
    """Of these parameters, given all others' evidence."""
    covariance = optimum.curvature.covariance
    if covariance is not None:
        return np.diagonal(covariance)[slots]
    if slots.size > MOST_EXACT:
        return optimum.curvature.variances()[slots]
    units = np.zeros((slots.size, optimum.theta.size))
    units[np.arange(slots.size), slots] = 1.0
    return np.array([optimum.curvature.solve(unit)[slot] for unit, slot in zip(units, slots, strict=True)])


LEAST, MOST = 1e-4, 10.0
"""Bounds of a dispersion: below, a verdict would outweigh ten thousand decisions."""
PRIOR_COUNT = 2.0
"""Observations' worth of belief that a probability says no more than a decision (a dispersion of 1)."""
_LEAST_VARIANCE = 1e-3


def dispersions(model: Model, hyper: Hyper, optimum: Optimum[Curvature]) -> Floats:
    """Dispersion of each judge, shape (judges,); 1 for those without soft verdicts.

    Pearson's estimate with the degrees of freedom that the strengths have taken up, drawn towards 1 on the log scale
    where few are left.

    Args:
        model: The evidence.
        hyper: Spread and dispersions, as they were.
        optimum: The optimum under them.
    """
    rows, outcome = model.rows, model.outcomes(optimum.theta)
    gap = outcome.margin / 2
    squares = rows.square - 2 * gap * rows.lead + gap**2 * rows.weight
    pearson = squares / np.maximum(outcome.variance, _LEAST_VARIANCE)
    # tr(A^-1 times a row's part of A) is how many degrees of freedom the row took up; sixteen entries a row.
    leverages = optimum.curvature.products(optimum.at.entries)[: 16 * rows.weight.size]
    used = leverages.reshape(rows.weight.size, 16).sum(axis=1)

    def total(values: Floats) -> Floats:
        return totals(rows.judge, np.where(rows.soft, values, 0.0), hyper.dispersion.size)

    residual_df = np.maximum(total(rows.weight) - total(used), np.finfo(np.float64).tiny)
    raw = np.clip(total(pearson) / residual_df, LEAST, MOST)
    # On the log scale, as a variance estimated from few degrees of freedom is off by factors.
    drawn = np.exp(np.log(raw) * residual_df / (residual_df + PRIOR_COUNT))
    return np.where(total(rows.weight) > 0, drawn, 1.0)


MOST_JOINT = 30
"""Of more judges than this each holds little of the evidence, and how the strengths follow each is left out."""
_NUDGE = 1e-5
_AT_ONCE = 2**13
"""Rows times judges whose curvature is computed together: more of them would not stay in the processor's cache."""
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


def slopes(model: Model, hyper: Hyper, optimum: Optimum[Curvature]) -> Slopes:
    """A step towards the slopes of highest evidence from those of the model, and how sure they are.

    Args:
        model: The evidence, and the slopes as they were.
        hyper: Spread and dispersions.
        optimum: The optimum under all of these.
    """
    chosen = sloping(model)
    pull, information, cross_curvature, cross_residual = _answers(model, hyper, optimum.theta)
    log_slope = np.log(model.slope)
    moves = np.zeros((chosen.size, model.dimension))
    joint_curvature = np.diag(information)
    joint = np.count_nonzero(chosen) <= MOST_JOINT
    if joint or optimum.curvature.covariance is not None:
        # The parameters follow the slopes, so theirs is the profile's curvature: own information less cross A^-1
        # cross^T. Here the expected curvature is used, which is positive; the optimum itself moves by what was seen.
        reached = _solutions(optimum.curvature, cross_curvature)
        joint_curvature -= cross_curvature @ reached.T
        moves = _solutions(optimum.curvature, cross_residual) - reached
    determinant_slope = (
        _determinant_slopes(model, hyper, optimum, moves) if joint else _determinant_slopes_fixed(model, optimum)
    )
    pace = 1.0 if joint else _CAREFUL
    ascent = pull - determinant_slope / 2
    curvature = np.maximum(np.diagonal(joint_curvature)[chosen], 0.0)
    estimates = log_slope[chosen] + ascent[chosen] / np.maximum(curvature, _LITTLE)
    spread = min(pooled(estimates, curvature, SLOPES).belief.spread, SLOPE_SPREAD)
    if pace < 1.0:
        spread = math.sqrt(hyper.panel.slope * spread)
    ascent -= log_slope / spread**2
    scale = _constrained_root(joint_curvature, chosen, spread)
    step = np.clip(pace * (scale @ (scale.T @ ascent)), -_LONGEST, _LONGEST)
    # Slopes are relative: the sum of their logarithms is held.
    step -= np.where(chosen, step[chosen].mean(), 0.0)
    error = np.sqrt((scale**2).sum(axis=1))
    return Slopes(better=np.exp(log_slope + step), spread=spread, standard_error=error, reach=moves.T @ scale)


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
    ordered = PlackettLuce.at(model.placed(theta))
    away = slope[:, None] * np.append(theta, 0.0)[model.rankings]
    turned = np.einsum("rij,rj->ri", ordered.curvature, away)
    pull = totals(model.ranking_judge, weight * (ordered.gradient * away).sum(axis=1), judges)
    information = totals(model.ranking_judge, weight * (turned * away).sum(axis=1), judges)
    crossing = weight[:, None] * model.ranking_lever * np.tile(turned, model.ranking_slots.shape[1] // turned.shape[1])
    return (
        pull,
        information,
        _by_judge(model.ranking_judge, model.ranking_slots, crossing, model),
        _by_judge(model.ranking_judge, model.rankings, (weight * slope)[:, None] * ordered.gradient, model),
    )


def _by_judge(judge: Ints, slots: Ints, values: Floats, model: Model) -> Floats:
    """Sums of the values at each judge and parameter, shape (judges, dimension)."""
    side = model.dimension + 1
    keys = (judge[:, None] * side + slots).ravel()
    return totals(keys, values.ravel(), model.slope.size * side).reshape(-1, side)[:, :-1]


def _determinant_slopes(model: Model, hyper: Hyper, optimum: Optimum[Curvature], moves: Floats) -> Floats:
    """How the logarithm of the curvature's determinant grows with each log slope, shape (judges,).

    Args:
        model: The evidence.
        hyper: Spread and dispersions.
        optimum: The optimum.
        moves: How it moves with each log slope, shape (judges, dimension).
    """
    if optimum.curvature.covariance is not None and model.is_by_rows:
        return _determinant_slopes_by_rows(model, hyper, optimum, moves)
    determinant_slopes = np.zeros(len(moves))
    for judge in np.flatnonzero(sloping(model)).tolist():
        determinant_slopes[judge] = _determinant_slope(model, hyper, optimum, moves[judge], judge)
    return determinant_slopes


def _determinant_slope(model: Model, hyper: Hyper, optimum: Optimum[Curvature], move: Floats, judge: int) -> float:
    """The same for one judge: the entries of the curvature a little further on less those that are."""
    slope = model.slope.copy()
    slope[judge] *= math.exp(_NUDGE)
    ahead = replace(model, slope=slope).entries(optimum.theta + _NUDGE * move, hyper)
    return float(optimum.curvature.products((ahead - optimum.at.entries) / _NUDGE).sum())


def _determinant_slopes_by_rows(model: Model, hyper: Hyper, optimum: Optimum[Curvature], moves: Floats) -> Floats:
    """The same for all judges at once: all that changes are three curvatures a row, and the levers of a judge's own."""
    count, judges = model.rows.judge.size, model.slope.size
    lever, weight = np.broadcast_to(model.lever, model.slots.shape), model.rows.weight * model.certainty(hyper)
    elements = optimum.curvature.products(np.ones(optimum.at.entries.size))[: 16 * count].reshape(count, 16)
    shares, growth = row_shares(elements, lever), math.expm1(_NUDGE)
    own_shares = row_shares(elements, lever * (1.0 + growth * _STRENGTHS)) - shares
    theta, moved = np.append(optimum.theta, 0.0)[:, None], np.pad(_NUDGE * moves.T, ((0, 1), (0, 0)))
    determinant_slopes = np.zeros(judges)
    for start in range(0, count, step := max(_AT_ONCE // judges, 1)):
        some = slice(start, start + step)
        judge, slots = model.rows.judge[some], model.slots[some]
        own = np.arange(judge.size), judge
        gap, position, tie = _sides(theta, slots, lever[some])
        gap_moved, position_moved, tie_moved = _sides(moved, slots, lever[some])
        tie = np.where(slots[:, 3:] < model.dimension, tie, -np.inf)
        log_odds = gap + gap_moved + position + position_moved
        log_odds[own] += growth * (gap[:, 0] + gap_moved[own])
        before = Davidson.at(gap + position, tie).curvatures(weight[some, None])
        after = Davidson.at(log_odds, tie + tie_moved).curvatures(weight[some, None])
        determinant_slopes += np.tensordot(shares[:, some], after - before, 2)
        of_own = (own_shares[:, some] * after[:, own[0], own[1]]).sum(axis=0)
        determinant_slopes += totals(judge, of_own, judges)
    return determinant_slopes / _NUDGE


def _sides(values: Floats, slots: Ints, lever: Floats) -> tuple[Floats, Floats, Floats]:
    """Gap, position term and log tie parameter of each row, from values of shape (dimension + 1, ...)."""
    first, second, position, tie = (values[column] for column in slots.T)
    return lever[:, :1] * (first - second), position, tie


def _determinant_slopes_fixed(model: Model, optimum: Optimum[Curvature]) -> Floats:
    """The same for all judges at once, but for what single answers' curvature changes by, shape (judges,)."""
    degrees = np.add.outer(_STRENGTHS, _STRENGTHS).ravel()
    of_items = np.repeat([1.0, 0.0], [model.rankings.shape[1], model.ranking_place.shape[1]])
    compared, each = 16 * model.rows.judge.size, of_items.size**2
    ranked = np.tile(np.add.outer(of_items, of_items).ravel(), len(model.rankings))
    of_prior = np.zeros(optimum.at.entries.size - compared - ranked.size)
    degree = np.concatenate([np.tile(degrees, model.rows.judge.size), ranked, of_prior])
    judge = np.concatenate([np.repeat(model.rows.judge, 16), np.repeat(model.ranking_judge, each)])
    shares = optimum.curvature.products(optimum.at.entries * degree)[: compared + ranked.size]
    return totals(judge, shares, model.slope.size)
