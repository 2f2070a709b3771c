"""The global ranking: ratings, how they developed, trends and emerging candidates."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from paragone.analysis.progress.accuracy import effectiveness
from paragone.analysis.progress.confidence import RatingConfidence, confidences
from paragone.analysis.progress.convergence import (
    Convergence,
    Sweep,
    convergence,
    in_words,
    rank_stability,
    top_stability,
)
from paragone.analysis.progress.rating_trends import (
    Progression,
    RatingTrend,
    TrendDirection,
    emerging,
    last_matches,
    progression,
    trends,
)
from paragone.domain import Board, BoardRow, Outcome, RatingChange, Tier
from paragone.domain.records import (
    EffectivenessMetrics,
    MatchResult,
    RankedHypothesis,
    RankingReport,
    SystemHealth,
    WinLossRecord,
)
from paragone.ledger import Ledger, RecordedMatch
from paragone.pairing.forecast import top_of
from paragone.tournaments.planning.tier_strategies import round_state
from paragone.tournaments.planning.tiers import tier_of
from paragone.tournaments.planning.weighted_policy import least_to_settle, settled
from paragone.tournaments.records import match_result
from paragone.tournaments.report.strength_history import RoundStrengths
from paragone.tournaments.results.tournament_board import board_of
from paragone.tournaments.state import TournamentState
from paragone.wire.live import Settling

TOP = 10
"""Top performers that are named."""
MOST_NAMED = 20
"""Maximum number of items named as rising, and as falling."""


@dataclass(frozen=True, kw_only=True, eq=False, slots=True)
class Standings:
    """The values that a ranking rests on.

    Attributes:
        board: The board.
        progression: The running Elo round by round.
        trends: The trend of each item's rating, by id.
        tiers: The tier of each item, by id.
        confidence: Confidence in each item's rating, by id.
        changes: All rating changes, in the order of record.
        top: Size of the top that the goal asks for.
    """

    board: Board
    progression: Progression
    trends: Mapping[str, RatingTrend]
    tiers: Mapping[str, Tier]
    confidence: Mapping[str, RatingConfidence]
    changes: Sequence[RatingChange]
    top: int

    @property
    def emerging(self) -> tuple[str, ...]:
        """Items that may soon be in the top; see ``analysis.progress.rating_trends.emerging``."""
        return emerging(self.board.items, self.trends, top=self.top)


def standings(ledger: Ledger, state: TournamentState) -> Standings:
    """Read the standings from the ledger."""
    changes = ledger.ratings.changes(state.id)
    board, policy = board_of(ledger, state), state.system.policy
    steps = (
        state.system.optimization.min_matches_for_confidence,
        policy.min_matches_for_stability,
        policy.high_confidence_matches,
    )
    return Standings(
        board=board,
        progression=progression(
            state.ids,
            changes,
            {match.id: match.round for match in state.played},
            initial=state.config.initial,
            entered=state.entered,
        ),
        trends=trends(state.ids, changes, (match.id for match in state.matches)),
        tiers={row.id: tier_of(row.elo, row.matches, state.system) for row in board.items},
        confidence=confidences(state.ids, state.matches, changes, k=state.config.k, steps=steps),
        changes=changes,
        top=top_of(state.settings.goal, len(state.ids)),
    )


def ranking_report(ledger: Ledger, state: TournamentState) -> RankingReport:
    """The documents' global ranking, of all items."""
    return ranking_of(standings(ledger, state), state, ledger.matches.all(state.id))


def ranking_of(basis: Standings, state: TournamentState, recorded: Sequence[RecordedMatch]) -> RankingReport:
    """The global ranking, from standings that are known already.

    Args:
        basis: The standings.
        state: The tournament.
        recorded: Its matches as the ledger has them, with rationales; recent form has no transcripts.
    """
    rows = basis.board.items
    forms = _forms(state, recorded)
    return RankingReport(
        ranked_hypotheses=tuple(_ranked(row, basis, forms[row.id]) for row in rows),
        rating_distribution=distribution_of(basis),
        top_performers=tuple(row.id for row in rows[:TOP]),
        emerging_candidates=basis.emerging,
        performance_trends=trends_of(basis),
    )


