"""Champions and challengers, clusters, the fast track, rest."""

import numpy as np
import pytest

from paragone.domain import PolicyConfig, SchedulingConfig, TournamentSystemConfig
from paragone.errors import NotFound
from paragone.tournaments.planning import weighted_policy
from paragone.tournaments.planning.tier_strategies import round_state


class Clusters:
    """Items of one cluster are alike, others are not; whoever is in none is unknown."""

    def __init__(self, **clusters):
        self.number = {item: number for number, items in enumerate(clusters.values()) for item in items.split()}

    def cluster_of(self, id):
        if id not in self.number:
            raise NotFound(id)
        return self.number[id]

    def similarity(self, a, b):
        return 0.9 if self.cluster_of(a) == self.cluster_of(b) else 0.1

    def neighbours(self, id):
        own = self.cluster_of(id)
        return tuple((other, 0.9) for other, number in self.number.items() if number == own and other != id)


def small(matches=2, **policy):
    return TournamentSystemConfig(
        scheduling=SchedulingConfig(matches_per_round=matches), policy=PolicyConfig(clear_winner_gap=3000, **policy)
    )


def met(plan):
    return {frozenset(pairing.items) for pairing in plan.pairings}


def test_elite_meets_across_clusters_and_developing_within(past):
    ratings = {"a1": 1700, "a2": 1700, "b1": 1700, "b2": 1700, "c1": 1000, "c2": 1000, "d1": 1000, "d2": 1000}
    made = past(ratings, system=small(4))
    made.state.proximity = Clusters(a="a1 a2", b="b1 b2", c="c1 c2", d="d1 d2")
    found = met(weighted_policy.plan(made.state))
    assert {frozenset(("c1", "c2")), frozenset(("d1", "d2"))} <= found
    elite = [pair for pair in found if pair <= {"a1", "a2", "b1", "b2"}]
    assert len(elite) == 2
    assert not {frozenset(("a1", "a2")), frozenset(("b1", "b2"))} & found


def test_between_others_likeness_counts_and_the_unknown_is_unlike(past):
    made = past({"a1": 1200, "a2": 1200, "b1": 1200, "b2": 1200, "x": 1200}, system=small(2))
    made.state.proximity = Clusters(a="a1 a2", b="b1 b2")
    assert met(weighted_policy.plan(made.state)) == {frozenset(("a1", "a2")), frozenset(("b1", "b2"))}


def test_the_champion_meets_the_best_it_has_not_met(past):
    ratings = {"champion": 1720, "second": 1700, "third": 1650, **{f"i{n}": 1200 for n in range(9)}}
    made = past(ratings, system=small())
    plan = weighted_policy.plan(made.state)
    assert plan.notes["brackets"]["champion"] == ["champion", "second"]
    made.plan(plan)
    made.play(lambda a, b: None)
    assert weighted_policy.plan(made.state).notes["brackets"]["champion"] == ["champion", "third"]


@pytest.mark.parametrize(
    "ratings",
    [
        {"best": 1599, "second": 1590},  # no champion before anybody is Elite
        {"best": 2000, "second": 1450},  # practically certain to lose
        {"best": 1650, "second": 1390},  # neither Elite nor Strong
    ],
)
def test_there_is_no_challenge_without_champion_or_challenger(past, ratings):
    made = past({**ratings, "x": 1200, "y": 1210}, system=small(1))
    assert weighted_policy.plan(made.state).notes["brackets"]["champion"] is None


def wins_and_losses(made, newcomer, record):
    for number, letter in enumerate(record):
        pair = (newcomer, f"i{number}") if letter == "w" else (f"i{number}", newcomer)
        made.round(pair)


@pytest.mark.parametrize(
    ("record", "promoted"),
    [("wwwww", True), ("wlwwww", True), ("wwwwwl", True), ("wwlwwl", False), ("wwww", False), ("lwlwwww", False)],
)
def test_five_wins_of_the_first_six_are_the_fast_track_to_a_strong_challenger(past, record, promoted):
    ratings = {"new": 1200, "strong": 1420, "stronger": 1500, **{f"i{n}": 1200 for n in range(8)}}
    made = past(ratings, matches={**dict.fromkeys(ratings, 10), "new": 0}, system=small(4))
    wins_and_losses(made, "new", record)
    plan = weighted_policy.plan(made.state)
    expected = [["new", "strong"]] if promoted else []
    assert plan.notes["brackets"]["fast_track"] == expected
    assert (frozenset(("new", "strong")) in met(plan)) is promoted
    made.plan(plan)
    made.play(lambda a, b: "strong")
    assert weighted_policy.plan(made.state).notes["brackets"]["fast_track"] == []  # once


