"""The log posterior at many points at once: value and slope, spread of the strengths included.

``posterior.Model`` knows the curvature and sees one point; this twin sees a block of points, one a column, and leaves
the curvature out. Comparisons are an exponential family, so their scores enter through one fixed vector.
"""

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from paragone.ratings.algebra.curvature import SMALL
from paragone.ratings.evidence import Floats, Ints
from paragone.ratings.inference.laplace import SpreadPrior
from paragone.ratings.model.plackett_luce import value_and_gradient
from paragone.ratings.model.posterior import Hyper, Model

if TYPE_CHECKING:
    from scipy.sparse import csr_array

IMPOSSIBLE = -1e30
"""Log posterior beyond the bound of the spread: finite, so that a chain that starts there finds its way in."""

BLOCK = 16_000
"""Rows of comparisons times points that are worked on together: 128 kB a matrix. Larger ones are new memory from the
system each time, which took three quarters of the whole, and leave the processor's caches."""


@dataclass(frozen=True, kw_only=True, eq=False, slots=True)
class Density:
    """The log posterior of all parameters and of the logarithm of the strengths' spread.

    Attributes:
        items: Number of strengths.
        lead: Log-odds of each row of comparisons from the parameters, shape (rows, dimension).
        tie: Which tie parameter each row has, shape (rows, tie parameters).
        weight: What each row counts for, shape (rows,).
        pull: Slope of the scores in the parameters, shape (dimension,).
        ranked: Strength in each place of each ordering, shape (rankings * longest, dimension).
        present: Which places of the orderings hold an item, shape (rankings, longest).
        ranking_weight: Shape (rankings,).
        center: Mean of each parameter before evidence.
        precision: Of each parameter before evidence; that of the strengths is not used.
        prior: Of the spread.
    """

    items: int
    lead: "Floats | csr_array"
    tie: Floats
    weight: Floats
    pull: Floats
    ranked: "Floats | csr_array"
    present: Floats
    ranking_weight: Floats
    center: Floats
    precision: Floats
    prior: SpreadPrior

    @classmethod
    def of(cls, model: Model, hyper: Hyper, prior: SpreadPrior) -> "Density":
        """The density of this evidence, dispersions as in ``hyper``."""
        rows, slots, certainty = model.rows, model.slots, model.certainty(hyper)
        lead = _selection(slots[:, :3], np.array([1.0, -1.0, 1.0]) * model.lever[..., :3], model.dimension)
        first_tie = int(min(model.tie.min(initial=model.dimension), model.dimension))
        tie = np.equal.outer(slots[:, 3], np.arange(first_tie, model.dimension)).astype(np.float64)
        pull = np.asarray(lead.T @ (certainty * rows.lead))
        pull[first_tie:] += tie.T @ (certainty * rows.tied)
        center, precision = model.prior(hyper)
        return cls(
            items=model.item_count,
            lead=lead,
            tie=tie,
            weight=certainty * rows.weight,
            pull=pull,
            ranked=_ranked(model),
            present=(model.rankings < model.dimension).astype(np.float64),
            ranking_weight=model.ranking_weight,
            center=center,
            precision=precision,
            prior=prior,
        )

    def at(self, theta: Floats, log_spread: Floats) -> tuple[Floats, Floats, Floats]:
        """Value (points,), slope in the parameters (dimension, points), slope in the log spread (points,).

        Args:
            theta: Shape (dimension, points).
            log_spread: Shape (points,).
        """
        value, slope = self._compared(theta)
        if self.present.size:
            ranked_value, ranked_slope = self._ranked(theta)
            value, slope = value + ranked_value, slope + ranked_slope
        away, spread = theta - self.center[:, None], np.exp(log_spread)
        precise = np.repeat(self.precision[:, None], spread.size, axis=1)
        precise[: self.items] = spread**-2
        squares = precise * away**2
        off = (log_spread - math.log(self.prior.center)) / self.prior.width
        value = np.where(spread <= self.prior.most * (1 + 1e-9), value, IMPOSSIBLE)
        value = value - squares.sum(axis=0) / 2 - self.items * log_spread - off**2 / 2
        by_spread = squares[: self.items].sum(axis=0) - self.items - off / self.prior.width
        return value, slope - precise * away, by_spread

    def _compared(self, theta: Floats) -> tuple[Floats, Floats]:
        odds = np.exp(theta[theta.shape[0] - self.tie.shape[1] :])
        value, slope = self.pull @ theta, np.repeat(self.pull[:, None], theta.shape[1], axis=1)
        count = self.lead.shape[0]
        size = max(1, BLOCK // theta.shape[1]) if isinstance(self.lead, np.ndarray) else count
        for low in range(0, count, max(1, size)):
            self._add_compared(theta, odds, slice(low, low + size), value, slope)
        return value, slope

    def _add_compared(self, theta: Floats, odds: Floats, rows: slice, value: Floats, slope: Floats) -> None:
        """What the scores of some rows leave of their pull; arrays are written over, see ``BLOCK``."""
        lead, tie, weight = self.lead[rows], self.tie[rows], self.weight[rows]
        x = lead @ theta
        half = np.abs(x)
        half /= 2
        small = np.negative(half)
        np.exp(small, out=small)
        lost = small * small
        total = lost + 1.0
        tied = tie @ odds if len(odds) else None
        if tied is not None:
            tied *= small
            total += tied
        half += np.log(total, out=small)
        value -= weight @ half
        share = np.divide(weight[:, None], total, out=half)
        margin = np.copysign(np.subtract(1.0, lost, out=lost), x, out=x)
        margin *= share
        slope -= lead.T @ margin / 2
        if tied is not None:
            tied *= share
            slope[slope.shape[0] - len(odds) :] -= tie.T @ tied

    def _ranked(self, theta: Floats) -> tuple[Floats, Floats]:
        rankings, longest = self.present.shape
        strength = (self.ranked @ theta).reshape(rankings, longest, -1)
        strength = np.where(self.present[:, :, None] > 0, strength, -np.inf)
        value, slope = value_and_gradient(strength)
        weighted = (self.ranking_weight[:, None, None] * slope).reshape(rankings * longest, -1)
        return self.ranking_weight @ value, np.asarray(self.ranked.T @ weighted)


def _ranked(model: Model) -> "Floats | csr_array":
    """The slope of the judge at each place of each ordering, and whose place it is."""
    if not model.rankings.size:
        return np.zeros((0, model.dimension))  # what most fits have: scipy need not be loaded
    return _sparse_selection(model.rankings.reshape(-1, 1), _places_slope(model), model.dimension)


def _places_slope(model: Model) -> Floats:
    """The slope of the judge at each place of each ordering, shape (rankings * longest, 1)."""
    return np.repeat(model.slope[model.ranking_judge], model.rankings.shape[1])[:, None]


def _selection(slots: Ints, factors: Floats, dimension: int) -> "Floats | csr_array":
    """The matrix that adds up the parameters at each row's slots, times factors; small ones full, others sparse."""
    count, each = slots.shape
    row, column = np.repeat(np.arange(count), each), slots.ravel()
    values = np.broadcast_to(factors, slots.shape).ravel()
    if dimension <= SMALL:
        full = np.zeros((count, dimension + 1))
        full[row, column] = values
        return full[:, :-1].copy()
    return _sparse_selection(slots, factors, dimension)


def _sparse_selection(slots: Ints, factors: Floats, dimension: int) -> "csr_array":
    """The same, sparse whatever its size: with one parameter a row, a full matrix would be nearly all zeros."""
    count, each = slots.shape
    row, column = np.repeat(np.arange(count), each), slots.ravel()
    values = np.broadcast_to(factors, slots.shape).ravel()
    from scipy.sparse import csr_array

    real = column < dimension
    return csr_array((values[real], (row[real], column[real])), shape=(count, dimension))
