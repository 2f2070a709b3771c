"""Elo: expected scores and updates, for two items and for many in one match. Numbers in, numbers out.

``R' = R + K * weight * (S - E)`` with ``E = 1 / (1 + 10 ** ((R_other - R) / 400))``. The weight scales the whole
change, actual and expected score alike, so that points are neither made nor lost.

Source: the specifications of tournaments, Aragora and the Ranking Agent; A. E. Elo,
"The Rating of Chessplayers, Past and Present", 1978.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, overload

from paragone.domain import Counting, Normalization, RatingConfig, Scorecard

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

NATS_PER_POINT = math.log(10.0) / 400.0
"""Log-odds that one Elo point is worth."""

ELO_PER_NAT = 400.0 / math.log(10.0)
"""Elo points in one nat (natural log-odds): 173.7178."""

LEAST_WEIGHT = 0.1
"""The least that a match counts, however little confidence there is in it."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Move:
    """How one rating moved in one match: ``new + clamped == old + k * (score - expected)``.

    Attributes:
        old: Rating before, in Elo points.
        new: Rating after.
        k: The effective K: weights included, and summed over the opponents in a match of more than two.
        expected: Expected score in [0, 1]; the mean over the opponents.
        score: Actual score in [0, 1]; the mean over the opponents.
        clamped: Elo points that the floor or the ceiling took away (signed: intended change minus applied change).
    """

    old: float
    new: float
    k: float
    expected: float
    score: float
    clamped: float

    @property
    def change(self) -> float:
        """Elo points gained or lost."""
        return self.new - self.old


def expected_score(rating: float, opponent: float) -> float:
    """The score in (0, 1) that ``rating`` is expected to make against ``opponent``, both in Elo points."""
    nats = (rating - opponent) * NATS_PER_POINT
    # Only exponentials of negative numbers are taken: they may vanish, but never overflow.
    if nats >= 0.0:
        return 1.0 / (1.0 + math.exp(-nats))
    odds = math.exp(nats)
    return odds / (1.0 + odds)


def confidence_weight(confidence: float) -> float:
    """How much a match counts, in [0.1, 1]: its confidence, clamped.

    Raises:
        ValueError: If the confidence is not a number.

    Source: Aragora's specification, "Confidence Weighting".
    """
    if math.isnan(confidence):
        raise ValueError("the confidence in a match must be a number, not NaN")
    return max(LEAST_WEIGHT, min(1.0, confidence))


def score_share(score: float, opponent: float) -> float:
    """The share in [0, 1] of the two scores that goes to the first; a half each where both are 0.

    Source: Aragora's specification, "Pairwise ELO Changes".
    """
    total = score + opponent
    if total == math.inf:
        # Two scores near the largest float add up to infinity; their halves do not.
        return score_share(score / 2.0, opponent / 2.0)
    return score / total if total > 0.0 else 0.5


def score_margin(score: float, opponent: float, scale: float) -> float:
    """The share in [0, 1] of the point that goes to the first: a half, plus half of the lead on a scale.

    Args:
        score: What the first scored, from 0 up to the scale.
        opponent: What the second did.
        scale: The largest lead that there can be.
    """
    return 0.5 + 0.5 * (score - opponent) / scale


def score_win(score: float, opponent: float) -> float:
    """1 for the higher score of two, 0 for the lower one, a half for equal ones."""
    return 0.5 if score == opponent else float(score > opponent)


