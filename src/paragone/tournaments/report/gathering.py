"""The contents of a report, gathered from the ledger once; the formats only lay them out."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields, replace
from datetime import datetime
from math import log
from typing import Any

import numpy as np

from paragone.analysis.progress.accuracy import Accuracy, accuracy
from paragone.analysis.progress.rating_trends import Progression, RatingTrend
from paragone.analysis.quality.forecast_quality import Bin, bins, elo_forecasts
from paragone.analysis.reviews import Discrepancy, Opinion, ReviewCorrelation, calibration, discrepancies, opinions
from paragone.domain import Board, Match, Outcome, Spending, Tier
from paragone.domain.board import Estimate
from paragone.domain.records import EffectivenessMetrics, RankingReport, SystemHealth
from paragone.domain.spending import NOTHING, Expense, total
from paragone.domain.text import factor
from paragone.errors import InvalidItems, MissingExtra
from paragone.ledger import By, Event, Ledger
from paragone.ledger.evidence.tournaments import INSIGHTS
from paragone.tournaments.planning.tiers import match_tier
from paragone.tournaments.records.chronicle import by_round
from paragone.tournaments.report.global_ranking import (
    Standings,
    effectiveness_of,
    health_of,
    ranking_of,
    settling,
    standings,
)
from paragone.tournaments.report.strength_history import RoundStrengths, strength_history
from paragone.tournaments.results.patterns import EVENT, analyse_patterns
from paragone.tournaments.results.quality import quality_of
from paragone.tournaments.state import TournamentState
from paragone.wire.consistency import Consistency
from paragone.wire.live import Settling

FRESH = 0.8
"""Share of the present matches that a recorded analysis must rest on to be used again."""
MOST_ANALYSED = 2_000
"""Matches up to which a report makes an analysis itself: with 15,000 that would take 40 seconds."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Effects:
    """What distinguishes winners from losers.

    Attributes:
        confidence: Held-out accuracy of the analysis; None without one.
        words: The findings: a topic and a sentence each.
        note: How far to trust them, in words.
        estimates: The effect of each characteristic on the log-odds, with its interval.
        values: The analysis as plain JSON values; None without one.
    """

    confidence: float | None = None
    words: tuple[tuple[str, str], ...] = ()
    note: str = ""
    estimates: tuple[Estimate, ...] = ()
    values: Mapping[str, Any] | None = None


def effects_of(state: TournamentState) -> Effects:
    """What wins and what loses: the last recorded analysis, or a new one if many matches were played since.

    In a large tournament it is only the recorded one; `paragone patterns` records one. The latest insights of a
    meta-review are added to it.

    Args:
        state: The tournament.
    """
    effects = _latest_effects(state)
    insights = [str(event.detail["text"]) for event in state.events if event.kind == INSIGHTS]
    return replace(effects, words=(*effects.words, *(("Meta-review", text) for text in insights[-1:])))


def _latest_effects(state: TournamentState) -> Effects:
    recorded = [event.detail for event in state.events if event.kind == EVENT]
    many = len(state.matches) > MOST_ANALYSED
    if recorded and (many or int(recorded[-1].get("matches", 0)) >= FRESH * len(state.matches)):
        return _effects(recorded[-1])
    if many:
        return Effects()
    try:
        return _effects(analyse_patterns(state).as_dict())
    except MissingExtra as missing:
        return Effects(words=(("Not looked for", str(missing)),))


def _effects(analysis: Mapping[str, Any]) -> Effects:
    """The effects in an analysis; parts that it lacks are left out."""
    confidence = analysis.get("confidence")
    words = [(about, str(line)) for name, about in _LINES for line in analysis.get(name) or ()]
    if words:  # without findings the note says so
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
        note=f"odds x {factor(odds)} ({factor(low)} to {factor(high)}), {characteristic['support']} items",
    )


@dataclass(frozen=True, kw_only=True, slots=True)
class EventCounts:
    """Counts of unusual events.

    Attributes:
        degraded: Debates that the budget of a round made shorter.
        deferred: Matches that were deferred to a later round.
        fallbacks: Shorter forms in which failed debates were tried again.
        incomplete: Items that could not play.
        retired: Items that are not available at the end.
        anomalies: Suspicious rating changes that wait for a review.
        rests: Pauses of panel members and advocates that failed too often.
        requests: Match requests.
        joined: Items that were added after the start.
        runs: How often it was started or resumed.
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
        """The counts above 0, each with what it counts in words."""
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
    """Count the unusual among some events."""
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


def expenses(state: TournamentState, progression: Progression, spending: Mapping[str, Spending]) -> tuple[Expense, ...]:
    """Compute units and money by round; an attempt without an answer costs money, but no unit.

    A match between items of two tiers counts for the higher one, by the running Elo before its round.

    Args:
        state: The tournament.
        progression: The running Elo round by round.
        spending: Spending by call.
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
    """The tier of a match."""

    def __init__(self, state: TournamentState, progression: Progression) -> None:
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
    """The notes of each round's plan, by round."""
    return {int(event.detail["number"]): event.detail for event in events if event.kind == "round"}


def _number(value: object) -> float | None:
    return float(value) if isinstance(value, int | float) else None


