"""The plain Bradley-Terry model against other packages, and against numbers worked out by hand."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from paragone.ratings import Evidence
from paragone.ratings.plain_bradley_terry import one_way, plain_fit

CHOIX = [(1, 0), (0, 4), (3, 1), (0, 2), (2, 4), (4, 3)]
"""Winner and loser: the example of choix's notebook (MIT)."""
FOOD = """
Pizza Sushi left, Burger Pasta right, Tacos Pizza left, Sushi Tacos right, Burger Pizza left, Pasta Sushi right,
Tacos Burger left, Pizza Pasta tie, Sushi Burger right, Pasta Tacos left, Burger Sushi right, Tacos Pizza left,
Sushi Pasta tie, Burger Tacos left, Pizza Burger right, Pasta Tacos right, Burger Sushi right, Tacos Pasta left,
Pizza Tacos right, Sushi Burger left, Pasta Pizza right, Burger Sushi right, Tacos Pasta left, Pizza Sushi left,
Sushi Burger right, Pasta Tacos right, Tacos Pizza left, Burger Pasta right, Sushi Tacos left, Pizza Burger right
"""
"""The example of evalica, food.csv (Apache-2.0)."""
FOOD_SHARES = {
    "Tacos": 0.43428982771223773,
    "Sushi": 0.19060028489839073,
    "Burger": 0.14797665121689418,
    "Pasta": 0.1281534106031957,
    "Pizza": 0.09897982556928168,
}
"""What evalica publishes for it, ``bradley_terry`` in food-golden.csv."""


def wins(pairs, items, ties=()):
    first = [pair[0] for pair in (*pairs, *ties)]
    second = [pair[1] for pair in (*pairs, *ties)]
    return Evidence.from_arrays(items, first, second, [1.0] * len(pairs) + [0.5] * len(ties))


def food():
    rows = [row.split() for row in FOOD.strip().split(",")]
    names, scores = list(FOOD_SHARES), {"left": 1.0, "right": 0.0, "tie": 0.5}
    first, second = ([names.index(row[side]) for row in rows] for side in (0, 1))
    return rows, Evidence.from_arrays(len(names), first, second, [scores[row[2]] for row in rows])


def test_two_items_by_hand():
    """Seven wins of ten are odds of 7 to 3; two ties of twelve more are a point for each side."""
    seven = plain_fit(wins([(0, 1)] * 7 + [(1, 0)] * 3, 2)).strength
    assert seven[0] - seven[1] == pytest.approx(np.log(7 / 3), abs=1e-10)
    tied = plain_fit(wins([(0, 1)] * 7 + [(1, 0)] * 3, 2, ties=[(0, 1), (1, 0)])).strength
    assert tied[0] - tied[1] == pytest.approx(np.log(8 / 4), abs=1e-10)


def test_a_penalty_by_hand():
    """One win and no loss: 1 / (1 + exp(2 s)) = 2 l2 s. With l2 = 1 / (2 s (1 + exp(2 s))) at s = 1."""
    l2 = 1 / (2 * (1 + np.exp(2)))
    assert plain_fit(wins([(0, 1)], 2), l2=l2).strength == pytest.approx([1.0, -1.0], abs=1e-10)


def test_three_items_by_hand():
    """x beat y twice in three, y beat z twice in three, x beat z four times in five: odds of 2, 2 and 4 agree."""
    pairs = [(0, 1)] * 2 + [(1, 0)] + [(1, 2)] * 2 + [(2, 1)] + [(0, 2)] * 4 + [(2, 0)]
    assert plain_fit(wins(pairs, 3)).strength == pytest.approx(np.log(2) * np.array([1, 0, -1]), abs=1e-10)


@pytest.mark.parametrize("alpha", [0.0, 1e-6, 0.01, 0.1, 3.0])
def test_the_same_as_choix_on_its_example(alpha):
    choix = pytest.importorskip("choix")
    theirs = choix.opt_pairwise(5, CHOIX, alpha=alpha, tol=1e-13)
    assert plain_fit(wins(CHOIX, 5), l2=alpha).strength == pytest.approx(theirs - theirs.mean(), abs=1e-6)


def test_choix_on_its_example_frozen():
    """By choix 0.4.1, ``opt_pairwise`` with alpha 0.01."""
    strength = plain_fit(wins(CHOIX, 5), l2=0.01).strength
    assert strength == pytest.approx([0.5662298631, 0.1836711946, 0, -0.1836711946, -0.5662298631], abs=1e-9)


def test_evalica_on_its_example_as_published():
    share = np.exp(plain_fit(food()[1]).strength)
    assert share / share.sum() == pytest.approx(list(FOOD_SHARES.values()), abs=1e-9)


def test_the_same_as_evalica_on_its_example():
    evalica = pytest.importorskip("evalica")
    rows, evidence = food()
    sides = {"left": evalica.Winner.X, "right": evalica.Winner.Y, "tie": evalica.Winner.Draw}
    xs, ys, winners = zip(*rows, strict=True)
    result = evalica.bradley_terry(xs, ys, [sides[winner] for winner in winners], tolerance=1e-14, limit=100_000)
    theirs = np.log(result.scores.reindex(list(FOOD_SHARES)).to_numpy(float))
    assert plain_fit(evidence).strength == pytest.approx(theirs - theirs.mean(), abs=1e-6)


@settings(max_examples=settings().max_examples // 2)
@given(st.lists(st.tuples(st.permutations(range(4)), st.sampled_from([0.0, 0.5, 1.0])), min_size=1, max_size=14))
def test_there_is_an_estimate_where_and_only_where_ford_says_so(rows):
    evidence = Evidence.from_arrays(4, [r[0][0] for r in rows], [r[0][1] for r in rows], [r[1] for r in rows])
    apart = one_way(evidence)
    if apart is None:
        found = plain_fit(evidence).strength
        expected = 1 / (1 + np.exp(found[evidence.second] - found[evidence.first]))
        surplus = evidence.score - expected
        balance = np.bincount(evidence.first, surplus, 4) - np.bincount(evidence.second, surplus, 4)
        assert balance == pytest.approx(np.zeros(4), abs=1e-8)  # the equations of maximum likelihood
    else:
        inside_first, inside_second = apart[evidence.first], apart[evidence.second]
        across = inside_first != inside_second
        assert 0 < apart.sum() < 4
        assert (np.where(inside_first, evidence.score, 1 - evidence.score)[across] == 1.0).all()


def test_a_penalty_too_small_for_a_prior_is_reached_all_the_same():
    pairs = [(0, 1)] * 3 + [(1, 2)] * 2 + [(2, 1)]
    strength = plain_fit(wins(pairs, 3), l2=1e-6).strength
    chance = 1 / (1 + np.exp(strength[1] - strength[0]))
    assert 3 * (1 - chance) == pytest.approx(2e-6 * strength[0], rel=1e-6)
    assert np.isfinite(strength).all()
