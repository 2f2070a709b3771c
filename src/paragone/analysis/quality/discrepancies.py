"""Items that matches and reviews see differently (T13, T16)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np
import numpy.typing as npt

from paragone.analysis.reviews import Opinion
from paragone.domain import BoardRow

FloatArray = npt.NDArray[np.float64]


@dataclass(frozen=True, kw_only=True, slots=True)
class RankInterval:
    """A rank and how far it may be off: from ``low``, the best it may be, to ``high``, the worst."""

    rank: int
    low: int
    high: int

    def __str__(self) -> str:
        return f"{self.rank} ({self.low}-{self.high})"


@dataclass(frozen=True, kw_only=True, slots=True)
class Discrepancy:
    """An item that matches and reviews see differently, beyond what either may be off.

    Attributes:
        item: Its id.
        by_matches: Its rank by strength, among the items that have both.
        by_reviews: Its rank by review, among the same.
        score: Its score by review.
        size: Ranks between the two intervals.
        sentence: In words.
    """

    item: str
    by_matches: RankInterval
    by_reviews: RankInterval
    score: float
    size: int
    sentence: str


def discrepancies(
    rows: Sequence[BoardRow], opinions: Mapping[str, Opinion], *, level: float = 0.95
) -> tuple[Discrepancy, ...]:
    """Items whose rank by matches and by review differ beyond both uncertainties, the largest difference first.

    An item's rank may be off as far as intervals of values overlap: it may stand above all whose interval reaches its
    own. That is wider than the board's rank intervals, so that what is listed is not noise.

    Args:
        rows: The board.
        opinions: By item.
        level: Probability that the reviews' intervals are meant to hold; the board's have their own.
    """
    both = [row for row in rows if row.id in opinions]
    if not both:
        return ()
    reach = NormalDist().inv_cdf((1 + level) / 2)
    reviewed = [opinions[row.id] for row in both]
    matches = _intervals([row.rating for row in both], [row.low for row in both], [row.high for row in both])
    scores = [opinion.score for opinion in reviewed]
    errors = [reach * opinion.error for opinion in reviewed]
    reviews = _intervals(scores, np.subtract(scores, errors), np.add(scores, errors))
    differences = (_differing(*row) for row in zip(both, matches, reviews, scores, strict=True))
    return tuple(
        sorted(
            (difference for difference in differences if difference is not None),
            key=lambda difference: (-difference.size, difference.by_matches.rank),
        )
    )


def _intervals(
    values: Sequence[float], low: Sequence[float] | FloatArray, high: Sequence[float] | FloatArray
) -> list[RankInterval]:
    """Rank of each value, and between which ranks it lies as far as intervals overlap."""
    count, lows, highs = len(values), np.sort(low), np.sort(high)
    ranks = count - np.searchsorted(np.sort(values), values, side="right") + 1
    best = count - np.searchsorted(lows, high, side="right") + 1
    worst = count - np.searchsorted(highs, low)
    columns = zip(ranks.tolist(), best.tolist(), worst.tolist(), strict=True)
    return [RankInterval(rank=rank, low=first, high=last) for rank, first, last in columns]


def _differing(row: BoardRow, matches: RankInterval, reviews: RankInterval, score: float) -> Discrepancy | None:
    size = max(matches.low - reviews.high, reviews.low - matches.high)
    if size <= 0:
        return None
    where = "below" if matches.low > reviews.high else "above"
    sentence = (
        f"{row.id}: rank {matches} by its matches, {reviews} by its reviews, which score it {score:.2f}; "
        f"the matches put it {size} or more ranks {where} its reviews"
    )
    return Discrepancy(item=row.id, by_matches=matches, by_reviews=reviews, score=score, size=size, sentence=sentence)
