"""Everything that a report says, gathered from the ledger once; the formats only lay it out."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from math import log
from typing import Any

import numpy as np

from paragone.analysis.progress.accuracy import Accuracy, accuracy
from paragone.analysis.progress.trends import Progression, Trend
from paragone.analysis.quality.forecast_quality import Bin, bins, elo_forecasts
from paragone.analysis.reviews import Calibration, Discrepancy, Opinion, calibration, discrepancies, opinions
from paragone.domain import Board, Match, Outcome, Spending, Tier
from paragone.domain.board import Estimate
from paragone.domain.records import EffectivenessMetrics, RankingReport, SystemHealth
from paragone.domain.spending import NOTHING, Expense, total
from paragone.errors import InvalidItems, MissingExtra
from paragone.ledger import By, Event, Ledger
from paragone.tournaments.documents.chronicle import by_round
from paragone.tournaments.planning.tiers import match_tier
from paragone.tournaments.report.standings import (
    Standings,
    effectiveness_of,
    health_of,
    ranking_of,
    settling,
    standings,
)
from paragone.tournaments.report.strength_history import RoundStrengths, strength_history
from paragone.tournaments.results.patterns import EVENT, INSIGHTS, analyse_patterns
from paragone.tournaments.results.quality import quality_of
from paragone.tournaments.state import State
from paragone.wire.consistency import Consistency
from paragone.wire.live import Settling

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


@dataclass(frozen=True, kw_only=True, slots=True)
class EventCounts:
    """Counts of what is worth a word.

    Attributes:
        degraded: Debates that a round could not pay for and that became shorter.
        deferred: Matches that were put off to a later round.
        fallbacks: Steps that debates went down after failures.
        incomplete: Items that could not play.
        retired: Items that are not available at the end.
        anomalies: Sudden swings of ratings that wait for somebody to look at them.
        rests: How often a judge of a panel or an advocate failed too often and was left in peace.
        requests: Matches that were asked for.
        joined: Items that were added after the start.
        runs: How often it was begun or taken up again.
    """

    degraded: int = 0
    deferred: int = 0
    fallbacks: int = 0
    incomplete: int = 0
    retired: int = 0
    anomalies: int = 0
    rests: int = 0
    requests: int = 0
    joined: int = 0
    runs: int = 0

    def in_words(self) -> list[tuple[str, int]]:
        """What happened at all, in words, with its count."""
        words = (
            ("debates that the budget made shorter", self.degraded),
            ("matches put off to a later round", self.deferred),
            ("steps down after failed debates", self.fallbacks),
            ("hypotheses that are incomplete", self.incomplete),
            ("hypotheses that are not available", self.retired),
            ("anomalies that wait for review", self.anomalies),
            ("rests of judges or advocates that failed too often", self.rests),
            ("matches that were asked for", self.requests),
            ("hypotheses that joined later", self.joined),
        )
        return [(word, count) for word, count in words if count]


def count_events(events: Iterable[Event]) -> EventCounts:
    """Count what happened."""
    counts: Counter[str] = Counter()
    away: set[str] = set()
    waiting: set[str] = set()
    for event in events:
        detail = event.detail
        if event.kind == "round":
            counts["degraded"] += len(detail.get("degraded", ()))
            counts["deferred"] += len(detail.get("deferred", ()))
        elif event.kind == "retired":
            away.update(detail["items"])
        elif event.kind == "returned":
            away.difference_update(detail["items"])
        elif event.kind == "anomaly":
            waiting.add(str(detail["id"]))
        elif event.kind == "anomaly_reviewed":
            waiting.discard(str(detail["id"]))
        elif event.kind == "joined":
            counts["joined"] += len(detail["items"])
        else:
            counts[event.kind] += 1
    return EventCounts(
        degraded=counts["degraded"],
        deferred=counts["deferred"],
        fallbacks=counts["fallback"],
        incomplete=counts["incomplete"],
        retired=len(away),
        anomalies=len(waiting),
        rests=counts["rested"],
        requests=counts["request"],
        joined=counts["joined"],
        runs=counts["started"] + counts["resumed"],
    )


def expenses(state: State, progression: Progression, spending: Mapping[str, Spending]) -> tuple[Expense, ...]:
    """Compute units and money of each round; an attempt that brought no answer is money, but no unit.

    A match between items of two tiers counts for the higher one, by the running Elo before its round.

    Args:
        state: The tournament.
        progression: The running Elo round by round.
        spending: What each call took.
    """
    units: defaultdict[int, defaultdict[str, float]] = defaultdict(lambda: defaultdict(float))
    whose = _Tiers(state, progression)
    for match in state.played:
        tier = whose.of(match)
        units[match.round][tier] += sum(1 + spending.get(answer.call, NOTHING).turns for answer in match.answers)
    plans, money = _plans(state.events), by_round(spending)
    return tuple(
        Expense(
            round=number,
            units={str(tier): units[number][tier] for tier in Tier if tier in units[number]},
            forecast=_number(plans.get(number, {}).get("forecast_units")),
            budget=_number(plans.get(number, {}).get("budget")),
            money=money.get(number, NOTHING).cost,
        )
        for number in sorted(units)
    )


class _Tiers:
    """The tier that a match is played in."""

    def __init__(self, state: State, progression: Progression) -> None:
        self._policy = state.system.policy
        self._column = {id: column for column, id in enumerate(progression.ids)}
        self._elo = progression.elo
        self._initial = state.config.initial

    def of(self, match: Match) -> Tier:
        before = max(0, match.round - 1)
        values = (self._elo[before, self._column[id]] for id in match.items)
        ratings = [float(value) if np.isfinite(value) else self._initial for value in values]
        return match_tier(max(ratings), min(ratings), self._policy)


def _plans(events: Iterable[Event]) -> dict[int, Mapping[str, Any]]:
    """How each round was planned, by its number."""
    return {int(event.detail["number"]): event.detail for event in events if event.kind == "round"}


def _number(value: object) -> float | None:
    return float(value) if isinstance(value, int | float) else None


@dataclass(frozen=True, kw_only=True, eq=False, slots=True)
class Report:
    """All there is to say about a tournament as it stands.

    Attributes:
        state: The tournament.
        at: When something last happened to it.
        standings: Board, progression, trends, tiers: what the ranking rests on.
        ranking: The documents' global ranking.
        effectiveness: The documents' effectiveness metrics.
        health: The documents' system health.
        strength_history: The strengths as they were known after some rounds.
        settling: How much the ranking still moved, round by round.
        expenses: What each round took.
        spending: What all of it took.
        event_counts: What happened beside the matches, counted.
        opinions: What reviewers think, by item.
        review_fit: How reviews and matches agree; None without enough of both.
        discrepancies: Items that reviews and matches place differently.
        effects: What wins and what loses.
        quality: Cycles, outliers, and how the judges did.
        forecast_bins: By who forecast the matches, how often what was forecast came.
        truth: The true quality, by id, where it was given.
        accuracy: How well the ranking meets it; None where it was not given.
    """

    state: State
    at: datetime
    standings: Standings
    ranking: RankingReport
    effectiveness: EffectivenessMetrics
    health: SystemHealth
    strength_history: tuple[RoundStrengths, ...]
    settling: tuple[Settling, ...]
    expenses: tuple[Expense, ...]
    spending: Spending
    event_counts: EventCounts
    opinions: Mapping[str, Opinion]
    review_fit: Calibration | None
    discrepancies: tuple[Discrepancy, ...]
    effects: Effects
    quality: Consistency
    forecast_bins: tuple[tuple[str, tuple[Bin, ...]], ...]
    truth: Mapping[str, float]
    accuracy: Accuracy | None

    @property
    def board(self) -> Board:
        """The board."""
        return self.standings.board

    @property
    def progression(self) -> Progression:
        """The running Elo round by round."""
        return self.standings.progression

    @property
    def trends(self) -> Mapping[str, Trend]:
        """Where ratings go, by id."""
        return self.standings.trends

    @property
    def tiers(self) -> Mapping[str, Tier]:
        """The tier of each item, by id."""
        return self.standings.tiers


def gather(ledger: Ledger, state: State, *, truth: Mapping[str, float] | None = None) -> Report:
    """Gather all there is to say; nothing is written.

    Args:
        ledger: Where the tournament is kept.
        state: The tournament.
        truth: The true quality of items, larger for better, where it is known; by id.

    Raises:
        InvalidItems: If the truth speaks of fewer than two of the items.
    """
    true_quality = _known(state, truth or {})
    basis, recorded = standings(ledger, state), ledger.matches.all(state.id)
    spending = ledger.tournaments.spending_by(state.id, By.CALL)
    spent = total(spending.values())
    history, opined, effects = strength_history(state), opinions(state.reviews), effects_of(state)
    rows = basis.board.items
    return Report(
        state=state,
        at=max(event.at for event in state.events),
        standings=basis,
        ranking=ranking_of(basis, state, recorded),
        effectiveness=effectiveness_of(state, basis, units=spent.units, truth=true_quality),
        health=health_of(basis, recorded, patterns=effects.confidence),
        strength_history=history,
        settling=settling(basis.progression, history),
        expenses=expenses(state, basis.progression, spending),
        spending=spent,
        event_counts=count_events(state.events),
        opinions=opined,
        review_fit=calibration(opined, {row.id: row.rating for row in rows}, level=state.settings.level),
        discrepancies=discrepancies(rows, opined, level=state.settings.level) if state.has_evidence else (),
        effects=effects,
        quality=quality_of(ledger, state),
        forecast_bins=_forecast_bins(state, basis, history),
        truth=true_quality,
        accuracy=accuracy(basis.board, true_quality, basis.top) if true_quality else None,
    )


def _known(state: State, truth: Mapping[str, float]) -> dict[str, float]:
    """What the truth says of this tournament's items."""
    true_quality = {id: truth[id] for id in state.ids if id in truth}
    if truth and len(true_quality) < 2:
        raise InvalidItems(
            f"the truth names {len(true_quality)} of the {len(state.ids)} items of {state.id}; are the ids the same?"
        )
    return true_quality


def _forecast_bins(
    state: State, basis: Standings, history: tuple[RoundStrengths, ...]
) -> tuple[tuple[str, tuple[Bin, ...]], ...]:
    """How well the running Elo and the strengths forecast matches that were still to come."""
    pairs = [match.id for match in state.matches if match.ranking is None and match.outcome is not Outcome.VOID]
    level = state.settings.level
    chance = np.concatenate([look.chance for look in history] or [np.zeros(0)])
    score = np.concatenate([look.score for look in history] or [np.zeros(0)])
    by_elo = bins(*elo_forecasts(basis.changes, pairs), level=level)
    return (("running Elo", by_elo), ("strengths of earlier rounds", bins(chance, score, level=level)))
