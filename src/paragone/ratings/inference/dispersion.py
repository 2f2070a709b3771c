"""How far a judge's probabilities scatter around what the strengths say.

A soft verdict is not a decision: its variance is ``dispersion * p * (1 - p)``, with a dispersion of 1 for decisions and
much less for probabilities that follow the strengths closely. It divides the judge's part of the log-likelihood
(quasi-likelihood).

Source: P. McCullagh, J. A. Nelder (1989), "Generalized linear models", 2nd edition, chapter 9.
"""

import numpy as np

from paragone.ratings.algebra.newton import Optimum
from paragone.ratings.evidence import Floats
from paragone.ratings.model.posterior import Hyper, Model, totals

LEAST, MOST = 1e-4, 10.0
"""Bounds of a dispersion: below, a verdict would outweigh ten thousand decisions."""
PRIOR_COUNT = 2.0
"""Observations' worth of belief that a probability says no more than a decision (a dispersion of 1)."""
_LEAST_VARIANCE = 1e-3


def dispersions(model: Model, hyper: Hyper, optimum: Optimum) -> Floats:
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
    leverages = optimum.curvature.products(optimum.at.entries)[: 16 * rows.weight.size]
    used = leverages.reshape(rows.weight.size, 16).sum(axis=1)

    def total(values: Floats) -> Floats:
        return totals(rows.judge, np.where(rows.soft, values, 0.0), hyper.dispersion.size)

    residual_df = np.maximum(total(rows.weight) - total(used), np.finfo(np.float64).tiny)
    raw = np.clip(total(pearson) / residual_df, LEAST, MOST)
    drawn = np.exp(np.log(raw) * residual_df / (residual_df + PRIOR_COUNT))
    return np.where(total(rows.weight) > 0, drawn, 1.0)
