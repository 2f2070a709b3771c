"""What wins and what loses: the analysis, its result, and the findings in words that do not overstate them."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from math import exp
from statistics import NormalDist
from typing import Any

import numpy as np

from paragone.analysis.patterns.decided_matches import DecidedMatch, Duels
from paragone.analysis.patterns.feature_selection import (
    CHANCE,
    DEALS,
    FOLDS,
    LEVEL,
    FeatureSelection,
    HeldOut,
    held_out,
    select,
)
from paragone.analysis.patterns.features import BY_NAME, FeatureKind, Features, features_of, topics_of
from paragone.analysis.patterns.mixed_model import fit_mixed
from paragone.analysis.patterns.topic_trends import TopicTrend, trends, weigh
from paragone.domain import PatternConfig
from paragone.wire.pattern import Characteristic, CriterionWeight


@dataclass(frozen=True, kw_only=True, slots=True)
class Patterns:
    """What wins and what loses. Source: the tournament specification, "Win-Loss Pattern Analysis".

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
        """Whether it is also worth the specification's confidence."""
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
        """Plain values, ready for JSON, the specification's fields first."""
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


CAUTION = (
    "This goes with winning before these judges; it does not show that it makes a text win, so compare a few texts "
    "with and without it."
)
_MOST = 3
_REACH = 1.96


def summarise(characteristics: Sequence[Characteristic], held_out: HeldOut, threshold: float, matches: int) -> str:
    """What was found, in a sentence."""
    reach = _REACH * held_out.error
    accuracy = (
        f"of {matches} matches between texts not seen before, {held_out.accuracy:.0%} are called right "
        f"({max(held_out.accuracy - reach, 0.0):.0%} to {min(held_out.accuracy + reach, 1.0):.0%})"
    )
    sure = held_out.least() > CHANCE
    if not sure and not characteristics:
        return f"Nothing found: {accuracy}, which is no better than chance."
    if not sure:
        return f"Nothing found: some words go with winning, but {accuracy}, which is no better than chance."
    if not characteristics:
        return f"Texts tell winners a little: {accuracy}. No single characteristic stands out from chance."
    count = "1 characteristic" if len(characteristics) == 1 else f"{len(characteristics)} characteristics"
    if held_out.accuracy < threshold:
        return f"{count} beyond chance, but {accuracy}, below the threshold of {threshold:.0%}: leads, not findings."
    return f"{count} beyond chance: {accuracy}."


def recommend(
    characteristics: Sequence[Characteristic], criteria: Sequence[CriterionWeight], *, confident: bool
) -> str:
    """What to do about it, in words."""
    decides = _deciding(criteria)
    if not characteristics:
        return " ".join(
            part for part in ("No recommendation: no characteristic of the texts stands out.", decides) if part
        )
    more = [_advice(characteristic) for characteristic in characteristics if characteristic.wins][:_MOST]
    less = [_advice(characteristic) for characteristic in characteristics if not characteristic.wins][:_MOST]
    begin = "Worth trying: " if confident else "Only a lead, since confidence is below the threshold: "
    advice = "; ".join((*more, *less))
    return " ".join(part for part in (f"{begin}{advice}.", decides, CAUTION) if part)


def _advice(characteristic: Characteristic) -> str:
    if characteristic.kind == FeatureKind.TRAIT:
        trait = BY_NAME[characteristic.name]
        return trait.advice if characteristic.wins else trait.restraint
    return (
        f"bring in {characteristic.phrase} where it belongs"
        if characteristic.wins
        else f"do without {characteristic.phrase} where you can"
    )


def _deciding(criteria: Sequence[CriterionWeight]) -> str:
    """The criterion that decides most, where one goes with winning for certain."""
    first = next((criterion for criterion in criteria if criterion.low > CHANCE), None)
    if first is None:
        return ""
    return f"Of the criteria, {first.criterion} decides most ({first.weight:.0%})."


LEAST_ITEMS = 20
"""Items that must have played: with fewer, a handful of strong ones look like a pattern."""

MOST_MATCHES = 10_000
"""Matches that are looked at; of more, so many are drawn."""

_EXAMPLES = 3


