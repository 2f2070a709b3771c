"""Coordinates in which the posterior is nearly a standard normal.

The first coordinate is the logarithm of the strengths' spread, the others are the parameters given that spread. Were
the likelihood Gaussian, with the curvature that it has at the optimum, the parameters given the spread would be exactly
standard normal in them: a wider prior moves the optimum outwards and leaves more room, and most where evidence says
least.
"""

import math
from dataclasses import dataclass

import numpy as np

from paragone.ratings.evidence import Floats

_FARTHEST = 8.0
"""How far the log spread may go from its estimate: three thousandfold, where nothing is believed any more. Beyond, the
numbers of a proposal would overflow."""


@dataclass(frozen=True, kw_only=True, eq=False, slots=True)
class Place:
    """A block of points and what their coordinates were; one point a column.

    Attributes:
        theta: The parameters, shape (dimension, points).
        log_spread: Shape (points,).
        log_volume: Logarithm of how much the chart stretches volumes, but for a constant, shape (points,).
        inner: Coordinates of the parameters along the axes.
        narrower: Derivative, in the log spread, of the prior's precision relative to that at the estimate.
        firmness: Curvature in each direction relative to that at the estimate.
    """

    theta: Floats
    log_spread: Floats
    log_volume: Floats
    inner: Floats
    narrower: Floats
    firmness: Floats


@dataclass(frozen=True, kw_only=True, eq=False, slots=True)
class Chart:
    """The map from coordinates to parameters and back for slopes.

    Attributes:
        optimum: The parameters at the optimum, shape (dimension, 1).
        axes: Directions in which the curvature and the prior's share of it are both diagonal.
        turn: Takes coordinates to those along the axes, shape (dimension, dimension). An axis may point either way, and
            axes of equal share may be any of their plane, as the processor has it; what is turned depends on neither.
        share: The prior's share of the curvature in each direction, shape (dimension, 1).
        moves: How the optimum answers to the prior's precision in each direction, shape (dimension, 1).
        log_spread: Estimate of the logarithm of the spread.
        error: Its standard error.
    """

    optimum: Floats
    axes: Floats
    turn: Floats
    share: Floats
    moves: Floats
    log_spread: float
    error: float

    @classmethod
    def of(cls, optimum: Floats, curvature: Floats, *, items: int, spread: float, error: float) -> "Chart":
        """The chart around an optimum of this curvature, shape (dimension, dimension)."""
        axes = np.linalg.inv(np.linalg.cholesky(curvature)).T
        share, turned = np.linalg.eigh(axes[:items].T @ axes[:items] / spread**2)
        axes = axes @ turned
        return cls(
            optimum=optimum[:, None],
            axes=axes,
            turn=turned.T,
            share=np.clip(share, 0.0, 1.0)[:, None],
            moves=(axes[:items].T @ optimum[:items] / spread**2)[:, None],
            log_spread=math.log(spread),
            error=error,
        )

    def place(self, coordinates: Floats) -> Place:
        """The points at these coordinates, shape (1 + dimension, points)."""
        change = np.clip(self.error * coordinates[0], -_FARTHEST, _FARTHEST)
        tighter = np.expm1(-2 * change)
        firmness = 1 + self.share * tighter
        inner = self.turn @ coordinates[1:]
        return Place(
            theta=self.optimum + self.axes @ (inner / np.sqrt(firmness) - self.moves * tighter / firmness),
            log_spread=self.log_spread + change,
            log_volume=-np.log(firmness).sum(axis=0) / 2,
            inner=inner,
            narrower=-2 * (1 + tighter),
            firmness=firmness,
        )

    def slope(self, place: Place, by_theta: Floats, by_log_spread: Floats) -> Floats:
        """Slope in the coordinates of a function of the parameters, plus that of the log volume."""
        by_axis = self.axes.T @ by_theta
        bend = self.share * place.narrower / (2 * place.firmness)
        moving = -self.moves * place.narrower / place.firmness**2 - bend * place.inner / np.sqrt(place.firmness)
        by_spread = self.error * (by_log_spread + (by_axis * moving).sum(axis=0) - bend.sum(axis=0))
        return np.concatenate([by_spread[None], self.turn.T @ (by_axis / np.sqrt(place.firmness))])
