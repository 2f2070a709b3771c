"""The strength: a regularised Bradley-Terry fit over all evidence, whatever its order.

``fit`` finds the maximum a posteriori of Davidson's model with a position term, a log tie parameter and, where there
are several, a slope for each judge, soft verdicts by quasi-likelihood, orderings of many items by Plackett-Luce, and a
Gaussian prior on the strengths whose spread comes from the evidence. The design notes ``0002-rating-model.md`` and
``0010-judges-in-the-model.md`` in ``docs/design`` say why each part is there.
"""

import math
from dataclasses import dataclass, replace

import numpy as np

from paragone.domain.rounding import STRENGTH_DECIMALS, rounded
from paragone.errors import InvalidConfig, NotConverged
from paragone.ratings.evidence import PAD, Evidence, Floats, Ints, members
from paragone.ratings.fit_types import Fit, FitOptions, Repeats, SpreadPrior
from paragone.ratings.inference.no_signal import SpreadAverage, spread_average
from paragone.ratings.inference.optimum import Ascent, Optimum, best_spread, drift, log_spread_error
from paragone.ratings.inference.panel import dispersions, first_panel, panel, panelled, slopes, sloping
from paragone.ratings.inference.repeats import DifferenceVariance, discounted, repeats, stickiness, stretched
from paragone.ratings.model.covariates import ShapedModel, StyledModel
from paragone.ratings.model.curvature import Curvature, DensePattern, Pattern, one_thread
from paragone.ratings.model.likelihood import TIE_CENTER, Hyper, Model
from paragone.ratings.model.pair_curvature import DensePairPattern, PairPattern
from paragone.ratings.model.pair_model import PairModel, suits
from paragone.ratings.model.sparse_curvature import ProbedCurvature, SparsePattern

MANY = 5_000
"""Comparisons from which passes over pairs take less time and memory than a row for each."""


def model_of(evidence: Evidence, options: FitOptions) -> Model:
    """The model: in pairs where there is much evidence of one kind, else row by row."""
    positioned = options.positioned(evidence.judges)
    if options.shape is not None:
        return ShapedModel.around(Model.of(evidence, positioned), options.shape)
    if evidence.has_differences:
        return StyledModel.of_styled(evidence, positioned)
    large = evidence.item_count > options.dense_limit or evidence.first.size >= MANY
    if large and suits(evidence, slope=options.slope):
        return PairModel.of_pairs(evidence, positioned)
    return Model.of(evidence, positioned)


def pattern_of(model: Model, options: FitOptions) -> Pattern[Curvature]:
    """Where the entries of the model's curvature belong: a full matrix up to the limit asked for."""
    dense = model.dimension <= options.dense_limit or isinstance(model, ShapedModel | StyledModel)
    if isinstance(model, PairModel):
        return DensePairPattern(model) if dense else PairPattern(model)
    if dense:
        return DensePattern(model.places, model.dimension)
    return SparsePattern(model.places, model.dimension)


def components(evidence: Evidence) -> Ints:
    """Label of each item's part, shape (items,): parts are numbered from 0 by their first item.

    Items are tied together by comparisons and rankings of non-zero weight.
    """
    used = evidence.weight > 0
    ranked = evidence.rankings[evidence.ranking_weight > 0]
    first, second = ranked[:, :-1].ravel(), ranked[:, 1:].ravel()
    real = second != PAD
    ends = np.concatenate([evidence.first[used], first[real]]), np.concatenate([evidence.second[used], second[real]])
    return np.unique(_roots(evidence.item_count, *ends), return_inverse=True)[1]


def contradicted(model: Model, theta: Floats) -> bool:
    """Whether anything goes against the parameters: a tie, a doubt, an upset.

    Where nothing does, the evidence would be the likelier the further apart the items are, and only the prior bounds
    the scale.
    """
    rows = model.rows
    # Rounded, so that a difference of nothing but last bits counts as a tie on every processor.
    theta = rounded(theta, STRENGTH_DECIMALS)
    margin = rounded(model.outcomes(theta).margin, STRENGTH_DECIMALS)
    sure = rows.weight / 2 - rows.lead * np.sign(margin) <= 1e-9 * rows.weight
    ranked = np.append(theta, -np.inf)[model.rankings]
    falling = ranked[:, :-1] >= ranked[:, 1:]
    return not (sure.all() and falling.all())