@dataclass(frozen=True, kw_only=True, eq=False, slots=True)
class Overview:
    """What the summary of a report says: what is gathered in a tenth of the time of the whole.

    Attributes:
        state: The tournament.
        at: Time of its last event.
        standings: Board, progression, trends and tiers, on which the ranking rests.
        ranking: The documents' global ranking.
        effectiveness: The documents' effectiveness metrics.
        health: The documents' system health.
        expenses: Spending by round.
        spending: Spending in all.
        event_counts: Counts of events other than matches.
        opinions: The reviewers' opinions, by item.
        review_fit: How reviews and matches agree; None without enough of both.
        discrepancies: Items that reviews and matches place differently.
        effects: What wins and what loses.
        truth: The true quality, by id, if it was given.
        accuracy: How well the ranking agrees with it; None if it was not given.
    """

    state: TournamentState
    at: datetime
    standings: Standings
    ranking: RankingReport
    effectiveness: EffectivenessMetrics
    health: SystemHealth
    expenses: tuple[Expense, ...]
    spending: Spending
    event_counts: EventCounts
    opinions: Mapping[str, Opinion]
    review_fit: ReviewCorrelation | None
    discrepancies: tuple[Discrepancy, ...]
    effects: Effects
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
    def trends(self) -> Mapping[str, RatingTrend]:
        """The trend of each rating, by id."""
        return self.standings.trends

    @property
    def tiers(self) -> Mapping[str, Tier]:
        """The tier of each item, by id."""
        return self.standings.tiers


@dataclass(frozen=True, kw_only=True, eq=False, slots=True)
class TournamentReport(Overview):
    """The contents of a report on a tournament as it is now.

    Attributes:
        strength_history: The strengths as known after some rounds.
        settling: How much the ranking changed in each round.
        quality: Cycles, outliers, and the reliability of the judges.
        forecast_bins: Forecast against actual scores of matches, by the rating that forecast them.
    """

    strength_history: tuple[RoundStrengths, ...]
    settling: tuple[Settling, ...]
    quality: Consistency
    forecast_bins: tuple[tuple[str, tuple[Bin, ...]], ...]


def gather(ledger: Ledger, state: TournamentState, *, truth: Mapping[str, float] | None = None) -> TournamentReport:
    """Gather the contents of a report; nothing is written. As for ``gather_overview``."""
    overview, history = gather_overview(ledger, state, truth=truth), strength_history(state)
    return TournamentReport(
        **{field.name: getattr(overview, field.name) for field in fields(Overview)},
        strength_history=history,
        settling=settling(overview.progression, history),
        quality=quality_of(ledger, state),
        forecast_bins=_forecast_bins(state, overview.standings, history),
    )


def gather_overview(ledger: Ledger, state: TournamentState, *, truth: Mapping[str, float] | None = None) -> Overview:
    """Gather what the summary of a report says; nothing is written.

    Args:
        ledger: The ledger.
        state: The tournament.
        truth: The true quality of items by id, larger for better, if it is known.

    Raises:
        InvalidItems: If the truth names fewer than two of the items.
    """
    true_quality = _true_quality(state, truth or {})
    basis, recorded = standings(ledger, state), ledger.matches.all(state.id)
    spending = ledger.tournaments.spending_by(state.id, By.CALL)
    spent = total(spending.values())
    opined, effects = opinions(state.reviews), effects_of(state)
    rows = basis.board.items
    return Overview(
        state=state,
        at=max(event.at for event in state.events),
        standings=basis,
        ranking=ranking_of(basis, state, recorded),
        effectiveness=effectiveness_of(state, basis, units=spent.units, truth=true_quality),
        health=health_of(basis, recorded, patterns=effects.confidence),
        expenses=expenses(state, basis.progression, spending),
        spending=spent,
        event_counts=count_events(state.events),
        opinions=opined,
        review_fit=calibration(opined, {row.id: row.rating for row in rows}, level=state.settings.level),
        discrepancies=discrepancies(rows, opined, level=state.settings.level) if state.has_evidence else (),
        effects=effects,
        truth=true_quality,
        accuracy=accuracy(basis.board, true_quality, basis.top) if true_quality else None,
    )


def _true_quality(state: TournamentState, truth: Mapping[str, float]) -> dict[str, float]:
    """The true quality of this tournament's items."""
    true_quality = {id: truth[id] for id in state.ids if id in truth}
    if truth and len(true_quality) < 2:
        raise InvalidItems(
            f"the truth names {len(true_quality)} of the {len(state.ids)} items of {state.id}; are the ids the same?"
        )
    return true_quality


def _forecast_bins(
    state: TournamentState, basis: Standings, history: tuple[RoundStrengths, ...]
) -> tuple[tuple[str, tuple[Bin, ...]], ...]:
    """How well the running Elo and the strengths forecast later matches."""
    pairs = [match.id for match in state.matches if match.ranking is None and match.outcome is not Outcome.VOID]
    level = state.settings.level
    chance = np.concatenate([record.chance for record in history] or [np.zeros(0)])
    score = np.concatenate([record.score for record in history] or [np.zeros(0)])
    by_elo = bins(*elo_forecasts(basis.changes, pairs), level=level)
    return (("running Elo", by_elo), ("strengths of earlier rounds", bins(chance, score, level=level)))
