"""What reviews say about items: where ratings start, who stands first among equals, where matches say otherwise.

A review scores an item from 0 to 1, and .5 says nothing either way: that is where an item without a review stands, in
seeding and among equals.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from math import atanh, sqrt, tanh
from statistics import NormalDist, mean

import numpy as np
import numpy.typing as npt

from paragone.domain import Adjustment, AdjustmentKind, BoardRow, Review

FloatArray = npt.NDArray[np.float64]

PRACTICAL = 1.0
"""Elo points that are no difference between neighbours on a board."""
NEUTRAL = 0.5
"""The neutral score."""

SPAN = 200.0
"""Elo points that a perfect review is worth.

It takes an item to the lower bound of Strong and not above it, so that no debate is held on the word of a review alone;
three of four matches against an unreviewed item are then expected to be won.
"""

ASSUMED_ERROR = 0.1
"""Standard error of a review where no two reviewers can be compared."""

LEAST_ERROR = 0.02
"""Reviewers that agree to the digit are still taken to be this far off: scores are rounded."""

_PRIOR_REVIEWS = 4.0
_LEAST_ITEMS = 4


@dataclass(frozen=True, kw_only=True, slots=True)
class Opinion:
    """What all reviews of an item come to.

    Attributes:
        item: Id of the item.
        score: Their mean, from 0 to 1; a reviewer who differs more from the others weighs less.
        error: Its standard error.
        reliability: How much of the distance from ``NEUTRAL`` is more than reviewers' noise, from 0 to 1; 1 where no
            item has two reviews, so that it cannot be told.
        reviews: How many reviews.
    """

    item: str
    score: float
    error: float
    reliability: float
    reviews: int


def opinions(reviews: Iterable[Review]) -> dict[str, Opinion]:
    """What reviewers think of each item, by id, in the order in which the items were first reviewed.

    A reviewer's error is the spread of their scores around the mean of the items that others reviewed too, drawn
    towards that of all reviewers by four reviews' worth. Reliability is the share of the variance of scores around
    ``NEUTRAL`` that these errors do not explain.

    Args:
        reviews: In the order in which they were given; a later review of an item by the same reviewer replaces the
            earlier one.
    """
    by_item: dict[str, dict[str, float]] = {}
    for review in reviews:
        by_item.setdefault(review.item, {})[review.reviewer] = review.score
    several = [scores for scores in by_item.values() if len(scores) > 1]
    errors = _errors({reviewer for scores in by_item.values() for reviewer in scores}, several)
    joint = {item: _joint(scores, errors) for item, scores in by_item.items()}
    signal = mean((score - NEUTRAL) ** 2 - error**2 for score, error in joint.values()) if several else None
    return {
        item: Opinion(
            item=item,
            score=score,
            error=error,
            reliability=1.0 if signal is None else max(signal, 0.0) / (max(signal, 0.0) + error**2),
            reviews=len(by_item[item]),
        )
        for item, (score, error) in joint.items()
    }


def _errors(reviewers: Collection[str], several: Sequence[Mapping[str, float]]) -> dict[str, float]:
    """Variance of each reviewer's error, from the items with several reviews."""
    squares: dict[str, list[float]] = {reviewer: [] for reviewer in reviewers}
    for scores in several:
        middle, count = mean(scores.values()), len(scores)
        for reviewer, score in scores.items():
            # The mean contains the score itself, which makes the distance too small by (n - 1) / n.
            squares[reviewer].append((score - middle) ** 2 * count / (count - 1))
    every = [square for row in squares.values() for square in row]
    common = max(mean(every), LEAST_ERROR**2) if every else ASSUMED_ERROR**2
    return {
        reviewer: max((sum(row) + _PRIOR_REVIEWS * common) / (len(row) + _PRIOR_REVIEWS), LEAST_ERROR**2)
        for reviewer, row in squares.items()
    }


def _joint(scores: Mapping[str, float], errors: Mapping[str, float]) -> tuple[float, float]:
    """Mean of an item's scores, weighted by how certain each is, and its standard error."""
    weights = {reviewer: 1.0 / errors[reviewer] for reviewer in scores}
    total = sum(weights.values())
    return sum(weights[reviewer] * score for reviewer, score in scores.items()) / total, sqrt(1.0 / total)


def seeds(
    reviews: Iterable[Review], *, initial: float = 1200.0, span: float = SPAN, items: Collection[str] | None = None
) -> tuple[Adjustment, ...]:
    """Where ratings start from, by review: ``initial + 2 span (score - 0.5) reliability``.

    With one reviewer, 0.5 is the initial rating, 1 is ``span`` above it and 0 as far below. With several who disagree
    it is less.

    Args:
        reviews: In the order in which they were given.
        initial: Rating of an item that has not played.
        span: Elo points that a perfect review is worth at the most.
        items: Only these items, such as those that have not played; None for all that were reviewed.

    Returns:
        One adjustment an item, in the order in which they were first reviewed.
    """
    return tuple(
        _seed(opinion, initial, span)
        for opinion in opinions(reviews).values()
        if items is None or opinion.item in items
    )


