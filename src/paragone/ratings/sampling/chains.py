"""Draws from the posterior by Markov chains that start from its Gaussian approximation.

Where a judge hardly errs, the posterior of a difference is far from Gaussian: it falls steeply near zero and has a long
tail outwards. All chains run side by side. A move rotates a chain's coordinates towards a fresh standard normal, with a
push before and after from the slope of the part that is not Gaussian; the Metropolis rule makes it exact. Where the
posterior is Gaussian, every move is accepted and a quarter turn forgets everything.

The first coordinate (``Chart``) is the logarithm of the spread of the strengths, the others are the parameters given
that spread. If the likelihood were Gaussian, with its curvature at the optimum, they would be exactly standard normal.

Source: A. Beskos, F. J. Pinski, J. M. Sanz-Serna, A. M. Stuart (2011), "Hybrid Monte Carlo on Hilbert spaces",
Stochastic Processes and their Applications 121.
"""

import math
from dataclasses import dataclass

import numpy as np

from paragone.domain.rounding import rounded
from paragone.ratings.evidence import Bools, Floats
from paragone.ratings.sampling.density import Density

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

    def slope(self, points: Place, by_theta: Floats, by_log_spread: Floats) -> Floats:
        """Slope in the coordinates of a function of the parameters, plus that of the log volume."""
        by_axis = self.axes.T @ by_theta
        bend = self.share * points.narrower / (2 * points.firmness)
        moving = -self.moves * points.narrower / points.firmness**2 - bend * points.inner / np.sqrt(points.firmness)
        by_spread = self.error * (by_log_spread + (by_axis * moving).sum(axis=0) - bend.sum(axis=0))
        return np.concatenate([by_spread[None], self.turn.T @ (by_axis / np.sqrt(points.firmness))])


APART = 2
"""Moves between two draws of a chain."""
_FIRST_ANGLE, _LEAST_ANGLE, _MOST_ANGLE, _ACCEPTED = 1.2, 0.05, 0.6 * math.pi, 0.75
_CHAINS, _SETTLING = (60, 250), (14, 30)
_WORK = 4_000_000
_KNOWN, _PATIENCE = 0.15, 6.0
"""Where the log spread's error is larger than the first, chains settle longer, up to so many times: their way to other
scales is long."""
_SHORTER = (0.1, 1.0)
_DECIMALS = 6


@dataclass(frozen=True, kw_only=True, eq=False, slots=True)
class Chains:
    """Where the chains stand; one chain a column.

    Attributes:
        coordinates: Shape (1 + dimension, chains).
        theta: The parameters there, shape (dimension, chains).
        excess: Log posterior less that of the standard normal, but for a constant, shape (chains,).
        push: Its slope in the coordinates.
    """

    coordinates: Floats
    theta: Floats
    excess: Floats
    push: Floats

    @classmethod
    def at(cls, coordinates: Floats, chart: Chart, density: Density) -> "Chains":
        """Chains at these coordinates."""
        points = chart.place(coordinates)
        value, by_theta, by_log_spread = density.at(points.theta, points.log_spread)
        return cls(
            coordinates=coordinates,
            theta=points.theta,
            excess=value + points.log_volume + (coordinates**2).sum(axis=0) / 2,
            push=chart.slope(points, by_theta, by_log_spread) + coordinates,
        )

    def where(self, chosen: Bools, other: "Chains") -> "Chains":
        """The other's chains where chosen, these elsewhere."""
        return Chains(
            coordinates=np.where(chosen, other.coordinates, self.coordinates),
            theta=np.where(chosen, other.theta, self.theta),
            excess=np.where(chosen, other.excess, self.excess),
            push=np.where(chosen, other.push, self.push),
        )


def sample(chart: Chart, density: Density, count: int, rng: np.random.Generator) -> Floats:
    """Parameters drawn from the posterior, shape (count, dimension).

    Args:
        chart: Coordinates around the optimum.
        density: The log posterior.
        count: Draws wanted, at least one.
        rng: Source of randomness.
    """
    dimension = chart.axes.shape[0]
    patience = min(max((chart.error / _KNOWN) ** 2, 1.0), _PATIENCE)
    width, settling = _plan(count, max(density.weight.size + density.present.size, dimension), patience)
    chains = Chains.at(rng.standard_normal((1 + dimension, width)), chart, density)
    angle = _FIRST_ANGLE
    drawn: list[Floats] = []
    for _ in range(math.ceil(count / width)):
        for _ in range(APART if drawn else settling):
            chains, accepted = _move(chains, angle, chart, density, rng)
            angle = round(min(max(angle * math.exp(accepted - _ACCEPTED), _LEAST_ANGLE), _MOST_ANGLE), _DECIMALS)
        drawn.append(chains.theta.T)
    return np.concatenate(drawn)[:count]


def _plan(count: int, size: int, patience: float) -> tuple[int, int]:
    """How many chains to run, and how many moves before the first draw; both fewer where a move costs more.

    Args:
        count: Draws wanted.
        size: What a move costs.
        patience: How many times longer than usual to settle.
    """
    budget = _WORK // size - APART * count
    chains = min(max(budget // _SETTLING[1], _CHAINS[0]), _CHAINS[1], max(count, 1))
    return chains, math.ceil(patience * min(max(budget // chains, _SETTLING[0]), _SETTLING[1]))


def _move(
    chains: Chains, angle: float, chart: Chart, density: Density, rng: np.random.Generator
) -> tuple[Chains, float]:
    """One move of every chain, and the mean probability with which they were accepted."""
    start = rng.standard_normal(chains.coordinates.shape)
    turn = angle * rng.uniform(*_SHORTER, size=start.shape[1])  # one angle for all would leave some chains stuck
    half, cosine, sine = np.tan(turn / 2), np.cos(turn), np.sin(turn)
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):  # a proposal too far out, to be refused
        pushed = start + half * chains.push
        # Where little is known a move widens differences; rounded, those between processors cannot grow.
        proposal = Chains.at(rounded(cosine * chains.coordinates + sine * pushed, _DECIMALS), chart, density)
        end = cosine * pushed - sine * chains.coordinates + half * proposal.push
        gain = (
            proposal.excess - chains.excess + (_energy(chains.coordinates, start) - _energy(proposal.coordinates, end))
        )
    chance = np.exp(np.minimum(np.where(np.isnan(gain), -np.inf, gain), 0.0))
    return chains.where(rng.random(chance.size) < chance, proposal), float(chance.mean())


def _energy(coordinates: Floats, momentum: Floats) -> Floats:
    energy: Floats = ((coordinates**2).sum(axis=0) + (momentum**2).sum(axis=0)) / 2
    return energy
