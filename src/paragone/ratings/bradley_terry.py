"""The strength: a regularised Bradley-Terry fit over all evidence, whatever its order.

``fit`` finds the maximum a posteriori of Davidson's model with a position term and a log tie parameter for each judge,
soft verdicts by quasi-likelihood, orderings of many items by Plackett-Luce, and a Gaussian prior on the strengths whose
spread comes from the evidence. The design note ``docs/design/0002-rating-model.md`` says why each part is there.
"""

import numpy as np

from paragone.errors import NotConverged
from paragone.ratings.curvature import DensePattern, Pattern
from paragone.ratings.dispersion import dispersions
from paragone.ratings.evidence import Evidence, Floats, Ints
from paragone.ratings.fitted import Fit, FitOptions
from paragone.ratings.identification import components, contradicted
from paragone.ratings.laplace import Ascent, SpreadPrior, best_spread, drift, log_spread_error
from paragone.ratings.newton import Optimum
from paragone.ratings.posterior import TIE_CENTER, Hyper, Model
from paragone.ratings.sparse_curvature import SparsePattern

_DEFAULTS = FitOptions()
_FIRST_DISPERSION = 0.05
_ROUNDS = 25
_SETTLED = 1e-4
_FINE = 1e-8
_SURE = 0.25


def fit(evidence: Evidence, options: FitOptions = _DEFAULTS, *, start: Fit | None = None) -> Fit:
    """Strengths of all items, and what the evidence says about its judges.

    Args:
        evidence: Comparisons and rankings; none at all is fine and gives the prior back.
        options: Parameters of the fit.
        start: An earlier fit of nearly the same evidence, to begin from: items by index (new ones at the end), judges
            by identity. It saves time; the result is the same to about 1e-8 nats, or 1e-5 where dispersions are
            estimated.

    Raises:
        NotConverged: If the optimum was not reached in the steps allowed; it carries the partial ``Fit``.
    """
    model = Model.of(evidence, options.positioned(evidence.judges))
    ascent = Ascent(
        model=model,
        pattern=_pattern(model, options),
        theta=_first_theta(evidence, model, start),
        steps=options.max_iterations,
        tolerance=options.tolerance,
    )
    prior = SpreadPrior(center=options.spread_center, width=options.spread_width, most=options.spread_most)
    hyper = Hyper(spread=_first_spread(options, start), dispersion=_first_dispersion(evidence, model, options, start))
    try:
        hyper = _settle(ascent, hyper, options, prior)
        bounded = options.spread is None and prior.bounds(hyper.spread)
        held = bounded or options.spread is not None
        error = 0.0 if held else log_spread_error(ascent, hyper, prior)
        optimum = ascent.to(hyper)
    except NotConverged as stuck:
        partial = _assemble(evidence, options, ascent, hyper, _reached(stuck), spread_error=0.0, bounded=False)
        text = f"the fit of {len(evidence)} comparisons did not converge in {ascent.iterations} steps; allow more"
        raise NotConverged(text, partial) from stuck
    return _assemble(evidence, options, ascent, hyper, optimum, spread_error=error, bounded=bounded)


def _pattern(model: Model, options: FitOptions) -> Pattern:
    if model.dimension <= options.dense_limit:
        return DensePattern(model.places, model.dimension)
    return SparsePattern(model.places, model.dimension)


def _first_theta(evidence: Evidence, model: Model, start: Fit | None) -> Floats:
    theta = np.zeros(model.dimension + 1)
    theta[model.tie] = TIE_CENTER
    if start is not None:
        known = min(start.strength.size, model.item_count)
        theta[:known] = start.strength[:known]
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


def _settle(ascent: Ascent, hyper: Hyper, options: FitOptions, prior: SpreadPrior) -> Hyper:
    """Spread and dispersions in turn, each as exactly as the other's last move warrants, until neither moves."""
    scattered = options.dispersion is None and bool(ascent.model.rows.soft.any())
    change = 1.0 if scattered else 0.0
    for _ in range(_ROUNDS):
        spread = options.spread
        if spread is None:
            spread = best_spread(ascent, hyper.dispersion, prior, hyper.spread, max(_FINE, change / 100))
        hyper = Hyper(spread=spread, dispersion=hyper.dispersion)
        if not scattered:
            return hyper
        optimum, before = ascent.to(hyper), hyper.dispersion
        hyper = Hyper(spread=spread, dispersion=dispersions(ascent.model, hyper, optimum))
        change = float(np.abs(np.log(hyper.dispersion / before)).max())
        if change < _SETTLED:
            return hyper
    return hyper


def _reached(stuck: NotConverged) -> Optimum:
    if not isinstance(stuck.partial, Optimum):
        raise TypeError(f"a climb that fails carries an Optimum, not {type(stuck.partial).__name__}")
    return stuck.partial


def _assemble(
    evidence: Evidence,
    options: FitOptions,
    ascent: Ascent,
    hyper: Hyper,
    optimum: Optimum,
    *,
    spread_error: float,
    bounded: bool,
) -> Fit:
    model, items = ascent.model, slice(0, ascent.model.item_count)
    labels = components(evidence)
    variances = optimum.curvature.variances()
    variances[items] -= hyper.spread**2 / model.item_count
    moves = spread_error * drift(model, hyper, optimum)
    errors = options.widening * np.sqrt(np.maximum(variances + moves**2, 0.0))
    fixed = spread_error * _leaning(variances[items], hyper) <= _SURE and contradicted(model, optimum.theta)
    return Fit(
        strength=optimum.theta[items] - optimum.theta[items].mean(),
        standard_error=errors[items],
        covariance=_covariance(optimum, hyper, moves[items], options.widening),
        judges=evidence.judges,
        position=_of_judges(optimum.theta, model.position, np.nan),
        position_se=_of_judges(errors, model.position, np.nan),
        tie=_of_judges(optimum.theta, model.tie, -np.inf),
        tie_se=_of_judges(errors, model.tie, np.nan),
        dispersion=hyper.dispersion,
        prior_spread=hyper.spread,
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
    )


def _leaning(variances: Floats, hyper: Hyper) -> float:
    """By what share of itself the scale of the strengths would grow, were the prior's spread to grow by a share of 1.

    Twice the share of the prior's variance that evidence has left, averaged over all contrasts of items.
    """
    contrasts = max(variances.size - 1, 1)
    return 2 * float(variances.sum()) / (contrasts * hyper.spread**2)


def _covariance(optimum: Optimum, hyper: Hyper, moves: Floats, widening: float) -> Floats | None:
    """Of the strengths less their mean: the mean has the prior's variance and no covariance with the differences."""
    full = optimum.curvature.covariance
    if full is None:
        return None
    count = moves.size
    return widening**2 * (full[:count, :count] - hyper.spread**2 / count + np.outer(moves, moves))


def _of_judges(values: Floats, slots: Ints, absent: float) -> Floats:
    return np.append(values, absent)[slots]