def _roots(item_count: int, a: Ints, b: Ints) -> Ints:
    """The lowest item of each item's part: hook roots onto lower ones, then halve the paths, until nothing moves."""
    root = np.arange(item_count)
    # Some of the ties join nearly all that is joined at all, so that few of the others are left to look at again.
    for some in (slice(_FIRST_TIES * item_count), slice(_FIRST_TIES * item_count, None)):
        first, second = a[some], b[some]
        while (apart := np.flatnonzero(root[first] != root[second])).size:
            first, second = first[apart], second[apart]
            low, high = np.minimum(root[first], root[second]), np.maximum(root[first], root[second])
            np.minimum.at(root, high, low)
            while not np.array_equal(root, root[root]):
                root = root[root]
    return root


_FIRST_TIES = 4
"""Ties an item that are looked at before the rest."""
_DEFAULTS = FitOptions()
_FIRST_DISPERSION = 0.05
_ROUNDS = 25
_SETTLED = 1e-4
_FINE = 1e-8
_SURE = 0.25
_DRAWS = 64


@dataclass(frozen=True, kw_only=True, eq=False, slots=True)
class Climb:
    """The optimum under the best spread, and how it was reached.

    Attributes:
        ascent: The climb.
        hyper: The hyperparameters under which it is the optimum.
        prior: The prior of the spread.
        optimum: The optimum.
        options: The options of the fit.
    """

    ascent: Ascent[Curvature]
    hyper: Hyper
    prior: SpreadPrior
    optimum: Optimum[Curvature]
    options: FitOptions

    def average(self, error: float, spike: float, *, compared: bool = False) -> SpreadAverage:
        """What all spreads come to; see ``spread_average``."""
        self.ascent.steps = self.ascent.iterations + self.options.max_iterations
        return spread_average(
            self.ascent, self.hyper, self.prior, self.optimum, error=error, spike=spike, compared=compared
        )


@one_thread
def fit(evidence: Evidence, options: FitOptions = _DEFAULTS, *, start: Fit | None = None) -> Fit:
    """Strengths of all items, and what the evidence says about its judges.

    Args:
        evidence: Comparisons and rankings; none at all is fine and gives the prior back.
        options: Parameters of the fit.
        start: An earlier fit of nearly the same evidence, to begin from: items by index (new ones at the end), judges
            by identity. It saves time; the result is the same to about 1e-8 nats, 1e-5 where dispersions are estimated,
            or 1e-4 where there are several judges.

    Raises:
        InvalidConfig: If repeated answers are to be found out about where comparisons have differences.
        NotConverged: If the optimum was not reached in the steps allowed; it carries the partial ``Fit``.
    """
    fitted, climb = given_signal(evidence, options, start)
    if options.no_signal == 0.0 or options.spread is not None:
        return fitted
    return averaged(fitted, climb.average(fitted.log_spread_se, options.no_signal))


def given_signal(evidence: Evidence, options: FitOptions, start: Fit | None = None) -> tuple[Fit, Climb]:
    """The fit under the best spread, and the climb to it; arguments and errors as of ``fit``."""
    if options.repeats and evidence.has_differences:  # residuals would leave out what the differences explain
        raise InvalidConfig("repeats cannot be estimated beside differences of what is shown; give repeats=False")
    evidence = evidence.without_order(set(evidence.judges).difference(options.positioned(evidence.judges)))
    fitted, climb = climbed(evidence, options, start)
    if options.repeats:
        repeatable = members(evidence.judges, options.repeating(evidence.judges))[evidence.judge]
        # Each estimate takes the residuals of a fit that already discounts what was found before: first repeats in one
        # order, then what belongs to a pair in both.
        sticky = stickiness(fitted, _difference_variance(fitted, climb.optimum), repeatable)
        if sticky > 0:
            fitted, climb = climbed(discounted(evidence, Repeats(stickiness=sticky), repeatable), options, fitted)
        shared = repeats(fitted, _difference_variance(fitted, climb.optimum), sticky, repeatable)
        if shared != Repeats():
            fitted, climb = climbed(discounted(evidence, shared, repeatable), options, fitted)
            fitted = stretched(fitted, shared)
    return fitted, climb