def _forms(state: TournamentState, recorded: Sequence[RecordedMatch]) -> dict[str, tuple[MatchResult, ...]]:
    """The records of each item's recent matches, the newest last; each record is made once."""
    entries = {entry.match.id: entry for entry in recorded}
    pairs = [match for match in state.matches if match.ranking is None]
    recent = last_matches(pairs, state.ids)
    results = {id: match_result(entries[id], {}) for id in {match.id for form in recent.values() for match in form}}
    return {id: tuple(results[match.id] for match in form) for id, form in recent.items()}


def _ranked(row: BoardRow, basis: Standings, form: tuple[MatchResult, ...]) -> RankedHypothesis:
    return RankedHypothesis(
        hypothesis_id=row.id,
        rank=row.rank,
        elo_rating=round(row.elo),
        match_record=WinLossRecord(wins=row.wins, losses=row.losses, draws=row.ties),
        recent_form=form,
        strength=row.rating,
        interval=(round(row.low), round(row.high)),
        tier=basis.tiers[row.id],
        confidence=basis.confidence[row.id].record,
    )


def distribution_of(basis: Standings) -> dict[str, Any]:
    """The distribution of the running Elo: its quantiles, and the number of items in each tier."""
    elo = np.array([row.elo for row in basis.board.items])
    low, quarter, median, three, high = (float(value) for value in np.quantile(elo, (0, 0.25, 0.5, 0.75, 1)))
    tally = Counter(basis.tiers.values())
    return {
        "mean": float(elo.mean()),
        "standard_deviation": float(elo.std()),
        "min": low,
        "quartiles": [quarter, median, three],
        "max": high,
        "tiers": {tier.value: tally[tier] for tier in Tier},
    }


def trends_of(basis: Standings) -> dict[str, Any]:
    """The items that rise or fall by more than chance, the largest changes first."""
    moves = sorted(basis.trends.values(), key=lambda trend: (-abs(trend.change), trend.item))
    by_direction = {
        direction: [_move(trend) for trend in moves if trend.direction is direction]
        for direction in (TrendDirection.RISING, TrendDirection.FALLING)
    }
    largest: dict[str, Any] = {
        direction.value: direction_moves[:MOST_NAMED] for direction, direction_moves in by_direction.items()
    }
    counts = Counter(trend.direction for trend in basis.trends.values())
    return {**largest, "counts": {direction.value: counts[direction] for direction in TrendDirection}}


def _move(trend: RatingTrend) -> dict[str, Any]:
    return {
        "hypothesis_id": trend.item,
        "change": trend.change,
        "expected_noise": trend.noise,
        "recent_scores": list(trend.form),
    }


def settling(progression: Progression, history: Sequence[RoundStrengths]) -> tuple[Settling, ...]:
    """How much the ranking by running Elo changed in each round, among the items that were there before it."""
    expected = {strengths.round: strengths.forecast.tau for strengths in history}
    steps = []
    for number in progression.rounds[1:]:
        before, after = progression.elo[number - 1], progression.elo[number]
        present = np.isfinite(before)
        first = number == 1  # before the first round no item had a rank
        mean_change = float(progression.moves[number - 1])
        steps.append(
            Settling(
                round=number,
                rank_stability=None if first else rank_stability(before[present], after[present], by="spearman"),
                top_stability=None if first else top_stability(before[present], after[present], TOP),
                mean_change=mean_change if np.isfinite(mean_change) else None,
                tau=expected.get(number),
            )
        )
    return tuple(steps)


def converged(state: TournamentState, progression: Progression) -> Convergence:
    """How the ranking settled, over the items that were there from the first round."""
    present = np.isfinite(progression.elo[0])
    return convergence(
        list(progression.elo[1:, present]),
        [float(move) for move in progression.moves],
        threshold=state.system.optimization.rating_stability_threshold,
        top=TOP,
    )


