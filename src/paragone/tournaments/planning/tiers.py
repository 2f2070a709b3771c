"""Rating tiers: whether and how long two tiers debate, and what each may spend of a round's budget."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

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

    Source: the Ranking Agent specification, "Rating Brackets".
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

    They debate if both are above the threshold, and always if one is Elite; as long as the lower one's tier allows.

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


_ROUNDING = 1e-9  # shares such as .1 + .2 must not cost a match its unit


@dataclass(frozen=True, kw_only=True, slots=True)
class MatchCost:
    """A match that is to be paid for.

    Attributes:
        tier: Whose share pays.
        comparisons: Comparisons, each with its own debate.
        turns: Turns a side of each debate; 0 for a direct comparison.
        optional: Whether it may be compared directly where the debate is too expensive, in any tier.
    """

    tier: Tier
    comparisons: int
    turns: int
    optional: bool = False

    @property
    def units(self) -> int:
        """Its compute units: one for each judge call and each turn."""
        return units(self.comparisons, self.turns)


@dataclass(frozen=True, kw_only=True, slots=True)
class Allocation:
    """What a round's budget pays for. Matches are named by their index in the list of costs.

    Attributes:
        turns: Turns a side of each match that is played, by its index.
        degraded: Matches that are played without the debate that they should have had.
        deferred: Matches that wait for the next round.
        left_out: Matches that are dropped.
        spent: Compute units by tier.
        allowed: Compute units available to each tier, with what those above it left; None without a budget.
    """

    turns: Mapping[int, int]
    degraded: tuple[int, ...]
    deferred: tuple[int, ...]
    left_out: tuple[int, ...]
    spent: Mapping[Tier, int]
    allowed: Mapping[Tier, float] | None

    @property
    def forecast(self) -> int:
        """Compute units that the round will take."""
        return sum(self.spent.values())


def units(comparisons: int, turns: int) -> int:
    """Compute units of a match."""
    return comparisons * (2 * turns + 1)


def allocate(costs: Sequence[MatchCost], budget: float | None, shares: Mapping[Tier, float]) -> Allocation:
    """Spend a round's budget, tier by tier from the highest, each on its matches in their order.

    What a tier leaves flows to the next one down. A Strong match whose debate is too expensive is compared directly, as
    is any whose debate is optional; an Elite one is deferred instead, since its debate is mandatory; any other that is
    too expensive is left out.

    Args:
        costs: The matches, the more important first.
        budget: Compute units of the round; None for no limit.
        shares: Share of each tier; they add up to 1.
    """
    turns: dict[int, int] = {}
    unpaid: dict[Tier, list[int]] = {tier: [] for tier in DOWNWARDS}
    spent, allowed, available = dict.fromkeys(DOWNWARDS, 0), dict.fromkeys(DOWNWARDS, 0.0), 0.0
    for tier in DOWNWARDS:
        available += math.inf if budget is None else budget * shares[tier]
        allowed[tier] = available
        for index, match in enumerate(costs):
            if match.tier is tier:
                paid = _affordable(match, available - spent[tier])
                if paid is None:
                    unpaid[tier].append(index)
                else:
                    turns[index] = paid
                    spent[tier] += units(match.comparisons, paid)
        available -= spent[tier]
    return Allocation(
        turns=turns,
        degraded=tuple(index for index, paid in sorted(turns.items()) if paid < costs[index].turns),
        deferred=tuple(unpaid[Tier.ELITE]),
        left_out=tuple(sorted(index for tier in DOWNWARDS[1:] for index in unpaid[tier])),
        spent=spent,
        allowed=None if budget is None else allowed,
    )


def _affordable(match: MatchCost, available: float) -> int | None:
    """Turns a side that the rest of a tier's share pays for; None if it does not even pay for a comparison."""
    for turns in (match.turns, 0) if match.optional or match.tier is Tier.STRONG else (match.turns,):
        if units(match.comparisons, turns) <= available + _ROUNDING:
            return turns
    return None
