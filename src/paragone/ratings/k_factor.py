"""The K factor: how far one match may move a rating, by how many matches the item has played.

A schedule is any callable from the number of matches played before this one to a K in Elo points.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass

from paragone.errors import InvalidConfig

KSchedule = Callable[[int], float]


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
