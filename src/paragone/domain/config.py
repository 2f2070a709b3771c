"""Parameters, validated where they are made."""

import math
from dataclasses import dataclass

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
