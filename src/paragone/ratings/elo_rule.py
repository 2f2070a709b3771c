"""The rule of a running Elo: K schedules, an advantage, margins of victory, reversion, and moves without an opponent.

Published ratings differ in these and in little else. A rule says what is done; ``Conditions`` say what is known of one
match, beside who played and who won. A schedule is any callable from the number of matches an item has played to the K
of the next, in Elo points. A margin rule is any callable from a match's margin and the winner's lead to a factor on K.
Red teams and formal verification move a rating without an opponent.

Source: the parts are those of FiveThirtyEight's ratings, https://github.com/fivethirtyeight/nfl-elo-game; for tests of
strength, Aragora's specification, "Red Team Integration" and "Formal Verification Integration".
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from paragone.domain import Rating, RatingChange, RatingConfig, RedTeamResult, StrengthTest, VerificationResult
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

    The defaults are those of content pools. Source: the memory specification; established after 10 updates.

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
    """What is known about one match besides who played and who won.

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
