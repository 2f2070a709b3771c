"""Moves of a rating that no contest made: those of adjustments and of tests."""

from dataclasses import replace

from paragone.domain import Rating, RatingChange, RatingConfig


def moved(rating: Rating, cause: str, intended: float, config: RatingConfig) -> tuple[Rating, RatingChange]:
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
