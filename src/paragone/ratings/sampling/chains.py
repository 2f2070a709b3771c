"""Draws from the posterior itself, by Markov chains that set out from its Gaussian approximation.

Where a judge hardly errs, the posterior of a difference is far from Gaussian: near zero it falls at once, outwards it
tails off slowly. All chains run side by side. A move turns a chain's coordinates (see ``chart``) towards a fresh
standard normal, with a push before and after from the slope of what is not Gaussian; the Metropolis rule makes it
exact. Where the posterior is Gaussian, every move is accepted and a quarter turn forgets everything.

Source: A. Beskos, F. J. Pinski, J. M. Sanz-Serna, A. M. Stuart (2011), "Hybrid Monte Carlo on Hilbert spaces",
Stochastic Processes and their Applications 121.
"""

import math
from dataclasses import dataclass

import numpy as np

from paragone.domain.rounding import rounded
from paragone.ratings.evidence import Bools, Floats
from paragone.ratings.sampling.chart import Chart
from paragone.ratings.sampling.density import Density

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
        place = chart.place(coordinates)
        value, by_theta, by_log_spread = density.at(place.theta, place.log_spread)
        return cls(
            coordinates=coordinates,
            theta=place.theta,
            excess=value + place.log_volume + (coordinates**2).sum(axis=0) / 2,
            push=chart.slope(place, by_theta, by_log_spread) + coordinates,
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
    left = _WORK // size - APART * count
    chains = min(max(left // _SETTLING[1], _CHAINS[0]), _CHAINS[1], max(count, 1))
    return chains, math.ceil(patience * min(max(left // chains, _SETTLING[0]), _SETTLING[1]))


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
        there = Chains.at(rounded(cosine * chains.coordinates + sine * pushed, _DECIMALS), chart, density)
        end = cosine * pushed - sine * chains.coordinates + half * there.push
        gain = there.excess - chains.excess + (_energy(chains.coordinates, start) - _energy(there.coordinates, end))
    chance = np.exp(np.minimum(np.where(np.isnan(gain), -np.inf, gain), 0.0))
    return chains.where(rng.random(chance.size) < chance, there), float(chance.mean())


def _energy(coordinates: Floats, momentum: Floats) -> Floats:
    energy: Floats = ((coordinates**2).sum(axis=0) + (momentum**2).sum(axis=0)) / 2
    return energy
