"""Spend a round's budget of compute units: what is paid for, degraded and deferred (T8)."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from paragone.domain import Tier
from paragone.tournaments.planning.tiers import DOWNWARDS

_ROUNDING = 1e-9  # shares such as .1 + .2 must not cost a match its unit


@dataclass(frozen=True, kw_only=True, slots=True)
class MatchCost:
    """A match that is to be paid for.

    Attributes:
        tier: Whose share pays.
        comparisons: Comparisons, of which each takes a debate of its own.
        turns: Turns a side of each debate; 0 for a direct comparison.
    """

    tier: Tier
    comparisons: int
    turns: int

    @property
    def units(self) -> int:
        """Compute units that it takes: a judge call is one, and so is each turn."""
        return units(self.comparisons, self.turns)


@dataclass(frozen=True, kw_only=True, slots=True)
class Allocation:
    """What a round's budget pays for. Places are those in the list of what was asked.

    Attributes:
        turns: Turns a side of each match that is played, by its place.
        degraded: Places of matches that are played without the debate that they should have had.
        deferred: Places of matches that wait for the next round.
        left_out: Places of matches that are given up.
        spent: Compute units by tier.
        allowed: Compute units that each tier could have had, with what those above it left; None without a budget.
    """

    turns: Mapping[int, int]
    degraded: tuple[int, ...]
    deferred: tuple[int, ...]
    left_out: tuple[int, ...]
    spent: Mapping[Tier, int]
    allowed: Mapping[Tier, float] | None

    @property
    def forecast(self) -> int:
        """Compute units that the round is going to take."""
        return sum(self.spent.values())


def units(comparisons: int, turns: int) -> int:
    """Compute units of a match."""
    return comparisons * (2 * turns + 1)


def allocate(costs: Sequence[MatchCost], budget: float | None, shares: Mapping[Tier, float]) -> Allocation:
    """Spend a round's budget, tier by tier from the highest, each on its matches in their order.

    What a tier leaves flows to the next one down. A Strong match whose debate is too dear is compared directly; an
    Elite one is deferred instead, since its debate is mandatory; any other that is too dear is left out.

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
    """Turns a side that the rest of a tier's means pay for; None where they do not even pay for a comparison."""
    for turns in (match.turns, 0) if match.tier is Tier.STRONG else (match.turns,):
        if units(match.comparisons, turns) <= available + _ROUNDING:
            return turns
    return None
