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
    found = _found(state)
    said = [str(event.detail["text"]) for event in state.events if event.kind == INSIGHTS]
    return replace(found, words=(*found.words, *(("Meta-review", text) for text in said[-1:])))


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


def _shown(found: Mapping[str, Any]) -> Effects:
    """An analysis laid out; what it does not say is left out."""
    confidence = found.get("confidence")
    said = [(about, str(line)) for name, about in _LINES for line in found.get(name) or ()]
    if said:  # where nothing was found, the note says so
        said += [(about, str(found[name])) for name, about in _SENTENCES if found.get(name)]
    return Effects(
        confidence=None if confidence is None else float(confidence),
        words=tuple(said),
        note=_note(found),
        estimates=tuple(_estimate(one) for one in found.get("characteristics") or ()),
        values=found,
    )


_LINES = (
    ("winning_characteristics", "Wins"),
    ("losing_characteristics", "Loses"),
    ("leads", "May count"),
    ("debate_topic_trends", "Topic"),
)
_SENTENCES = (("recommendation_for_generation", "Recommendation"),)


def _note(found: Mapping[str, Any]) -> str:
    """How far the analysis may be trusted."""
    if found.get("summary"):
        return str(found["summary"])
    confidence = found.get("confidence")
    return "" if confidence is None else f"Winners of matches not seen before are told in {float(confidence):.0%}."


def _estimate(one: Mapping[str, Any]) -> Estimate:
    odds, low, high = (float(one[name]) for name in ("odds", "low", "high"))
    return Estimate(
        name=str(one["name"]),
        value=log(odds),
        low=log(low),
        high=log(high),
        note=f"odds x {odds:.2g} ({low:.2g} to {high:.2g}), {one['support']} items",
    )