@one_thread
def refit(evidence: Evidence, fitted: Fit) -> Floats:
    """Strengths less their mean under what an earlier fit found, and nothing else: no intervals.

    Args:
        evidence: The comparisons of that fit, with other weights.
        fitted: The fit: where to begin, and its spread, dispersions, slopes, panel, and stretch, which are held.

    Returns:
        Strengths in nats, shape (items,).

    Raises:
        NotConverged: If the optimum was not reached in the steps allowed.
    """
    options = fitted.options
    model = replace(model_of(evidence, options), slope=fitted.slope)
    ascent = Ascent(
        model=model,
        pattern=pattern_of(model, options),
        theta=_first_theta(evidence, model, fitted, fitted.prior_spread),
        steps=options.max_iterations,
        tolerance=options.tolerance,
    )
    hyper = Hyper(spread=fitted.prior_spread, dispersion=fitted.dispersion, panel=fitted.panel)
    strength = ascent.to(hyper).theta[: model.item_count]
    away: Floats = fitted.repeats.stretch * (strength - strength.mean())
    return away


def averaged(mode: Fit, average: SpreadAverage) -> Fit:
    """The posterior's mean and covariance over all spreads, none at all included.

    Args:
        mode: The fit under the best spread.
        average: What all spreads come to.
    """
    signal = 1.0 - average.no_signal
    mean = mode.repeats.stretch * average.strength
    covariance = mode.covariance
    if covariance is not None:
        # A mixture: with probability no_signal all strengths are 0. Var = q C + q (1 - q) m m^T for q = 1 - no_signal.
        covariance = signal * (covariance + average.no_signal * np.outer(mean, mean))
    return replace(
        mode,
        strength=rounded(signal * mean, STRENGTH_DECIMALS),
        standard_error=np.sqrt(signal * (mode.standard_error**2 + average.no_signal * mean**2)),
        covariance=covariance,
        no_signal=average.no_signal,
        mode=mode,
    )


def climbed(evidence: Evidence, options: FitOptions, start: Fit | None) -> tuple[Fit, Climb]:
    """The fit in which a repeated answer counts like a new one."""
    start = start if start is None or start.mode is None else start.mode
    model = model_of(evidence, options)
    model = replace(model, slope=_first_slope(evidence, model, options, start))
    ascent = Ascent(
        model=model,
        pattern=pattern_of(model, options),
        theta=_first_theta(evidence, model, start, _first_spread(options, start)),
        steps=options.max_iterations,
        tolerance=options.tolerance,
    )
    prior = options.spread_prior
    hyper = Hyper(
        spread=_first_spread(options, start),
        dispersion=_first_dispersion(evidence, model, options, start),
        panel=first_panel(model) if start is None or not panelled(model) else start.panel,
    )
    try:
        hyper = _settle(ascent, hyper, options, prior)
        bounded = options.spread is None and prior.bounds(hyper.spread)
        fixed_spread = bounded or options.spread is not None
        optimum = ascent.to(hyper)
        error = 0.0 if fixed_spread else log_spread_error(ascent, hyper, prior, optimum)
    except NotConverged as stuck:
        partial = _assemble(evidence, options, ascent, hyper, _reached(stuck), spread_error=0.0, bounded=False)
        text = f"the fit of {len(evidence)} comparisons did not converge in {ascent.iterations} steps; allow more"
        raise NotConverged(text, partial) from stuck
    fitted = _assemble(evidence, options, ascent, hyper, optimum, spread_error=error, bounded=bounded)
    return fitted, Climb(ascent=ascent, hyper=hyper, prior=prior, optimum=optimum, options=options)


def _difference_variance(fitted: Fit, optimum: Optimum[Curvature]) -> DifferenceVariance:
    """Variance of differences in strength: exact where there is a covariance, else from draws."""
    if fitted.covariance is not None:
        covariance, own = fitted.covariance, fitted.standard_error**2
        return lambda a, b: own[a] + own[b] - 2 * covariance[a, b]
    if not isinstance(optimum.curvature, ProbedCurvature):
        raise TypeError(f"a curvature without a covariance is probed, not {type(optimum.curvature).__name__}")
    normal = np.random.default_rng(0).standard_normal((optimum.theta.size, _DRAWS))
    drawn = optimum.curvature.samples(normal)
    return lambda a, b: ((drawn[a] - drawn[b]) ** 2).mean(axis=1)


