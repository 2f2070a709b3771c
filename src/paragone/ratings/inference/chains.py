"""Draws from the posterior by Markov chains that start from its Gaussian approximation.

Where a judge hardly errs, the posterior of a difference is far from Gaussian: it falls steeply near zero and has a long
tail outwards. All chains run side by side. A move rotates a chain's coordinates towards a fresh standard normal, with a
push before and after from the slope of the part that is not Gaussian; the Metropolis rule makes it exact. Where the
posterior is Gaussian, every move is accepted and a quarter turn forgets everything.

The first coordinate (``SlopeCoordinates``) is the logarithm of the spread of the strengths, the others are the
parameters given that spread. If the likelihood were Gaussian, with its curvature at the optimum, they would be exactly
standard normal.

Source: A. Beskos, F. J. Pinski, J. M. Sanz-Serna, A. M. Stuart (2011), "Hybrid Monte Carlo on Hilbert spaces",
Stochastic Processes and their Applications 121.
"""

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from paragone import allocator
from paragone.domain.rounding import rounded
from paragone.ratings.evidence import Bools, Floats
from paragone.ratings.fit_types import SpreadPrior
from paragone.ratings.inference.selection_matrix import SelectionMatrix, Transposed, selection, sparse_selection
from paragone.ratings.model.covariates import PriorShape
from paragone.ratings.model.likelihood import Hyper, Model
from paragone.ratings.model.plackett_luce import value_and_gradient

if TYPE_CHECKING:
    from scipy.sparse import csc_array, csr_array


IMPOSSIBLE = -1e30
"""Log posterior beyond the bound of the spread: finite, so that a chain that starts there finds its way in."""

BLOCK = 16_000
"""Rows of comparisons times points that are worked on together: 128 kB a matrix. Larger ones are new memory from the
system each time, which took three quarters of the whole, and leave the processor's caches."""


