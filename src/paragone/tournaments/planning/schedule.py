"""What is played next: each pairing policy as a pure step from the state of a tournament to a plan."""

import math
import random
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

import numpy as np

from paragone.domain import Aim, Outcome, Pairing, Planned
from paragone.pairing import informative, round_robin, swiss
from paragone.pairing.forecast import reached
from paragone.pairing.presentation import PairHistory, alternating_orders
from paragone.pairing.weighted_round import most_each
from paragone.tournaments.brief import AUTO, CALLS_PER_ITEM, Brief
from paragone.tournaments.planning.grouping import group_size, lineups, pilot_round
from paragone.tournaments.planning.round_plan import Plan
from paragone.tournaments.planning.weighted.rounds import weighted_plan
from paragone.tournaments.state import State


@dataclass(frozen=True, kw_only=True, slots=True)
class Left:
    """What may still be asked: calls, and texts shown; None is no limit."""

    calls: int | None = None
    texts: int | None = None

    @property
    def is_spent(self) -> bool:
        """Whether nothing more may be asked."""
        return any(limit is not None and limit <= 0 for limit in (self.calls, self.texts))


def plan(state: State) -> Plan:
    """The next round of a tournament."""
    left = budget_left(state)
    if left.is_spent:
        return Plan(reason=f"{_budget(state)} is spent")
    following = _POLICIES[state.brief.pairing](state)
    affordable = within(following.pairings, left)
    if following.pairings and not affordable:
        return Plan(reason=f"what is left of {_budget(state)} is too little for another match")
    return replace(following, pairings=affordable)


def _budget(state: State) -> str:
    brief = state.brief
    if brief.budget is None:
        return f"the budget of {text_budget(brief, len(state.items))} texts shown"
    return f"the budget of {brief.budget} {'comparisons' if brief.group_size == 2 else 'calls'}"


def budget_left(state: State) -> Left:
    """What the budget still allows."""
    brief, texts = state.brief, text_budget(state.brief, len(state.items))
    return Left(
        calls=None if brief.budget is None else brief.budget - state.answered,
        texts=None if texts is None else texts - state.texts,
    )


def text_budget(brief: Brief, items: int) -> int | None:
    """Texts shown at the most; a limit only where the length of the lists, and so the number of calls, is open."""
    return 2 * CALLS_PER_ITEM * items if brief.group_size == AUTO and brief.budget is None else None


def within(pairings: tuple[Planned, ...], left: Left) -> tuple[Planned, ...]:
    """The first matches that fit into what is left."""
    calls, texts = (math.inf if limit is None else limit for limit in (left.calls, left.texts))
    taken: list[Planned] = []
    for planned in pairings:
        calls, texts = calls - planned.calls, texts - planned.calls * len(planned.items)
        if min(calls, texts) < 0:
            break
        taken.append(planned)
    return tuple(taken)


def most_comparisons(brief: Brief, items: int, rounds: int = 0) -> int:
    """How many calls the tournament makes at the most.

    Args:
        brief: What it was asked to do.
        items: Number of items.
        rounds: Rounds planned so far. A tournament of hypotheses goes on for as many sessions as are run: for it, the
            calls are those up to the end of the session that it is in.
    """
    pairs = items * (items - 1) // 2
    if brief.group_size != 2:
        return brief.budget or CALLS_PER_ITEM * items
    asks = {
        "weighted": (rounds + rounds_left(brief, rounds)) * most_in_round(brief, items),
        "informative": items * (items - 1),
        "round-robin": pairs * brief.comparison_rounds,
        "swiss": brief.comparison_rounds
        * swiss.most_matches(items, elimination_count=brief.elimination_count, draws=brief.draws),
    }
    return asks[brief.pairing] if brief.budget is None else min(brief.budget, asks[brief.pairing])


def rounds_left(brief: Brief, rounds: int) -> int:
    """Rounds that the present session of a tournament of hypotheses still has; all of one where the last is over."""
    if brief.system is None:
        return 0
    session = brief.system.scheduling.rounds_per_session
    return session - rounds % session


def most_in_round(brief: Brief, items: int) -> int:
    """Calls that one round of a tournament of hypotheses makes at the most."""
    if brief.system is None:
        return 0
    wanted, limit = brief.system.scheduling.matches_per_round, brief.system.optimization.resource_budget_per_round
    matches = min(wanted, most_each(items, wanted) * items // 2, items * (items - 1) // 2)
    calls = matches * brief.comparison_rounds
    return calls if limit is None else min(calls, int(limit))


def _informative(state: State) -> Plan:
    if enough_played(state) and reached(state.standing.forecast, state.brief.goal):
        return Plan(reason=reached_reason(state))
    if state.brief.group_size == AUTO and not state.rounds:
        return Plan(pairings=pilot_round(state, budget_left(state).texts or 2 * (state.brief.budget or 0)))
    size = group_size(state)
    return _pairs(state) if size == 2 else Plan(pairings=lineups(state, size))


def _pairs(state: State) -> Plan:
    pairs = next_pairs(state, turn=len(state.rounds) + 1)
    if not pairs:
        return Plan(reason="every pair has been asked in both orders")
    orders = alternating_orders(state.brief.comparison_rounds)
    return Plan(pairings=tuple(Pairing(a=first, b=second, orders=orders) for first, second in pairs))


def next_pairs(state: State, *, turn: int, waiting: Iterable[tuple[str, str]] = ()) -> tuple[tuple[str, str], ...]:
    """The pairs that tell most as things stand, first and second in the order of presentation; none when all is asked.

    Args:
        state: Where the tournament is.
        turn: Seeds the choice between equals, with the seed of the tournament.
        waiting: Pairs that were shown to somebody and are not answered yet.
    """
    rng = np.random.default_rng([state.brief.seed, turn])
    ids, index = state.ids, {id: place for place, id in enumerate(state.ids)}
    shown = [(c.first, c.second) for match in state.played for c in match.comparisons]
    asked = PairHistory.of(len(index), ((index[first], index[second]) for first, second in (*shown, *waiting)))
    pairs = informative.plan(
        state.standing.fit.strength,
        state.standing.draws,
        asked,
        state.brief.goal,
        audit_share=state.brief.audit_share,
        rng=rng,
    )
    return tuple((ids[first], ids[second]) for first, second in pairs)


def enough_played(state: State) -> bool:
    """Whether every item was told from two others, so that the forecast rests on evidence and not on the prior."""
    met: dict[str, set[str]] = {id: set() for id in state.ids}
    for match in state.matches:
        if match.outcome is not Outcome.VOID:
            for item in match.items:
                met[item].update(other for other in match.items if other != item)
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
    every = (pairing for past in state.rounds for pairing in past.pairings if isinstance(pairing, Pairing))
    planned = {pairing.key: pairing for pairing in every}
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
    "weighted": weighted_plan,
}
