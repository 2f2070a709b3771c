"""How near a ranking is to a known truth: accuracy, error of the running Elo, and effectiveness as specified.

The convergence rate is the share by which the disagreement of successive rankings shrinks each round; the stability of
the top 10 is the mean share of it that stays from one round to the next; efficiency is matches with a winner per
compute unit; the correlation with a truth is Kendall's tau-b. Each is None where there is too little to say.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from statistics import fmean

import numpy as np
import numpy.typing as npt

from paragone.analysis.progress.convergence import Convergence, rank_stability
from paragone.domain import Board, Match, RatingChange
from paragone.domain.records import EffectivenessMetrics


def effectiveness(
    convergence: Convergence,
    *,
    decisions: int,
    units: float,
    ratings: Mapping[str, float] | None = None,
    truth: Mapping[str, float] | None = None,
) -> EffectivenessMetrics:
    """The tournament specification's four numbers.

    Args:
        convergence: How the ranking settled; its ``top`` is 10 for the specification's number.
        decisions: Matches with a winner.
        units: Compute units that were spent: judge calls, and turns of debates.
        ratings: The ranking as it is, by item id.
        truth: What is known of the truth, larger for better, by item id; items that only one of both has are left out.
    """
    return EffectivenessMetrics(
        rating_convergence_rate=convergence.rate,
        top_10_stability=convergence.mean_top_stability,
        computational_efficiency=decisions / units if units > 0 else None,
        correlation_with_ground_truth=truth_correlation(ratings or {}, truth or {}),
    )


def truth_correlation(ratings: Mapping[str, float], truth: Mapping[str, float]) -> float | None:
    """Kendall's tau-b over the items that both have; None for fewer than two, or where one of both ties them all."""
    shared = [id for id in ratings if id in truth]
    ours, theirs = [ratings[id] for id in shared], [truth[id] for id in shared]
    if len(shared) < 2 or np.ptp(ours) == 0 or np.ptp(theirs) == 0:
        return None
    return rank_stability(ours, theirs)


Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, kw_only=True, slots=True)
class Accuracy:
    """The ranking against the truth, over the items whose truth is known.

    Attributes:
        items: How many these are.
        tau: Kendall's tau-b of strength and truth.
        top: Number of items in the top.
        recall: Share of the true top that is among as many of the first.
        covered: Share of the pairs of items whose difference in truth has the sign that two disjoint intervals say;
            None where no two intervals are disjoint.
    """

    items: int
    tau: float
    top: int
    recall: float
    covered: float | None

    def sentence(self) -> str:
        """In words."""
        summary = (
            f"Of {self.items:,} hypotheses whose true quality is known, the order agrees with the truth by a Kendall "
            f"tau of {self.tau:.2f}, and {self.recall:.0%} of the true top {self.top} are among the first {self.top}."
        )
        if self.covered is None:
            return summary
        return f"{summary} Where two intervals do not overlap, the order is right in {self.covered:.1%} of the pairs."


def accuracy(board: Board, truth: Mapping[str, float], top: int) -> Accuracy | None:
    """The ranking against the truth; None where either ties all items.

    Args:
        board: The ranking.
        truth: The true quality, larger for better, by id.
        top: How many the top is.
    """
    rows = [row for row in board.items if row.id in truth]
    tau = truth_correlation({row.id: row.rating for row in rows}, truth)
    if tau is None:
        return None
    count = min(top, len(rows))
    best = sorted(rows, key=lambda row: -truth[row.id])[:count]
    best_found = {row.id for row in rows[:count]}
    return Accuracy(
        items=len(rows),
        tau=tau,
        top=count,
        recall=sum(row.id in best_found for row in best) / count,
        covered=_covered(
            np.array([row.low for row in rows]),
            np.array([row.high for row in rows]),
            np.array([truth[row.id] for row in rows]),
        ),
    )


def _covered(low: Floats, high: Floats, truth: Floats) -> float | None:
    """Share of the pairs with disjoint intervals whose order is right; ties in truth are left out."""
    right = compared = 0
    for item in range(len(low)):
        below = (high < low[item]) & (truth != truth[item])
        compared += int(below.sum())
        right += int((truth[below] < truth[item]).sum())
    return right / compared if compared else None


PRIOR_SPREAD = 200.0
"""How far true ratings are apart, in Elo points (standard deviation), as far as is known before anything is played."""

_NATS = 400.0 / math.log(10.0)
_NOTHING = (0.0, 0.0)


class EloErrors:
    """How far each running Elo may be from the truth, followed from move to move.

    Kept for each item are two moments about the initial rating: of its running Elo R with its true rating T, and of R
    with itself. At the start both are 0, and T has the variance of the prior. A match moves R by K (s - p), where the
    score s grows with the gap of the true ratings, by ``truth`` a point, and the expected score p with that of the
    running ones, by ``shown`` a point. True gaps are wider than those that a rating which is still on its way shows,
    so ``truth`` is the smaller one; leaving that out makes intervals a quarter too narrow. What all share, because the
    ratings of a pool keep their mean, is the prior's variance divided by the number of items.

    Where 40 items met at random or by rating, K being 16, 32 or 64, intervals of 95 % held 93 to 97 % of the time up
    to 30 matches each, and 88 to 96 % at 80.
    """

    def __init__(self, items: int) -> None:
        """Begin, for a pool of so many items."""
        self._shared = PRIOR_SPREAD**2 / max(items, 1)
        self._moments: dict[str, tuple[float, float]] = {}
        self._match = ""
        self._before: dict[str, tuple[float, float]] = {}

    def of(self, item: str) -> float:
        """Standard deviation of an item's error, in Elo points."""
        return math.sqrt(min(_variance(self._moments.get(item, _NOTHING)) + self._shared, PRIOR_SPREAD**2))

    def take(self, change: RatingChange, match: Match) -> None:
        """Count a move that a match made; the moves of its items follow one another."""
        if match.id != self._match:
            self._match = match.id
            self._before = {item: self._moments.get(item, _NOTHING) for item in match.items}
        own = self._before[change.item]
        theirs = fmean(_variance(moments) for item, moments in self._before.items() if item != change.item)
        self._moments[change.item] = _after(own, theirs, change.k, change.expected)


def _variance(moments: tuple[float, float]) -> float:
    with_truth, with_itself = moments
    return max(with_itself - 2.0 * with_truth + PRIOR_SPREAD**2, 0.0)


def _after(own: tuple[float, float], theirs: float, k: float, expected: float) -> tuple[float, float]:
    """The moments of an item after a move; ``theirs`` is the variance of its opponent's error."""
    with_truth, with_itself = own
    prior = PRIOR_SPREAD**2
    # the mean slope of the logistic curve over normal gaps, by its likeness to the normal distribution's
    truth = 0.25 / math.sqrt(1.0 + math.pi * 2.0 * prior / (8.0 * _NATS**2)) / _NATS
    # E[R T] and E[R^2] after R' = R + K (s - p), to first order: s - p moves by truth a point of T and by -slope a
    # point of R, and E[(s - p)^2] is the surprise.
    slope = expected * (1.0 - expected) / _NATS
    surprise = truth * _NATS + slope * truth * (_variance(own) + theirs)
    return (
        with_truth + k * (truth * prior - slope * with_truth),
        with_itself + 2.0 * k * (truth * with_truth - slope * with_itself) + k**2 * surprise,
    )
