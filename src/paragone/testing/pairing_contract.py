"""The contract of pairing policies: plans that can be played, the same from the same evidence, and an end."""

from collections.abc import Sequence
from dataclasses import replace
from typing import cast

from paragone.domain import Choice, Comparison, Lineup, Match, Pairing, Planned, RatingConfig, Verdict
from paragone.domain.match import Ranking
from paragone.ledger import PlannedRound
from paragone.testing.samples import require, sample_items
from paragone.tournaments.pairing_registry import policy_named
from paragone.tournaments.planning.schedule import Plan, Policy
from paragone.tournaments.state import TournamentState
from paragone.tournaments.tournament_settings import TournamentSettings

MOST_ROUNDS = 200
_SIZES = (2, 3, 8)


def check_pairing(policy: "str | Policy", *, budget: int = 100) -> None:
    """Check that a pairing keeps the contract: tournaments of several sizes are planned and played to their ends.

    Args:
        policy: Its name, or the policy.
        budget: Comparisons that each tournament may have.

    Raises:
        AssertionError: With the rule that does not hold.
    """
    name = policy if isinstance(policy, str) else "contract"
    plans = cast("Policy", policy_named(policy)) if isinstance(policy, str) else policy
    for items in _SIZES:
        _check_tournament(plans, name, items, budget)


def _check_tournament(policy: "Policy", name: str, items: int, budget: int) -> None:
    settings = TournamentSettings(criteria="c", judge="j", pairing=name, seed=1, budget=budget)
    state = TournamentState(id="contract", settings=settings, config=RatingConfig(), items=sample_items(items))
    most = policy.most_comparisons(settings, items, 0)
    require(most >= 1, f"most_comparisons is a number of calls from 1, not {most!r}")
    calls = 0
    for _ in range(MOST_ROUNDS):
        plan = _plan(policy, state)
        if not plan.pairings:
            require(calls, "the first plan has matches")
            require(plan.reason.strip(), "a plan without matches says why in its reason")
            break
        calls += sum(planned.calls for planned in plan.pairings)
        if calls > budget:
            break
        _play(state, plan.pairings)
    else:
        raise AssertionError(f"a tournament of {items} ends or spends its budget within {MOST_ROUNDS} rounds")
    require(calls <= most, f"most_comparisons says {most}, and {calls} were planned")


def _plan(policy: "Policy", state: TournamentState) -> Plan:
    """The plan, which keeps to the rules, and is the same for a copy of the tournament."""
    before = (list(state.rounds), len(state.played), list(state.events), state.ids)
    plan = policy.plan(state)
    require(isinstance(plan, Plan), f"plan gives a Plan, not {type(plan).__name__}")
    after = (list(state.rounds), len(state.played), list(state.events), state.ids)
    require(before == after, "plan changes nothing in the state")
    copy = replace(state, rounds=state.rounds.copy(), played=state.played.copy(), events=list(state.events))
    require(
        policy.plan(copy) == plan, "the plan follows from evidence and seed alone: what is random is seeded by them"
    )
    for planned in plan.pairings:
        require(isinstance(planned, Pairing | Lineup), f"a plan holds Pairing or Lineup, not {type(planned).__name__}")
        unknown = set(planned.items) - set(state.ids)
        require(not unknown, f"only items of the tournament are paired, not {sorted(unknown)}")
    return plan


def _play(state: TournamentState, pairings: Sequence[Planned]) -> None:
    """Play a round: the item with the higher number wins."""
    number = len(state.rounds) + 1
    state.rounds.append(PlannedRound(number=number, pairings=tuple(pairings)))
    for match, planned in state.open_matches:
        if isinstance(planned, Lineup):
            state.played.append(Match.of(match, planned, (_ranking(match, planned),), round=number))
            continue
        comparisons = tuple(
            Comparison(call=f"{match}.{at}", first=first, second=second, verdict=_verdict(first, second))
            for at, (first, second) in enumerate(map(planned.shown, planned.orders))
        )
        state.played.append(Match.of(match, planned, comparisons, round=number))


def _ranking(match: str, lineup: Lineup) -> Ranking:
    ranked = sorted(range(len(lineup.items)), key=lambda index: -_strength(lineup.items[index]))
    verdict = Verdict(choice=Choice.RANKED, judge="j", order=tuple(ranked))
    return Ranking(call=f"{match}.0", shown=lineup.items, verdict=verdict)


def _verdict(first: str, second: str) -> Verdict:
    return Verdict(choice=Choice.FIRST if _strength(first) > _strength(second) else Choice.SECOND, judge="j")


def _strength(item: str) -> int:
    return int(item.rpartition("-")[2])
