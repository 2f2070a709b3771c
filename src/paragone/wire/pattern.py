"""What wins and what loses."""

from dataclasses import dataclass
from typing import Any

from paragone.domain.text import factor
from paragone.wire.value import Value


@dataclass(frozen=True, kw_only=True, slots=True)
class Characteristic(Value):
    """A feature of texts that goes with winning or with losing.

    Attributes:
        name: The words, or what there is more of.
        kind: ``trait``, ``word`` or ``pair of words``.
        wins: Whether it goes with winning; with losing otherwise.
        odds: What it multiplies the odds of winning by: for a word, having it; for a trait, a standard deviation more.
        low: Lower end of its interval.
        high: Upper end.
        chance: How often chance alone brings one that goes as well with winning or losing.
        support: Items that have it; for a trait, items with more of it than on average.
        examples: Ids of some of these: the strongest if it goes with winning, else the weakest.
    """

    name: str
    kind: str
    wins: bool
    odds: float
    low: float
    high: float
    chance: float
    support: int
    examples: tuple[str, ...]

    @property
    def phrase(self) -> str:
        """What it is, in words."""
        return self.name if self.kind == "trait" else f'"{self.name}"'

    @property
    def sentence(self) -> str:
        """With its figures."""
        unit = " a standard deviation" if self.kind == "trait" else ""
        interval = f"{factor(self.low)} to {factor(self.high)}"
        return f"{self.phrase} (odds of winning x {factor(self.odds)}{unit}, {interval}; {self.support} items)"


@dataclass(frozen=True, kw_only=True, slots=True)
class CriterionWeight(Value):
    """How far a criterion that judges score goes with who wins.

    Attributes:
        criterion: Its name.
        matches: Decided matches in which both sides were scored on it.
        agreement: Share of these in which the winner scored higher; equal scores count half.
        low: Lower end of its interval.
        high: Upper end.
        weight: Its share in what decides, beside the other criteria, from 0 to 1.
    """

    criterion: str
    matches: int
    agreement: float
    low: float
    high: float
    weight: float

    @property
    def sentence(self) -> str:
        """In words."""
        return (
            f"{self.criterion}: the winner scored higher in {self.agreement:.0%} of {self.matches} "
            f"({self.low:.0%} to {self.high:.0%}), {self.weight:.0%} of what decides"
        )


@dataclass(frozen=True, kw_only=True, slots=True)
class Topic(Value):
    """How a topic fares.

    Attributes:
        topic: Its typical words.
        items: Its items that played.
        share: Share of all sides of matches that are its.
        matches: Decided matches against other topics.
        won: Share of these that it won.
        low: Lower end of its interval.
        high: Upper end.
        won_early: Share won in the first half of these.
        won_late: In the second half.
        trend: ``rising``, ``falling``, or empty where no trend is certain.
        chance: How often chance alone brings such a trend; None where too little was played to tell.
    """

    topic: str
    items: int
    share: float | None
    matches: int
    won: float | None
    low: float | None
    high: float | None
    won_early: float | None
    won_late: float | None
    trend: str
    chance: float | None


@dataclass(frozen=True, kw_only=True, slots=True)
class Patterns(Value):
    """What wins and what loses.

    Attributes:
        matches: Decided matches that were looked at.
        items: Items that played in them.
        confidence: Held-out accuracy: how often the winner is predicted from the texts alone; 0 where there was too
            little evidence.
        error: Its standard error.
        threshold: Confidence from which characteristics are reported.
        found: Whether there is a pattern that is more than chance.
        confident: Whether it is also worth the threshold.
        characteristics: What is more than chance, what counts most first.
        criteria: Which criteria decide, where judges score them.
        topics: How each topic fares.
        summary: What was found, in a sentence.
        recommendation_for_generation: What to do with it, in words.
        method: Name and parameters, enough to repeat it.
    """

    matches: int
    items: int
    confidence: float | None
    error: float | None
    threshold: float
    found: bool
    confident: bool
    characteristics: list[Characteristic]
    criteria: list[CriterionWeight]
    topics: list[Topic]
    summary: str
    recommendation_for_generation: str
    method: dict[str, Any]
