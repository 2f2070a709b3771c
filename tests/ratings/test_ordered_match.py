"""A match among several that were put in order: every pair of it counts, all from the ratings before it."""

from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paragone.domain import Choice, Match, Ranking, Rating, RatingConfig, Verdict
from paragone.ratings.elo import expected_score, update, update_many, update_ordered
from paragone.ratings.running_elo import replay, step

WIDE = RatingConfig(k=32.0, floor=-1e6, ceiling=1e6)
ratings_ = st.lists(st.floats(0, 3000), min_size=2, max_size=8)


def ranked(shown, order, id="m"):
    choice = Choice.RANKED if order else Choice.ABSTAIN
    return Match.ranked(
        id, Ranking(call=id, shown=tuple(shown), verdict=Verdict(choice=choice, judge="j", order=order))
    )


def test_three_equals_worked_by_hand():
    """Each pair moves 16 points: the first takes two pairs, the middle one of two, the last none."""
    moves = update_ordered((1200.0, 1200.0, 1200.0), WIDE)
    assert [move.new for move in moves] == [1232.0, 1200.0, 1168.0]
    assert [move.score for move in moves] == [1.0, 0.5, 0.0]
    assert [move.expected for move in moves] == [0.5, 0.5, 0.5]
    assert [move.k for move in moves] == [64.0, 64.0, 64.0]


def test_two_in_order_are_a_pair():
    assert update_ordered((1300.0, 1100.0), WIDE) == update((1300.0, 1100.0), 1.0, WIDE)


@given(ratings=ratings_)
def test_it_is_the_sum_over_the_pairs(ratings):
    expected = list(ratings)
    for a, b in combinations(range(len(ratings)), 2):
        change = WIDE.k * (1.0 - expected_score(ratings[a], ratings[b]))
        expected[a] += change
        expected[b] -= change
    moves = update_ordered(ratings, WIDE)
    assert [move.new for move in moves] == pytest.approx(expected)
    assert sum(move.change for move in moves) == pytest.approx(0.0, abs=1e-8)


@given(ratings=ratings_)
def test_scores_so_far_apart_that_each_takes_all_say_the_same(ratings):
    scores = [1e20**place for place in reversed(range(len(ratings)))]
    assert update_ordered(ratings, WIDE) == update_many(ratings, scores, WIDE)


@pytest.mark.parametrize("ratings", [(), (1200.0,)])
def test_fewer_than_two_are_no_match(ratings):
    with pytest.raises(ValueError, match="two or more ratings"):
        update_ordered(ratings, WIDE)


def test_a_step_counts_every_opponent():
    before = tuple(Rating(item=id, elo=1200.0) for id in "cab")
    after, changes = step(before, ranked("abc", (2, 0, 1)), WIDE)
    assert [(r.item, r.matches, r.wins, r.losses, r.ties) for r in after] == [
        ("c", 2, 2, 0, 0),
        ("a", 2, 1, 1, 0),
        ("b", 2, 0, 2, 0),
    ]
    assert [(change.item, change.new) for change in changes] == [("c", 1232.0), ("a", 1200.0), ("b", 1168.0)]


def test_a_void_one_changes_nothing():
    assert replay([ranked("abc", ())], WIDE, "abc").changes == ()


def test_pairs_and_lists_are_replayed_in_their_order():
    history = [ranked("abc", (0, 1, 2), "m1"), ranked("ab", (1, 0), "m2")]
    made = replay(history, WIDE)
    assert [change.match for change in made.changes] == ["m1"] * 3 + ["m2"] * 2
    assert {id: rating.matches for id, rating in made.ratings.items()} == {"a": 3, "b": 3, "c": 2}
    assert sum(rating.elo for rating in made.ratings.values()) == pytest.approx(3600.0)


def test_ratings_of_others_or_in_another_order_are_refused():
    before = tuple(Rating(item=id, elo=1200.0) for id in "abc")
    with pytest.raises(ValueError, match="between 'c' and 'a' and 'b', not 'a' and 'b' and 'c'"):
        step(before, ranked("abc", (2, 0, 1)), WIDE)
