"""What wins and what loses (T15)."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import exp
from statistics import NormalDist
from typing import Any

import numpy as np

from paragone.analysis.patterns.bout import Bout, Duels
from paragone.analysis.patterns.criteria import weigh
from paragone.analysis.patterns.features import Features, features_of
from paragone.analysis.patterns.finding import Characteristic, Patterns
from paragone.analysis.patterns.holdout import CHANCE, FOLDS, held_out
from paragone.analysis.patterns.mixed import fit_mixed
from paragone.analysis.patterns.selection import DEALS, LEVEL, Selection, select
from paragone.analysis.patterns.topics import topics_of
from paragone.analysis.patterns.trends import trends
from paragone.analysis.patterns.wording import recommend, summarise
from paragone.domain import PatternConfig

LEAST_ITEMS = 20
"""Items that must have played: with fewer, a handful of strong ones look like a pattern."""

MOST_BOUTS = 10_000
"""Matches that are looked at; of more, so many are drawn."""

_EXAMPLES = 3


def analyse(
    bouts: Sequence[Bout],
    texts: Mapping[str, str],
    *,
    config: PatternConfig | None = None,
    clusters: Mapping[str, int] | None = None,
    level: float = 0.95,
    seed: int = 0,
) -> Patterns:
    """Look for what goes with winning and with losing.

    Characteristics are reported only where winners of matches between items that the model has not seen can be told
    better than chance, and each only where dealing strengths anew over the items hardly ever brings one as clear.

    Args:
        bouts: Decided matches, in the order of record.
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
    kept = [bout for bout in bouts if texts.get(bout.winner, "").strip() and texts.get(bout.loser, "").strip()]
    if len(kept) > MOST_BOUTS:
        kept = [kept[at] for at in np.sort(rng.choice(len(kept), MOST_BOUTS, replace=False)).tolist()]
    duels = Duels.of(kept)
    found = Patterns(
        matches=len(duels),
        items=len(duels.ids),
        confidence=0.0,
        error=0.0,
        threshold=config.pattern_confidence_threshold,
        method=_method(seed, level, len(bouts)),
    )
    wanting = _wanting(found, config, len(bouts))
    if wanting:
        return replace(found, summary=wanting, recommendation_for_generation=f"No recommendation. {wanting}")
    return _told(found, kept, duels, {id: texts[id] for id in duels.ids}, clusters, level, rng)


def _told(
    found: Patterns,
    bouts: Sequence[Bout],
    duels: Duels,
    texts: Mapping[str, str],
    clusters: Mapping[str, int] | None,
    level: float,
    rng: np.random.Generator,
) -> Patterns:
    features = features_of(list(texts.values()))
    held = held_out(duels, features.weights, rng)
    selection = select(duels, features, rng)
    strength = fit_mixed(duels, features.plain[:, []]).own
    characteristics = _characteristics(selection, features, strength, duels.ids, level)
    criteria = weigh(bouts, level=level)
    shown = characteristics if held.least() > CHANCE else ()
    topics = topics_of(texts, clusters)
    told = replace(
        found,
        confidence=held.accuracy,
        error=held.error,
        characteristics=shown,
        criteria=criteria,
        topics=trends(bouts, topics, dict(zip(duels.ids, strength.tolist(), strict=True)), level=level),
        summary=summarise(characteristics, held, found.threshold, len(duels)),
    )
    return replace(told, recommendation_for_generation=recommend(shown, criteria, confident=told.confident))


def _wanting(found: Patterns, config: PatternConfig, played: int) -> str:
    """Why there can be no analysis, if there can be none."""
    needed = config.min_matches_for_analysis
    if played and not found.matches:
        return "There are no texts to look at: the matches are of items that have none."
    if found.matches < needed:
        return f"Not enough yet: {found.matches} decided matches of items with texts, and {needed} are needed."
    if found.items < LEAST_ITEMS:
        return f"Not enough yet: {found.items} items have played, and patterns need {LEAST_ITEMS}."
    return ""


def _characteristics(
    selection: Selection, features: Features, strength: np.ndarray[Any, Any], ids: Sequence[str], level: float
) -> tuple[Characteristic, ...]:
    """What was selected, what counts most first."""
    reach = NormalDist().inv_cdf((1 + level) / 2)
    rows = zip(selection.columns, selection.chances, selection.model.worth, selection.model.error, strict=True)
    found = []
    for column, chance, worth, error in rows:
        holders = np.flatnonzero(features.held[:, column])
        best = holders[np.argsort(-np.sign(worth) * strength[holders], kind="stable")][:_EXAMPLES]
        found.append(
            Characteristic(
                name=features.names[column],
                kind=features.kinds[column],
                wins=bool(worth > 0),
                odds=exp(worth),
                low=exp(worth - reach * error),
                high=exp(worth + reach * error),
                chance=chance,
                support=len(holders),
                examples=tuple(ids[at] for at in best.tolist()),
            )
        )
    return tuple(sorted(found, key=lambda one: -max(one.odds, 1.0 / one.odds)))


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
