"""Rules of voting, and agreement between people."""

from dataclasses import dataclass

from paragone.wire.value import Value


@dataclass(frozen=True, kw_only=True, slots=True)
class Estimate(Value):
    """A value with its bootstrap interval.

    Attributes:
        value: The value; None if it cannot be said.
        low: Lower end of the interval; None with few pairs.
        high: Upper end.
    """

    value: float | None
    low: float | None
    high: float | None


@dataclass(frozen=True, kw_only=True, slots=True)
class KnownAnswers(Value):
    """Answers on known pairs.

    Attributes:
        right: How many were right.
        decided: How many there were, without ties.
        share: The share that was right; None if there are none.
        low: Lower end of its interval (Wilson).
        high: Upper end.
    """

    right: int
    decided: int
    share: float | None
    low: float | None
    high: float | None


@dataclass(frozen=True, kw_only=True, slots=True)
class PersonReliability(Value):
    """One person against the others.

    Attributes:
        person: Their name.
        judged: Pairs that they judged.
        pairs: Pairs that somebody else judged, too.
        agreement: Share of the others' answers on these that are theirs.
        difference: How much that is above the same share of all others together.
        without: Krippendorff's alpha of the others alone.
        disagrees: Whether they clearly agree less than the others do: the whole interval of the difference is below 0.
        known: How they fared with known pairs.
    """

    person: str
    judged: int
    pairs: int
    agreement: Estimate
    difference: Estimate
    without: float | None
    disagrees: bool
    known: KnownAnswers


@dataclass(frozen=True, kw_only=True, slots=True)
class PeopleAgreement(Value):
    """How far people agree who vote on a pool.

    Attributes:
        pool: Id of the pool.
        level: Probability of the intervals.
        overlap: How many people judge a pair, as set.
        pairs: Pairs that at least two people judged.
        answers: Their answers on these.
        alpha: Krippendorff's alpha (nominal): 1 is perfect agreement, 0 what chance gives.
        people: The people, those who disagree most first.
    """

    pool: str
    level: float
    overlap: int
    pairs: int
    answers: int
    alpha: Estimate
    people: list[PersonReliability]
