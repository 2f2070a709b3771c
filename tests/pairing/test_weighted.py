"""What a match is worth by the documents' weights, and who is looked at."""

import math

import numpy as np
import pytest

from paragone.pairing import weighted
from paragone.pairing.weighted import Field, PlayablePairs, Weights


def field_of(ratings, *, matches=None, age=0.0):
    count = len(ratings)
    return Field(
        rating=np.array(ratings, dtype=np.float64),
        matches=np.full(count, 10) if matches is None else np.array(matches),
        age=np.broadcast_to(np.asarray(age, dtype=np.float64), count).copy(),
        luck=np.random.default_rng(3).random(count),
    )


def pairs_of(*pairs, similarity=0.0, meetings=0):
    a, b = np.array(pairs).T
    return PlayablePairs(a=a, b=b, similarity=np.full(a.size, similarity), meetings=np.full(a.size, meetings))


def test_a_score_is_the_weighted_sum_of_its_parts():
    field = field_of([1200, 1400], matches=[0, 8], age=[0, 3])
    (score,) = weighted.scores(field, pairs_of((0, 1), similarity=0.5), Weights())
    expected = 1 / (1 + 10 ** (-200 / 400))
    openness = 4 * expected * (1 - expected)  # .7300: the variance of the outcome relative to that between equals
    newness = (1 + 0.5) / 2  # the second is three rounds old
    idleness = (1 + 1 / (1 + 8 / 5)) / 2  # the mean of matches is four
    assert score == pytest.approx(0.3 * 0.5 + 0.2 * newness + 0.5 * openness + 0.1 * idleness)


@pytest.mark.parametrize(
    ("better", "worse", "weights"),
    [
        ((1200, 1210), (1200, 1500), Weights()),
        ((1200, 1500), (1200, 1210), Weights(rating_proximity=-1.0)),  # the weight is what decides
    ],
)
def test_ratings_that_are_close_are_worth_more(better, worse, weights):
    first, second = (weighted.scores(field_of(pair), pairs_of((0, 1)), weights) for pair in (better, worse))
    assert first > second


def test_likeness_newness_and_idleness_are_worth_more():
    field = field_of([1200] * 6, matches=[10, 10, 10, 10, 0, 0], age=[9, 9, 0, 0, 9, 9])
    old, young, idle = weighted.scores(field, pairs_of((0, 1), (2, 3), (4, 5)), Weights())
    alike = weighted.scores(field, pairs_of((0, 1), similarity=1.0), Weights())[0]
    assert min(young, idle, alike) > old
    assert alike - old == pytest.approx(0.3)
    assert young - old == pytest.approx(0.2 * (1 - 0.5**3))


def test_an_outcome_is_foregone_only_between_trusted_ratings():
    gap = 400 * math.log10(0.95 / 0.05)  # 511.5 points
    field = field_of([1000, 1000 + gap + 1, 1000 + gap - 1, 1000 + gap + 1], matches=[5, 5, 5, 4])
    found = weighted.foregone(field, pairs_of((0, 1), (0, 2), (0, 3)))
    assert found.tolist() == [True, False, False]


def test_among_few_items_every_pair_is_looked_at():
    field = field_of(range(1000, 1020))
    who = weighted.seekers(field, 5, Weights())
    assert weighted.within_reach(field, who, 2).size == 20 * 19 // 2


def test_among_many_the_nearest_in_rating_are():
    count = 1000
    ratings = np.random.default_rng(1).permutation(count) + 1000.0
    field = field_of(ratings)
    found = weighted.within_reach(field, np.array([7, 8]), 3)
    pairs = {(code // count, code % count) for code in found.tolist()}
    for item in (7, 8):
        near = {other for other in range(count) if 0 < abs(ratings[other] - ratings[item]) <= 3}
        assert {b if a == item else a for a, b in pairs if item in (a, b)} == near


def test_among_many_those_who_seek_are_the_least_played_the_best_and_the_nearest():
    rng = np.random.default_rng(2)
    matches = rng.integers(5, 50, 5000)
    matches[[11, 22]] = 0
    ratings = rng.normal(1200, 150, 5000)
    field = field_of(ratings, matches=matches)
    who = weighted.seekers(field, 10, Weights())
    assert {11, 22, int(np.argmax(ratings))} <= set(who.tolist())
    assert who.size <= 3 * weighted.SEEKERS * 10
