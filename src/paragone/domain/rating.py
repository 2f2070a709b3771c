"""The running Elo of an item: its parameters, its record, every move it makes, and adjustments that no match made."""

import math
from dataclasses import dataclass
from enum import StrEnum

from paragone.domain.scorecard import GLOBAL
from paragone.errors import InvalidConfig


@dataclass(frozen=True, kw_only=True, slots=True)
class RatingConfig:
    """How the running Elo of a pool is updated. The defaults are those of tournament pools.

    Attributes:
        initial: Rating of an item that has not played, in Elo points.
        k: K factor of the running Elo, in Elo points per match.
        floor: The lowest rating.
        ceiling: The highest rating.
    """

    initial: float = 1200.0
    k: float = 32.0
    floor: float = 100.0
    ceiling: float = 4000.0

    def __post_init__(self) -> None:
        for name in ("initial", "k", "floor", "ceiling"):
            if not math.isfinite(getattr(self, name)):
                raise InvalidConfig(f"{name} must be a finite number, not {getattr(self, name)}")
        if self.k <= 0:
            raise InvalidConfig(f"k must be positive, not {self.k}")
        if not self.floor <= self.initial <= self.ceiling:
            raise InvalidConfig(
                f"the initial rating {self.initial:g} lies outside of what ratings may be, floor {self.floor:g} to "
                f"ceiling {self.ceiling:g}"
            )


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


class AdjustmentKind(StrEnum):
    """Why a rating moved without a match."""

    SEED = "seed"
    DECAY = "decay"
    CORRECTION = "correction"
    SEASON = "season"
    REVISION = "revision"


@dataclass(frozen=True, kw_only=True, slots=True)
class Adjustment:
    """A move of a running Elo towards a target: ``new = old + share * (target - old)``, then floor and ceiling.

    So a seed is ``share=1``, and a decay that was skipped and made up for comes to the same.

    Attributes:
        id: Names it within its pool.
        item: Id of the item.
        kind: Why.
        target: Where it moves to, in Elo points.
        share: How much of the way, from 0 to 1.
        reason: In words.
    """

    id: str
    item: str
    kind: AdjustmentKind
    target: float
    share: float = 1.0
    reason: str = ""

    def __post_init__(self) -> None:
        if not 0.0 <= self.share <= 1.0:
            raise ValueError(f"an adjustment goes a share of the way in [0, 1], not {self.share}")

    def moved(self, old: float) -> float:
        """The rating afterwards, before floor and ceiling."""
        return self.target if self.share == 1.0 else old + self.share * (self.target - old)
