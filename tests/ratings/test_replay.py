"""Replay: one definition of how matches make ratings, by steps, at once, and over arrays."""

import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from paragone.domain import Match, Outcome, Rating, RatingConfig
from paragone.ratings.k_factor import DecreasingK
from paragone.ratings.replay import Replay, replay, replay_arrays, step

A, B, DRAW, VOID = Outcome.A, Outcome.B, Outcome.DRAW, Outcome.VOID
CONFIG = RatingConfig()


def match(number, a, b, outcome, confidence=1.0):
    return Match(id=f"m{number}", a=a, b=b, outcome=outcome, confidence=confidence)


@st.composite
def histories(draw, outcomes=(A, B, DRAW, VOID), most=40):
    ids = [f"i{number}" for number in range(draw(st.integers(2, 6)))]
    pairs = st.permutations(ids).map(lambda order: order[:2])
    played = draw(st.lists(st.tuples(pairs, st.sampled_from(outcomes), st.floats(0, 1.5)), max_size=most))
    return ids, [match(number, *pair, outcome, weight) for number, (pair, outcome, weight) in enumerate(played)]


def test_two_matches_by_hand():
    played = replay([match(1, "x", "y", A), match(2, "y", "z", DRAW, 0.5)], CONFIG)
    x, y, z = (played.ratings[item] for item in "xyz")
    assert x == Rating(item="x", elo=1216, matches=1, wins=1)
    # y at 1184 draws with z at 1200: expected 0.476990, K 16
    assert y == Rating(item="y", elo=pytest.approx(1184.368153, abs=1e-6), matches=2, losses=1, ties=1)
    assert z == Rating(item="z", elo=pytest.approx(1199.631847, abs=1e-6), matches=1, ties=1)
    assert [(change.item, change.match) for change in played.changes] == [
        ("x", "m1"),
        ("y", "m1"),
        ("y", "m2"),
        ("z", "m2"),
    ]
    assert [change.k for change in played.changes] == [32, 32, 16, 16]


def test_one_step_gives_the_new_ratings_and_the_record_of_them():
    x, y = Rating(item="x", elo=1650), Rating(item="y", elo=1620, matches=4, wins=1, losses=3)
    after, changes = step((x, y), match(1, "x", "y", A), CONFIG)
    assert [(rating.item, round(rating.elo), rating.matches, rating.wins, rating.losses) for rating in after] == [
        ("x", 1665, 1, 1, 0),
        ("y", 1605, 5, 1, 4),
    ]
    assert [(change.item, change.match, change.old, change.new) for change in changes] == [
        ("x", "m1", 1650, after[0].elo),
        ("y", "m1", 1620, after[1].elo),
    ]
    assert (x.elo, y.elo) == (1650, 1620)


def test_a_clamp_is_in_the_record():
    x, y = Rating(item="x", elo=3990), Rating(item="y", elo=3990)
    after, changes = step((x, y), match(1, "x", "y", A), CONFIG)
    assert [rating.elo for rating in after] == [4000, 3974]
    assert [(change.change, change.clamped) for change in changes] == [(10, 6), (-16, 0)]


def test_a_void_match_changes_nothing():
    before = (Rating(item="x", elo=1300), Rating(item="y", elo=1100))
    assert step(before, match(1, "x", "y", VOID), CONFIG) == (before, ())


@given(histories())
@settings(deadline=None)
def test_void_matches_leave_no_trace(history):
    _, matches = history
    counted = [match for match in matches if match.outcome is not VOID]
    assert replay(matches, CONFIG) == replay(counted, CONFIG)
    assert len(replay(matches, CONFIG).changes) == 2 * len(counted)


def test_items_that_have_not_played_have_the_initial_rating():
    played = replay([match(1, "x", "y", A), match(2, "x", "w", VOID)], RatingConfig(initial=1500), ["z", "x"])
    assert played.ratings["z"] == Rating(item="z", elo=1500)
    assert list(played.ratings) == ["z", "x", "y"]
    assert replay([], CONFIG) == Replay(ratings={}, changes=())


@given(histories(), st.integers(0, 40))
@settings(deadline=None)
def test_a_replay_in_two_parts_is_the_replay_of_all(history, cut):
    ids, matches = history
    schedule = DecreasingK()
    whole = replay(matches, CONFIG, ids, schedule=schedule)
    head = replay(matches[:cut], CONFIG, ids, schedule=schedule)
    tail = replay(matches[cut:], CONFIG, start=head.ratings, schedule=schedule)
    assert tail.ratings == whole.ratings
    assert head.changes + tail.changes == whole.changes


@given(histories())
@settings(deadline=None)
def test_steps_are_a_replay(history):
    ids, matches = history
    ratings = {item: Rating(item=item, elo=CONFIG.initial) for item in ids}
    for each in matches:
        (ratings[each.a], ratings[each.b]), _ = step((ratings[each.a], ratings[each.b]), each, CONFIG)
    assert ratings == replay(matches, CONFIG, ids).ratings


