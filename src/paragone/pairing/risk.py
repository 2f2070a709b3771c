"""How wrong a ranking may be by the whole posterior of the strengths, and which comparison lowers that most.

The posterior is normal with mean ``t`` and covariance ``V``, in nats. The answer to one comparison of i and j takes
``c a a'`` from V, with ``a = V d``, ``d = e_i - e_j`` and ``c`` what it is expected to tell. To first order a risk
falls by the decrease of ``trace(L V)`` for a matrix L that belongs to it, and so by ``c d' M d`` with ``M = V L V``.

Two risks are known here: pairs of items that stand in the wrong order, and items that are wrongly in or out of the top.
Each matrix L is divided by its risk, so that gains are shares of the risk and can be added.
"""

import numpy as np

from paragone.domain.rounding import SHARE_DECIMALS, rounded
from paragone.pairing.forecast import Floats

_TINY = 1e-12  # of a variance in square nats, and of a risk: below, nothing is left to be found out
_DOUBTFUL = 1e-4  # variance of belonging to the top from which an item counts
_FARTHEST = 40.0  # standard deviations from an item within which the threshold of a top is sought
_HALVINGS = 60


def information(lead: Floats, variance: Floats) -> Floats:
    """The share c by which an answer is expected to lower a variance: by ``c * variance**2``.

    ``k p (1 - p)`` for ``k = 1 / (1 + pi variance / 8)`` and p the chance of the first at ``sqrt(k) lead``: MacKay's
    approximation (1992) to the average over the difference, times what of it one answer uses up. 1/4 between equals
    whose difference is known; within a fifth of ``1 / (1 / average of p (1 - p) + variance)``.

    Args:
        lead: Expected differences in nats.
        variance: Their variances in square nats, of the same shape.
    """
    known = 1.0 / (1.0 + np.pi / 8.0 * variance)
    decay = np.exp(-np.abs(np.sqrt(known) * lead))
    told: Floats = known * decay / (1.0 + decay) ** 2
    return told


def pair_variances(form: Floats) -> Floats:
    """``d' F d`` for each pair of items and a symmetric F, at least a very little; shape (items, items)."""
    own = np.diagonal(form)
    values: Floats = np.maximum(own[:, np.newaxis] + own - 2.0 * form, _TINY)
    return values


def order_form(mean: Floats, covariance: Floats) -> Floats:
    """L of the expected share of pairs in the wrong order, shape (items, items): the Laplacian of a graph.

    The risk is the sum of ``p (1 - p)`` over pairs, p being the probability that one is the better; a pair's weight is
    the squared density of its difference at zero.

    Args:
        mean: Posterior means in nats, shape (items,).
        covariance: Posterior covariance, shape (items, items).
    """
    variance = pair_variances(covariance)
    lead = (mean[:, np.newaxis] - mean) / np.sqrt(variance)
    weight = _density(lead) ** 2 / variance
    np.fill_diagonal(weight, 0.0)
    share = _share(lead)
    risk = float((share * (1.0 - share)).sum() - mean.size / 4.0) / 2.0  # less the diagonal
    form: Floats = (np.diag(weight.sum(axis=1)) - weight) / max(risk, _TINY)
    return form


def top_rows(mean: Floats, covariance: Floats, top: int) -> Floats:
    """Rows F with ``F'F`` the L of the expected mistakes about who belongs to the top k; shape (doubtful items, items).

    The risk is the sum of ``q (1 - q)`` over items, q being the probability to lie above a threshold that k items are
    expected to exceed. An item's row says how its distance from the threshold moves, the threshold's move included.

    Args:
        mean: Posterior means in nats, shape (items,).
        covariance: Posterior covariance, shape (items, items).
        top: k, below the number of items.
    """
    deviation = np.sqrt(np.maximum(np.diagonal(covariance), _TINY))
    distance = (mean - _threshold(mean, deviation, top)) / deviation
    belongs = _share(distance)
    doubt = rounded(belongs * (1.0 - belongs), SHARE_DECIMALS)
    density = _density(distance) / deviation
    doubtful = np.flatnonzero(doubt > _DOUBTFUL)
    rows: Floats = -density[doubtful, np.newaxis] * (density / max(float(density.sum()), _TINY))
    rows[np.arange(doubtful.size), doubtful] += density[doubtful]
    rows /= np.sqrt(max(float(doubt.sum()), _TINY))
    return rows


def _threshold(mean: Floats, deviation: Floats, top: int) -> float:
    """The strength that so many items are expected to exceed, by bisection."""
    low = float((mean - _FARTHEST * deviation).min())
    high = float((mean + _FARTHEST * deviation).max())
    for _ in range(_HALVINGS):
        middle = (low + high) / 2.0
        exceed = float(_share((mean - middle) / deviation).sum())
        low, high = (middle, high) if exceed > top else (low, middle)
    return (low + high) / 2.0


def _density(at: Floats) -> Floats:
    density: Floats = np.exp(-0.5 * at * at) / np.sqrt(2.0 * np.pi)
    return density


def _share(below: Floats) -> Floats:
    """Distribution function of the standard normal to .0003, by the usual approximation with a hyperbolic tangent."""
    share: Floats = 0.5 + 0.5 * np.tanh(np.sqrt(2.0 / np.pi) * (below + 0.044715 * below**3))
    return share
