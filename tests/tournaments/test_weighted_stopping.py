"""Why a tournament of hypotheses ends, in words, and that it does so at the same point wherever it is resumed."""

from dataclasses import replace

import numpy as np
import pytest

from paragone.domain import OptimizationConfig, PolicyConfig, SchedulingConfig, TournamentSystemConfig
from paragone.tournaments.planning import weighted_policy
from paragone.tournaments.planning.tier_strategies import round_state
from paragone.tournaments.planning.weighted_policy import past_ratings, stagnant


def better(a, b):
    return a if int(a[1:]) > int(b[1:]) else b


def system(threshold=0.95, matches=5, **policy):
    return TournamentSystemConfig(
        scheduling=SchedulingConfig(matches_per_round=matches),
        optimization=OptimizationConfig(rating_stability_threshold=threshold),
        policy=PolicyConfig(**policy),
    )


def run(made, winner_of, most=200):
    """Play to the end, as ``(rounds, reason)``."""
    for _ in range(most):
        plan = weighted_policy.plan(made.state)
        if not plan.pairings:
            return len(made.state.rounds), plan.reason
        made.plan(plan)
        made.play(winner_of)
    return most, ""


@pytest.mark.parametrize(
    ("first", "second", "matches", "over"),
    [(1701, 1300, 5, True), (1700, 1300, 5, False), (1701, 1300, 4, False)],
)
def test_a_clear_winner_ends_it_once_everybody_is_trusted(past, first, second, matches, over):
    made = past({"a": first, "b": second, "c": 1200}, matches={"a": matches, "b": 9, "c": 9})
    plan = weighted_policy.plan(made.state)
    assert bool(plan.pairings) is not over
    if over:
        assert plan.reason.startswith("there is a clear winner: 'a' leads by 401 Elo points, more than 400")
        assert plan.finished


def test_a_new_hypothesis_is_played_before_a_clear_winner_ends_it(past):
    made = past({"a": 1800, "b": 1300, "new": 1200}, matches={"a": 9, "b": 9, "new": 0})
    assert any("new" in pairing.items for pairing in weighted_policy.plan(made.state).pairings)


def test_a_ranking_that_stays_as_it_is_ends_it(past):
    rounds, reason = run(past(10, matches=0, system=system()), better)
    assert "the ranking is stable: its rank correlation with the one before was" in reason
    assert "(the parameters ask for 0.95)" in reason
    assert "the top 10 stayed the same" in reason
    assert rounds >= 10  # everybody has ten matches at the least


def test_a_judge_that_draws_lots_brings_no_stable_ranking(past):
    rng = np.random.default_rng(1)
    rounds, reason = run(past(24, matches=0, system=system()), lambda a, b: (a, b)[rng.integers(2)], most=40)
    assert (rounds, reason) == (40, "")


def test_a_pair_is_asked_once_in_each_order_and_not_again(past):
    made = past(4, matches=0, system=system(1.0, rest_after_losses=50))
    rounds, reason = run(made, better)
    asked = [(c.first, c.second) for match in made.state.played for c in match.comparisons]
    assert len(asked) == len(set(asked)) == 4 * 3
    assert rounds < 200
    assert reason == "every pair that could meet has been asked in both orders"


def test_a_pair_that_was_compared_may_still_debate(past):
    made = past(2, matches=0, system=system(1.0))
    assert run(made, better)[1].startswith("every pair")
    made.state.ratings = {id: replace(rating, elo=1500.0) for id, rating in made.state.ratings.items()}
    plan = weighted_policy.plan(made.state)
    assert [(pairing.key, pairing.turns) for pairing in plan.pairings] == [(("i0", "i1"), 4)]


def test_a_threshold_of_one_asks_for_more(past):
    limit, strict = (run(past(10, matches=0, system=system(of)), better)[0] for of in (0.8, 1.0))
    assert limit < strict


def test_resumed_anywhere_it_stops_at_the_same_point_with_the_same_plans(past):
    made = past(10, matches=0, system=system(0.9))
    plans = []
    while (plan := weighted_policy.plan(made.state)).pairings:
        assert weighted_policy.plan(made.again()) == plan
        plans.append(plan)
        made.plan(plan)
        made.play(better)
    assert weighted_policy.plan(made.again()) == plan
    assert plan.reason


def test_ratings_are_rewound_to_what_they_were(past):
    made = past(8, matches=0, system=system(matches=4))
    snapshots = []
    for _ in range(4):
        snapshots.append([made.state.ratings[id].elo for id in made.state.ids])
        made.plan(weighted_policy.plan(made.state))
        made.play(better)
    tables = past_ratings(made.state, round_state(made.state), 3)  # all eight play in each round
    assert len(tables) == 4
    for table, snapshot in zip(tables, snapshots[1:], strict=False):
        assert table == pytest.approx(snapshot, abs=1e-5)  # played ratings are on a grid of 1e-8 nats


def test_the_first_and_the_last_do_not_change_rank_and_are_marked(past):
    ratings = {"top": 2000, "low": 400, **{f"i{n}": 1200 for n in range(6)}}
    made = past(ratings, system=system(matches=3, clear_winner_gap=3000))
    for number in range(10):
        made.round(
            (f"i{number % 6}", "low"), ("top", f"i{(number + 1) % 6}"), (f"i{(number + 2) % 6}", f"i{(number + 3) % 6}")
        )
    assert {"top", "low"} <= set(stagnant(made.state, round_state(made.state)))
    assert weighted_policy.plan(made.state).notes["brackets"]["stagnant"][:2] == ["top", "low"]
