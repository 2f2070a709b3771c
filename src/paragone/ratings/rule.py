"""The rule of a running Elo beside its K: K schedules, an advantage, margins of victory, reversion between periods.

Published ratings differ in these and in little else. A rule says what is done; ``Conditions`` say what is known of one
match, beside who played and who won.

Source: the parts are those of FiveThirtyEight's ratings, https://github.com/fivethirtyeight/nfl-elo-game.
"""

import math
from dataclasses import dataclass

from paragone.errors import InvalidConfig
from paragone.ratings.k_factor import KSchedule, MarginRule


@dataclass(frozen=True, kw_only=True, slots=True)
class Reversion:
    """Between two periods a rating goes part of the way back to a mean.

    Attributes:
        mean: Where to, in Elo points.
        share: Which part of the way, from 0 (stays) to 1 (begins anew).
    """

    mean: float
    share: float

    def __post_init__(self) -> None:
        if not math.isfinite(self.mean):
            raise InvalidConfig(f"mean of Reversion must be a finite number, not {self.mean}")
        if not 0.0 <= self.share <= 1.0:
            raise InvalidConfig(f"share of Reversion lies in [0, 1], not {self.share}")

    def __call__(self, elo: float) -> float:
        """The rating after the break, in Elo points."""
        return self.share * self.mean + (1.0 - self.share) * elo


@dataclass(frozen=True, kw_only=True, slots=True)
class EloRule:
    """What a running Elo does beyond ``R + K * (S - E)``. By default, nothing.

    Attributes:
        schedule: K of a side by the matches that it has played; ``RatingConfig.k`` where None.
        advantage: Elo points that the match's ``a`` is expected to play above its rating, such as at home.
        margin: The factor on K by how clearly a match was won; 1 where None.
        reversion: What a rating does when its item first plays in another period than before; nothing where None.
    """

    schedule: KSchedule | None = None
    advantage: float = 0.0
    margin: MarginRule | None = None
    reversion: Reversion | None = None

    def __post_init__(self) -> None:
        if not math.isfinite(self.advantage):
            raise InvalidConfig(f"the advantage must be a finite number of Elo points, not {self.advantage}")


@dataclass(frozen=True, kw_only=True, slots=True)
class Conditions:
    """What is known of one match beside who played and who won.

    Attributes:
        neutral: Whether neither side had the rule's advantage.
        margin: By how much it was won, in the game's own points, 0 or more; None where that is not known.
        period: The season or the like in which it was played; None where there are none.
    """

    neutral: bool = False
    margin: float | None = None
    period: str | None = None

    def __post_init__(self) -> None:
        if self.margin is not None and not 0.0 <= self.margin < math.inf:
            raise InvalidConfig(f"a margin is a finite number, 0 or more, not {self.margin}")


@dataclass(frozen=True, kw_only=True, slots=True)
class Reverted:
    """One rating that went back towards the mean.

    Attributes:
        item: Id of the item.
        period: The period that it began.
        old: Rating before, in Elo points.
        new: Rating after.
    """

    item: str
    period: str
    old: float
    new: float


PLAIN = EloRule()
"""Elo and nothing else."""

ORDINARY = Conditions()
"""A match of which nothing more is known."""
