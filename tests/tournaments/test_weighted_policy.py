"""A round as it is planned: the documents' examples, its budget, its notes, and the same plan from the same past."""

import json
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import without_board
from paragone.domain import OptimizationConfig, PolicyConfig, SchedulingConfig, TournamentSystemConfig
from paragone.judges.simulated_judge import SimulatedJudge
from paragone.pairing.weighted import ENOUGH, REACH
from paragone.tournaments.planning import weighted_policy
from paragone.tournaments.planning.round_draw import offers
from paragone.tournaments.planning.schedule import most_comparisons, plan_round
from paragone.tournaments.planning.tier_strategies import round_state
from paragone.tournaments.state import TournamentState
from paragone.tournaments.tournament import Tournament


def system(matches=50, budget=None, **policy):
    return TournamentSystemConfig(
        scheduling=SchedulingConfig(matches_per_round=matches),
        optimization=OptimizationConfig(resource_budget_per_round=budget),
        policy=PolicyConfig(clear_winner_gap=3000, **policy),
    )


def test_round_7_of_document_t(past):
    """150 active hypotheses: 15 multi-turn debates for those rated 1400+ and 35 single-turn comparisons."""
    ratings = {f"h{n}": 1401 + 5 * n if n < 30 else 1100 + n for n in range(150)}
    made = past(ratings, matches=6)
    found = weighted_policy.plan(made.state)
    debates = [pairing for pairing in found.pairings if pairing.turns]
    assert (len(found.pairings), len(debates)) == (50, 15)
    assert {pairing.turns for pairing in debates} == {4}
    assert found.notes["forecast_units"] == 15 * 9 + 35 == 170
    assert max(Counter(item for pairing in found.pairings for item in pairing.items).values()) == 1


def test_the_elite_match_of_document_r(past):
    made = past({"KIRA6": 1650, "BET": 1620}, system=system())
    (pairing,) = weighted_policy.plan(made.state).pairings
    assert (pairing.turns, pairing.units) == (5, 11)
    made.plan(weighted_policy.plan(made.state))
    made.play(lambda a, b: "KIRA6")
    assert made.state.ratings["KIRA6"].elo == pytest.approx(1665, abs=0.5)
    assert made.state.ratings["BET"].elo == pytest.approx(1605, abs=0.5)


def test_a_budget_degrades_strong_and_defers_elite_matches_which_come_back(past):
    ratings = {**{f"e{n}": 1700 + n for n in range(4)}, **{f"s{n}": 1450 + n for n in range(4)}}
    made = past(ratings, system=system(matches=4, budget=30))
    first = weighted_policy.plan(made.state)
    # Elite may take 12 of the 30 units: a debate of 11. What it leaves and Strong's own 9: a debate of 9 and a call
    assert first.notes["by_tier"] == {"elite": 11, "strong": 10, "average": 0, "developing": 0}
    assert first.notes["forecast_units"] == 21
    assert first.notes["load"] == pytest.approx((2 * 11 + 2 * 9) / 30)
    (deferred,), (degraded,) = first.notes["deferred"], first.notes["degraded"]
    assert [pairing.items for pairing in first.pairings if pairing.degraded] == [tuple(degraded)]
    assert "mandatory" in first.notes["reasons"]["deferred"]
    made.plan(first)
    made.play(lambda a, b: None)
    second = weighted_policy.plan(made.state)
    assert sorted(deferred) in second.notes["returning"]
    assert second.pairings[0].key == tuple(sorted(deferred))


def test_a_budget_that_pays_for_nothing_is_said(past):
    made = past({"a": 1700, "b": 1690}, system=system(budget=20))
    assert weighted_policy.plan(made.state).reason == (
        "a round's budget of 20 compute units pays for none of its 1 matches: the least of them takes 11, and its tier "
        "has a share of that budget alone"
    )


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.integers(2, 60), st.integers(1, 60), st.floats(1, 300), st.integers(0, 2**32 - 1))
def test_a_round_never_takes_more_than_its_budget(past, items, matches, budget, seed):
    rng = np.random.default_rng(seed)
    ratings = {f"h{n}": float(rating) for n, rating in enumerate(rng.normal(1350, 200, items))}
    made = past(ratings, matches=int(rng.integers(0, 10)), system=system(matches, budget), comparison_rounds=2)
    found = weighted_policy.plan(made.state, matches=matches)
    assert sum(pairing.units for pairing in found.pairings) <= budget
    assert sum(pairing.units for pairing in found.pairings) == found.notes.get("forecast_units", 0)
    assert len({pairing.key for pairing in found.pairings}) == len(found.pairings) <= matches


