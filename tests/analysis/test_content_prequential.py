"""Ranks before learning: worked numbers, a plain twin for ties, and a softmax whose sharpness the past sets."""

import math
from itertools import pairwise, permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from paragone.analysis.content.prequential import SHARPNESSES, Surprise, ranked


def plain(scores, used):
    """Means over every order of the tied, by going through them all."""
    orders = [order for order in permutations(range(len(scores))) if _falls([scores[one] for one in order])]
    rows = []
    for order in orders:
        ranks = [order.index(one) + 1 for one in used]
        rows.append(
            (
                sum(1 / rank for rank in ranks),
                1 / min(ranks),
                sum(rank <= 5 for rank in ranks) / len(ranks),
                sum(rank <= 10 for rank in ranks) / len(ranks),
            )
        )
    return np.mean(rows, axis=0)


def _falls(values):
    return all(first >= second for first, second in pairwise(values))


def test_ranks_by_hand():
    found = ranked(np.array([3.0, 1.0, 2.0, 0.0, -1.0, -2.0, -3.0]), np.array([2, 6]))

    assert found.used == 2
    assert found.reciprocal == pytest.approx(1 / 2 + 1 / 7)
    assert found.first == pytest.approx(1 / 2)
    assert found.recall_at_5 == 0.5
    assert found.recall_at_10 == 1.0


def test_a_model_without_an_opinion_does_as_chance_does():
    found = ranked(np.zeros(4), np.array([3]))

    assert found.reciprocal == found.first == pytest.approx((1 + 1 / 2 + 1 / 3 + 1 / 4) / 4)
    assert ranked(np.zeros(20), np.array([3])).recall_at_5 == pytest.approx(5 / 20)


@given(st.data())
def test_ties_count_as_all_their_orders_do_on_average(data):
    scores = data.draw(st.lists(st.integers(0, 2), min_size=1, max_size=6))
    used = data.draw(st.lists(st.integers(0, len(scores) - 1), min_size=1, unique=True))

    found = ranked(np.array(scores, dtype=float), np.array(used))

    assert (found.reciprocal, found.first, found.recall_at_5, found.recall_at_10) == pytest.approx(plain(scores, used))


def test_the_first_surprise_is_that_of_all_sharpnesses_alike():
    scores = np.log(np.array([3.0, 1.0]))
    expected = np.mean([3.0**sharp / (3.0**sharp + 1.0) for sharp in SHARPNESSES])

    assert Surprise().of(scores, np.array([0])) == pytest.approx(-math.log(expected))


def test_without_an_opinion_surprise_is_the_logarithm_of_how_many_there_are():
    surprise = Surprise()

    assert [surprise.of(np.zeros(8), np.array([1, 4])) for _ in range(3)] == pytest.approx([2 * math.log(8)] * 3)


def test_sharpness_follows_what_came_true():
    right, wrong = Surprise(), Surprise()
    scores = np.log(np.array([9.0, 1.0, 1.0]))
    for _ in range(200):
        last_right, last_wrong = right.of(scores, np.array([0])), wrong.of(scores, np.array([2]))

    assert last_right < 0.01  # always the first: sharper and sharper
    assert last_wrong == pytest.approx(math.log(3), abs=0.01)  # never the first: scores say nothing, as chance


def test_a_session_is_judged_before_it_is_learned_from():
    scores = np.log(np.array([9.0, 1.0]))
    fresh, taught = Surprise(), Surprise()
    taught.of(scores, np.array([0]))

    assert fresh.of(scores, np.array([0])) == Surprise().of(scores, np.array([0]))
    assert taught.of(scores, np.array([0])) < Surprise().of(scores, np.array([0]))
