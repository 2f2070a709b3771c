"""What is played next: each pairing policy as a pure step from the state of a tournament to a plan."""

import random
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from paragone.domain import Aim, Outcome, Pairing
from paragone.pairing import informative, round_robin, swiss
from paragone.pairing.forecast import reached
from paragone.pairing.orders import alternating_orders
from paragone.pairing.presentation import Asked
from paragone.tournaments.brief import Brief
from paragone.tournaments.state import State


@dataclass(frozen=True, kw_only=True, slots=True)
class Plan:
    """The next round, or why there is none.

    Attributes:
        pairings: Matches of the round; empty when the tournament is over.
        reason: Why it is over, in words.
    """

    pairings: tuple[Pairing, ...] = ()
    reason: str = ""


def plan(state: State) -> Plan:
    """The next round of a tournament."""
    budget, left = state.brief.budget, budget_left(state)
    if left is not None and left <= 0:
        return Plan(reason=f"the budget of {budget} comparisons is spent")
    following = _POLICIES[state.brief.pairing](state)
    affordable = within(following.pairings, left)
    if following.pairings and not affordable:
        return Plan(reason=f"what is left of the budget of {budget} comparisons is too little for another match")
    return Plan(pairings=affordable, reason=following.reason)


def budget_left(state: State) -> int | None:
    """Comparisons that the budget still allows; None where there is none."""
    return None if state.brief.budget is None else state.brief.budget - state.answered


def within(pairings: tuple[Pairing, ...], comparisons: int | None) -> tuple[Pairing, ...]:
    """The first pairings that fit into a number of comparisons; None is no limit."""
    if comparisons is None:
        return pairings
    taken: list[Pairing] = []
    for pairing in pairings:
        comparisons -= len(pairing.orders)
        if comparisons < 0:
            break
        taken.append(pairing)
    return tuple(taken)


def most_comparisons(brief: Brief, items: int) -> int:
    """How many comparisons the tournament asks at the most."""
    pairs = items * (items - 1) // 2
    asks = {
        "informative": items * (items - 1),
        "round-robin": pairs * brief.comparison_rounds,
        "swiss": brief.comparison_rounds
        * swiss.most_matches(items, elimination_count=brief.elimination_count, draws=brief.draws),
    }
    return asks[brief.pairing] if brief.budget is None else min(brief.budget, asks[brief.pairing])


def _informative(state: State) -> Plan:
    round_number = len(state.rounds) + 1
    rng = np.random.default_rng([state.brief.seed, round_number])
    index = {id: place for place, id in enumerate(state.ids)}
    shown = ((c.first, c.second) for match in state.played for c in match.comparisons)
    asked = Asked.of(len(index), ((index[first], index[second]) for first, second in shown))
    standing = state.standing
    if enough_played(state) and reached(standing.forecast, state.brief.goal):
        return Plan(reason=reached_reason(state))
    pairs = informative.plan(
        standing.fit.strength,
        standing.draws,
        asked,
        state.brief.goal,
        audit_share=state.brief.audit_share,
        rng=rng,
    )
    if not pairs:
        return Plan(reason="every pair has been asked in both orders")
    orders = alternating_orders(state.brief.comparison_rounds)
    return Plan(pairings=tuple(Pairing(a=state.ids[i], b=state.ids[j], orders=orders) for i, j in pairs))


def enough_played(state: State) -> bool:
    """Whether every item was told from two others, so that the forecast rests on evidence and not on the prior."""
    met: dict[str, set[str]] = {id: set() for id in state.ids}
    for match in state.matches:
        if match.outcome is not Outcome.VOID:
            met[match.a].add(match.b)
            met[match.b].add(match.a)
    return min(map(len, met.values())) >= min(2, len(met) - 1)


def reached_reason(state: State) -> str:
    """The forecast that ended the tournament, in words."""
    seen, goal = state.standing.forecast, state.brief.goal
    if goal.aim is Aim.WINNER:
        what = f"the one on top is the best with probability {seen.p_best:.3f}"
    elif goal.aim is Aim.TOP:
        what = f"{seen.recall:.1%} of the true top {seen.top} are expected among the first {seen.top}"
    elif goal.aim is Aim.ORDER:
        what = f"a Kendall tau of {seen.tau:.3f} with the true order is expected"
    else:
        what = f"tau {seen.tau:.3f} and {seen.recall:.1%} of the true top {seen.top} are expected"
    return f"{what}; {goal.confidence:g} was asked for"


def _swiss(state: State) -> Plan:
    rng = random.Random(f"swiss {state.brief.seed} {len(state.rounds) + 1}")  # noqa: S311 - a shuffle, not a secret
    following = swiss.next_round(
        state.ids,
        state.matches,
        elimination_count=state.brief.elimination_count,
        draws=state.brief.draws,
        comparison_rounds=state.brief.comparison_rounds,
        rng=rng,
    )
    return Plan(pairings=following.pairings, reason=following.reason)


def _round_robin(state: State) -> Plan:
    rng = random.Random(f"round robin {state.brief.seed}")  # noqa: S311 - a shuffle, not a secret
    rounds = round_robin.rounds(state.ids, comparison_rounds=state.brief.comparison_rounds, rng=rng)
    planned = {pairing.key: pairing for past in state.rounds for pairing in past.pairings}
    # Rounds are planned in their order and may be cut short by the budget, so what was planned is where they begin.
    done, begun = divmod(len(planned), len(state.ids) // 2)
    if done < len(rounds):
        return Plan(pairings=rounds[done][begun:])
    met = {Pairing(a=match.a, b=match.b).key for match in state.played}
    left = tuple(pairing for key, pairing in planned.items() if key not in met)
    return Plan(pairings=left, reason="" if left else "everyone has met everyone")


_POLICIES: dict[str, Callable[[State], Plan]] = {
    "informative": _informative,
    "swiss": _swiss,
    "round-robin": _round_robin,
}
