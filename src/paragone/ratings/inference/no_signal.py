"""Whether the answers hold any signal at all, and strengths averaged over what their spread may be.

A judge that tosses coins gives every item the same strength: the spread is zero. A prior that is log-normal alone rules
that out, and the forecast of a ranking of coin flips would then be good. So the prior has a spike at zero, and the
evidence of every spread is compared with that of none. Strengths are the mean over spreads, not those of the best one.

Laplace's evidence is too low at large spreads, where items are far apart and the posterior is skewed. The next term of
its expansion mends that: with f3 and f4 the third and fourth derivatives of a vote's log-likelihood in its log-odds,
and C the posterior covariance of those log-odds,

    1/8 sum_v f4_v C_vv^2 + 1/8 sum_vw f3_v f3_w C_vv C_vw C_ww + 1/12 sum_vw f3_v f3_w C_vw^3.

Tie parameters are held in it, and orderings of several items are left without it, which favours no signal.

Source: L. Tierney, J. B. Kadane (1986), "Accurate approximations for posterior moments and marginal densities", Journal
of the American Statistical Association 81; Z. Shun, P. McCullagh (1995), "Laplace approximation of high dimensional
integrals", Journal of the Royal Statistical Society B 57.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from paragone.ratings.evidence import Floats, Ints
from paragone.ratings.fit_types import SpreadPrior
from paragone.ratings.inference.optimum import Ascent, Optimum
from paragone.ratings.model.curvature import Curvature
from paragone.ratings.model.likelihood import Hyper, Model
from paragone.ratings.model.pair_model import PairModel

MOST_CROSSED = 500_000
"""Pairs of rows whose covariance is looked at; of more rows, evenly spaced ones stand for all."""
NARROW = 0.25
"""A spread whose logarithm is known as well as this is not averaged over: its density is normal, and one node does."""
OVERWHELMING = 30.0
"""Log odds for signal from which the correction, which could only add to them, is left out."""
_NONE = 1e-3
"""Nats: a spread that no number of votes tells from zero."""
_LEAST = 0.05
_STEP = 0.4
_NEGLIGIBLE = 7.0
_DECIMALS = 6


@dataclass(frozen=True, kw_only=True, eq=False, slots=True)
class SpreadAverage:
    """The posterior over spreads, the spike at zero apart.

    Attributes:
        no_signal: Posterior probability that the spread is zero.
        spread: The spreads averaged over, in nats, shape (nodes,).
        weight: Their share among spreads above zero, shape (nodes,).
        strength: Mean of the strengths given that there is signal, shape (items,).
        log_evidence: Of signal, averaged over the spreads.
        log_nothing: Of a spread of zero.
    """

    no_signal: float
    spread: Floats
    weight: Floats
    strength: Floats
    log_evidence: float
    log_nothing: float


def spread_average(
    ascent: Ascent[Curvature],
    hyper: Hyper,
    prior: SpreadPrior,
    optimum: Optimum[Curvature],
    *,
    error: float,
    spike: float,
    compared: bool = False,
) -> SpreadAverage:
    """Compare all spreads with none.

    Args:
        ascent: The climb, at the optimum.
        hyper: What it is the optimum under; its spread is the best.
        prior: Of spreads above zero.
        optimum: The optimum.
        error: Standard error of the logarithm of the best spread; 0 at the prior's bound.
        spike: Prior probability of a spread of zero, between 0 and 1.
        compared: Whether the evidence is compared with that of other priors, so that the correction is never left out.

    Raises:
        NotConverged: If the steps allowed do not suffice.
    """
    log_nothing = ascent.to(replace(hyper, spread=_NONE)).log_evidence
    nothing = log_nothing + math.log(spike)
    if 0.0 < round(error, _DECIMALS) <= NARROW:
        # A normal density in the log spread has the mass sqrt(2 pi) * error times its height: one node is enough.
        top = optimum.log_evidence + _log_prior(hyper, prior) + math.log(math.sqrt(2 * math.pi) * error)
        decisive = not compared and round(top - nothing, _DECIMALS) > OVERWHELMING
        nodes = [(hyper.spread, top if decisive else top + correction(ascent.model, hyper, optimum), optimum.theta)]
    else:
        nodes = sorted(_nodes(ascent, hyper, prior, optimum), key=lambda node: node[0])
    masses = np.array([node[1] for node in nodes])
    most = float(masses.max())
    share = np.exp(masses - most)
    log_evidence = most + math.log(float(share.sum()))
    weight = share / share.sum()
    strength = np.array([node[2][: ascent.model.item_count] for node in nodes])
    strength -= strength.mean(axis=1, keepdims=True)
    return SpreadAverage(
        no_signal=chance_of_none(log_evidence, log_nothing, spike),
        spread=np.array([node[0] for node in nodes]),
        weight=weight,
        strength=weight @ strength,
        log_evidence=log_evidence,
        log_nothing=log_nothing,
    )


def chance_of_none(log_evidence: float, log_nothing: float, spike: float) -> float:
    """Posterior probability that the spread is zero."""
    odds = log_evidence + math.log1p(-spike) - (log_nothing + math.log(spike))
    # exp would overflow beyond 709; by 700 the probability is 0 to every digit.
    return round(1 / (1 + math.exp(min(odds, 700.0))), _DECIMALS)


def _nodes(
    ascent: Ascent[Curvature], hyper: Hyper, prior: SpreadPrior, optimum: Optimum[Curvature]
) -> Iterator[tuple[float, float, Floats]]:
    """Spread, log mass and parameters on an even grid of logarithms, outwards from the best until little is left."""
    top = _log_density(ascent.model, hyper, prior, optimum)
    yield hyper.spread, top + math.log(_STEP), optimum.theta
    for step in (_STEP, -_STEP):
        ascent.theta, ascent.trajectory, spread = optimum.theta, None, hyper.spread
        while _LEAST <= (spread := spread * math.exp(step)) <= prior.most:
            at = replace(hyper, spread=spread)
            optimum_at = ascent.to(at)
            density = _log_density(ascent.model, at, prior, optimum_at)
            yield spread, density + math.log(_STEP), optimum_at.theta
            if round(top - density, _DECIMALS) > _NEGLIGIBLE:
                break
            top = max(top, density)


def _log_density(model: Model, hyper: Hyper, prior: SpreadPrior, optimum: Optimum[Curvature]) -> float:
    """Log evidence of a spread times the prior density of its logarithm."""
    return optimum.log_evidence + correction(model, hyper, optimum) + _log_prior(hyper, prior)


def _log_prior(hyper: Hyper, prior: SpreadPrior) -> float:
    """Log density of the logarithm of the spread, given that there is one."""
    away = (math.log(hyper.spread) - math.log(prior.center)) / prior.width
    return -(away**2) / 2 - math.log(prior.width * math.sqrt(2 * math.pi))


def correction(model: Model, hyper: Hyper, optimum: Optimum[Curvature], most: int = MOST_CROSSED) -> float:
    """What Laplace's log evidence leaves out, to the next order; 0 where no covariance is formed.

    Args:
        model: The evidence.
        hyper: What the optimum is the optimum under.
        optimum: The optimum.
        most: Pairs of rows to look at; where there are more, the sum over pairs of different rows is estimated from
            evenly spaced ones, so that the work is bounded by that times a constant.
    """
    covariance = None if isinstance(model, PairModel) else optimum.curvature.covariance
    if covariance is None or not model.rows.weight.size:
        return 0.0
    third, fourth = _derivatives(model, hyper, optimum.theta)
    slots, lever = model.slots[:, :3], np.broadcast_to(model.lever, model.slots.shape)[:, :3] * (1.0, -1.0, 1.0)
    padded = np.pad(covariance, (0, 1))
    # With A the rows' combinations of parameters, reach is A C, own the diagonal of A C A^T, and the chain of the
    # second term (f3 own)^T A C A^T (f3 own).
    reach = _combined(padded, slots, lever)
    own = np.einsum("rk,rk->r", lever, np.take_along_axis(reach, slots, axis=1))
    pull = np.bincount(slots.ravel(), ((third * own)[:, None] * lever).ravel(), minlength=len(padded))
    chain = float(pull @ padded @ pull)
    return float(fourth @ own**2) / 8 + chain / 8 + _triple(third, own, reach, slots, lever, most) / 12


def _triple(third: Floats, own: Floats, reach: Floats, slots: Ints, lever: Floats, most: int) -> float:
    """The sum over pairs of rows of third derivatives times the cube of their covariance."""
    count = third.size
    # All pairs of rows may be too many: evenly spaced rows then stand for all. A row with itself is counted apart and
    # exactly, since those terms are the largest.
    chosen = np.arange(0, count, -(-(count**2) // most))
    crossed = _combined(reach[chosen].T, slots, lever)
    crossed[chosen, np.arange(chosen.size)] = 0.0
    cubed = crossed * crossed * crossed  # a power of 3 takes a hundred times as long
    between = float(third @ cubed @ third[chosen])
    return float(third**2 @ own**3) + between * count / chosen.size


def _combined(matrix: Floats, slots: Ints, lever: Floats) -> Floats:
    """For each row of evidence its combination of the rows of a matrix, shape (rows, columns)."""
    first, second, third = (lever[:, [slot]] * matrix[slots[:, slot]] for slot in range(3))
    result: Floats = first + second + third
    return result


def _derivatives(model: Model, hyper: Hyper, theta: Floats) -> tuple[Floats, Floats]:
    """Third and fourth derivatives of each row's log-likelihood in its log-odds: less the cumulants of its score."""
    outcome, weight = model.outcomes(theta), model.certainty(hyper) * model.rows.weight
    # D = score - 1/2 is 1/2, 0 or -1/2, so that E D^3 = E D / 4 and E D^4 = E D^2 / 4: mean and square tell all
    # cumulants.
    mean, square = outcome.margin / 2, (outcome.first + outcome.second) / 4
    variance = outcome.variance
    third = mean / 4 - 3 * mean * square + 2 * mean**3
    central = square / 4 - mean**2 + 6 * mean**2 * square - 3 * mean**4
    return -weight * third, -weight * (central - 3 * variance**2)
