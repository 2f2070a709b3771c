"""What is played next, and why nothing is."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from paragone.domain import Choice, Comparison, Item, Match, Order, Pairing, PairingPolicy, RatingConfig, Verdict
from paragone.ledger import Event, PlannedRound
from paragone.tournaments.planning.schedule import most_comparisons, plan_round, policy_of
from paragone.tournaments.planning.stopping import BudgetLeft, within
from paragone.tournaments.state import TournamentState
from paragone.tournaments.state.matches import PackedMatches
from paragone.tournaments.tournament_settings import settings_for

BOTH = (Order.AB, Order.BA)


def state_of(count, **options):
    brief = settings_for(count, criteria="c", judge="j", **{"seed": 1, **options})
    items = tuple(Item(id=f"i{number}", text=f"{number}") for number in range(count))
    return TournamentState(id="t-1", settings=brief, config=RatingConfig(), items=items)


def played(state):
    """Play a tournament to its end; the item with the larger number wins."""
    while True:
        following = plan_round(state)
        if not following.pairings:
            return following.reason
        number = len(state.rounds) + 1
        state.rounds.append(PlannedRound(number=number, pairings=following.pairings))
        for match_id, pairing in state.open_matches:
            comparisons = tuple(_answer(match_id, *pairing.shown(order)) for order in pairing.orders)
            state.played.append(Match.of(match_id, pairing, comparisons, round=number))


def _answer(match_id, first, second):
    choice = Choice.FIRST if int(first[1:]) > int(second[1:]) else Choice.SECOND
    return Comparison(call=f"{match_id}.{first}", first=first, second=second, verdict=Verdict(choice=choice, judge="j"))


@pytest.mark.parametrize("name", PairingPolicy)
def test_every_policy_has_a_module_of_its_name(name):
    settings = settings_for(6, criteria="c", judge="j", pairing=name.value)
    assert callable(policy_of(settings).plan)
    assert policy_of(settings).most_comparisons(settings, 6, 0) > 0


def test_a_budget_cuts_a_round_short_by_whole_matches():
    pairings = tuple(Pairing(a="x", b=str(number), orders=BOTH) for number in range(5))
    assert within(pairings, BudgetLeft()) == pairings
    assert within(pairings, BudgetLeft(calls=7)) == pairings[:3]
    assert within(pairings, BudgetLeft(calls=1)) == ()


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"budget": 9}, "budget of 9"),
        ({"pairing": "round-robin"}, "everyone has met everyone"),
        ({"pairing": "swiss"}, "only i5 has lost less than 2 times"),
        ({"pairing": "swiss", "budget": 9}, "too little for another match"),
        ({"winner": True, "confidence": 0.6}, "the item on top is the best with probability"),
    ],
)
def test_says_why_it_is_over(options, reason):
    assert reason in played(state_of(6, **options))


def test_there_is_nothing_left_to_ask_once_every_pair_was_asked_in_both_orders():
    state = state_of(4, budget=1000, confidence=0.9999)
    assert "both orders" in played(state)
    asked = [comparison.shown for comparison in state.comparisons]
    assert len(asked) == len(set(asked)) == most_comparisons(state.settings, 4) == 4 * 3


@pytest.mark.parametrize("options", [{"pairing": "swiss"}, {"pairing": "round-robin"}, {"comparison_rounds": 2}])
def test_never_asks_more_than_it_said(options):
    state = state_of(5, **options)
    played(state)
    assert len(state.comparisons) <= most_comparisons(state.settings, 5)


def test_the_plan_follows_from_evidence_and_seed_alone():
    first, second, other = (state_of(6, seed=seed, budget=12) for seed in (1, 1, 2))
    for state in (first, second, other):
        played(state)
    assert first.rounds == second.rounds
    assert first.rounds != other.rounds


def test_a_round_robin_meets_everyone_once():
    state = state_of(7, pairing="round-robin")
    played(state)
    assert len({frozenset((match.a, match.b)) for match in state.played}) == 21


@pytest.mark.parametrize("budget", [None, 4])  # which cuts the second round of the smaller circle
def test_in_a_round_robin_newcomers_meet_everyone_and_nobody_meets_twice(budget):
    state = state_of(5, pairing="round-robin", budget=budget)
    played(state)
    joined = Event(kind="joined", detail={"items": ["i5", "i6"], "round": len(state.rounds) + 1}, at=datetime.now(UTC))
    items = (*state.items, *(Item(id=id, text=id) for id in ("i5", "i6")))
    settings = replace(state.settings, budget=None)
    later = replace(state, settings=settings, items=items, events=[joined], _events_read=1)
    assert "everyone has met everyone" in played(later)
    pairs = [frozenset((match.a, match.b)) for match in later.played]
    assert len(pairs) == len(set(pairs)) == 7 * 6 // 2


def test_what_was_rolled_back_is_no_evidence_but_is_not_asked_again():
    state = state_of(6, budget=12)
    played(state)
    undone = replace(state, rolled_back=frozenset({state.played[0].id}), _posterior=None)
    assert len(undone.matches) == len(state.matches) - 1
    assert undone.open_matches == []
    asked = {(c.first, c.second) for m in undone.played for c in m.comparisons}
    following = plan_round(replace(undone, settings=replace(undone.settings, budget=10_000)))
    assert not asked & {p.shown(order) for p in following.pairings for order in p.orders}


def test_a_round_robin_goes_on_where_a_budget_cut_it_short_and_comes_back_to_what_stayed_open():
    state = state_of(6, pairing="round-robin", budget=4)
    assert "budget" in played(state)
    state.settings = replace(state.settings, budget=None)
    state.played = PackedMatches(state.played[:-1])  # as if that one had failed, and its round were over
    assert played(state) == "everyone has met everyone"
    assert len({frozenset((match.a, match.b)) for match in state.played}) == 15


def test_a_tournament_of_hypotheses_keeps_the_notes_of_its_rounds_and_may_wait(past):
    made = past(6)
    following = plan_round(made.state)
    assert following.notes["number"] == 1
    assert following.notes["forecast_units"] == len(following.pairings) <= 9  # three each is the most in one round
    made.event("retired", items=list(made.state.ids), reason="withdrawn")
    assert (plan_round(made.state).pairings, plan_round(made.state).finished) == ((), False)