@given(histories())
@settings(deadline=None)
def test_points_and_counters_are_conserved(history):
    ids, matches = history
    played = replay(matches, CONFIG, ids)
    assert sum(rating.elo for rating in played.ratings.values()) == pytest.approx(1200 * len(ids), abs=1e-6)
    assert sum(r.wins for r in played.ratings.values()) == sum(r.losses for r in played.ratings.values())
    assert all(r.matches == r.wins + r.losses + r.ties for r in played.ratings.values())
    assert sum(r.matches for r in played.ratings.values()) == len(played.changes)
    for item, rating in played.ratings.items():
        moves = [change for change in played.changes if change.item == item]
        assert [change.old for change in moves] == [1200.0, *(change.new for change in moves)][: len(moves)]
        assert rating.elo == (moves[-1].new if moves else 1200.0)


@pytest.mark.parametrize("weights", [False, True])
@pytest.mark.parametrize("config", [CONFIG, RatingConfig(k=400, floor=1100, ceiling=1300)])
def test_arrays_give_the_same_ratings_to_the_last_bit(config, weights):
    rng = np.random.default_rng(3)
    count, items = 2000, 40
    a = rng.integers(0, items, count)
    b = (a + rng.integers(1, items, count)) % items
    score = rng.choice([0.0, 0.5, 1.0], count)
    weight = rng.uniform(-0.2, 1.4, count) if weights else np.ones(count)
    outcome = {0.0: B, 0.5: DRAW, 1.0: A}
    matches = [
        match(number, str(i), str(j), outcome[s], w)
        for number, (i, j, s, w) in enumerate(zip(a.tolist(), b.tolist(), score.tolist(), weight.tolist(), strict=True))
    ]
    expected = replay(matches, config, map(str, range(items))).ratings
    found = replay_arrays(a, b, score, weight if weights else None, items, config)
    assert found.tolist() == [expected[str(i)].elo for i in range(items)]


def test_arrays_can_go_on_from_where_they_stood():
    a, b, score = [0, 1, 2, 0], [1, 2, 0, 2], [1, 0.5, 0.25, 0]
    whole = replay_arrays(a, b, score, None, 3, CONFIG)
    half = replay_arrays(a[:2], b[:2], score[:2], None, 3, CONFIG)
    kept = half.copy()
    assert replay_arrays(a[2:], b[2:], score[2:], None, 3, CONFIG, start=half).tolist() == whole.tolist()
    assert half.tolist() == kept.tolist()
    assert replay_arrays([], [], [], None, 3, CONFIG).tolist() == [1200, 1200, 1200]


def test_evalica_agrees():
    from evalica import Winner
    from evalica import elo as evalica_elo

    # without weights: evalica's weights scale the score and not the expectation, and points get lost
    rng = np.random.default_rng(5)
    a, b = rng.integers(0, 20, 500), rng.integers(20, 40, 500)
    score = rng.choice([0.0, 0.5, 1.0], 500)
    winner = {0.0: Winner.Y, 0.5: Winner.Draw, 1.0: Winner.X}
    scores = evalica_elo(
        [str(i) for i in a], [str(i) for i in b], [winner[s] for s in score.tolist()], initial=1200, k=32
    ).scores
    found = replay_arrays(a, b, score, None, 40, CONFIG)
    assert found == pytest.approx([scores.get(str(i), 1200.0) for i in range(40)], abs=1e-9)


def test_a_hundred_thousand_matches_in_a_second():
    rng = np.random.default_rng(1)
    a = rng.integers(0, 1000, 100_000)
    b = (a + rng.integers(1, 1000, 100_000)) % 1000
    began = time.process_time()
    found = replay_arrays(a, b, rng.choice([0.0, 1.0], 100_000), None, 1000, CONFIG)
    assert time.process_time() - began < 1
    assert found.mean() == pytest.approx(1200)


def test_ratings_of_other_items_are_refused():
    x, y = Rating(item="x", elo=1200), Rating(item="y", elo=1200)
    with pytest.raises(ValueError, match="'m1' is between 'y' and 'x'"):
        step((x, y), match(1, "y", "x", A), CONFIG)
    with pytest.raises(ValueError, match="'m1' is between 'x' and 'x'"):
        replay([match(1, "x", "x", A)], CONFIG)


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        (([0, 1], [1], [1], None), "differ in shape"),
        (([0], [1], [1], [1, 1]), "differ in shape"),
        (([0], [2], [1], None), r"outside of \[0, 2\)"),
        (([-1], [1], [1], None), r"outside of \[0, 2\)"),
        (([0, 1], [1, 1], [1, 1], None), "match 1 pairs an item with itself"),
        (([0], [1], [float("nan")], None), "score"),
        (([0], [1], [2], None), "score"),
        (([0], [1], [1], [float("nan")]), "weight"),
    ],
)
def test_columns_that_cannot_be_are_refused(columns, message):
    with pytest.raises(ValueError, match=message):
        replay_arrays(*columns, 2, CONFIG)


@pytest.mark.parametrize("start", [[1200.0], [1200.0, float("nan")]])
def test_a_start_that_does_not_fit_is_refused(start):
    with pytest.raises(ValueError, match="2 finite ratings"):
        replay_arrays([0], [1], [1], None, 2, CONFIG, start=start)
