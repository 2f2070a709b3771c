"""How effective the tournament is, and how it fares: the documents' metrics (T20)."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise

import numpy as np

from paragone.analysis.progress.accuracy import effectiveness
from paragone.analysis.progress.convergence import (
    Convergence,
    Sweep,
    convergence,
    in_words,
    rank_stability,
    top_stability,
)
from paragone.analysis.progress.trends import Progression
from paragone.domain import Outcome
from paragone.domain.records import EffectivenessMetrics, SystemHealth
from paragone.ledger import RecordedMatch
from paragone.tournaments.report.standings import Standings, distribution_of
from paragone.tournaments.report.strength_history import Look
from paragone.tournaments.state import State
from paragone.wire.live import Settling

TOP = 10


def settling(progression: Progression, looks: Sequence[Look]) -> tuple[Settling, ...]:
    """How much the ranking by running Elo still moved in each round, among the items that were there before it."""
    expected = {look.round: look.forecast.tau for look in looks}
    steps = []
    for number in progression.rounds[1:]:
        before, after = progression.elo[number - 1], progression.elo[number]
        present = np.isfinite(before)
        first = number == 1  # before the first round nobody had a rank
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


def converged(state: State, progression: Progression) -> Convergence:
    """How the ranking settled, over the items that were there from the first round."""
    present = np.isfinite(progression.elo[0])
    return convergence(
        list(progression.elo[1:, present]),
        [float(move) for move in progression.moves],
        threshold=state.system.optimization.rating_stability_threshold,
        top=TOP,
    )


def settled_in_words(state: State, progression: Progression) -> str:
    """Whether the ranking by running Elo has settled, by the same measure as the weighted pairing stops by.

    That is from sweep to sweep; see ``Sweep``.
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
    return in_words(result, step="sweep")


def _sweeps(state: State, progression: Progression, items: int) -> list[int]:
    """Places of the rounds that end a sweep, counted back from the last one."""
    matches = Counter(match.round for match in state.matches)
    last, sweep = len(progression.rounds) - 1, Sweep(items)
    ends = [at - 1 for at in range(last, 0, -1) if sweep.ends_with(matches[progression.rounds[at]])]
    return [*ends[::-1], last]


def effectiveness_of(
    state: State, found: Standings, *, units: float, truth: Mapping[str, float]
) -> EffectivenessMetrics:
    """The documents' four numbers.

    Args:
        state: The tournament.
        found: What its ranking rests on.
        units: Compute units that it took.
        truth: The true quality of items, where it is known.
    """
    measured = effectiveness(
        converged(state, found.progression),
        decisions=sum(match.outcome in (Outcome.A, Outcome.B) for match in state.matches),
        units=units,
        ratings={row.id: row.rating for row in found.board.items},
        truth=truth,
    )
    return EffectivenessMetrics(
        rating_convergence_rate=measured.rating_convergence_rate,
        top_10_stability=measured.top_10_stability,
        computational_efficiency=measured.computational_efficiency,
        correlation_with_ground_truth=measured.correlation_with_ground_truth,
    )


def health_of(found: Standings, recorded: Iterable[RecordedMatch], *, patterns: float | None) -> SystemHealth:
    """The documents' system health.

    Args:
        found: What the ranking rests on.
        recorded: Matches as the ledger has them.
        patterns: Confidence of the pattern analysis, where there is one.
    """
    played = [row.matches for row in found.board.items]
    spread = distribution_of(found)
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
    """What the matches were worth to the running Elo: the weight that quality checks left them, from 0.1 to 1."""
    weights: dict[str, list[float]] = {}
    for entry in recorded:
        if not entry.rolled_back and entry.match.outcome is not Outcome.VOID:
            weights.setdefault(entry.match.protocol.value, []).append(entry.match.confidence)
    return {protocol: float(np.mean(values)) for protocol, values in sorted(weights.items())}