def test_a_newcomer_that_is_strong_already_challenges_an_elite_one(past):
    """Document R, "Fast-Track Success": 5 of the first 6 won, rated 1425, scheduled for an elite challenger match."""
    ratings = {"viral vector": 1340, "elite": 1650, "strong": 1430, **{f"i{n}": 1390 for n in range(6)}}
    made = past(ratings, matches={**dict.fromkeys(ratings, 10), "viral vector": 0}, system=small(4))
    wins_and_losses(made, "viral vector", "wwlwww")
    assert made.state.ratings["viral vector"].elo == pytest.approx(1425, abs=20)
    assert weighted_policy.plan(made.state).notes["brackets"]["fast_track"] == [["viral vector", "elite"]]


def test_the_fast_track_waits_for_a_strong_one_and_can_be_switched_off(past):
    for system, strong in ((small(4), 1300), (small(4, enable_fast_track=False), 1420)):
        ratings = {"new": 1200, "strong": strong, **{f"i{n}": 1200 for n in range(8)}}
        made = past(ratings, matches={**dict.fromkeys(ratings, 10), "new": 0}, system=system)
        wins_and_losses(made, "new", "wwwww")
        assert weighted_policy.plan(made.state).notes["brackets"]["fast_track"] == []


def beaten(past, *, matches=0, losses=5):
    """A tournament whose ``i0`` has lost its last matches."""
    made = past(10, matches=matches, system=small(3))
    for number in range(1, losses + 1):
        made.round((f"i{number}", "i0"))
    return made


def rests(made):
    return "i0" in weighted_policy.plan(made.state).notes["brackets"]["resting"]


def test_five_losses_in_a_row_rest_an_item_for_as_long_as_nothing_changes(past):
    made = beaten(past)
    for _ in range(12):
        plan = weighted_policy.plan(made.state)
        assert "i0" in plan.notes["brackets"]["resting"]
        assert not any("i0" in pairing.items for pairing in plan.pairings)
        made.plan(plan)
        made.play(lambda a, b: None)
    others = [made.state.ratings[f"i{n}"].matches for n in range(1, 10)]
    assert np.median([*others, 5]) >= 5, "it rests though the others have played more"


@pytest.mark.parametrize("kind", ["returned", "reviewed"])
def test_who_rests_plays_again_once_something_changed_until_it_has_lost_again(past, kind):
    made = beaten(past)
    assert rests(made)
    made.event(kind, items=["i0"], reason="new data")
    assert not rests(made)
    made.round(("i6", "i0"))
    assert rests(made)


def test_who_is_named_for_a_round_plays_in_it(past):
    made = beaten(past)
    assert weighted_policy.plan(made.state, among=["i0", "i7"], matches=1).pairings[0].items in (
        ("i0", "i7"),
        ("i7", "i0"),
    )


def test_who_rests_does_not_keep_the_ranking_from_settling(past):
    made = beaten(past, matches={"i0": 5, **{f"i{n}": 12 for n in range(1, 10)}})
    now = round_state(made.state)
    assert now.resting == ("i0",)
    assert now.least_matches == 12 > made.state.ratings["i0"].matches


def test_four_losses_and_a_draw_are_no_reason_to_rest(past):
    made = past(10, matches=0, system=small(3))
    for number in range(1, 5):
        made.round((f"i{number}", "i0"))
    assert weighted_policy.plan(made.state).notes["brackets"]["resting"] == []


def test_nobody_rests_where_too_few_are_left(past):
    made = past(2, matches=10, system=small(1, min_matches_for_stability=20))
    for _ in range(6):
        made.round(("i0", "i1"))
    assert len(weighted_policy.plan(made.state).pairings) == 1
