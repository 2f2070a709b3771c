"""How far a running rating may be trusted: matches played, how steady it has been, how many it has met.

The score is the share that the number of matches earns, of which a quarter hangs on stability and a quarter on the
diversity of opponents::

    score = count * (1/2 + stability/4 + diversity/4)

``count`` rises in straight lines from 0 over 1/3 at 5 matches and 2/3 at 10 to 1 at 20. ``stability`` is 1 / (1 +
variance / K^2) of the last ten ratings: K^2 is what a rating's variance comes to where one match in ten matters little.
``diversity`` is the effective number of opponents (inverse Simpson: ten met once are ten, one met ten times is one), as
a share of ten, or of all others where there are fewer. Each part is in [0, 1], and the score rises with each.

This says how settled a rating is. How far it may be from the truth is the interval on the board.

Source: the Ranking Agent specification, "Rating Confidence".
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from numpy.typing import ArrayLike, NDArray

from paragone.domain import Match, Outcome, RatingChange
from paragone.domain.records import Confidence

Floats = NDArray[np.float64]

RECENT = 10
"""Ratings that stability looks back on."""
STEPS = (5, 10, 20)
"""Matches for initial, stable and high confidence."""


class Trust(StrEnum):
    """How far a rating is trusted, by the matches it rests on: none below 5, high from 20."""

    NONE = "none"
    INITIAL = "initial"
    STABLE = "stable"
    HIGH = "high"


@dataclass(frozen=True, kw_only=True, slots=True)
class RatingConfidence:
    """The confidence in one rating, with its parts.

    Attributes:
        match_count: Matches that counted.
        variance: Variance of the last ten ratings, in Elo points squared; None for fewer than two.
        rating_stability: 1 / (1 + variance / K^2); 0 for fewer than two.
        opponents: Effective number of opponents.
        opponent_diversity: That as a share of ten.
        confidence_score: All of it together, from 0 to 1.
        label: The trust that the number of matches earns.
    """

    match_count: int
    variance: float | None
    rating_stability: float
    opponents: float
    opponent_diversity: float
    confidence_score: float
    label: Trust

    @property
    def record(self) -> Confidence:
        """The same as the specification's record."""
        return Confidence(
            match_count=self.match_count,
            rating_stability=self.rating_stability,
            opponent_diversity=self.opponent_diversity,
            confidence_score=self.confidence_score,
        )


def trust(matches: int, steps: tuple[int, int, int] = STEPS) -> Trust:
    """The label for so many matches."""
    return tuple(Trust)[sum(matches >= step for step in steps)]


def scores(
    matches: ArrayLike,
    variance: ArrayLike,
    opponents: ArrayLike,
    *,
    items: int,
    k: float = 32.0,
    steps: tuple[int, int, int] = STEPS,
) -> Floats:
    """Confidence scores of many items at once, shape (items,).

    Args:
        matches: Matches that counted, shape (items,).
        variance: Variance of the recent ratings, in Elo points squared; NaN where there is none.
        opponents: Effective number of opponents.
        items: How many items there are in all.
        k: K of the running Elo, in Elo points.
        steps: Matches for initial, stable and high confidence.
    """
    count = np.interp(np.asarray(matches, dtype=np.float64), (0, *steps), (0, 1 / 3, 2 / 3, 1))
    steady = np.nan_to_num(1.0 / (1.0 + np.asarray(variance, dtype=np.float64) / k**2))
    raw: Floats = count * (0.5 + 0.25 * steady + 0.25 * _diversity(np.asarray(opponents, dtype=np.float64), items))
    return raw


def confidence(
    ratings: Sequence[float],
    opponents: Iterable[str],
    *,
    items: int,
    k: float = 32.0,
    steps: tuple[int, int, int] = STEPS,
) -> RatingConfidence:
    """The confidence in one rating.

    Args:
        ratings: The rating after each match, in Elo points, in order.
        opponents: Who was met in each.
        items: How many items there are in all.
        k: K of the running Elo.
        steps: Matches for initial, stable and high confidence.
    """
    times = Counter(opponents)
    # Inverse Simpson: (sum n)^2 / sum n^2.
    effective_opponents = sum(times.values()) ** 2 / sum(n * n for n in times.values()) if times else 0.0
    variance = float(np.var(ratings[-RECENT:])) if len(ratings) > 1 else None
    score = scores(
        [len(ratings)], [np.nan if variance is None else variance], [effective_opponents], items=items, k=k, steps=steps
    )
    return RatingConfidence(
        match_count=len(ratings),
        variance=variance,
        rating_stability=0.0 if variance is None else 1.0 / (1.0 + variance / k**2),
        opponents=effective_opponents,
        opponent_diversity=float(_diversity(np.array([effective_opponents]), items)[0]),
        confidence_score=float(score[0]),
        label=trust(len(ratings), steps),
    )


def confidences(
    ids: Sequence[str],
    matches: Iterable[Match],
    changes: Iterable[RatingChange],
    *,
    k: float = 32.0,
    steps: tuple[int, int, int] = STEPS,
) -> Mapping[str, RatingConfidence]:
    """The confidence in each rating, by item id.

    Args:
        ids: All items.
        matches: Matches that stand.
        changes: Rating changes in the order of record; those of matches that are not among ``matches`` are left out.
        k: K of the running Elo.
        steps: Matches for initial, stable and high confidence.
    """
    opponents: defaultdict[str, list[str]] = defaultdict(list)
    counted = set()
    for match in matches:
        if match.outcome is not Outcome.VOID:
            counted.add(match.id)
            for item in match.items:
                opponents[item].extend(other for other in match.items if other != item)
    history: defaultdict[str, list[float]] = defaultdict(list)
    for change in changes:
        if change.match in counted:
            history[change.item].append(change.new)
    return {id: confidence(history[id], opponents[id], items=len(ids), k=k, steps=steps) for id in ids}


def _diversity(opponents: Floats, items: int) -> Floats:
    shares: Floats = np.minimum(opponents / max(min(RECENT, items - 1), 1), 1.0)
    return shares
