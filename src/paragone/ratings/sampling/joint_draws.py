"""Joint draws of the strengths of many items, where no covariance is formed."""

import numpy as np

from paragone.ratings.algebra.layout import model_of, pattern_of
from paragone.ratings.algebra.newton import Optimum
from paragone.ratings.evidence import Floats
from paragone.ratings.fitted import Fit
from paragone.ratings.inference.laplace import drift
from paragone.ratings.model.posterior import Hyper, Model

_BATCH = 128
_ROOM = 4_000_000


def joint_draws(fit: Fit, count: int, rng: np.random.Generator) -> Floats:
    """Strengths less their mean, drawn from the posterior's Gaussian, shape (count, items), in nats.

    What holds between items is in them, as the curvature at the optimum has it: exactly where the comparisons lie along
    a line, else by Lanczos, to a ten-thousandth. The spread's own uncertainty moves all items of a draw together.

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
    moves = fit.log_spread_se * drift(model, hyper, optimum)
    away = np.empty((count, model.item_count))
    batch = max(1, min(_BATCH, _ROOM // model.dimension))
    for start in range(0, count, batch):
        size = min(batch, count - start)
        drawn = curvature.samples(rng.standard_normal((model.dimension, size)))
        drawn += np.outer(moves, rng.standard_normal(size))
        away[start : start + size] = drawn[: model.item_count].T
    away -= away.mean(axis=1, keepdims=True)
    result: Floats = fit.strength + fit.options.widening * stretch * away
    return result


def _theta(fit: Fit, model: Model) -> Floats:
    """The parameters at the fit's optimum."""
    theta = np.zeros(model.dimension + 1)
    theta[: model.item_count] = fit.strength / fit.repeats.stretch
    for slots, values in ((model.position, fit.position / fit.repeats.stretch), (model.tie, fit.tie)):
        theta[slots] = values
    return theta[:-1]
