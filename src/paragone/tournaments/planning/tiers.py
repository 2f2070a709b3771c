"""Rating tiers, and whether and how long two tiers debate (T5)."""

import numpy as np

from paragone.domain import PolicyConfig, Tier, TournamentSystemConfig
from paragone.pairing.weighted import Flags, Floats

DOWNWARDS = (Tier.ELITE, Tier.STRONG, Tier.AVERAGE, Tier.DEVELOPING)
"""The tiers by rating, the highest first."""


def tier_of(rating: float, matches: int, system: TournamentSystemConfig) -> Tier:
    """The tier of an item: new as long as it has played few matches, whatever its rating.

    Args:
        rating: Its running Elo.
        matches: Matches that it has played.
        system: The thresholds; the lower bound of each tier belongs to it.

    Source: document R, "Rating Brackets".
    """
    if matches < system.optimization.min_matches_for_confidence:
        return Tier.NEW
    return level_of(rating, system.policy)


def level_of(rating: float, policy: PolicyConfig) -> Tier:
    """The tier of a rating, however many matches are behind it."""
    if rating >= policy.elite_threshold:
        return Tier.ELITE
    if rating >= policy.strong_threshold:
        return Tier.STRONG
    return Tier.AVERAGE if rating >= policy.average_threshold else Tier.DEVELOPING


def match_tier(a: float, b: float, policy: PolicyConfig) -> Tier:
    """The tier whose share of the budget pays for a match: the higher one of its two.

    A match with an Elite item is a debate, and is played for that item's sake; were it charged to the other, the lower
    tiers would pay for the debates of the highest. A new item counts as its rating says: it has no share of its own.

    Args:
        a: Rating of one side.
        b: Rating of the other.
        policy: The thresholds.
    """
    return level_of(max(a, b), policy)


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
