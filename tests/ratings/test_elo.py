"""Elo against published worked examples, and what must hold of it whatever the numbers."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paragone.domain import RatingConfig
from paragone.ratings.elo import NATS_PER_POINT, confidence_weight, expected_score, score_share, update, update_many

WIDE = RatingConfig(floor=-1e9, ceiling=1e9)
ratings = st.floats(100, 4000)
unit = st.floats(0, 1)


# --- published examples -----------------------------------------------------------------------------------------------


def test_four_hundred_points_are_ten_to_one():
    assert expected_score(1600, 1200) == pytest.approx(10 / 11, abs=1e-12)
    assert expected_score(1200, 1600) == pytest.approx(1 / 11, abs=1e-12)
    assert expected_score(1200, 1200) == 0.5
    assert math.exp(400 * NATS_PER_POINT) == pytest.approx(10)


def test_a_tournament_of_five_games():
    # Wikipedia, "Elo rating system", section "Mathematical details"; K is 32
    opponents = [(1609, 0.0, 0.51), (1477, 0.5, 0.69), (1388, 1.0, 0.79), (1586, 1.0, 0.54), (1720, 0.0, 0.35)]
    for opponent, _, expected in opponents:
        assert round(expected_score(1613, opponent), 2) == expected
    gained = sum(update((1613, opponent), score, RatingConfig())[0].change for opponent, score, _ in opponents)
    assert round(1613 + gained) == 1601


def test_the_elite_match_of_document_r():
    # "Rating Change: A: 1650 -> 1665, B: 1620 -> 1605", rounded where it is shown
    a, b = update((1650, 1620), 1.0, RatingConfig())
    assert (round(a.new), round(b.new)) == (1665, 1605)
    assert a.expected == pytest.approx(0.54306649, abs=1e-8)
    assert a.change == pytest.approx(14.6218723, abs=1e-7)


def test_two_newcomers_exchange_half_of_k():
    a, b = update((1200, 1200), 1.0, RatingConfig())
    assert (a.new, b.new) == (1216, 1184)
    assert (a.k, a.expected, a.score, a.clamped) == (32, 0.5, 1.0, 0.0)
    assert (b.k, b.expected, b.score, b.clamped) == (32, 0.5, 0.0, 0.0)


def test_the_three_way_example_of_document_a():
    claude, gpt4, gemini = update_many((1500, 1500, 1500), (0.8, 0.6, 0.4), RatingConfig(), weight=0.9)
    assert claude.change == pytest.approx(6.857142857, abs=1e-9)
    assert gpt4.change == pytest.approx(0.822857143, abs=1e-9)
    assert gemini.change == pytest.approx(-7.68, abs=1e-9)
    # each against two others: K counts twice, scores are means
    assert claude.k == pytest.approx(32 * 0.9 * 2)
    assert claude.expected == 0.5
    assert claude.score == pytest.approx((0.8 / 1.4 + 0.8 / 1.2) / 2)


def test_the_literal_ratio_takes_points_from_a_favourite_who_wins():
    favourite, _ = update_many((1700, 1500), (0.8, 0.6), RatingConfig())
    assert favourite.score == pytest.approx(4 / 7)
    assert favourite.change == pytest.approx(32 * (4 / 7 - 0.7597469), abs=1e-5)
    assert favourite.change < 0


# --- two --------------------------------------------------------------------------------------------------------------


@given(ratings, ratings)
def test_expected_scores_add_up_to_one(a, b):
    assert expected_score(a, b) + expected_score(b, a) == pytest.approx(1.0, abs=1e-15)
    assert expected_score(a, b) == pytest.approx(1 / (1 + 10 ** ((b - a) / 400)), abs=1e-14)


def test_any_distance_has_an_expected_score():
    assert expected_score(1e9, 0) == 1.0
    assert expected_score(0, 1e9) == 0.0


@given(ratings, ratings, unit, st.floats(0.1, 1))
def test_what_one_gains_the_other_loses(a, b, score, weight):
    first, second = update((a, b), score, WIDE, weight=weight)
    assert first.change == pytest.approx(-second.change, abs=1e-9)
    assert first.k == second.k == 32 * weight


@given(ratings, ratings, unit, st.floats(-1, 2))
def test_the_weight_scales_the_whole_change(a, b, score, weight):
    # where it scales the score alone, a draw between equals costs both of them points
    whole, weighted = update((a, b), score, WIDE), update((a, b), score, WIDE, weight=weight)
    factor = min(max(weight, 0.1), 1.0)
    for before, after in zip(whole, weighted, strict=True):
        assert after.change == pytest.approx(factor * before.change, abs=1e-9)
        assert (after.expected, after.score) == (before.expected, before.score)


def test_a_weighted_draw_between_equals_moves_nobody():
    assert [move.change for move in update((1300, 1300), 0.5, RatingConfig(), weight=0.5)] == [0.0, 0.0]


def test_each_side_can_have_its_own_k():
    a, b = update((1200, 1200), 1.0, RatingConfig(), weight=0.5, k=(48, 16))
    assert (a.change, b.change) == (12, -4)
    assert (a.k, b.k) == (24, 8)


@given(ratings, ratings, unit)
def test_both_sides_see_the_same_match(a, b, score):
    first, second = update((a, b), score, WIDE)
    second_mirrored, first_mirrored = update((b, a), 1 - score, WIDE)
    assert first.new == pytest.approx(first_mirrored.new, abs=1e-9)
    assert second.new == pytest.approx(second_mirrored.new, abs=1e-9)


# --- floor and ceiling ------------------------------------------------------------------------------------------------


def test_the_floor_shortens_a_fall_and_says_by_how_much():
    config = RatingConfig(floor=100)
    winner, loser = update((110, 110), 1.0, config)
    assert (winner.new, winner.clamped) == (126, 0)
    # 16 points were to go, 10 went: intended minus applied is -16 - (-10)
    assert (loser.new, loser.change, loser.clamped) == (100, -10, -6)


def test_the_ceiling_shortens_a_rise_and_says_by_how_much():
    winner, loser = update((3990, 3990), 1.0, RatingConfig())
    assert (winner.new, winner.change, winner.clamped) == (4000, 10, 6)
    assert (loser.new, loser.clamped) == (3974, 0)


@given(ratings, ratings, unit, st.floats(1, 500))
def test_ratings_stay_within_and_the_record_accounts_for_every_point(a, b, score, k):
    config = RatingConfig(k=k, floor=100, ceiling=4000)
    for move in update((a, b), score, config):
        assert 100 <= move.new <= 4000
        assert move.old + move.k * (move.score - move.expected) == pytest.approx(move.new + move.clamped, abs=1e-9)


# --- many -------------------------------------------------------------------------------------------------------------


@given(st.lists(st.tuples(ratings, st.floats(0, 10)), min_size=2, max_size=8), st.floats(0.1, 1))
def test_a_match_of_many_is_the_sum_of_its_pairs(players, weight):
    before, scores = zip(*players, strict=True)
    moves = update_many(before, scores, WIDE, weight=weight)
    for i, move in enumerate(moves):
        pairs = [
            update((before[i], before[j]), score_share(scores[i], scores[j]), WIDE, weight=weight)[0].change
            for j in range(len(players))
            if j != i
        ]
        assert move.change == pytest.approx(sum(pairs), abs=1e-8)
        assert move.k * (move.score - move.expected) == pytest.approx(move.change, abs=1e-8)
    assert sum(move.change for move in moves) == pytest.approx(0, abs=1e-8)


@given(ratings, ratings, st.sampled_from([(1, 0), (0, 1), (1, 1), (0, 0), (3, 1)]))
def test_a_match_of_two_is_the_same_either_way(a, b, scores):
    assert update_many((a, b), scores, WIDE) == update((a, b), score_share(*scores), WIDE)


def test_each_of_many_can_have_its_own_k():
    moves = update_many((1500, 1500, 1500), (2, 1, 0), RatingConfig(), k=(64, 32, 32))
    plain = update_many((1500, 1500, 1500), (2, 1, 0), RatingConfig())
    assert moves[0].change == pytest.approx(2 * plain[0].change)
    assert moves[1:] == plain[1:]


def test_nobody_scoring_is_a_draw_for_all():
    assert [move.change for move in update_many((1500, 1500, 1500), (0, 0, 0), RatingConfig())] == [0, 0, 0]
    assert score_share(0, 0) == 0.5
    assert score_share(3, 1) == 0.75


def test_a_clamp_in_a_match_of_many_is_recorded():
    moves = update_many((105, 200, 300), (0, 1, 1), RatingConfig())
    assert moves[0].new == 100
    assert moves[0].clamped == pytest.approx(105 + moves[0].k * (moves[0].score - moves[0].expected) - 100)


# --- misuse -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("confidence", "weight"), [(-1, 0.1), (0, 0.1), (0.1, 0.1), (0.9, 0.9), (1, 1.0), (7, 1.0)])
def test_confidence_is_clamped(confidence, weight):
    assert confidence_weight(confidence) == weight


@pytest.mark.parametrize("score", [-0.1, 1.1, math.nan])
def test_a_score_of_two_lies_between_0_and_1(score):
    with pytest.raises(ValueError, match="score of a match"):
        update((1200, 1200), score, RatingConfig())


@pytest.mark.parametrize(
    ("before", "scores", "options", "message"),
    [
        ((1500,), (1,), {}, "two or more"),
        ((1500, 1500), (1,), {}, "as many scores"),
        ((1500, 1500), (1, 0), {"k": (32,)}, "a K for each"),
        ((1500, 1500), (1, -1), {}, "0 or more, not -1"),
        ((1500, 1500), (1, math.inf), {}, "finite"),
        ((1500, math.nan), (1, 0), {}, "rating must be a finite number"),
        ((1500, 1500), (1, 0), {"weight": math.nan}, "NaN"),
    ],
)
def test_what_cannot_be_is_refused(before, scores, options, message):
    with pytest.raises(ValueError, match=message):
        update_many(before, scores, RatingConfig(), **options)


def test_ratings_that_are_no_numbers_are_refused():
    with pytest.raises(ValueError, match="rating must be a finite number"):
        update((math.nan, 1200), 1.0, RatingConfig())
