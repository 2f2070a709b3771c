"""Matches that somebody asked for: priorities, reasons for a refusal, and nothing served twice."""

import pytest

from paragone.domain import Pairing, SchedulingConfig, TournamentSystemConfig
from paragone.tournaments.planning import weighted_policy
from paragone.tournaments.planning.round_draw import queue
from paragone.tournaments.planning.tier_strategies import round_state

SMALL = TournamentSystemConfig(scheduling=SchedulingConfig(matches_per_round=2))


def keys(plan):
    return [pairing.key for pairing in plan.pairings]


def ask(past, id, hypothesis, priority="medium", opponent=None):
    past.event("request", id=id, hypothesis_id=hypothesis, priority=priority, opponent_id=opponent)


def test_the_urgent_come_first_and_among_those_the_oldest(past):
    made = past(10)
    for id, priority in (("r1", "low"), ("r2", "medium"), ("r3", "high"), ("r4", "medium"), ("r5", "high")):
        ask(made, id, f"i{id[1]}", priority)
    found = queue(made.state, round_state(made.state))
    assert [request.id for request in found.waiting] == ["r3", "r5", "r2", "r4", "r1"]


def test_a_round_serves_what_it_has_room_for_and_nothing_twice(past):
    made = past(12, system=SMALL)
    for number, (a, b) in enumerate([(0, 1), (2, 3), (4, 5)]):
        ask(made, f"r{number}", f"i{a}", opponent=f"i{b}")
    served = []
    for _ in range(3):
        plan = weighted_policy.plan(made.state)
        served += plan.notes["served"]
        made.plan(plan)
        made.play(lambda a, b: None)
    assert served == ["r0", "r1", "r2"]
    assert keys(made.state.rounds[0]) == [("i0", "i1"), ("i2", "i3")]
    assert ("i4", "i5") in keys(made.state.rounds[1])


def test_a_request_may_leave_the_opponent_open(past):
    made = past({"a": 1200, "near": 1210, "b": 1500, "c": 1510, "d": 900, "e": 905}, system=SMALL)
    ask(made, "r", "a", "high")
    plan = weighted_policy.plan(made.state)
    assert keys(plan)[0] == ("a", "near")
    assert plan.notes["served"] == ["r"]


@pytest.mark.parametrize(
    ("hypothesis", "opponent", "priority", "reason"),
    [
        ("nobody", None, "high", "there is no item 'nobody' in this tournament"),
        ("i1", "nobody", "high", "there is no item 'nobody' in this tournament"),
        ("i1", "i1", "high", "'i1' cannot meet itself"),
        ("i9", None, "high", "'i9' is retired: out of date"),
        ("i1", None, "urgent", "the priority is high, medium or low, not 'urgent'"),
    ],
)
def test_what_cannot_be_is_refused_once_with_the_reason(past, hypothesis, opponent, priority, reason):
    made = past(10)
    made.event("retired", items=["i9"], reason="out of date")
    ask(made, "r", hypothesis, priority, opponent)
    plan = weighted_policy.plan(made.state)
    assert (plan.notes["refused"], plan.notes["served"]) == ([{"id": "r", "reason": reason}], [])
    made.plan(plan)
    made.play(lambda a, b: a)
    assert weighted_policy.plan(made.state).notes["refused"] == []


def test_a_request_for_one_that_may_not_play_yet_waits_for_it(past):
    made = past(6)
    made.event("joined", items=["i5"], round=2)
    ask(made, "r", "i5", "high")
    first = weighted_policy.plan(made.state)
    made.plan(first)
    made.play(lambda a, b: a)
    assert "i5" not in {item for pairing in first.pairings for item in pairing.items}
    assert weighted_policy.plan(made.state).notes["served"] == ["r"]


def test_a_match_that_nobody_answered_comes_back_twice(past):
    made = past(6, system=SMALL)
    made.plan(weighted_policy.plan(made.state))
    poor = made.state.rounds[0].pairings[0]
    for _ in range(3):
        for id, pairing in made.state.open_matches:
            if pairing.key != poor.key:
                made.record(id, pairing, None)
        plan = weighted_policy.plan(made.state)
        made.plan(plan)
    returns = [event.detail.get("returning") for event in made.state.events]
    assert [list(poor.key) in pairs for pairs in returns] == [False, True, True, False]


def test_a_request_is_played_even_where_the_ranking_has_settled(past):
    made = past({"first": 2000, "second": 1200, "third": 1190})
    assert not weighted_policy.plan(made.state).pairings
    ask(made, "r", "third", opponent="second")
    assert ("second", "third") in keys(weighted_policy.plan(made.state))


def test_a_request_wakes_one_that_rests(past):
    made = past(20, matches=0)
    for number in range(1, 6):
        made.round((f"i{number}", "i0"))
    assert "i0" in weighted_policy.plan(made.state).notes["brackets"]["resting"]
    ask(made, "r", "i0", "low")
    plan = weighted_policy.plan(made.state)
    assert plan.notes["served"] == ["r"]
    assert any("i0" in pairing.items for pairing in plan.pairings)
    assert all(isinstance(pairing, Pairing) for pairing in plan.pairings)
