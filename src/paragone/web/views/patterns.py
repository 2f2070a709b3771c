"""What wins and what loses in a tournament, as values."""

from typing import Any

from pydantic import field_validator

from paragone.tournaments.results.patterns import analyse_patterns
from paragone.web.readers.ledger_reader import Library
from paragone.web.views.small import of_whole
from paragone.web.views.values import Known, View, Words


class CharacteristicView(View):
    """A feature of texts that goes with winning or with losing.

    Attributes:
        name: The words, or what there is more of.
        kind: What it is.
        wins: Whether it goes with winning; with losing otherwise.
        odds: What it multiplies the odds of winning by: for a word, having it; for a trait, a standard deviation more.
        low: Lower end of its interval.
        high: Upper end.
        chance: How often chance alone brings one that goes as well with winning or losing.
        support: Items that have it; for a trait, items with more of it than on average.
        examples: Ids of some of these.
    """

    name: Words
    kind: str
    wins: bool
    odds: Known
    low: Known
    high: Known
    chance: Known
    support: int
    examples: list[Words]

    @field_validator("kind", mode="before")
    @classmethod
    def _named(cls, kind: Any) -> str:  # noqa: ANN401 - an enumeration of the analysis
        return str(kind)


class WeightView(View):
    """How far a criterion that judges score goes with who wins.

    Attributes:
        criterion: Its name.
        matches: Decided matches in which both sides were scored on it.
        agreement: Share of these in which the winner scored higher; equal scores count half.
        low: Lower end of its interval.
        high: Upper end.
        weight: Its share in what decides, beside the other criteria, from 0 to 1.
    """

    criterion: Words
    matches: int
    agreement: Known
    low: Known
    high: Known
    weight: Known


class TopicView(View):
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

    topic: Words
    items: int
    share: Known
    matches: int
    won: Known
    low: Known
    high: Known
    won_early: Known
    won_late: Known
    trend: str
    chance: Known


class PatternsView(View):
    """What wins and what loses.

    Attributes:
        matches: Decided matches that were looked at.
        items: Items that played in them.
        confidence: Held-out accuracy: how often the winner is told from the texts alone; 0 where there was too little.
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
    confidence: Known
    error: Known
    threshold: float
    found: bool
    confident: bool
    characteristics: list[CharacteristicView]
    criteria: list[WeightView]
    topics: list[TopicView]
    summary: Words
    recommendation_for_generation: Words
    method: dict[str, Any]


def patterns(library: Library, pool: str) -> PatternsView:
    """What wins and what loses, by the tournament's own parameters. Nothing is recorded, and no model is asked.

    Raises:
        NotFound: If there is no such tournament.
        InvalidConfig: If it is too large.
        MissingExtra: If scikit-learn is not installed.
        Busy: If it is still being made.
    """
    found = of_whole(library, "patterns", pool, lambda: analyse_patterns(library.state(pool)))
    return PatternsView.model_validate(found, from_attributes=True)