def _seed(opinion: Opinion, initial: float, span: float) -> Adjustment:
    reviews = "1 review" if opinion.reviews == 1 else f"{opinion.reviews} reviews"
    return Adjustment(
        id=f"seed:{opinion.item}",
        item=opinion.item,
        kind=AdjustmentKind.SEED,
        target=initial + 2.0 * span * (opinion.score - NEUTRAL) * opinion.reliability,
        reason=f"{reviews}: score {opinion.score:.2f}, reliability {opinion.reliability:.2f}",
    )


@dataclass(frozen=True, kw_only=True, slots=True)
class ReviewCorrelation:
    """How well reviews predict strength.

    Attributes:
        items: Items that have both.
        correlation: Spearman's, from -1 to 1.
        low: Lower end of its interval.
        high: Upper end.
    """

    items: int
    correlation: float
    low: float
    high: float

    def sentence(self) -> str:
        """In words."""
        if self.low > 0:
            summary = "reviews predict strength"
        elif self.high < 0:
            summary = "reviews predict the opposite of strength"
        else:
            summary = "it cannot be told whether reviews predict strength"
        interval = f"{self.low:.2f} to {self.high:.2f}"
        return f"{summary}: rank correlation {self.correlation:.2f} ({interval}), {self.items} items"


def calibration(
    opinions: Mapping[str, Opinion], strengths: Mapping[str, float], *, level: float = 0.95
) -> ReviewCorrelation | None:
    """How well reviews predict strength; None with fewer than four items, or where all of one kind are equal.

    Args:
        opinions: By item.
        strengths: By item, such as the board's ratings.
        level: Probability that the interval is meant to hold.

    Source: Bonett and Wright, Psychometrika 65 (2000): the interval of Spearman's correlation. A perfect one is taken
    half a step below 1, which is as near as ranks come.
    """
    both = [item for item in opinions if item in strengths]
    if len(both) < _LEAST_ITEMS:
        return None
    scores, fitted = _ranks([opinions[item].score for item in both]), _ranks([strengths[item] for item in both])
    if not scores.std() or not fitted.std():
        return None
    correlation = float(np.clip(np.corrcoef(scores, fitted)[0, 1], -1.0, 1.0))
    # Spearman's largest value below 1 is 1 - 6 * 2 / (n (n^2 - 1)), of two neighbours exchanged; half that step keeps
    # atanh finite.
    most = 1.0 - 6.0 / (len(both) * (len(both) ** 2 - 1))
    middle = atanh(min(max(correlation, -most), most))
    reach = NormalDist().inv_cdf((1 + level) / 2) * sqrt((1 + correlation**2 / 2) / (len(both) - 3))
    return ReviewCorrelation(
        items=len(both), correlation=correlation, low=tanh(middle - reach), high=tanh(middle + reach)
    )


def _ranks(values: Sequence[float]) -> FloatArray:
    """Ranks from 1; equal values share the mean of theirs."""
    order = np.sort(values)
    below, through = np.searchsorted(order, values), np.searchsorted(order, values, side="right")
    middle: FloatArray = (below + through + 1) / 2
    return middle


def break_ties(rows: Sequence[BoardRow], opinions: Mapping[str, Opinion]) -> tuple[BoardRow, ...]:
    """Order items that the matches cannot part by their reviews; nothing else moves.

    Neighbours on the board are equal for practical purposes while none is more than ``PRACTICAL`` points below the
    first of them and the interval of each holds the rating of the other. Among these the better review stands first,
    items without one as if it were neutral; what the reviews cannot part either stays as it was, shared ranks included.

    Args:
        rows: A board by strength, best first.
        opinions: By item.
    """
    ranked: list[BoardRow] = []
    for group in _equals(rows):
        ordered = sorted(group, key=lambda row: -_score(row, opinions))  # stable
        for part in _parts(ordered, opinions):
            rank = len(ranked) + 1
            ranked += [_placed(row, rank) for row in part]
    return tuple(ranked)


def _score(row: BoardRow, opinions: Mapping[str, Opinion]) -> float:
    return opinions[row.id].score if row.id in opinions else NEUTRAL


def _equals(rows: Sequence[BoardRow]) -> Iterator[list[BoardRow]]:
    group: list[BoardRow] = []
    for row in rows:
        if group and not _equal(group[0], row):
            yield group
            group = []
        group.append(row)
    if group:
        yield group


def _equal(best: BoardRow, row: BoardRow) -> bool:
    close = best.rating - row.rating <= PRACTICAL and best.low <= row.rating and row.high >= best.rating
    return row.rank == best.rank or close


def _parts(group: Sequence[BoardRow], opinions: Mapping[str, Opinion]) -> Iterator[list[BoardRow]]:
    """Items that share a rank still: the same rank before and the same review."""
    for _, part in groupby(group, key=lambda row: (_score(row, opinions), row.rank)):
        yield list(part)


def _placed(row: BoardRow, rank: int) -> BoardRow:
    return replace(row, rank=rank, rank_low=min(row.rank_low, rank), rank_high=max(row.rank_high, rank))


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