def _first_theta(evidence: Evidence, model: Model, start: Fit | None, spread: float) -> Floats:
    theta = np.zeros(model.dimension + 1)
    theta[model.tie] = TIE_CENTER
    if start is None and isinstance(model, PairModel):
        return model.guess(spread)
    if start is not None:
        shared_items = min(start.strength.size, model.item_count)
        theta[:shared_items] = start.strength[:shared_items]
        for judge, name in enumerate(evidence.judges):
            if name in start.judges:
                at = start.judges.index(name)
                theta[model.position[judge]] = np.nan_to_num(start.position[at])
                theta[model.tie[judge]] = start.tie[at] if np.isfinite(start.tie[at]) else TIE_CENTER
    return theta[:-1]


def _first_spread(options: FitOptions, start: Fit | None) -> float:
    if options.spread is not None:
        return options.spread
    return options.spread_center if start is None else start.prior_spread


def _first_dispersion(evidence: Evidence, model: Model, options: FitOptions, start: Fit | None) -> Floats:
    """Where soft verdicts are, a small one: too large a start would take the strengths themselves for scatter."""
    soft = np.isin(np.arange(len(evidence.judges)), model.rows.judge[model.rows.soft])
    first = np.where(soft, _FIRST_DISPERSION if options.dispersion is None else options.dispersion, 1.0)
    if start is not None and options.dispersion is None:
        for judge in np.flatnonzero(soft):
            if evidence.judges[judge] in start.judges:
                first[judge] = start.dispersion[start.judges.index(evidence.judges[judge])]
    return first


def _first_slope(evidence: Evidence, model: Model, options: FitOptions, start: Fit | None) -> Floats:
    chosen = sloping(model)
    slope = np.ones(chosen.size)
    if start is not None and options.slope and chosen.any():
        slope_of = dict(zip(start.judges, start.slope.tolist(), strict=True))
        slope[chosen] = [slope_of.get(evidence.judges[judge], 1.0) for judge in np.flatnonzero(chosen)]
        slope[chosen] /= np.exp(np.log(slope[chosen]).mean())
    return slope


def _settle(ascent: Ascent[Curvature], hyper: Hyper, options: FitOptions, prior: SpreadPrior) -> Hyper:
    """Spread, dispersions and slopes in turn, each as exactly as the others' last move warrants, until none moves."""
    scattered = options.dispersion is None and bool(ascent.model.rows.soft.any())
    sharpened = options.slope and bool(sloping(ascent.model).any())
    several = panelled(ascent.model)
    change = 1.0 if scattered or sharpened or several else 0.0
    for _ in range(_ROUNDS):
        spread = options.spread
        if spread is None:
            spread = best_spread(ascent, hyper, prior, max(_FINE, change / 100))
        hyper = replace(hyper, spread=spread)
        if not (scattered or sharpened or several):
            return hyper
        optimum, before, slope = ascent.to(hyper), hyper, ascent.model.slope
        if several:
            hyper = replace(hyper, panel=panel(ascent.model, before, optimum)[0])
        if scattered:
            hyper = replace(hyper, dispersion=dispersions(ascent.model, before, optimum))
        if sharpened:
            better = slopes(ascent.model, before, optimum)
            hyper = replace(hyper, panel=replace(hyper.panel, slope=better.spread))
            ascent.model = replace(ascent.model, slope=better.better)
        change = max(_moved(before, hyper), float(np.abs(np.log(ascent.model.slope / slope)).max()))
        if change < _SETTLED:
            return hyper
    return hyper


def _moved(before: Hyper, after: Hyper) -> float:
    """The largest change of what is held of the judges, in nats or as a share; of a panel's beliefs a tenth."""
    beliefs = (before.panel.position, after.panel.position), (before.panel.tie, after.panel.tie)
    spreads = [abs(math.log(new.spread / old.spread)) for old, new in beliefs]
    centers = [abs(new.center - old.center) for old, new in beliefs]
    return max(*spreads, *centers) / 10 + float(np.abs(np.log(after.dispersion / before.dispersion)).max(initial=0.0))


def _reached(stuck: NotConverged) -> Optimum[Curvature]:
    if not isinstance(stuck.partial, Optimum):
        raise TypeError(f"a climb that fails carries an Optimum, not {type(stuck.partial).__name__}")
    return stuck.partial


