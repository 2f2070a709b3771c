"""A review of an item, and an adjustment of its rating that no match made."""

from dataclasses import dataclass
from enum import StrEnum


@dataclass(frozen=True, kw_only=True, slots=True)
class Review:
    """What a reviewer thinks of an item (T16).

    Attributes:
        item: Id of the item.
        reviewer: Who reviewed it.
        score: Overall, from 0 to 1.
        scores: By criterion, each from 0 to 1.
        text: The review in words. Untrusted.
    """

    item: str
    reviewer: str
    score: float
    scores: tuple[tuple[str, float], ...] = ()
    text: str = ""

    def __post_init__(self) -> None:
        for name, value in (("score", self.score), *self.scores):
            if not 0.0 <= value <= 1.0:
                raise ValueError(f"a review's {name} lies in [0, 1], not {value}")


class AdjustmentKind(StrEnum):
    """Why a rating moved without a match."""

    SEED = "seed"
    DECAY = "decay"
    CORRECTION = "correction"


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