def test_the_tournaments_own_budget_is_kept_too(past):
    made = past(10, matches=0, system=system(4), budget=7, comparison_rounds=2)
    sizes = []
    while (found := plan_round(made.state)).pairings:
        sizes.append(len(found.pairings))
        made.plan(found)
        made.play(lambda a, b: a)
    assert (sizes, found.reason) == ([3], "what is left of the budget of 7 comparisons is too little for another match")


def test_without_a_judge_that_hears_debates_there_are_none(past):
    made = past({"a": 1700, "b": 1690, "c": 1500, "d": 1490}, system=system(budget=25))
    made.state.debates = False
    found = weighted_policy.plan(made.state)
    assert {(pairing.turns, pairing.degraded) for pairing in found.pairings} == {(0, False)}
    assert (found.notes["degraded"], found.notes["deferred"]) == ([], [])


def test_a_task_says_who_plays_and_how_much_whatever_has_settled(past):
    made = past({"far": 2000, "a": 1200, "b": 1210, "c": 1220, "d": 1230})
    assert weighted_policy.plan(made.state).reason.startswith("there is a clear winner")
    found = weighted_policy.plan(made.state, among=("a", "b", "c"), matches=1)
    assert [set(pairing.items) <= {"a", "b", "c"} for pairing in found.pairings] == [True]


def test_who_is_retired_or_yet_to_come_does_not_play(past):
    made = past(6)
    made.event("retired", items=["i0", "i1"], reason="withdrawn")
    made.event("returned", items=["i1"], reason="back")
    made.event("joined", items=["i5"], round=2)
    playing = {item for pairing in weighted_policy.plan(made.state).pairings for item in pairing.items}
    assert playing == {"i1", "i2", "i3", "i4"}
    made.event("retired", items=["i1", "i2", "i3"], reason="withdrawn")
    alone = weighted_policy.plan(made.state)
    assert (alone.reason, alone.finished) == ("1 of 6 can play: a match needs two", False)


def test_new_hypotheses_are_explored_and_the_best_validated(past):
    old = {f"i{n}": 1000 + 5 * n for n in range(100)}
    made = past(
        {**old, "new1": 1200, "new2": 1230}, matches={**dict.fromkeys(old, 40), "new1": 0, "new2": 1}, system=system(10)
    )
    made.event("joined", items=["new1", "new2"], round=1)
    found = weighted_policy.plan(made.state)
    playing = {item for pairing in found.pairings for item in pairing.items}
    assert {"new1", "new2"} <= playing
    assert found.notes["explored"] == sum(bool({"new1", "new2"} & set(pairing.items)) for pairing in found.pairings)
    best = sorted(old, key=old.get)[-6:]
    assert len(playing & set(best)) >= 3  # three of the ten matches are kept for them


def test_nobody_is_left_behind_and_each_is_shown_first_as_often_as_second(past):
    made = past(40, matches=0, system=system(8))
    for _ in range(30):
        found = weighted_policy.plan(made.state, matches=8)
        made.plan(found)
        made.play(lambda a, b: None)  # who loses five in a row rests
    played = [rating.matches for rating in made.state.ratings.values()]
    assert min(played) >= 8  # twelve each on average
    leads = [made.state.history.leads[id] for id in made.state.ids]
    assert max(map(abs, leads)) <= 2


def test_the_seed_decides_between_equals_and_nothing_else(past):
    equal = [weighted_policy.plan(past(20, seed=seed).state, matches=5).pairings for seed in (1, 1, 2)]
    assert equal[0] == equal[1] != equal[2]
    spread = {f"i{n}": 1000 + n**2 for n in range(20)}
    keys = [
        {
            pairing.key
            for pairing in weighted_policy.plan(
                past(spread, seed=seed, system=system(exploration_share=0)).state
            ).pairings
        }
        for seed in (1, 2)
    ]
    assert keys[0] == keys[1]


