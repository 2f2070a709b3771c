"""Replay: one definition of how matches make ratings, by steps and at once."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paragone.domain import Match, Outcome, Rating, RatingConfig
from paragone.ratings.elo_rule import DecreasingK, EloRule
from paragone.ratings.running_elo import EloReplay, replay, step

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
def test_void_matches_leave_no_trace(history):
    _, matches = history
    counted = [match for match in matches if match.outcome is not VOID]
    assert replay(matches, CONFIG) == replay(counted, CONFIG)
    assert len(replay(matches, CONFIG).changes) == 2 * len(counted)


def test_items_that_have_not_played_have_the_initial_rating():
    played = replay([match(1, "x", "y", A), match(2, "x", "w", VOID)], RatingConfig(initial=1500), ["z", "x"])
    assert played.ratings["z"] == Rating(item="z", elo=1500)
    assert list(played.ratings) == ["z", "x", "y"]
    assert replay([], CONFIG) == EloReplay(ratings={}, changes=())


@given(histories(), st.integers(0, 40))
def test_a_replay_in_two_parts_is_the_replay_of_all(history, cut):
    ids, matches = history
    schedule = DecreasingK()
    whole = replay(matches, CONFIG, ids, rule=EloRule(schedule=schedule))
    head = replay(matches[:cut], CONFIG, ids, rule=EloRule(schedule=schedule))
    tail = replay(matches[cut:], CONFIG, start=head.ratings, rule=EloRule(schedule=schedule))
    assert tail.ratings == whole.ratings
    assert head.changes + tail.changes == whole.changes


@given(histories())
def test_steps_are_a_replay(history):
    ids, matches = history
    ratings = {item: Rating(item=item, elo=CONFIG.initial) for item in ids}
    for each in matches:
        (ratings[each.a], ratings[each.b]), _ = step((ratings[each.a], ratings[each.b]), each, CONFIG)
    assert ratings == replay(matches, CONFIG, ids).ratings


@given(histories())
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


def test_ratings_of_other_items_are_refused():
    x, y = Rating(item="x", elo=1200), Rating(item="y", elo=1200)
    with pytest.raises(ValueError, match="'m1' is between 'y' and 'x'"):
        step((x, y), match(1, "y", "x", A), CONFIG)
    with pytest.raises(ValueError, match="'m1' is between 'x' and 'x'"):
        replay([match(1, "x", "x", A)], CONFIG)
