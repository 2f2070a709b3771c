"""The log posterior at many points at once: value and slope, spread of the strengths included.

``posterior.Model`` knows the curvature and sees one point; this twin sees a block of points, one a column, and leaves
the curvature out. Comparisons are an exponential family, so their scores enter through one fixed vector.
"""

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from paragone.ratings.curvature import SMALL
from paragone.ratings.evidence import Floats, Ints
from paragone.ratings.laplace import SpreadPrior
from paragone.ratings.plackett_luce import value_and_gradient
from paragone.ratings.posterior import Hyper, Model

if TYPE_CHECKING:
    from scipy.sparse import csr_array

IMPOSSIBLE = -1e30
"""Log posterior beyond the bound of the spread: finite, so that a chain that starts there finds its way in."""


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
        lead = _selection(slots[:, :3], np.array([1.0, -1.0, 1.0]), model.dimension)
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
            ranked=_selection(model.rankings.reshape(-1, 1), np.ones(1), model.dimension),
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
        # Blocks of rows by points are written over: fetching new memory for each would take most of the time.
        x = self.lead @ theta
        half = np.abs(x)
        half /= 2
        small = np.exp(-half)
        lost = small * small
        tied = self.tie @ np.exp(theta[theta.shape[0] - self.tie.shape[1] :])
        tied *= small
        total = np.add(lost, tied, out=small)
        total += 1.0
        half += np.log(total)
        value = self.pull @ theta - self.weight @ half
        share = np.divide(self.weight[:, None], total, out=half)
        tied *= share
        margin = np.copysign(np.subtract(1.0, lost, out=lost), x, out=x)
        margin *= share
        slope = self.pull[:, None] - self.lead.T @ margin / 2
        slope[slope.shape[0] - self.tie.shape[1] :] -= self.tie.T @ tied
        return value, slope

    def _ranked(self, theta: Floats) -> tuple[Floats, Floats]:
        rankings, longest = self.present.shape
        strength = (self.ranked @ theta).reshape(rankings, longest, -1)
        strength = np.where(self.present[:, :, None] > 0, strength, -np.inf)
        value, slope = value_and_gradient(strength)
        weighted = (self.ranking_weight[:, None, None] * slope).reshape(rankings * longest, -1)
        return self.ranking_weight @ value, np.asarray(self.ranked.T @ weighted)


def _selection(slots: Ints, factors: Floats, dimension: int) -> "Floats | csr_array":
    """The matrix that adds up the parameters at each row's slots, times factors; small ones full, others sparse."""
    count, each = slots.shape
    row, column = np.repeat(np.arange(count), each), slots.ravel()
    values = np.tile(factors, count)
    if dimension <= SMALL:
        full = np.zeros((count, dimension + 1))
        full[row, column] = values
        return full[:, :-1].copy()
    from scipy.sparse import csr_array

    real = column < dimension
    return csr_array((values[real], (row[real], column[real])), shape=(count, dimension))