def _assemble(
    evidence: Evidence,
    options: FitOptions,
    ascent: Ascent[Curvature],
    hyper: Hyper,
    optimum: Optimum[Curvature],
    *,
    spread_error: float,
    bounded: bool,
) -> Fit:
    model, items = ascent.model, slice(0, ascent.model.item_count)
    styled = model.effects if isinstance(model, StyledModel) else slice(0, 0)
    labels = components(evidence)
    variances = _variances(model, hyper, optimum)
    judged = slopes(model, hyper, optimum) if options.slope and sloping(model).any() else None
    parts = [
        (spread_error * drift(model, hyper, optimum.theta, optimum.curvature))[:, None],
        panel(model, hyper, optimum)[1],
        *(() if judged is None else (judged.reach,)),
    ]
    moves = np.concatenate(parts, axis=1)
    errors = options.widening * np.sqrt(np.maximum(variances + (moves**2).sum(axis=1), 0.0))
    fixed = spread_error * _scale_sensitivity(variances[items], hyper) <= _SURE and _contradicted(
        model, evidence, optimum
    )
    return Fit(
        strength=rounded(optimum.theta[items] - optimum.theta[items].mean(), STRENGTH_DECIMALS),
        standard_error=errors[items],
        covariance=_covariance(optimum, hyper, moves[items], options.widening),
        judges=evidence.judges,
        position=rounded(_of_judges(optimum.theta, model.position, np.nan), STRENGTH_DECIMALS),
        position_se=_of_judges(errors, model.position, np.nan),
        place=rounded(_of_judges(optimum.theta, model.place, np.nan), STRENGTH_DECIMALS),
        place_se=_of_judges(errors, model.place, np.nan),
        tie=rounded(_of_judges(optimum.theta, model.tie, -np.inf), STRENGTH_DECIMALS),
        tie_se=_of_judges(errors, model.tie, np.nan),
        slope=rounded(model.slope, STRENGTH_DECIMALS),
        slope_se=np.zeros(model.slope.size) if judged is None else options.widening * judged.standard_error,
        repeats=Repeats(),
        dispersion=hyper.dispersion,
        panel=hyper.panel,
        prior_spread=round(hyper.spread, STRENGTH_DECIMALS),
        log_spread_se=spread_error,
        log_likelihood=optimum.at.log_likelihood,
        log_evidence=optimum.log_evidence,
        gradient_norm=optimum.gradient_norm,
        iterations=ascent.iterations,
        converged=optimum.converged,
        components=int(labels.max()) + 1,
        component=labels,
        identified=bool(fixed and not bounded and optimum.converged and labels.max() == 0),
        evidence=evidence,
        options=options,
        effects=rounded(optimum.theta[styled], STRENGTH_DECIMALS),
        effects_se=errors[styled],
    )


def _variances(model: Model, hyper: Hyper, optimum: Optimum[Curvature]) -> Floats:
    """Variance of each parameter; of a strength, against the average of all."""
    variances = optimum.curvature.variances()
    # Comparisons see only differences, so the average has its prior's variance spread^2 / items and is independent of
    # them: taken off, what is left is that of an item against the average.
    variances[: model.item_count] -= hyper.spread**2 / model.item_count
    return variances


def _contradicted(model: Model, evidence: Evidence, optimum: Optimum[Curvature]) -> bool:
    if isinstance(model, PairModel):
        return model.contradicted(optimum.theta, evidence)
    return contradicted(model, optimum.theta)


def _scale_sensitivity(variances: Floats, hyper: Hyper) -> float:
    """By what share of itself the scale of the strengths would grow, were the prior's spread to grow by a share of 1.

    Twice the share of the prior's variance that evidence has left, averaged over all contrasts of items.
    """
    contrasts = max(variances.size - 1, 1)
    return 2 * float(variances.sum()) / (contrasts * hyper.spread**2)


def _covariance(optimum: Optimum[Curvature], hyper: Hyper, moves: Floats, widening: float) -> Floats | None:
    """Of the strengths less their mean: the mean has the prior's variance and no covariance with the differences.

    Args:
        optimum: The optimum.
        hyper: What it is the optimum under.
        moves: How the strengths move by a standard error of what was held, shape (items, things held).
        widening: Factor on every standard error.
    """
    full = optimum.curvature.covariance
    if full is None:
        return None
    count = len(moves)
    return widening**2 * (full[:count, :count] - hyper.spread**2 / count + moves @ moves.T)


def _of_judges(values: Floats, slots: Ints, absent: float) -> Floats:
    return np.append(values, absent)[slots]
