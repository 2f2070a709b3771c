"""Matches with scorecards: the document's numbers and its own loop as a judge, and the other ways of counting."""

from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paragone.domain import Counting, Match, Normalization, Rating, RatingConfig, Scorecard
from paragone.ratings.elo import expected_score, score_margin, score_share, score_win, update, update_scored
from paragone.ratings.running_elo import replay, step

CONFIG = RatingConfig(initial=1500, k=32)
WIDE = RatingConfig(initial=1500, k=32, floor=-1e9, ceiling=1e9)
NAMES = ("claude", "gpt4", "gemini")
THREE = Scorecard(participants=NAMES, scores=(0.8, 0.6, 0.4))
scores = st.floats(0, 100)


@st.composite
def tables(draw, multipliers=False):
    """Ratings and a scorecard of two to six."""
    count = draw(st.integers(2, 6))
    several = {"min_size": count, "max_size": count}
    card = Scorecard(
        participants=tuple(f"a{n}" for n in range(count)),
        scores=tuple(draw(st.lists(scores, **several))),
        multipliers=tuple(draw(st.lists(st.floats(1, 2), **several))) if multipliers else (),
        counting=draw(st.sampled_from(Counting)),
        normalization=draw(st.sampled_from(Normalization)),
    )
    return draw(st.lists(st.floats(600, 2400), **several)), card, draw(st.floats(0.1, 1))


def changes(card, ratings=(1500.0, 1500.0, 1500.0), weight=0.9, config=CONFIG):
    return [move.change for move in update_scored(ratings, card, config, weight=weight)]


def test_the_documents_three_way_example():
    assert changes(THREE) == pytest.approx([6.857142857142857, 0.8228571428571428, -7.68], abs=1e-9)


@pytest.mark.parametrize(
    ("options", "due"),
    [
        ({"normalization": Normalization.MEAN}, [3.4285714285714284, 0.4114285714285714, -3.84]),
        ({"counting": Counting.WIN}, [28.8, 0.0, -28.8]),
        ({"counting": Counting.WIN, "normalization": Normalization.MEAN}, [14.4, 0.0, -14.4]),
        ({"counting": Counting.MARGIN}, [8.64, 0.0, -8.64]),  # .6 and .7 of the two points: 28.8 * (1.3 - 1)
    ],
)
def test_the_other_ways_of_counting(options, due):
    card = Scorecard(participants=NAMES, scores=(0.8, 0.6, 0.4), **options)
    assert changes(card) == pytest.approx(due, abs=1e-9)


def test_margins_beyond_one_are_on_the_scale_of_the_best_of_the_match():
    card = Scorecard(participants=NAMES, scores=(8, 6, 4), counting=Counting.MARGIN)
    assert changes(card) == pytest.approx([10.8, 0.0, -10.8], abs=1e-9)  # .625 and .75


def test_shares():
    assert [score_win(2, 1), score_win(1, 1), score_win(0, 1)] == [1.0, 0.5, 0.0]
    assert [score_margin(1, 0, 1), score_margin(3, 3, 4), score_margin(1, 3, 4)] == [1.0, 0.5, 0.25]
    assert score_share(1e308, 1e308) == 0.5


def test_a_favourite_who_wins_narrowly_pays_by_the_ratio_and_not_by_the_win():
    ratio = Scorecard(participants=("a", "b"), scores=(0.8, 0.6))
    win = Scorecard(participants=("a", "b"), scores=(0.8, 0.6), counting=Counting.WIN)
    assert changes(ratio, (1700.0, 1500.0))[0] < 0 < changes(win, (1700.0, 1500.0))[0]


def test_a_multiplier_is_of_its_own_side():
    card = Scorecard(participants=NAMES, scores=(0.8, 0.6, 0.4), multipliers=(2.0, 1.0, 1.5))
    plain = changes(THREE)
    assert changes(card) == pytest.approx([2 * plain[0], plain[1], 1.5 * plain[2]])


