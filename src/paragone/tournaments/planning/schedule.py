"""The next round of a tournament, by its pairing policy and within its budget.

Each policy is a module of this package, ``NAME_policy``, with a pure step from the state of a tournament to a plan; the
mathematics behind it is in ``paragone.pairing``. Its name is one of ``PairingPolicy``, and it is loaded when it is
used. Plugins bring more; they plan round by round.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Protocol, cast

from paragone.domain import Planned
from paragone.tournaments.pairing_registry import policy_named
from paragone.tournaments.planning.stopping import budget_in_words, budget_left, within
from paragone.tournaments.state import TournamentState
from paragone.tournaments.tournament_settings import TournamentSettings


@dataclass(frozen=True, kw_only=True, slots=True)
class Plan:
    """The next round, or why there is none.

    Attributes:
        pairings: Matches of the round, pairs or lineups; empty if there is nothing to play.
        reason: Why there is nothing, in words.
        finished: Whether the tournament is over then; false if it waits for something, such as items to come back.
        is_budget: Whether the budget is the reason; matches that are given up may leave some of it.
        notes: Recorded with the plan, as plain JSON values: its forecast in compute units, what was degraded or
            deferred and why.
    """

    pairings: tuple[Planned, ...] = ()
    reason: str = ""
    finished: bool = True
    is_budget: bool = False
    notes: Mapping[str, Any] = field(default_factory=dict)

    @property
    def waits(self) -> bool:
        """Whether more may follow once more is on record."""
        return not (self.pairings or self.reason or self.finished)


class Policy(Protocol):
    """What the module of a pairing policy holds."""

    def plan(self, state: TournamentState) -> Plan:
        """The next round."""
        ...

    def most_comparisons(self, settings: TournamentSettings, items: int, rounds: int) -> int:
        """Maximum number of calls of a tournament, after so many rounds and without its budget."""
        ...


def policy_of(settings: TournamentSettings) -> Policy:
    """The policy that pairs the items of a tournament; errors as of ``policy_named``."""
    return cast("Policy", policy_named(settings.pairing))


def plan_round(state: TournamentState) -> Plan:
    """The next round of a tournament, once the one before is over."""
    if budget_left(state).is_spent:
        return afforded(state, Plan())
    return afforded(state, policy_of(state.settings).plan(state))


def afforded(state: TournamentState, following: Plan, planned_calls: int = 0) -> Plan:
    """What the budget pays for of a plan.

    Args:
        state: The tournament.
        following: The plan.
        planned_calls: Calls of all matches planned so far, where some are not on record yet.
    """
    remaining = budget_left(state, planned_calls)
    if remaining.is_spent:
        return Plan(reason=f"{budget_in_words(state)} is spent", is_budget=True)
    affordable = within(following.pairings, remaining)
    if following.pairings and not affordable:
        return Plan(reason=f"what is left of {budget_in_words(state)} is too little for another match", is_budget=True)
    return replace(following, pairings=affordable)


def most_comparisons(settings: TournamentSettings, items: int, rounds: int = 0) -> int:
    """Maximum number of calls of the tournament.

    Args:
        settings: Its settings.
        items: Number of items.
        rounds: Rounds planned so far. A tournament of hypotheses has no end: its calls are those up to the end of the
            present session.
    """
    most = policy_of(settings).most_comparisons(settings, items, rounds)
    return most if settings.budget is None else min(settings.budget, most)
