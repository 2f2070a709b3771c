"""Rating changes without an opponent: red teams and formal verification (A6), and any other single move.

Source: document A, "Red Team Integration" and "Formal Verification Integration".
"""

from collections.abc import Sequence
from dataclasses import replace

from paragone.domain import Rating, RatingChange, RatingConfig, RedTeamResult, StrengthTest, VerificationResult


def move_rating(rating: Rating, cause: str, intended: float, config: RatingConfig) -> tuple[Rating, RatingChange]:
    """Move one rating, within floor and ceiling; it does not count as a match.

    Args:
        rating: The rating before.
        cause: Id of what moves it.
        intended: Where it is to go, in Elo points.
        config: Floor and ceiling.

    Returns:
        The rating afterwards, and the change: it has the cause's id for its match, and a K, an expectation and a score
        of 0.
    """
    new = min(max(intended, config.floor), config.ceiling)
    change = RatingChange(
        item=rating.item,
        match=cause,
        old=rating.elo,
        new=new,
        k=0.0,
        expected=0.0,
        score=0.0,
        clamped=intended - new,
        track=rating.track,
    )
    return replace(rating, elo=new), change


ROBUST = 0.8
"""Robustness from which on a red team's result is rewarded."""

VULNERABLE = 0.5
"""Robustness below which it is punished."""

REWARD = 0.3
"""Share of K that full robustness is worth."""

PENALTY = 0.5
"""Share of K that is lost where every attack succeeded."""

CRITICAL = 2.0
"""Elo points that a critical vulnerability costs."""

WORST = -30.0
"""The most that one session can cost, in Elo points."""

STAKE = 0.5
"""Share of its own K that a verified claim is worth."""


def gain(test: StrengthTest, config: RatingConfig) -> float:
    """Elo points that a test is worth, before floor and ceiling.

    Args:
        test: What was measured.
        config: K, for a red team; a verification has its own.
    """
    return _redteam(test, config.k) if isinstance(test, RedTeamResult) else _verification(test)


def _redteam(test: RedTeamResult, k: float) -> float:
    if test.robustness >= ROBUST:
        return k * REWARD * test.robustness
    if test.robustness >= VULNERABLE:
        return 0.0
    rate = test.successful / test.total if test.total else 0.0
    return max(-(PENALTY * k * rate + CRITICAL * test.critical), WORST)


def _verification(test: VerificationResult) -> float:
    return (test.verified - test.disproven) * test.k * STAKE


def assess(
    ratings: Sequence[Rating], test: StrengthTest, config: RatingConfig
) -> tuple[tuple[Rating, ...], tuple[RatingChange, ...]]:
    """Move ratings of the item of a test, within floor and ceiling; it does not count as a match.

    Args:
        ratings: The global one, and that of the test's domain where one is named.
        test: What was measured.
        config: K, floor and ceiling.

    Returns:
        The ratings afterwards, and a change for each: it has the test's id for its match, and a K, an expectation and
        a score of 0, since no contest made it.
    """
    moves = [move_rating(rating, test.id, rating.elo + gain(test, config), config) for rating in ratings]
    return tuple(rating for rating, _ in moves), tuple(change for _, change in moves)
