"""The Plackett-Luce model of an ordering: the best is chosen from all, the next from the rest, and so on.

Orderings of several lengths share one array, filled up with a phantom item that is never chosen.

Source: R. L. Plackett (1975), "The analysis of permutations", Applied Statistics 24; R. D. Luce (1959).
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from paragone.ratings.evidence import Floats


@dataclass(frozen=True, kw_only=True, eq=False, slots=True)
class PlackettLuce:
    """Value and derivatives of the log-likelihood of orderings, in the strengths of the items ordered.

    Attributes:
        value: Log-likelihood of each ordering, shape (rankings,).
        gradient: Shape (rankings, longest); 0 for the phantom.
        curvature: Negative second derivative within each ordering, shape (rankings, longest, longest).
    """

    value: Floats
    gradient: Floats
    curvature: Floats

    @classmethod
    def at(cls, strength: Floats) -> "PlackettLuce":
        """The derivatives at the strengths of the items in their order, best first; -inf for the phantom."""
        real = np.isfinite(strength)
        rest = np.logaddexp.accumulate(strength[:, ::-1], axis=1)[:, ::-1]
        value = np.subtract(strength, rest, where=real, out=np.zeros_like(strength)).sum(axis=1)
        chosen = _chosen(strength, rest, real)
        ever = chosen.sum(axis=1)
        # Each stage is a multinomial choice: its curvature is diag(p) - p p^T, and its gradient 1 for the chosen less
        # p.
        curvature = -np.einsum("rsi,rsj->rij", chosen, chosen)
        diagonal = np.arange(strength.shape[1])
        curvature[:, diagonal, diagonal] += ever
        return cls(value=value, gradient=real - ever, curvature=curvature)


def _chosen(strength: Floats, rest: Floats, real: NDArray[np.bool_]) -> Floats:
    """Probability that item i is chosen at stage s, shape (rankings, stages, items)."""
    longest = strength.shape[1]
    open_to = np.triu(np.ones((longest, longest), dtype=np.bool_)) & real[:, :, None] & real[:, None, :]
    log_probability = np.full(open_to.shape, -np.inf)
    np.subtract(strength[:, None, :], rest[:, :, None], where=open_to, out=log_probability)
    probability: Floats = np.exp(log_probability)
    return probability


def value_and_gradient(strength: Floats) -> tuple[Floats, Floats]:
    """Log-likelihood (rankings, points) and its gradient (rankings, longest, points), without the curvature.

    Args:
        strength: Of the items in their order, best first; -inf for the phantom; shape (rankings, longest, points).
    """
    real = np.isfinite(strength)
    has_no_phantoms = bool(real.all())  # no phantoms, which is usual: then nothing is picked out
    share = strength - strength.max(axis=1, keepdims=True)
    if (share.min(initial=0.0) if has_no_phantoms else np.min(share, where=real, initial=0.0)) < _UNDERFLOW:
        return _in_logarithms(strength, real)
    # With w = exp(strength - top): log P = sum of log(w_s / rest_s), and d/ds_i = 1 - w_i * (sum of 1 / rest over the
    # stages up to i's place). One exponential an item; logarithms of sums would take one at every stage.
    value = (share if has_no_phantoms else np.where(real, share, 0.0)).sum(axis=1)
    np.exp(share, out=share)
    rest = np.empty_like(share)
    after = np.zeros_like(share[:, 0])
    for stage in reversed(range(share.shape[1])):  # place by place: cumulative sums along a middle axis are far slower
        after += share[:, stage]
        # A phantom's stage counts for log 1 = 0.
        rest[:, stage] = after if has_no_phantoms else np.where(real[:, stage], after, 1.0)
    value -= np.log(rest).sum(axis=1)
    passed = np.zeros_like(after)
    for stage in range(share.shape[1]):
        passed += 1.0 / rest[:, stage]
        share[:, stage] *= passed
    return value, real - share


_UNDERFLOW = -600.0
"""An item so many nats below the best of its ordering has no share left that a float could hold."""


def _in_logarithms(strength: Floats, real: NDArray[np.bool_]) -> tuple[Floats, Floats]:
    """The same for any strengths, several times slower."""
    rest = np.logaddexp.accumulate(strength[:, ::-1], axis=1)[:, ::-1]
    value = np.subtract(strength, rest, where=real, out=np.zeros_like(strength)).sum(axis=1)
    passed = np.logaddexp.accumulate(np.where(real, -rest, -np.inf), axis=1)
    return value, real - np.exp(strength + passed)
