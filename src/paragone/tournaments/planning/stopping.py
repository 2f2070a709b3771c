"""When a tournament is over: the ranking asked for is settled, or the budget is spent.

Policies ask here before they plan. Those of hypotheses have ends of their own, ``weighted_policy.settled`` and
``clear_winner``; a judge that fails, or never decides, ends a run in ``running.runner``, and an interrupt closes its
gate.
"""

import math
from dataclasses import dataclass

from paragone.domain import Aim, Outcome, Planned
from paragone.pairing.forecast import reached
from paragone.tournaments.state import TournamentState
from paragone.tournaments.tournament_settings import AUTO, CALLS_PER_ITEM, TournamentSettings


def is_settled(state: TournamentState) -> bool:
    """Whether the forecast reaches the goal, and rests on evidence."""
    return enough_played(state) and reached(state.posterior.forecast, state.settings.goal)


def enough_played(state: TournamentState) -> bool:
    """Whether every item was compared with two others, so that the forecast rests on evidence and not on the prior."""
    opponents: dict[str, set[str]] = {id: set() for id in state.ids}
    for match in state.matches:
        if match.outcome is not Outcome.VOID:
            for item in match.items:
                opponents[item].update(other for other in match.items if other != item)
    return min(map(len, opponents.values())) >= min(2, len(opponents) - 1)


def reached_reason(state: TournamentState) -> str:
    """The forecast that ended the tournament, and the goal that it reached, in words."""
    forecast, goal = state.posterior.forecast, state.settings.goal
    least, share = f"{goal.confidence:g}", f"{100 * goal.confidence:g}%"
    agreement = f"an agreement of {forecast.tau:.3f} with the true order (Kendall's tau)"
    top = f"{forecast.recall:.1%} of the true top {forecast.top}"
    if goal.aim is Aim.WINNER:
        what, goal_words = f"the item on top is the best with probability {forecast.p_best:.3f}", least
    elif goal.aim is Aim.TOP:
        what, goal_words = f"{top} are expected among the first {forecast.top}", share
    elif goal.aim is Aim.ORDER:
        what, goal_words = f"{agreement} is expected", least
    else:
        what, goal_words = f"{agreement} and {top} are expected", f"{least} and {share}"
    return f"{what}; the goal was at least {goal_words}"


@dataclass(frozen=True, kw_only=True, slots=True)
class BudgetLeft:
    """The rest of the budget: calls, and texts shown; None means no limit."""

    calls: int | None = None
    texts: int | None = None

    @property
    def is_spent(self) -> bool:
        """Whether nothing is left."""
        return any(limit is not None and limit <= 0 for limit in (self.calls, self.texts))


def budget_in_words(state: TournamentState) -> str:
    """The budget, as a reason to stop names it."""
    settings = state.settings
    if settings.budget is None:
        return f"the budget of {text_budget(settings, len(state.items)):,} texts shown"
    return f"the budget of {settings.budget:,} {'comparisons' if settings.group_size == 2 else 'calls'}"


def budget_left(state: TournamentState, planned_calls: int = 0) -> BudgetLeft:
    """What is left of the budget.

    Args:
        state: The tournament.
        planned_calls: Calls of all matches planned so far, where some are not on record yet.
    """
    settings, texts = state.settings, text_budget(state.settings, len(state.items))
    return BudgetLeft(
        calls=None if settings.budget is None else settings.budget - max(planned_calls, state.answered),
        texts=None if texts is None else texts - state.texts,
    )


def text_budget(settings: TournamentSettings, items: int) -> int | None:
    """Maximum number of texts shown; a limit only if the length of lists, and so the number of calls, is open."""
    return 2 * CALLS_PER_ITEM * items if settings.group_size == AUTO and settings.budget is None else None


def within(pairings: tuple[Planned, ...], budget: BudgetLeft) -> tuple[Planned, ...]:
    """The first matches that the rest of the budget pays for."""
    calls, texts = (math.inf if limit is None else limit for limit in (budget.calls, budget.texts))
    affordable: list[Planned] = []
    for planned in pairings:
        calls, texts = calls - planned.calls, texts - planned.calls * len(planned.items)
        if min(calls, texts) < 0:
            break
        affordable.append(planned)
    return tuple(affordable)
