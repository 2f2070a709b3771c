"""Everything that a report says, gathered from the ledger once; the formats only lay it out."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import numpy as np

from paragone.analysis.progress.accuracy import Accuracy, accuracy
from paragone.analysis.progress.trends import Progression, Trend
from paragone.analysis.quality.discrepancies import Discrepancy, discrepancies
from paragone.analysis.quality.forecast_quality import Bin, bins, elo_forecasts
from paragone.analysis.reviews import Calibration, Opinion, calibration, opinions
from paragone.domain import Board, Match, Outcome, Spending, Tier
from paragone.domain.records import EffectivenessMetrics, RankingReport, SystemHealth
from paragone.domain.spending import NOTHING, Expense, total
from paragone.errors import InvalidItems
from paragone.ledger import By, Event, Ledger
from paragone.tournaments.documents.chronicle import by_round
from paragone.tournaments.planning.tiers import match_tier
from paragone.tournaments.report.pattern_effects import Effects, effects_of
from paragone.tournaments.report.performance import effectiveness_of, health_of, settling
from paragone.tournaments.report.standings import Standings, ranking_of, standings
from paragone.tournaments.report.strength_history import Look, looks
from paragone.tournaments.results.quality import quality_of
from paragone.tournaments.state import State
from paragone.wire.consistency import Consistency
from paragone.wire.live import Settling


@dataclass(frozen=True, kw_only=True, slots=True)
class Happenings:
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

    def told(self) -> list[tuple[str, int]]:
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


def happenings(events: Iterable[Event]) -> Happenings:
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
    return Happenings(
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
        looks: The strengths as they were known after some rounds.
        settling: How much the ranking still moved, round by round.
        expenses: What each round took.
        spending: What all of it took.
        happenings: What happened beside the matches, counted.
        opinions: What reviewers think, by item.
        review_fit: How reviews and matches agree; None without enough of both.
        discrepancies: Items that reviews and matches place differently.
        effects: What wins and what loses.
        quality: Cycles, outliers, and how the judges did.
        foretold: Who foretold the matches, and how often it came.
        truth: The true quality, by id, where it was given.
        accuracy: How well the ranking meets it; None where it was not given.
    """

    state: State
    at: datetime
    standings: Standings
    ranking: RankingReport
    effectiveness: EffectivenessMetrics
    health: SystemHealth
    looks: tuple[Look, ...]
    settling: tuple[Settling, ...]
    expenses: tuple[Expense, ...]
    spending: Spending
    happenings: Happenings
    opinions: Mapping[str, Opinion]
    review_fit: Calibration | None
    discrepancies: tuple[Discrepancy, ...]
    effects: Effects
    quality: Consistency
    foretold: tuple[tuple[str, tuple[Bin, ...]], ...]
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
    history, opined, effects = looks(state), opinions(state.reviews), effects_of(state)
    rows = basis.board.items
    return Report(
        state=state,
        at=max(event.at for event in state.events),
        standings=basis,
        ranking=ranking_of(basis, state, recorded),
        effectiveness=effectiveness_of(state, basis, units=spent.units, truth=true_quality),
        health=health_of(basis, recorded, patterns=effects.confidence),
        looks=history,
        settling=settling(basis.progression, history),
        expenses=expenses(state, basis.progression, spending),
        spending=spent,
        happenings=happenings(state.events),
        opinions=opined,
        review_fit=calibration(opined, {row.id: row.rating for row in rows}, level=state.settings.level),
        discrepancies=discrepancies(rows, opined, level=state.settings.level) if state.has_evidence else (),
        effects=effects,
        quality=quality_of(ledger, state),
        foretold=_foretold(state, basis, history),
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


def _foretold(state: State, basis: Standings, history: tuple[Look, ...]) -> tuple[tuple[str, tuple[Bin, ...]], ...]:
    """How well the running Elo and the strengths foretold matches that were still to come."""
    pairs = [match.id for match in state.matches if match.ranking is None and match.outcome is not Outcome.VOID]
    level = state.settings.level
    chance = np.concatenate([look.chance for look in history] or [np.zeros(0)])
    score = np.concatenate([look.score for look in history] or [np.zeros(0)])
    by_elo = bins(*elo_forecasts(basis.changes, pairs), level=level)
    return (("running Elo", by_elo), ("strengths of earlier rounds", bins(chance, score, level=level)))
