"""Debate or direct comparison, and how long a debate (T5)."""

import numpy as np

from paragone.domain import Tier, TournamentSystemConfig
from paragone.pairing.weighted import Flags, Floats
from paragone.tournaments.planning.weighted.tiers import level_of


def turns_of(a: float, b: float, system: TournamentSystemConfig) -> int:
    """Turns a side of the debate between two ratings; 0 where they are compared directly.

    They debate where both are above the threshold, and always where one is Elite; for as long as the lower one's tier
    is worth.

    Args:
        a: Rating of one side.
        b: Rating of the other.
        system: The threshold, and the turns by tier.
    """
    policy, threshold = system.policy, system.tournament_parameters.multi_turn_threshold
    if min(a, b) > threshold or level_of(max(a, b), policy) is Tier.ELITE:
        return policy.debate_rounds[level_of(min(a, b), policy)]
    return 0


def are_debates(a: Floats, b: Floats, system: TournamentSystemConfig) -> Flags:
    """Whether pairs of ratings debate: where ``turns_of`` is above 0, for many at once.

    Args:
        a: Ratings of one side, shape (pairs,).
        b: Ratings of the other.
        system: The thresholds.
    """
    threshold, elite = system.tournament_parameters.multi_turn_threshold, system.policy.elite_threshold
    debated: Flags = (np.minimum(a, b) > threshold) | (np.maximum(a, b) >= elite)
    return debated
