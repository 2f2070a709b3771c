"""The K factor: how far one match may move a rating, by how many matches the item has played and by how it was won.

A schedule is any callable from the number of matches played before this one to a K in Elo points. A margin rule is any
callable from a match's margin and the winner's lead to a factor on K.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass

from paragone.errors import InvalidConfig

KSchedule = Callable[[int], float]

MarginRule = Callable[[float, float | None], float]
"""From the margin of a match (0 or more, in the game's own points) and the Elo points by which the winner was ahead
before it (None for a draw) to a factor on K, above 0."""


def _refuse_unless_positive(schedule: object, *names: str) -> None:
    for name in names:
        value = getattr(schedule, name)
        if not (math.isfinite(value) and value > 0):
            raise InvalidConfig(f"{name} of {type(schedule).__name__} must be a positive number, not {value}")


def _refuse_unless_at_least(schedule: object, name: str, least: float) -> None:
    value = getattr(schedule, name)
    if not (math.isfinite(value) and value >= least):
        raise InvalidConfig(f"{name} of {type(schedule).__name__} must be a number of at least {least}, not {value}")


@dataclass(frozen=True, slots=True)
class ConstantK:
    """The same K for every match."""

    k: float = 32.0

    def __post_init__(self) -> None:
        _refuse_unless_positive(self, "k")

    def __call__(self, matches: int) -> float:  # noqa: ARG002 - every schedule is asked with the matches played
        return self.k


@dataclass(frozen=True, kw_only=True, slots=True)
class ProvisionalK:
    """One K while an item is new, another once it is established.

    The defaults are those of content pools. Source: document M; established after 10 updates.

    Attributes:
        new: K of an item with fewer than ``after`` matches.
        established: K from then on.
        after: How many matches establish an item.
    """

    new: float = 16.0
    established: float = 8.0
    after: int = 10

    def __post_init__(self) -> None:
        _refuse_unless_positive(self, "new", "established")
        _refuse_unless_at_least(self, "after", 0)

    def __call__(self, matches: int) -> float:
        return self.new if matches < self.after else self.established


@dataclass(frozen=True, kw_only=True, slots=True)
class DecreasingK:
    """K falls with every match: ``scale / (matches + offset) ** power``, and never below ``lowest``.

    Source: the defaults are those that FiveThirtyEight used for tennis, in S. Kovalchik, "Searching for the GOAT of
    tennis win prediction", Journal of Quantitative Analysis in Sports 12(3), 2016.

    Attributes:
        scale: K at ``matches + offset == 1``, in Elo points.
        offset: Matches that a newcomer is taken to have played already.
        power: How fast K falls; 0 is constant.
        lowest: K never falls below this, in Elo points.
    """

    scale: float = 250.0
    offset: float = 5.0
    power: float = 0.4
    lowest: float = 0.0

    def __post_init__(self) -> None:
        _refuse_unless_positive(self, "scale", "offset")
        _refuse_unless_at_least(self, "power", 0)
        _refuse_unless_at_least(self, "lowest", 0)

    def __call__(self, matches: int) -> float:
        return max(self.scale / math.pow(matches + self.offset, self.power), self.lowest)


@dataclass(frozen=True, kw_only=True, slots=True)
class MarginOfVictory:
    """A clear victory moves ratings further, and less so where the winner was ahead: favourites win by more.

    ``ln(max(margin, 1) + 1) * damping / (damping + slope * lead)``, where ``lead`` is by how many Elo points the winner
    was ahead before the match, its advantage included. Without the damping, ratings would feed on themselves.

    Source: the defaults are FiveThirtyEight's for American football, https://github.com/fivethirtyeight/nfl-elo-game.

    Attributes:
        damping: At a lead of ``damping / slope`` Elo points the factor is half of that between equals.
        slope: How fast the factor falls with the lead, in 1 / Elo points; 0 leaves the margin alone.
        draw: The factor of a draw, which has neither a margin nor a winner. The published rule divides by 1 there.
    """

    damping: float = 2.2
    slope: float = 0.001
    draw: float = 2.2 * math.log(2.0)

    def __post_init__(self) -> None:
        _refuse_unless_positive(self, "damping", "draw")
        _refuse_unless_at_least(self, "slope", 0)

    def __call__(self, margin: float, lead: float | None) -> float:
        if lead is None:
            return self.draw
        damped = self.damping + self.slope * lead
        if damped <= 0.0:
            raise ValueError(
                f"a winner who was {-lead:g} Elo points behind is beyond this rule: the slope {self.slope:g} takes the "
                f"damping {self.damping:g} below 0 there"
            )
        return math.log(max(margin, 1.0) + 1.0) * self.damping / damped


def calibration_multiplier(quality: float) -> float:
    """The factor on the K of an agent whose predictions have this quality: from 2 for the worst to 1 for the best.

    Args:
        quality: Calibration quality in [0, 1].

    Raises:
        ValueError: If the quality lies outside of [0, 1].

    Source: document A, "Calibration-Based K-Factor".
    """
    if not 0.0 <= quality <= 1.0:
        raise ValueError(f"a calibration quality lies in [0, 1], not {quality}")
    return 2.0 - quality
