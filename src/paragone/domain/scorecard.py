"""What several participants scored in one match, and how scores become points."""

import math
from dataclasses import dataclass
from enum import StrEnum

GLOBAL = "global"
"""The track that every item has; others are domains."""


class Counting(StrEnum):
    """How the scores of two participants become the share of the point between them that each takes.

    ``RATIO`` is Aragora's: each takes its part of the sum. A favourite who wins .8 : .6 takes .571 by it, and loses
    points wherever it was expected to take more. ``WIN`` gives the better one all, and half each for equal scores.
    ``MARGIN`` gives half plus half the difference of the scores, on a scale where the largest possible difference is 1.
    """

    RATIO = "ratio"
    WIN = "win"
    MARGIN = "margin"


class Normalization(StrEnum):
    """How the points against several opponents add up.

    ``SUM`` is Aragora's: a match among n moves a rating up to n - 1 times as far as one between two. ``MEAN`` takes
    the average over the opponents, so that every match moves a rating equally far.
    """

    SUM = "sum"
    MEAN = "n-1"


@dataclass(frozen=True, kw_only=True, slots=True)
class Scorecard:
    """The scores of a match, as they came from elsewhere: a debate, a benchmark, a vote.

    Attributes:
        participants: Ids of all who took part, in the order in which they were named.
        scores: What each scored, on any scale from 0 upwards, in their order.
        multipliers: What each one's K is multiplied by, in their order; empty where all are 1.
        domain: The domain that it was about, whose ratings it moves too; empty for none.
        task: What it was about, in words. Untrusted.
        counting: How scores become points.
        normalization: How the points against several opponents add up.

    Raises:
        ValueError: If there are fewer than two participants, one is named twice, the lengths differ, a score is
            negative or not finite, a multiplier is not positive, or the domain is named like the global track.

    Source: Aragora's specification, "Recording Matches".
    """

    participants: tuple[str, ...]
    scores: tuple[float, ...]
    multipliers: tuple[float, ...] = ()
    domain: str = ""
    task: str = ""
    counting: Counting = Counting.RATIO
    normalization: Normalization = Normalization.SUM

    def __post_init__(self) -> None:
        if len(self.participants) < 2 or len(set(self.participants)) < len(self.participants):
            raise ValueError(f"a match takes two or more different participants, not {list(self.participants)}")
        if len(self.scores) != len(self.participants):
            raise ValueError(f"{len(self.participants)} participants have {len(self.scores)} scores")
        for participant, score in zip(self.participants, self.scores, strict=True):
            if not 0.0 <= score < math.inf:
                raise ValueError(f"a score is a finite number, 0 or more: {participant!r} has {score}")
        if self.multipliers and len(self.multipliers) != len(self.participants):
            raise ValueError(f"{len(self.participants)} participants have {len(self.multipliers)} multipliers of K")
        if not all(0.0 < multiplier < math.inf for multiplier in self.multipliers):
            raise ValueError(f"a multiplier of K is positive: {list(self.multipliers)}")
        if self.domain == GLOBAL:
            raise ValueError(f"a domain cannot be called {GLOBAL!r}: that is the track of all matches")

    @property
    def winner(self) -> str | None:
        """The one with the highest score; None where several have it, which is a draw for all."""
        best = max(self.scores)
        first = self.scores.index(best)
        return self.participants[first] if self.scores.count(best) == 1 else None

    @property
    def last(self) -> str:
        """The one with the lowest score, the last named of those where several have it."""
        ascending = sorted(range(len(self.scores)), key=lambda index: (self.scores[index], -index))
        return next(self.participants[index] for index in ascending if self.participants[index] != self.best)

    @property
    def best(self) -> str:
        """The one with the highest score, the first named of those where several have it."""
        return self.participants[self.scores.index(max(self.scores))]

    def same_evidence(self, other: "Scorecard") -> bool:
        """Whether another holds the same evidence, in whatever order it names participants.

        Multipliers are left out: they follow from what was known at the time.
        """
        return self._by_participant == other._by_participant and all(
            getattr(self, name) == getattr(other, name) for name in ("domain", "task", "counting", "normalization")
        )

    @property
    def _by_participant(self) -> dict[str, float]:
        return dict(zip(self.participants, self.scores, strict=True))
