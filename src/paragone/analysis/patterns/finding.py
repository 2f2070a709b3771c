"""What an analysis of patterns finds."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from paragone.wire.pattern import Characteristic, CriterionWeight


@dataclass(frozen=True, kw_only=True, slots=True)
class TopicTrend:
    """How a topic fares, round by round.

    Attributes:
        topic: Its typical words.
        items: Its items that played.
        share: Share of all sides of matches that are its.
        share_early: The same in the first half of the matches.
        share_late: In the second half.
        matches: Decided matches against other topics.
        won: Share of these that it won.
        low: Lower end of its interval.
        high: Upper end.
        won_early: Share won in the first half of these.
        won_late: In the second half.
        rounds: For each round its matches against others, and how many of these it won.
        trend: ``rising``, ``falling``, or empty where no trend is certain.
        chance: How often chance alone brings such a trend; None where too little was played to tell.
    """

    topic: str
    items: int
    share: float
    share_early: float
    share_late: float
    matches: int
    won: float
    low: float
    high: float
    won_early: float
    won_late: float
    rounds: tuple[tuple[int, int, int], ...]
    trend: str = ""
    chance: float | None = None

    @property
    def sentence(self) -> str:
        """In words."""
        record = f"{self.topic}: won {self.won:.0%} of {self.matches}"
        return f"{record}, {self.trend} ({self.won_early:.0%} to {self.won_late:.0%})" if self.trend else record


@dataclass(frozen=True, kw_only=True, slots=True)
class Patterns:
    """What wins and what loses. Source: document T, "Win-Loss Pattern Analysis" (T15).

    Attributes:
        matches: Decided matches that were looked at.
        items: Items that played in them.
        confidence: Held-out accuracy: share of matches between items that the model had not seen whose winner it tells
            from the texts; 0 where there was too little to learn from.
        error: Its standard error.
        threshold: Confidence from which characteristics are reported.
        characteristics: What is more than chance, what counts most first; empty unless winners can be told at all.
        criteria: Which criteria decide, where judges score them.
        topics: How each topic fares.
        summary: What was found, in a sentence.
        recommendation_for_generation: What to do with it, in words.
        worded_by: Who worded the recommendation: ``statistics``, or a model.
        note: What went wrong with the wording, if anything.
        method: Name and parameters, enough to repeat it.
    """

    matches: int
    items: int
    confidence: float
    error: float
    threshold: float
    characteristics: tuple[Characteristic, ...] = ()
    criteria: tuple[CriterionWeight, ...] = ()
    topics: tuple[TopicTrend, ...] = ()
    summary: str = ""
    recommendation_for_generation: str = ""
    worded_by: str = "statistics"
    note: str = ""
    method: Mapping[str, Any] = field(default_factory=dict)

    @property
    def found(self) -> bool:
        """Whether there is a pattern that is more than chance."""
        return bool(self.characteristics)

    @property
    def confident(self) -> bool:
        """Whether it is also worth the document's confidence."""
        return self.found and self.confidence >= self.threshold

    @property
    def winning_characteristics(self) -> tuple[str, ...]:
        """What goes with winning; empty below the threshold."""
        return tuple(
            characteristic.sentence for characteristic in self.characteristics if characteristic.wins and self.confident
        )

    @property
    def losing_characteristics(self) -> tuple[str, ...]:
        """What goes with losing; empty below the threshold."""
        return tuple(
            characteristic.sentence
            for characteristic in self.characteristics
            if not characteristic.wins and self.confident
        )

    @property
    def leads(self) -> tuple[str, ...]:
        """What is more than chance but below the threshold."""
        return () if self.confident else tuple(characteristic.sentence for characteristic in self.characteristics)

    @property
    def debate_topic_trends(self) -> tuple[str, ...]:
        """How topics fare, in words."""
        return tuple(topic.sentence for topic in self.topics)

    def as_dict(self) -> dict[str, Any]:
        """Plain values, ready for JSON, the document's fields first."""
        document = {
            "winning_characteristics": list(self.winning_characteristics),
            "losing_characteristics": list(self.losing_characteristics),
            "debate_topic_trends": list(self.debate_topic_trends),
            "recommendation_for_generation": self.recommendation_for_generation,
            "confidence": self.confidence,
            "matches_analyzed": self.matches,
        }
        more = {"found": self.found, "confident": self.confident, "leads": list(self.leads)}
        rest = {name: value for name, value in asdict(self).items() if name not in document}
        return {**document, **more, **rest, "method": dict(self.method)}
