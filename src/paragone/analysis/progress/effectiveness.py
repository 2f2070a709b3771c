"""How effective a tournament is: document T's four numbers, from what was measured elsewhere (T20).

The convergence rate is the share by which the disagreement of successive rankings shrinks a round; the stability of the
top 10 is the mean share of it that stays from one round to the next; efficiency is matches with a winner per compute
unit; the correlation with a truth is Kendall's tau-b. Each is None where nothing can be said yet.
"""

from collections.abc import Mapping

import numpy as np

from paragone.analysis.progress.convergence import Convergence, rank_stability
from paragone.domain.records import EffectivenessMetrics


def effectiveness(
    found: Convergence,
    *,
    decisions: int,
    units: float,
    ratings: Mapping[str, float] | None = None,
    truth: Mapping[str, float] | None = None,
) -> EffectivenessMetrics:
    """Document T's four numbers.

    Args:
        found: How the ranking settled; its ``top`` is 10 for the document's number.
        decisions: Matches with a winner.
        units: Compute units that were spent: judge calls, and turns of debates.
        ratings: The ranking as it is, by item id.
        truth: What is known of the truth, larger for better, by item id; items that only one of both has are left out.
    """
    return EffectivenessMetrics(
        rating_convergence_rate=found.rate,
        top_10_stability=found.mean_top_stability,
        computational_efficiency=decisions / units if units > 0 else None,
        correlation_with_ground_truth=truth_correlation(ratings or {}, truth or {}),
    )


def truth_correlation(ratings: Mapping[str, float], truth: Mapping[str, float]) -> float | None:
    """Kendall's tau-b over the items that both have; None for fewer than two, or where one of both ties them all."""
    shared = [id for id in ratings if id in truth]
    ours, theirs = [ratings[id] for id in shared], [truth[id] for id in shared]
    if len(shared) < 2 or np.ptp(ours) == 0 or np.ptp(theirs) == 0:
        return None
    return rank_stability(ours, theirs)
