"""What wins and what loses."""

from dataclasses import dataclass

from paragone.domain.record import Record


@dataclass(frozen=True, kw_only=True, slots=True)
class PatternAnalysis(Record):
    """What winners have in common, and losers. Source: document T, "Win-Loss Pattern Analysis".

    Attributes:
        winning_characteristics: What goes with winning, in words, the strongest first.
        losing_characteristics: What goes with losing, in words, the strongest first.
        debate_topic_trends: How topics gain or lose over the rounds, in words.
        recommendation_for_generation: What to generate more of; empty where nothing was found.
        confidence: Held-out predictive accuracy, from 0 to 1.
        matches_analyzed: Matches that it rests on.
    """

    winning_characteristics: tuple[str, ...] = ()
    losing_characteristics: tuple[str, ...] = ()
    debate_topic_trends: tuple[str, ...] = ()
    recommendation_for_generation: str = ""
    confidence: float
    matches_analyzed: int = 0
