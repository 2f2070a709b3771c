"""What wins and what loses, as the report shows it."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from math import log
from typing import Any

from paragone.domain.estimate import Estimate
from paragone.errors import MissingExtra
from paragone.tournaments.results.patterns import EVENT, INSIGHTS, analyse_patterns
from paragone.tournaments.state import State

FRESH = 0.8
"""Share of the matches of today that an analysis has to rest on, so that no other is made."""
MOST_ANALYSED = 2_000
"""Matches up to which a report makes an analysis itself; of 15,000 it would take 40 seconds."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Effects:
    """What was found out about winning and losing.

    Attributes:
        confidence: Held-out accuracy of what was found; None where nothing was looked for.
        words: What was found: what about, and the words.
        note: How far it may be trusted, in words.
        estimates: The effect of each characteristic on the log-odds, with its interval.
        values: The analysis as plain JSON values; None where there is none.
    """

    confidence: float | None = None
    words: tuple[tuple[str, str], ...] = ()
    note: str = ""
    estimates: tuple[Estimate, ...] = ()
    values: Mapping[str, Any] | None = None


def effects_of(state: State) -> Effects:
    """What wins and what loses: the last analysis that was recorded, or a new one where much was played since.

    In a large tournament only what was recorded: `paragone patterns` records one. With it goes what a meta-review last
    made of one.

    Args:
        state: The tournament.
    """
    effects = _found(state)
    insights = [str(event.detail["text"]) for event in state.events if event.kind == INSIGHTS]
    return replace(effects, words=(*effects.words, *(("Meta-review", text) for text in insights[-1:])))


def _found(state: State) -> Effects:
    recorded = [event.detail for event in state.events if event.kind == EVENT]
    many = len(state.matches) > MOST_ANALYSED
    if recorded and (many or int(recorded[-1].get("matches", 0)) >= FRESH * len(state.matches)):
        return _shown(recorded[-1])
    if many:
        return Effects()
    try:
        return _shown(analyse_patterns(state).as_dict())
    except MissingExtra as missing:
        return Effects(words=(("Not looked for", str(missing)),))


def _shown(analysis: Mapping[str, Any]) -> Effects:
    """An analysis laid out; what it does not say is left out."""
    confidence = analysis.get("confidence")
    words = [(about, str(line)) for name, about in _LINES for line in analysis.get(name) or ()]
    if words:  # where nothing was found, the note says so
        words += [(about, str(analysis[name])) for name, about in _SENTENCES if analysis.get(name)]
    return Effects(
        confidence=None if confidence is None else float(confidence),
        words=tuple(words),
        note=_note(analysis),
        estimates=tuple(_estimate(characteristic) for characteristic in analysis.get("characteristics") or ()),
        values=analysis,
    )


_LINES = (
    ("winning_characteristics", "Wins"),
    ("losing_characteristics", "Loses"),
    ("leads", "May count"),
    ("debate_topic_trends", "Topic"),
)
_SENTENCES = (("recommendation_for_generation", "Recommendation"),)


def _note(analysis: Mapping[str, Any]) -> str:
    """How far the analysis may be trusted."""
    if analysis.get("summary"):
        return str(analysis["summary"])
    confidence = analysis.get("confidence")
    return "" if confidence is None else f"Winners of matches not seen before are told in {float(confidence):.0%}."


def _estimate(characteristic: Mapping[str, Any]) -> Estimate:
    odds, low, high = (float(characteristic[name]) for name in ("odds", "low", "high"))
    return Estimate(
        name=str(characteristic["name"]),
        value=log(odds),
        low=log(low),
        high=log(high),
        note=f"odds x {odds:.2g} ({low:.2g} to {high:.2g}), {characteristic['support']} items",
    )