def update(
    ratings: tuple[float, float],
    score: float,
    config: RatingConfig,
    *,
    weight: float = 1.0,
    k: tuple[float, float] | None = None,
    advantage: float = 0.0,
) -> tuple[Move, Move]:
    """One match between two.

    Args:
        ratings: Both ratings before the match, in Elo points.
        score: Score of the first, in [0, 1]; the second's is what is missing to 1.
        config: K, floor and ceiling.
        weight: Confidence in the match; clamped to [0.1, 1].
        k: K of each side before the weight, from a schedule or a multiplier; ``config.k`` for both where None.
        advantage: Elo points that the first is expected to play above its rating in this match, such as at home.

    Raises:
        ValueError: If the score lies outside of [0, 1], a rating or the advantage is not finite, or the weight is not a
            number.
    """
    if not 0.0 <= score <= 1.0:
        raise ValueError(f"the score of a match lies in [0, 1], not {score}")
    _refuse_unless_finite("rating", ratings)
    if advantage:  # mostly there is none, and this is asked once a match
        _refuse_unless_finite("advantage", (advantage,))
    weight = confidence_weight(weight)
    k_a, k_b = (config.k, config.k) if k is None else k
    expected = expected_score(ratings[0] + advantage, ratings[1])
    surprise = score - expected
    return (
        _move(ratings[0], k_a * weight, surprise, expected, score, config),
        _move(ratings[1], k_b * weight, -surprise, 1.0 - expected, 1.0 - score, config),
    )


def update_many(
    ratings: Sequence[float],
    scores: Sequence[float],
    config: RatingConfig,
    *,
    weight: float = 1.0,
    k: Sequence[float] | None = None,
) -> tuple[Move, ...]:
    """One match of several items, scored together: every pair counts as a match, all from the ratings before it.

    Args:
        ratings: The ratings before the match, in Elo points.
        scores: What each item scored, on any scale from 0 upwards; of a pair, each takes its share of the two.
        config: K, floor and ceiling. K is per pair: a match of n items moves each up to n - 1 times as far.
        weight: Confidence in the match; clamped to [0.1, 1].
        k: K of each item before the weight; ``config.k`` for all where None.

    Returns:
        One move for each item, in the order given.

    Raises:
        ValueError: If there are fewer than two items, the lengths differ, a score is negative or not finite, a rating
            is not finite, or the weight is not a number.

    Source: Aragora's specification, "Pairwise ELO Changes".
    """
    if len(scores) != len(ratings):
        raise ValueError(f"a match needs as many scores as ratings: {len(ratings)}, {len(scores)}")
    _refuse_unless_finite("score", scores)
    if min(scores, default=0.0) < 0.0:
        raise ValueError(f"a score in a match of several is 0 or more, not {min(scores)}")
    return _played(ratings, lambda a, b: score_share(scores[a], scores[b]), config, weight, k)


def update_scored(
    ratings: Sequence[float],
    scorecard: Scorecard,
    config: RatingConfig,
    *,
    weight: float = 1.0,
    k: Sequence[float] | None = None,
) -> tuple[Move, ...]:
    """One match of several with what they scored, by its own way of counting.

    Args:
        ratings: The ratings of its participants before the match, in Elo points.
        scorecard: What they scored, how that counts, and what each one's K is multiplied by.
        config: K, floor and ceiling.
        weight: Confidence in the match; clamped to [0.1, 1].
        k: K of each participant before weight and multiplier; ``config.k`` for all where None.

    Returns:
        One move for each participant, in their order. Without multipliers they add up to 0, away from floor and
        ceiling. With ``Normalization.MEAN`` none is larger than its K.

    Raises:
        ValueError: If the lengths differ, a rating is not finite, or the weight is not a number.

    Source: Aragora's specification, "Pairwise ELO Changes" and "Calibration-Based K-Factor".
    """
    ks = [config.k] * len(ratings) if k is None else k
    if scorecard.multipliers and len(ks) == len(scorecard.multipliers):
        ks = [own * times for own, times in zip(ks, scorecard.multipliers, strict=True)]
    if len(ratings) != len(scorecard.scores):
        raise ValueError(f"a match needs as many scores as ratings: {len(ratings)}, {len(scorecard.scores)}")
    average = scorecard.normalization is Normalization.MEAN
    return _played(ratings, _counted(scorecard.scores, scorecard.counting), config, weight, ks, average=average)