def test_loaded_from_its_ledger_it_plans_the_same():
    strengths = {f"h{n}": n / 5 for n in range(24)}
    judge = SimulatedJudge(strengths, noise=0.5, seed=3)
    parameters = replace(system(8, 40), scheduling=SchedulingConfig(matches_per_round=8, rounds_per_session=4))
    options = {"judge": judge, "criteria": "c", "pairing": "weighted", "system": parameters, "seed": 3}
    with Tournament.create({id: id for id in strengths}, **options) as made:
        without_board.run(made)
        loaded = TournamentState.load(made.ledger, made.state.id)
        assert len(loaded.rounds) == 4
        assert weighted_policy.plan(loaded) == weighted_policy.plan(made.state)


def test_notes_are_plain_json(past):
    made = past(30, system=system(10, 8))
    made.event("request", id="r", hypothesis_id="i3")
    notes = weighted_policy.plan(made.state).notes
    assert json.loads(json.dumps(notes)) == notes


def test_what_a_session_makes_at_the_most(past):
    made = past(150, system=system(50), comparison_rounds=2)
    brief = made.state.settings
    assert most_comparisons(brief, 150) == most_comparisons(brief, 150, 9) == 10 * 50 * 2
    assert most_comparisons(brief, 150, 10) == 2 * 1000
    assert most_comparisons(brief, 4) == 10 * 6 * 2  # there are no more than six pairs of four
    assert most_comparisons(replace(brief, budget=70), 150) == 70
    assert most_comparisons(past(150, system=system(50, 20)).state.settings, 150) == 10 * 20


class Ring:
    """Everybody is like the ten next to it in a ring."""

    def __init__(self, count):
        self.count = count

    def similarity(self, a, b):
        gap = abs(int(a[1:]) - int(b[1:]))
        return max(0.0, 1.0 - min(gap, self.count - gap) / 50)

    def neighbours(self, id):
        near = (f"i{(int(id[1:]) + step) % self.count}" for step in (-5, -4, -3, -2, -1, 1, 2, 3, 4, 5))
        return tuple((other, self.similarity(id, other)) for other in near)

    def cluster_of(self, id):
        return int(id[1:]) // 100


def test_among_many_it_finds_about_as_good_a_round_as_by_looking_at_all_pairs(past, monkeypatch):
    rng = np.random.default_rng(1)
    ratings = {f"i{n}": float(rating) for n, rating in enumerate(rng.normal(1200, 150, 500))}
    matches = {id: int(rng.integers(5, 30)) for id in ratings}
    made = past(ratings, matches=matches, system=system(20))
    made.state.proximity = Ring(500)

    def worth(found):
        gaps = [abs(ratings[p.a] - ratings[p.b]) for p in found.pairings]
        alike = [made.state.proximity.similarity(p.a, p.b) for p in found.pairings]
        return np.mean(
            [0.5 / np.cosh(gap * np.log(10) / 800) ** 2 + 0.3 * near for gap, near in zip(gaps, alike, strict=True)]
        )

    quick = worth(weighted_policy.plan(made.state))
    monkeypatch.setattr("paragone.pairing.weighted.EVERY_PAIR", 1000)
    assert quick >= 0.97 * worth(weighted_policy.plan(made.state))


def test_pairs_that_are_looked_at_stay_as_few_however_many_have_met(past, monkeypatch):
    monkeypatch.setattr("paragone.pairing.weighted.EVERY_PAIR", 100)
    rng = np.random.default_rng(3)
    made = past({f"i{n}": float(rating) for n, rating in enumerate(rng.normal(1200, 150, 104))}, system=system(20))
    ids = made.state.ids
    pairs = [(ids[a], ids[b]) for a in range(104) for b in range(a)]
    order, met, looked_at = rng.permutation(len(pairs)).tolist(), 0, []
    for share in (0.0, 0.2, 0.6, 0.9, 1.0):
        meeting, met = order[met : round(share * len(order))], round(share * len(order))
        made.round(*(pairs[number] for number in meeting))
        now = round_state(made.state)
        looked_at.append(offers(now, 20).a.size)
    assert max(looked_at) <= 104 * (REACH + ENOUGH)
    assert max(looked_at) <= 1.5 * looked_at[0]
    assert min(looked_at) > 0


def test_a_round_of_fifty_among_a_hundred_thousand_takes_less_than_two_seconds(past, cpu_seconds):
    count = 100_000
    rng = np.random.default_rng(1)
    ratings = {f"i{n}": float(rating) for n, rating in enumerate(rng.normal(1200, 150, count))}
    made = past(ratings, matches=20)
    made.state.proximity = Ring(count)
    found, seconds = cpu_seconds(lambda: weighted_policy.plan(made.state))
    assert seconds < 2.0
    assert len(found.pairings) == 50