def analyse(
    decided: Sequence[DecidedMatch],
    texts: Mapping[str, str],
    *,
    config: PatternConfig | None = None,
    clusters: Mapping[str, int] | None = None,
    level: float = 0.95,
    seed: int = 0,
) -> Patterns:
    """Find what goes with winning and what with losing.

    Characteristics are reported only where winners of matches between items that the model has not seen can be told
    better than chance, and each only where dealing strengths anew over the items hardly ever brings one as clear.

    Args:
        decided: Decided matches, in the order of record.
        texts: The items' texts, by id; matches of items without one are left out.
        config: How many matches it takes, and from which confidence a pattern is reported.
        clusters: Which items are alike, where somebody knows; for topics.
        level: Probability that intervals are meant to hold.
        seed: Seeds the deals.

    Raises:
        ImportError: If scikit-learn is not installed.
    """
    config = config or PatternConfig()
    rng = np.random.default_rng([seed, 15])
    matches = [match for match in decided if texts.get(match.winner, "").strip() and texts.get(match.loser, "").strip()]
    if len(matches) > MOST_MATCHES:
        matches = [matches[at] for at in np.sort(rng.choice(len(matches), MOST_MATCHES, replace=False)).tolist()]
    duels = Duels.of(matches)
    patterns = Patterns(
        matches=len(duels),
        items=len(duels.ids),
        confidence=0.0,
        error=0.0,
        threshold=config.pattern_confidence_threshold,
        method=_method(seed, level, len(decided)),
    )
    too_little = _too_little(patterns, config, len(decided))
    if too_little:
        return replace(patterns, summary=too_little, recommendation_for_generation=f"No recommendation. {too_little}")
    return _analysed(patterns, matches, duels, {id: texts[id] for id in duels.ids}, clusters, level, rng)


def _analysed(
    patterns: Patterns,
    decided: Sequence[DecidedMatch],
    duels: Duels,
    texts: Mapping[str, str],
    clusters: Mapping[str, int] | None,
    level: float,
    rng: np.random.Generator,
) -> Patterns:
    features = features_of(list(texts.values()))
    held_out_accuracy = held_out(duels, features.weights, rng)
    selection = select(duels, features, rng)
    strength = fit_mixed(duels, features.plain[:, []]).own
    characteristics = _characteristics(selection, features, strength, duels.ids, level)
    criteria = weigh(decided, level=level)
    reported = characteristics if held_out_accuracy.least() > CHANCE else ()
    topics = topics_of(texts, clusters)
    result = replace(
        patterns,
        confidence=held_out_accuracy.accuracy,
        error=held_out_accuracy.error,
        characteristics=reported,
        criteria=criteria,
        topics=trends(decided, topics, dict(zip(duels.ids, strength.tolist(), strict=True)), level=level),
        summary=summarise(characteristics, held_out_accuracy, patterns.threshold, len(duels)),
    )
    return replace(result, recommendation_for_generation=recommend(reported, criteria, confident=result.confident))


def _too_little(patterns: Patterns, config: PatternConfig, played: int) -> str:
    """Why there can be no analysis, if there can be none."""
    needed = config.min_matches_for_analysis
    if played and not patterns.matches:
        return "There are no texts to look at: the matches are of items that have none."
    if patterns.matches < needed:
        return f"Not enough yet: {patterns.matches} decided matches of items with texts, and {needed} are needed."
    if patterns.items < LEAST_ITEMS:
        return f"Not enough yet: {patterns.items} items have played, and patterns need {LEAST_ITEMS}."
    return ""


def _characteristics(
    selection: FeatureSelection, features: Features, strength: np.ndarray[Any, Any], ids: Sequence[str], level: float
) -> tuple[Characteristic, ...]:
    """What was selected, what counts most first."""
    reach = NormalDist().inv_cdf((1 + level) / 2)
    rows = zip(selection.columns, selection.chances, selection.model.worth, selection.model.error, strict=True)
    characteristics = []
    for column, chance, worth, error in rows:
        holders = np.flatnonzero(features.held[:, column])
        best = holders[np.argsort(-np.sign(worth) * strength[holders], kind="stable")][:_EXAMPLES]
        characteristics.append(
            Characteristic(
                name=features.names[column],
                kind=features.kinds[column].value,
                wins=bool(worth > 0),
                odds=exp(worth),
                low=exp(worth - reach * error),
                high=exp(worth + reach * error),
                chance=chance,
                support=len(holders),
                examples=tuple(ids[at] for at in best.tolist()),
            )
        )
    return tuple(
        sorted(characteristics, key=lambda characteristic: -max(characteristic.odds, 1.0 / characteristic.odds))
    )


def _method(seed: int, level: float, played: int) -> dict[str, Any]:
    return {
        "model": "l1 logistic regression on differences of TF-IDF and traits, penalty sqrt(matches)",
        "held_out": f"items in {FOLDS} parts, both sides of a match unseen",
        "characteristics": f"forward, largest statistic over {DEALS} deals of strengths over items, level {LEVEL}",
        "effects": "logistic regression with a normal strength of each item's own",
        "level": level,
        "seed": seed,
        "decided_matches": played,
    }
