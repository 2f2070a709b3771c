"""Everything that a report says, gathered from the ledger once; the formats only lay it out."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

import numpy as np

from paragone.analysis.figures import Expense
from paragone.analysis.progress.accuracy import Accuracy, accuracy
from paragone.analysis.progress.trends import Progression, Trend
from paragone.analysis.quality.discrepancies import Discrepancy, discrepancies
from paragone.analysis.quality.forecast_quality import Bin, bins, elo_forecasts
from paragone.analysis.reviews import Calibration, Opinion, calibration, opinions
from paragone.domain import Board, Outcome, Spending, Tier
from paragone.domain.records import EffectivenessMetrics, RankingReport, SystemHealth
from paragone.domain.spending import total
from paragone.errors import InvalidItems
from paragone.ledger import By, Ledger
from paragone.tournaments.report.effects import Effects, effects_of
from paragone.tournaments.report.expenses import expenses
from paragone.tournaments.report.happenings import Happenings, happenings
from paragone.tournaments.report.looks import Look, looks
from paragone.tournaments.report.performance import effectiveness_of, health_of, settling
from paragone.tournaments.report.ranking import Standings, ranking_of, standings
from paragone.tournaments.results.quality import Quality, quality_of
from paragone.tournaments.state import State
from paragone.wire.live import Settling


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
    quality: Quality
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
    known = _known(state, truth or {})
    found, recorded = standings(ledger, state), ledger.matches.all(state.id)
    spending = ledger.tournaments.spending_by(state.id, By.CALL)
    spent = total(spending.values())
    seen, opined, effects = looks(state), opinions(state.reviews), effects_of(state)
    rows = found.board.items
    return Report(
        state=state,
        at=max(event.at for event in state.events),
        standings=found,
        ranking=ranking_of(found, state, recorded),
        effectiveness=effectiveness_of(state, found, units=spent.units, truth=known),
        health=health_of(found, recorded, patterns=effects.confidence),
        looks=seen,
        settling=settling(found.progression, seen),
        expenses=expenses(state, found.progression, spending),
        spending=spent,
        happenings=happenings(state.events),
        opinions=opined,
        review_fit=calibration(opined, {row.id: row.rating for row in rows}, level=state.settings.level),
        discrepancies=discrepancies(rows, opined, level=state.settings.level) if state.has_evidence else (),
        effects=effects,
        quality=quality_of(ledger, state),
        foretold=_foretold(state, found, seen),
        truth=known,
        accuracy=accuracy(found.board, known, found.top) if known else None,
    )


def _known(state: State, truth: Mapping[str, float]) -> dict[str, float]:
    """What the truth says of this tournament's items."""
    known = {id: truth[id] for id in state.ids if id in truth}
    if truth and len(known) < 2:
        raise InvalidItems(
            f"the truth names {len(known)} of the {len(state.ids)} items of {state.id}; are the ids the same?"
        )
    return known


def _foretold(state: State, found: Standings, seen: tuple[Look, ...]) -> tuple[tuple[str, tuple[Bin, ...]], ...]:
    """How well the running Elo and the strengths foretold matches that were still to come."""
    pairs = [match.id for match in state.matches if match.ranking is None and match.outcome is not Outcome.VOID]
    level = state.settings.level
    chance = np.concatenate([look.chance for look in seen] or [np.zeros(0)])
    score = np.concatenate([look.score for look in seen] or [np.zeros(0)])
    by_elo = bins(*elo_forecasts(found.changes, pairs), level=level)
    return (("running Elo", by_elo), ("strengths of earlier rounds", bins(chance, score, level=level)))
