"""Draws of the strengths from the posterior of a fit: from itself by Hamiltonian chains, or from its Gaussian.

They speak of items against the average of their pool, as intervals do.
"""

from collections.abc import Callable

import numpy as np

from paragone.domain.rounding import DRAW_DECIMALS, SHARE_DECIMALS, STRENGTH_DECIMALS, rounded
from paragone.ratings.bradley_terry import model_of, pattern_of
from paragone.ratings.evidence import Floats
from paragone.ratings.fit_types import Fit, FitPart
from paragone.ratings.inference.chains import Density, SlopeCoordinates, sample
from paragone.ratings.inference.optimum import Optimum, drift
from paragone.ratings.model.covariates import ShapedModel
from paragone.ratings.model.curvature import one_thread
from paragone.ratings.model.likelihood import Hyper, Model, totals

_BATCH = 128
_ROOM = 4_000_000


def joint_draws(fit: Fit, count: int, rng: np.random.Generator) -> Floats:
    """Strengths less their mean, drawn from the posterior's Gaussian, shape (count, items), in nats.

    They carry the correlations between items that the curvature at the optimum gives: exactly if the comparisons form
    a path, otherwise by Lanczos to a ten-thousandth. The spread's own uncertainty moves all items of a draw together.

    Args:
        fit: A fit, of whatever size.
        count: How many draws.
        rng: Source of randomness.
    """
    model, stretch = model_of(fit.evidence, fit.options), fit.repeats.stretch
    theta, hyper = _theta(fit, model), Hyper(spread=fit.prior_spread, dispersion=fit.dispersion, panel=fit.panel)
    at = model.derivatives(theta, hyper)
    curvature = pattern_of(model, fit.options).curvature(at.entries)
    optimum = Optimum(theta=theta, at=at, curvature=curvature, iterations=0, converged=True)
    moves = fit.log_spread_se * drift(model, hyper, optimum.theta, optimum.curvature)
    away = np.empty((count, model.item_count))
    batch = max(1, min(_BATCH, _ROOM // model.dimension))
    for start in range(0, count, batch):
        size = min(batch, count - start)
        drawn = curvature.samples(rng.standard_normal((model.dimension, size)))
        drawn += np.outer(moves, rng.standard_normal(size))
        away[start : start + size] = drawn[: model.item_count].T
    away -= away.mean(axis=1, keepdims=True)
    away *= fit.options.widening * stretch
    away += fit.strength
    return away


def _theta(fit: Fit, model: Model) -> Floats:
    """The parameters at the fit's optimum."""
    theta = np.zeros(model.dimension + 1)
    theta[: model.item_count] = fit.strength / fit.repeats.stretch
    for slots, values in (
        (model.position, fit.position / fit.repeats.stretch),
        (model.place, fit.place / fit.repeats.stretch),
        (model.tie, fit.tie),
    ):
        theta[slots] = values
    return theta[:-1]


_CHART_DECIMALS = 5
MOST_CHAINED = 500
"""Up to this many parameters draws come from the posterior itself; above, setting up costs more than a fit."""


@one_thread
def draws(fit: Fit, count: int, rng: np.random.Generator) -> Floats:
    """Strengths drawn from the posterior, less their mean in each draw, shape (count, items), in nats.

    Joint draws from the posterior itself, the spread of the strengths included, up to ``MOST_CHAINED`` parameters;
    above, from its Gaussian approximation, also where the fit has no covariance. Where the fit allows for no signal,
    that share of the rows, evenly spaced, has all items equal.

    Args:
        fit: The fit.
        count: How many draws.
        rng: Source of randomness; the same state gives the same draws on every processor, to ``DRAW_DECIMALS``.
    """
    if fit.mode is not None:
        return _among_level(fit, draws, count, rng)
    if fit.parts:
        return rounded(_of_parts(fit.parts, count, rng), DRAW_DECIMALS)
    return rounded(_draws(fit, count, rng), DRAW_DECIMALS)


def _among_level(
    fit: Fit, sampler: Callable[[Fit, int, np.random.Generator], Floats], count: int, rng: np.random.Generator
) -> Floats:
    """Draws given that there is signal, with evenly spaced rows of equal items among them for that there is none."""
    # Steps of floor(p k + 1/2): a share p of the rows, as evenly spaced as can be.
    level = np.diff(np.floor(fit.no_signal * np.arange(count + 1) + 0.5)) > 0
    result = np.zeros((count, fit.strength.size))
    if fit.mode is not None and not level.all():
        result[~level] = sampler(fit.mode, int(np.count_nonzero(~level)), rng)
    return result


def _draws(fit: Fit, count: int, rng: np.random.Generator) -> Floats:
    if fit.covariance is None:
        return joint_draws(fit, count, rng)
    if fit.evidence.has_differences:
        return gaussian_draws(fit, count, rng)
    slope = rounded(fit.slope, STRENGTH_DECIMALS)
    model = Model.of(fit.evidence, fit.options.positioned(fit.evidence.judges), slope)
    if fit.options.shape is not None:
        model = ShapedModel.around(model, fit.options.shape)
    if model.dimension > MOST_CHAINED:
        return gaussian_draws(fit, count, rng)
    strength = sample(*_posterior(fit, model), count, rng)[:, : fit.strength.size]
    away = _stretched(fit, strength - strength.mean(axis=1, keepdims=True), rng) - fit.strength
    widened: Floats = fit.strength + fit.options.widening * away
    return widened


def _of_parts(parts: tuple[FitPart, ...], count: int, rng: np.random.Generator) -> Floats:
    """Draws from each part by its share, evenly mixed, with what is taken out of it taken out."""
    # Rounded before the cut, or a last bit of a weight would move a draw to another part on another processor.
    ends = np.round(rounded(np.cumsum([part.weight for part in parts]), SHARE_DECIMALS) * count).astype(int)
    drawn = []
    for part, size in zip(parts, np.diff(ends, prepend=0).tolist(), strict=True):
        strength = draws(part.fit, size, rng) if size else np.zeros((0, part.fit.strength.size))
        if part.removal is not None:
            scatter = rng.standard_normal((size, len(part.removal.root))) @ part.removal.root.T
            strength = strength - (part.removal.effect(strength) + scatter) @ part.removal.values.T
        drawn.append(strength)
    mixed: Floats = rng.permutation(np.concatenate(drawn))
    return mixed


def gaussian_draws(fit: Fit, count: int, rng: np.random.Generator) -> Floats:
    """The same from the Gaussian with the fit's mean and covariance.

    Args:
        fit: A fit that has a covariance.
        count: How many draws.
        rng: Source of randomness.

    Raises:
        ValueError: If the fit has no covariance.
    """
    if fit.covariance is None:
        raise ValueError("a fit above its dense limit has no covariance to draw with")
    if fit.mode is not None:
        return _among_level(fit, gaussian_draws, count, rng)
    items = fit.strength.size
    # The covariance has no variance along the mean; some is put in to factor it, and taken out again.
    along = max(float(np.diagonal(fit.covariance).mean()), np.finfo(np.float64).tiny)
    away = rng.standard_normal((count, items)) @ np.linalg.cholesky(fit.covariance + along / items).T
    result: Floats = fit.strength + away - away.mean(axis=1, keepdims=True)
    return result


def _stretched(fit: Fit, strength: Floats, rng: np.random.Generator) -> Floats:
    """Draws stretched as the fit is, each by as much as may be."""
    if fit.repeats.stretch_se == 0.0:
        return strength
    factors = fit.repeats.stretch + fit.repeats.stretch_se * rng.standard_normal((len(strength), 1))
    return strength * np.maximum(factors, 1.0)


def _posterior(fit: Fit, model: Model) -> tuple[SlopeCoordinates, Density]:
    """Coordinates around the fit's optimum, and the log posterior that they are for.

    Where the posterior is far from Gaussian, chains that begin 1e-12 apart may end 1e-5 apart. So they are begun from
    rounded numbers: where the coordinates have their origin, and how wide they are, is a choice and need not be exact.
    """
    optimum, stretch = np.zeros(model.dimension + 1), fit.repeats.stretch
    optimum[: model.item_count] = fit.strength / stretch
    for slots, values in ((model.position, fit.position / stretch), (model.tie, fit.tie)):
        optimum[slots[: values.size]] = values
    optimum = rounded(optimum[:-1], _CHART_DECIMALS)
    spread, error = rounded([fit.prior_spread, fit.log_spread_se], _CHART_DECIMALS).tolist()
    hyper = Hyper(spread=spread, dispersion=rounded(fit.dispersion, STRENGTH_DECIMALS), panel=fit.panel)
    side = model.dimension + 1
    full = totals(model.places, model.derivatives(optimum, hyper).entries, side**2).reshape(side, side)
    chart = SlopeCoordinates.of(
        optimum, full[:-1, :-1], items=model.item_count, spread=spread, error=error, shape=fit.options.shape
    )
    chosen = fit.options
    prior = chosen.spread_prior
    return chart, Density.of(model, hyper, prior, fit.options.shape)