def settled_in_words(state: TournamentState, progression: Progression) -> str:
    """Whether the ranking by running Elo has settled, from sweep to sweep (see ``Sweep``).

    This is the measure by which the weighted pairing stops, with the same minimum of matches.
    """
    present = np.isfinite(progression.elo[0])
    ends = _sweeps(state, progression, int(present.sum()))
    result = convergence(
        [progression.elo[at, present] for at in ends],
        [float(np.nanmean(progression.moves[begin:end])) for begin, end in pairwise(ends)],
        threshold=state.system.optimization.rating_stability_threshold,
        top=TOP,
        by="spearman",
    )
    if state.settings.system is None:
        return in_words(result, step="sweep")
    snapshot = state.snapshot()  # the state of a server is shared, and reading its history would change it
    now = round_state(snapshot)
    least, enough = now.least_matches, least_to_settle(now.system)
    who = "of those that do not rest" if now.resting else "of all"
    return in_words(
        result,
        step="sweep",
        is_stable=bool(settled(snapshot, now)),
        because=f"the least matches {who} are {least}, of {enough} that it takes",
    )


def _sweeps(state: TournamentState, progression: Progression, items: int) -> list[int]:
    """Indices of the rounds that end a sweep, counted back from the last round."""
    matches = Counter(match.round for match in state.matches)
    last, sweep = len(progression.rounds) - 1, Sweep(items)
    ends = [at - 1 for at in range(last, 0, -1) if sweep.ends_with(matches[progression.rounds[at]])]
    return [*ends[::-1], last]


def effectiveness_of(
    state: TournamentState, basis: Standings, *, units: float, truth: Mapping[str, float]
) -> EffectivenessMetrics:
    """The documents' effectiveness metrics.

    Args:
        state: The tournament.
        basis: Its standings.
        units: Compute units that it took.
        truth: The true quality of items, if it is known.
    """
    measured = effectiveness(
        converged(state, basis.progression),
        decisions=sum(match.outcome in (Outcome.A, Outcome.B) for match in state.matches),
        units=units,
        ratings={row.id: row.rating for row in basis.board.items},
        truth=truth,
    )
    return EffectivenessMetrics(
        rating_convergence_rate=measured.rating_convergence_rate,
        top_10_stability=measured.top_10_stability,
        computational_efficiency=measured.computational_efficiency,
        correlation_with_ground_truth=measured.correlation_with_ground_truth,
    )


def health_of(basis: Standings, recorded: Iterable[RecordedMatch], *, patterns: float | None) -> SystemHealth:
    """The documents' system health.

    Args:
        basis: The standings.
        recorded: Matches as the ledger has them.
        patterns: Confidence of the pattern analysis; None without one.
    """
    played = [row.matches for row in basis.board.items]
    spread = distribution_of(basis)
    counts = {"matches_min": float(min(played)), "matches_max": float(max(played))}
    low, median, high = spread["quartiles"]
    return SystemHealth(
        average_matches_per_hypothesis=float(np.mean(played)),
        rating_distribution={
            **{name: spread[name] for name in ("mean", "standard_deviation", "min", "max")},
            "lower_quartile": low,
            "median": median,
            "upper_quartile": high,
            **counts,
        },
        debate_quality_scores=_debates(recorded),
        pattern_identification_confidence=patterns,
    )


def _debates(recorded: Iterable[RecordedMatch]) -> dict[str, float]:
    """Mean weight of the matches in the running Elo after quality checks, from 0.1 to 1, by protocol."""
    weights: dict[str, list[float]] = {}
    for entry in recorded:
        if not entry.rolled_back and entry.match.outcome is not Outcome.VOID:
            weights.setdefault(entry.match.protocol.value, []).append(entry.match.confidence)
    return {protocol: float(np.mean(values)) for protocol, values in sorted(weights.items())}