def test_lengths_must_agree():
    with pytest.raises(ValueError, match="as many scores as ratings: 2, 3"):
        update_scored((1500.0, 1500.0), THREE, CONFIG)


@given(tables())
def test_points_are_neither_made_nor_lost(table):
    ratings, card, weight = table
    assert sum(changes(card, ratings, weight, WIDE)) == pytest.approx(0, abs=1e-8)


@given(tables(multipliers=True))
def test_what_a_match_moves_is_bounded(table):
    ratings, card, weight = table
    times = card.multipliers
    opponents = 1 if card.normalization is Normalization.MEAN else len(ratings) - 1
    for change, own in zip(changes(card, ratings, weight, WIDE), times, strict=True):
        assert abs(change) <= 32 * weight * own * opponents + 1e-9


@given(tables(multipliers=True))
def test_the_documents_loop_comes_to_the_same(table):
    ratings, card, weight = table
    assert changes(card, ratings, weight, WIDE) == pytest.approx(documents_loop(ratings, card, weight), abs=1e-8)


@given(st.floats(600, 2400), st.floats(600, 2400), scores, scores, st.sampled_from(Normalization))
def test_between_two_it_is_an_ordinary_match(a, b, first, second, normalization):
    card = Scorecard(participants=("a", "b"), scores=(first, second), normalization=normalization)
    assert update_scored((a, b), card, WIDE) == update((a, b), score_share(first, second), WIDE)


def test_the_record_of_a_match_is_one_match():
    def record(*points):
        card = Scorecard(participants=("a", "b", "c"), scores=points)
        after, made = step(tuple(Rating(item=item, elo=1500) for item in "abc"), Match.scored("m", card), CONFIG)
        assert [change.match for change in made] == ["m"] * 3
        return [(rating.matches, rating.wins, rating.losses, rating.ties) for rating in after]

    won, lost, drawn = (1, 1, 0, 0), (1, 0, 1, 0), (1, 0, 0, 1)
    assert record(0.4, 0.8, 0.6) == [lost, won, lost]
    assert record(0.8, 0.8, 0.4) == [drawn] * 3
    assert record(0, 0, 0) == [drawn] * 3


def test_a_replay_takes_them_beside_other_matches():
    matches = [Match.scored("m0", THREE), Match.scored("m1", Scorecard(participants=("gpt4", "new"), scores=(1, 0)))]
    made = replay(matches, CONFIG, ["idle"])
    assert [(change.item, change.match) for change in made.changes] == [
        *((name, "m0") for name in NAMES),
        ("gpt4", "m1"),
        ("new", "m1"),
    ]
    assert made.ratings["idle"].elo == 1500
    assert made.ratings["gpt4"].matches == 2
    assert made.tracks == {}


def documents_loop(ratings, card, weight):
    """``calculate_pairwise_elo_changes`` of document A, with what stands around it, by the names of the document."""
    total, moved = max(1.0, *card.scores), dict.fromkeys(card.participants, 0.0)
    rated = dict(zip(card.participants, ratings, strict=True))
    scored = dict(zip(card.participants, card.scores, strict=True))
    multiplied = dict(zip(card.participants, card.multipliers, strict=True))
    k_factor = 32 * max(0.1, min(1.0, weight))
    if card.normalization is Normalization.MEAN:
        k_factor /= len(ratings) - 1
    for a, b in combinations(card.participants, 2):
        if card.counting is Counting.RATIO:
            both = scored[a] + scored[b]
            actual = scored[a] / both if both > 0 else 0.5
        elif card.counting is Counting.WIN:
            actual = (1 + (scored[a] > scored[b]) - (scored[a] < scored[b])) / 2
        else:
            actual = 0.5 + (scored[a] / total - scored[b] / total) / 2
        delta = k_factor * (actual - expected_score(rated[a], rated[b]))
        moved[a] += delta * multiplied[a]
        moved[b] -= delta * multiplied[b]
    return list(moved.values())