def _counted(scores: Sequence[float], counting: Counting) -> Callable[[int, int], float]:
    """What the first of two participants, by their places, takes of the point between them."""
    if counting is Counting.WIN:
        return lambda a, b: score_win(scores[a], scores[b])
    if counting is Counting.MARGIN:
        scale = max(1.0, *scores)
        return lambda a, b: score_margin(scores[a], scores[b], scale)
    return lambda a, b: score_share(scores[a], scores[b])


def update_ordered(
    ratings: Sequence[float], config: RatingConfig, *, weight: float = 1.0, k: Sequence[float] | None = None
) -> tuple[Move, ...]:
    """One match of several items that were put in order: as `update_many`, and of a pair the better one takes all.

    Args:
        ratings: The ratings before the match, in Elo points, the best of the match first.
        config: K, floor and ceiling. K is per pair.
        weight: Confidence in the match; clamped to [0.1, 1].
        k: K of each item before the weight; ``config.k`` for all where None.

    Returns:
        One move for each item, in the order given.

    Raises:
        ValueError: If there are fewer than two items, the lengths differ, a rating is not finite, or the weight is not
            a number.
    """
    return _played(ratings, lambda a, b: 1.0 if a < b else 0.0, config, weight, k)


def _played(
    ratings: Sequence[float],
    share: Callable[[int, int], float],
    config: RatingConfig,
    weight: float,
    k: Sequence[float] | None,
    *,
    average: bool = False,
) -> tuple[Move, ...]:
    """Every pair once; ``share`` says what the first of two, by their places, takes of the point between them.

    K is per pair, or divided among the opponents where the average counts.
    """
    count = len(ratings)
    ks = [config.k] * count if k is None else list(k)
    if count < 2 or len(ks) != count:
        raise ValueError(f"a match needs two or more ratings, and a K for each: {count}, {len(ks)}")
    _refuse_unless_finite("rating", ratings)
    weight = confidence_weight(weight)
    expected, actual, surprise = _against_each_other(ratings, share)
    rest = count - 1
    times = 1 if average else rest
    return tuple(
        _move(ratings[i], ks[i] * weight * times, surprise[i] / rest, expected[i] / rest, actual[i] / rest, config)
        for i in range(count)
    )


def _against_each_other(
    ratings: Sequence[float], share: Callable[[int, int], float]
) -> tuple[list[float], list[float], list[float]]:
    """For each item the sums over its opponents of expected score, actual score, and actual minus expected."""
    expected, actual, surprise = ([0.0] * len(ratings) for _ in range(3))
    for a, b in combinations(range(len(ratings)), 2):
        e, s = expected_score(ratings[a], ratings[b]), share(a, b)
        expected[a] += e
        expected[b] += 1.0 - e
        actual[a] += s
        actual[b] += 1.0 - s
        surprise[a] += s - e
        surprise[b] -= s - e
    return expected, actual, surprise


def _move(old: float, k: float, surprise: float, expected: float, score: float, config: RatingConfig) -> Move:
    intended = old + k * surprise
    new = min(max(intended, config.floor), config.ceiling)
    return Move(old=old, new=new, k=k, expected=expected, score=score, clamped=intended - new)


def _refuse_unless_finite(what: str, values: Sequence[float]) -> None:
    for value in values:
        if not math.isfinite(value):
            raise ValueError(f"{'an' if what[0] in 'aeiou' else 'a'} {what} must be a finite number, not {value}")


@overload
def to_elo(strength: float, *, initial: float = ...) -> float: ...
@overload
def to_elo(strength: "NDArray[np.float64]", *, initial: float = ...) -> "NDArray[np.float64]": ...
def to_elo(strength: "float | NDArray[np.float64]", *, initial: float = 1200.0) -> "float | NDArray[np.float64]":
    """Strengths on the Elo scale.

    Args:
        strength: Strengths in nats, centred on 0; a number or an array of any shape.
        initial: The rating of strength 0, in Elo points.

    Returns:
        Ratings in Elo points, in the shape of ``strength``.
    """
    return initial + ELO_PER_NAT * strength
