"""Ratings and how they move: what a hypothesis is worth now, what moved it, how far it is to be trusted."""

from dataclasses import dataclass
from datetime import datetime

from paragone.domain.record import Record
from paragone.domain.tournament_config import Tier


def rounded(rating: float) -> int:
    """A rating as the documents show it. The ledger keeps what it was rounded from."""
    return round(rating)


@dataclass(frozen=True, kw_only=True, slots=True)
class EloUpdate(Record):
    """One move of a rating. Source: the specifications of tournaments, "Elo Update", and of the Ranking Agent.

    Attributes:
        hypothesis_id: Whose rating moved.
        old_rating: The rating before, rounded.
        new_rating: The rating after, rounded.
        rating_change: The difference of these two.
        match_id: The match that moved it, or the adjustment.
        timestamp: When.
        previous_rating: The Ranking Agent specification's name of ``old_rating``.
        match_count: Matches that counted up to then, this one included.
        win_rate: Share of these that were won; 0 where there are none.
        confidence_interval: Where the rating may be taken to lie after the move, rounded.
    """

    hypothesis_id: str
    old_rating: int
    new_rating: int
    rating_change: int
    match_id: str
    timestamp: datetime
    previous_rating: int | None = None
    match_count: int
    win_rate: float
    confidence_interval: tuple[int, int]

    def __post_init__(self) -> None:
        if self.previous_rating is None:
            object.__setattr__(self, "previous_rating", self.old_rating)
        if self.previous_rating != self.old_rating or self.rating_change != self.new_rating - self.old_rating:
            raise ValueError(
                f"a move from {self.old_rating} (previous_rating {self.previous_rating}) to {self.new_rating} is none "
                f"by {self.rating_change}"
            )


@dataclass(frozen=True, kw_only=True, slots=True)
class EloRating(Record):
    """The current rating of a hypothesis. Source: the ``EloRating`` that both specifications keep by hypothesis.

    Attributes:
        rating: The running Elo, rounded.
        matches: Matches that counted.
        wins: Matches won.
        losses: Matches lost.
        ties: Matches drawn.
        tier: Where it stands, where that was asked.
    """

    rating: int
    matches: int
    wins: int
    losses: int
    ties: int
    tier: Tier | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class HypothesisRanking(Record):
    """A line of a list of the best. Source: the tournament specification, "Tournament Round Results".

    Attributes:
        hypothesis_id: Which hypothesis.
        current_elo: Its running Elo, rounded.
        matches_played: Matches that counted.
        win_rate: Share of these that were won; 0 where there are none.
    """

    hypothesis_id: str
    current_elo: int
    matches_played: int
    win_rate: float


@dataclass(frozen=True, kw_only=True, slots=True)
class WinLossRecord(Record):
    """Matches won, lost and drawn. Source: the Ranking Agent specification, "Global Ranking".

    Attributes:
        wins: Matches won.
        losses: Matches lost.
        draws: Matches drawn.
    """

    wins: int
    losses: int
    draws: int

    @property
    def matches(self) -> int:
        """All of them."""
        return self.wins + self.losses + self.draws

    @property
    def win_rate(self) -> float:
        """Share that was won; 0 where there are none."""
        return share_won(self.wins, self.matches)

    @property
    def share(self) -> float:
        """Points won, a draw being a half, of those there were; there must be a match."""
        return (self.wins + self.draws / 2) / self.matches


@dataclass(frozen=True, kw_only=True, slots=True)
class Confidence(Record):
    """How far a rating is to be trusted. Source: the Ranking Agent specification, "Rating Confidence".

    Attributes:
        match_count: Matches that counted.
        rating_stability: How steady the recent ratings are, from 0 to 1.
        opponent_diversity: How many different opponents it met, as a share of those it might have, from 0 to 1.
        confidence_score: All of it in one number, from 0 to 1.
    """

    match_count: int
    rating_stability: float
    opponent_diversity: float
    confidence_score: float


def share_won(wins: int, matches: int) -> float:
    """Share of matches that were won; a draw is none of them, and of no matches none were."""
    return wins / matches if matches else 0.0
