"""A rating, and the record of every move it makes."""

from dataclasses import dataclass

from paragone.domain.scorecard import GLOBAL


@dataclass(frozen=True, kw_only=True, slots=True)
class Rating:
    """The running Elo of an item, with its record.

    Attributes:
        item: Id of the item.
        elo: The rating, in Elo points, never rounded.
        matches: Matches that counted (void ones do not).
        wins: Matches won.
        losses: Matches lost.
        ties: Matches drawn.
        track: Which of the item's ratings: the global one, or a domain's.
    """

    item: str
    elo: float
    matches: int = 0
    wins: int = 0
    losses: int = 0
    ties: int = 0
    track: str = GLOBAL


@dataclass(frozen=True, kw_only=True, slots=True)
class RatingChange:
    """One move of one rating.

    Attributes:
        item: Id of the item.
        match: Id of the match that moved it.
        old: Rating before, in Elo points.
        new: Rating after.
        k: The effective K, weights included.
        expected: Expected score in [0, 1].
        score: Actual score in [0, 1].
        clamped: Elo points that a floor or a ceiling took away (signed: intended change minus applied change).
        track: Which of the item's ratings: the global one, or a domain's.
    """

    item: str
    match: str
    old: float
    new: float
    k: float
    expected: float
    score: float
    clamped: float = 0.0
    track: str = GLOBAL

    @property
    def change(self) -> float:
        """Elo points gained or lost."""
        return self.new - self.old