@dataclass(frozen=True, kw_only=True, eq=False, slots=True)
class Density:
    """The log posterior of all parameters and of the logarithm of the strengths' spread.

    ``likelihood.Model`` knows the curvature and sees one point; this twin sees a block of points, one a column, and
    leaves the curvature out. Comparisons are an exponential family, so their scores enter through one fixed vector.

    Attributes:
        items: Number of strengths.
        lead: Half of the log-odds of each row of comparisons from the parameters, shape (rows, dimension).
        tie: Which tie parameter each row has, shape (rows, tie parameters).
        weight: What each row counts for, shape (rows,).
        pull: Slope of the scores in the parameters, shape (dimension,).
        ranked: Strength in each place of each ordering, shape (rankings * longest, dimension).
        present: Which places of the orderings hold an item, shape (rankings, longest).
        ranking_weight: Shape (rankings,).
        center: Mean of each parameter before evidence.
        precision: Of each parameter before evidence; that of the strengths is not used.
        prior: Of the spread.
        shape: Of the strengths' prior; None where they are independent.
        cut: Rows of comparisons in blocks, by the size of these; filled as it is asked for.
    """

    items: int
    lead: "Floats | SelectionMatrix | csr_array"
    tie: Floats
    weight: Floats
    pull: Floats
    ranked: "Floats | csr_array"
    present: Floats
    ranking_weight: Floats
    center: Floats
    precision: Floats
    prior: SpreadPrior
    shape: PriorShape | None = None
    cut: "dict[int, list[DensityRows]]" = field(default_factory=dict)

    @classmethod
    def of(cls, model: Model, hyper: Hyper, prior: SpreadPrior, shape: PriorShape | None = None) -> "Density":
        """The density of this evidence, dispersions as in ``hyper``."""
        rows, slots, certainty = model.rows, model.slots, model.certainty(hyper)
        lead = selection(slots[:, :3], np.array([0.5, -0.5, 0.5]) * model.lever[..., :3], model.dimension)
        first_tie = int(min(model.tie.min(initial=model.dimension), model.dimension))
        tie = np.equal.outer(slots[:, 3], np.arange(first_tie, model.dimension)).astype(np.float64)
        pull = np.asarray(lead.T @ (2.0 * certainty * rows.lead))
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
            shape=shape,
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
        pulled = self.precision[:, None] * away
        if self.shape is not None:
            away[: self.items] -= self.shape.mean[:, None] * spread
            pulled[: self.items] = self.shape.precision @ away[: self.items] * spread**-2
        else:
            np.multiply(away[: self.items], spread**-2, out=pulled[: self.items])
        away *= pulled  # the squares
        off = (log_spread - math.log(self.prior.center)) / self.prior.width
        np.putmask(value, ~(spread <= self.prior.most * (1 + 1e-9)), IMPOSSIBLE)
        value -= _sum(away) / 2
        value -= self.items * log_spread
        value -= off**2 / 2
        by_spread = _sum(away[: self.items]) - self.items - off / self.prior.width
        if self.shape is not None:  # the mean of the strengths moves with the spread
            by_spread += spread * (self.shape.mean @ pulled[: self.items])
        slope -= pulled
        return value, slope, by_spread

    def _compared(self, theta: Floats) -> tuple[Floats, Floats]:
        odds = np.exp(theta[theta.shape[0] - self.tie.shape[1] :])
        value, slope = self.pull @ theta, np.empty(theta.shape)
        slope[:] = self.pull[:, None]
        for part in self._rows_of(max(1, BLOCK // theta.shape[1])):
            _add_compared(part, theta, odds, value, slope)
        return value, slope

    def _rows_of(self, size: int) -> "list[DensityRows]":
        """The rows, so many at a time; cut once."""
        if size not in self.cut:
            blocks = [slice(low, low + size) for low in range(0, self.lead.shape[0], size)]
            leads = [self.lead[rows] for rows in blocks]
            rest = [(self.tie[rows], self.weight[rows]) for rows in blocks]
            self.cut[size] = [DensityRows(lead, lead.T, *other) for lead, other in zip(leads, rest, strict=True)]
        return self.cut[size]

    def _ranked(self, theta: Floats) -> tuple[Floats, Floats]:
        rankings, longest = self.present.shape
        strength = (self.ranked @ theta).reshape(rankings, longest, -1)
        strength = np.where(self.present[:, :, None] > 0, strength, -np.inf)
        value, slope = value_and_gradient(strength)
        weighted = (self.ranking_weight[:, None, None] * slope).reshape(rankings * longest, -1)
        return self.ranking_weight @ value, np.asarray(self.ranked.T @ weighted)


class DensityRows(NamedTuple):
    """Some rows of a ``Density``, and their leads transposed: to do that takes scipy longer than the product."""

    lead: "Floats | SelectionMatrix | csr_array"
    lead_turned: "Floats | Transposed | csc_array"
    tie: Floats
    weight: Floats


def _add_compared(part: DensityRows, theta: Floats, odds: Floats, value: Floats, slope: Floats) -> None:
    """What the scores of some rows leave of their pull; arrays are written over, see ``BLOCK``."""
    lead, lead_turned, tie, weight = part
    half = lead @ theta
    fall = np.abs(half)
    np.negative(fall, out=fall)
    small = np.exp(fall)
    lost = small * small
    total = lost + 1.0
    tied = (tie * odds if len(odds) == 1 else tie @ odds) if len(odds) else None
    if tied is not None:
        tied *= small
        total += tied
    share = np.divide(weight[:, None], total, out=small)
    np.log(total, out=total)
    total -= fall
    value -= weight @ total
    margin = np.copysign(np.subtract(1.0, lost, out=lost), half, out=half)
    margin *= share
    slope -= lead_turned @ margin
    if tied is not None:
        tied *= share
        slope[slope.shape[0] - len(odds) :] -= tie.T @ tied


def _ranked(model: Model) -> "Floats | csr_array":
    """The slope of the judge at each place of each ordering, and whose place it is."""
    if not model.rankings.size:
        return np.zeros((0, model.dimension))  # what most fits have: scipy need not be loaded
    slope = np.repeat(model.slope[model.ranking_judge], model.rankings.shape[1])[:, None]
    if not model.ranking_place.size:
        return sparse_selection(model.rankings.reshape(-1, 1), slope, model.dimension)
    slots = np.stack([model.rankings.ravel(), model.ranking_place.ravel()], axis=1)
    return sparse_selection(slots, np.concatenate([slope, np.ones_like(slope)], axis=1), model.dimension)


_FARTHEST = 8.0
"""How far the log spread may go from its estimate: three thousandfold, where nothing is believed any more. Beyond, the
numbers of a proposal would overflow."""


class Place(NamedTuple):
    """A block of points and what their coordinates were; one point a column.

    Attributes:
        theta: The parameters, shape (dimension, points).
        log_spread: Shape (points,).
        log_volume: Logarithm of how much the chart stretches volumes, but for a constant, shape (points,).
        inner: Coordinates of the parameters along the axes.
        narrower: Derivative, in the log spread, of the prior's precision relative to that at the estimate.
        firmness: Curvature in each direction relative to that at the estimate.
        root: Its square root.
    """

    theta: Floats
    log_spread: Floats
    log_volume: Floats
    inner: Floats
    narrower: Floats
    firmness: Floats
    root: Floats


@dataclass(frozen=True, kw_only=True, eq=False, slots=True)
class SlopeCoordinates:
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
    def of(
        cls,
        optimum: Floats,
        curvature: Floats,
        *,
        items: int,
        spread: float,
        error: float,
        shape: PriorShape | None = None,
    ) -> "SlopeCoordinates":
        """The chart around an optimum of this curvature, shape (dimension, dimension)."""
        # With A = L L^T the axes L^-T make the curvature 1. Turning them keeps that, so that they can make the prior's
        # share diagonal as well.
        axes = np.linalg.inv(np.linalg.cholesky(curvature)).T
        pulled = axes[:items] if shape is None else shape.precision @ axes[:items]
        share, turned = np.linalg.eigh(axes[:items].T @ pulled / spread**2)
        axes = axes @ turned
        pull = optimum[:items] if shape is None else shape.away(optimum[:items], spread)
        return cls(
            optimum=optimum[:, None],
            axes=axes,
            turn=turned.T,
            share=np.clip(share, 0.0, 1.0)[:, None],
            moves=(axes[:items].T @ pull / spread**2)[:, None],
            log_spread=math.log(spread),
            error=error,
        )

    def place(self, coordinates: Floats) -> Place:
        """The points at these coordinates, shape (1 + dimension, points)."""
        change = np.minimum(np.maximum(self.error * coordinates[0], -_FARTHEST), _FARTHEST)
        # The prior's precision is that of the estimate times exp(-2 change); expm1 keeps the digits where the change is
        # small. A direction of which the prior has the share a then has the curvature 1 + a (exp(-2 change) - 1).
        tighter = np.expm1(-2 * change)
        firmness = 1 + self.share * tighter
        inner, root = self.turn @ coordinates[1:], np.sqrt(firmness)
        moved = self.moves * tighter
        moved /= firmness
        theta = self.axes @ np.subtract(inner / root, moved, out=moved)
        theta += self.optimum
        return Place(
            theta=theta,
            log_spread=self.log_spread + change,
            # The Jacobian of dividing each coordinate by the root of its firmness.
            log_volume=_sum(np.log(firmness)) / -2,
            inner=inner,
            narrower=-2 * (1 + tighter),
            firmness=firmness,
            root=root,
        )

    def slope(self, points: Place, by_theta: Floats, by_log_spread: Floats) -> Floats:
        """Slope in the coordinates of a function of the parameters, plus that of the log volume."""
        by_axis = self.axes.T @ by_theta
        bend = self.share * points.narrower
        bend /= 2 * points.firmness
        moving = -self.moves * points.narrower
        moving /= points.firmness**2
        bent = bend * points.inner
        bent /= points.root
        moving -= bent
        moving *= by_axis
        by_axis /= points.root
        slope = np.empty((1 + len(by_axis), by_axis.shape[1]))
        slope[0] = self.error * (by_log_spread + _sum(moving) - _sum(bend))
        np.matmul(self.turn.T, by_axis, out=slope[1:])
        return slope


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


class Chains(NamedTuple):
    """Where the chains stand; one chain a column.

    Attributes:
        coordinates: Shape (1 + dimension, chains).
        squares: Of the distances of the coordinates from 0, shape (chains,).
        excess: Log posterior less that of the standard normal, but for a constant, shape (chains,).
        push: Its slope in the coordinates.
    """

    coordinates: Floats
    squares: Floats
    excess: Floats
    push: Floats

    @classmethod
    def at(cls, coordinates: Floats, chart: SlopeCoordinates, density: Density) -> "Chains":
        """Chains at these coordinates."""
        points = chart.place(coordinates)
        value, by_theta, by_log_spread = density.at(points.theta, points.log_spread)
        squares = _sum(coordinates * coordinates)
        value += points.log_volume
        value += squares / 2
        push = chart.slope(points, by_theta, by_log_spread)
        push += coordinates
        return cls(coordinates=coordinates, squares=squares, excess=value, push=push)

    def where(self, chosen: Bools, other: "Chains") -> "Chains":
        """The other's chains where chosen, these elsewhere."""
        return Chains(
            coordinates=np.where(chosen, other.coordinates, self.coordinates),
            squares=np.where(chosen, other.squares, self.squares),
            excess=np.where(chosen, other.excess, self.excess),
            push=np.where(chosen, other.push, self.push),
        )


def sample(chart: SlopeCoordinates, density: Density, count: int, rng: np.random.Generator) -> Floats:
    """Parameters drawn from the posterior, shape (count, dimension).

    Args:
        chart: Coordinates around the optimum.
        density: The log posterior.
        count: Draws wanted, at least one.
        rng: Source of randomness.
    """
    allocator.keep()  # each move makes the same small matrices anew
    dimension = chart.axes.shape[0]
    patience = min(max((chart.error / _KNOWN) ** 2, 1.0), _PATIENCE)
    width, settling = _plan(count, max(density.weight.size + density.present.size, dimension), patience)
    starts = rng.standard_normal((1 + dimension, width))
    groups = [Chains.at(starts[:, columns], chart, density) for columns in _groups(dimension, width)]
    angle = _FIRST_ANGLE
    drawn: list[Floats] = []
    for _ in range(math.ceil(count / width)):
        for _ in range(APART if drawn else settling):
            groups, accepted = _move(groups, angle, chart, density, rng)
            angle = round(min(max(angle * math.exp(accepted - _ACCEPTED), _LEAST_ANGLE), _MOST_ANGLE), _DECIMALS)
        drawn += [chart.place(chains.coordinates).theta.T for chains in groups]
    return np.concatenate(drawn)[:count]


def _groups(dimension: int, width: int) -> list[slice]:
    """The chains that are moved together, so that their matrices stay in the caches; see ``BLOCK``."""
    most = max(1, BLOCK // dimension)
    each = math.ceil(width / math.ceil(width / most))
    return [slice(low, min(low + each, width)) for low in range(0, width, each)]


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
    groups: list[Chains], angle: float, chart: SlopeCoordinates, density: Density, rng: np.random.Generator
) -> tuple[list[Chains], float]:
    """One move of every chain, and the mean probability with which they were accepted."""
    dimension, width = chart.axes.shape[0], sum(chains.excess.size for chains in groups)
    start = rng.standard_normal((1 + dimension, width))
    turn = angle * rng.uniform(*_SHORTER, size=width)  # one angle for all would leave some chains stuck
    refused = rng.random(width)
    after, chances, low = [], [], 0
    for chains in groups:
        columns = slice(low, low + chains.excess.size)
        proposal, chance = _proposed(chains, start[:, columns], turn[columns], chart, density)
        after.append(chains.where(refused[columns] < chance, proposal))
        chances.append(chance)
        low = columns.stop
    accepted = np.concatenate(chances)
    return after, float(np.add.reduce(accepted)) / accepted.size


def _proposed(
    chains: Chains, start: Floats, turn: Floats, chart: SlopeCoordinates, density: Density
) -> tuple[Chains, Floats]:
    """Where these chains would go from their momenta, and the probability with which each does, shape (chains,)."""
    half, cosine, sine = np.tan(turn / 2), np.cos(turn), np.sin(turn)
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):  # a proposal too far out, to be refused
        pushed = half * chains.push
        pushed += start
        ahead = cosine * chains.coordinates
        ahead += sine * pushed
        # Where little is known a move widens differences; rounded, those between processors cannot grow.
        proposal = Chains.at(rounded(ahead, _DECIMALS), chart, density)
        pushed *= cosine
        pushed -= np.multiply(sine, chains.coordinates, out=ahead)
        pushed += np.multiply(half, proposal.push, out=ahead)
        # The Metropolis ratio: the change of the log posterior's part that is not Gaussian, and of the energy, which
        # the rotation alone would keep.
        gain = proposal.excess - chains.excess + (_energy(chains, start) - _energy(proposal, pushed))
    np.putmask(gain, np.isnan(gain), -np.inf)
    return proposal, np.exp(np.minimum(gain, 0.0))


def _energy(chains: Chains, momentum: Floats) -> Floats:
    energy: Floats = (chains.squares + _sum(momentum * momentum)) / 2
    return energy


def _sum(rows: Floats) -> Floats:
    """The sum over the rows; ``rows.sum(axis=0)`` takes longer to come to it than most sums here."""
    total: Floats = np.add.reduce(rows)
    return total
