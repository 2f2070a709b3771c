"""Columns that the best items contradict."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from paragone.ratings import ColumnGroup, Evidence, fit_informed
from paragone.ratings.contradicted_columns import FAR, contradicted

ITEMS = 80


def strengths(seed=0):
    return np.sort(np.random.default_rng(seed).standard_normal(ITEMS))


def column(share, strength, seed=1):
    noise = np.random.default_rng(seed).standard_normal(strength.size)
    values = share * strength + np.sqrt(1 - share**2) * noise
    return values - values.mean()


def turned_at_the_top(values):
    """The last tenth, which is the best, with the other sign."""
    turned = values.copy()
    turned[-ITEMS // 10 :] *= -1
    return turned - turned.mean()


def test_a_column_turned_round_among_the_best_is_contradicted():
    strength = strengths()
    good, useless = column(0.8, strength), column(0.0, strength)
    assert contradicted(strength, [good, turned_at_the_top(good), useless, np.ones(ITEMS) - 1]) == [
        False,
        True,
        False,
        False,
    ]


def test_columns_that_go_with_the_strengths_are_seldom_called_contradicted():
    worlds = [strengths(seed) for seed in range(200)]
    wrong = [contradicted(strength, [column(0.5, strength, 1000 + seed)])[0] for seed, strength in enumerate(worlds)]
    assert sum(wrong) <= 3


def test_a_column_that_levels_off_is_not_contradicted():
    strength = strengths()
    level = np.minimum(column(0.9, strength), 0.3)
    assert not contradicted(strength, [level - level.mean()])[0]


def test_few_items_and_equal_strengths_are_not_looked_at():
    few = strengths()[:49]
    assert contradicted(few, [-few]) == [False]
    assert contradicted(np.zeros(ITEMS), [strengths()]) == [False]


@given(st.integers(0, 2**32 - 1), st.sampled_from([-1.0, 1.0]))
def test_it_is_the_prediction_of_a_regression(seed, sign):
    from scipy.stats import linregress

    rng = np.random.default_rng(seed)
    strength, values = rng.standard_normal((2, 50))
    values = sign * (values - values.mean())
    order = np.argsort(-strength, kind="stable")
    best, rest = order[:5], order[5:]
    line = linregress(strength[rest], values[rest])
    scatter = np.var(values[rest] - line.intercept - line.slope * strength[rest]) * 45 / 43
    ahead = strength[best].mean() - strength[rest].mean()
    error = np.sqrt(scatter * (1 / 5 + 1 / 45 + ahead**2 / (45 * np.var(strength[rest]))))
    off = values[best].mean() - line.intercept - line.slope * strength[best].mean()
    side = np.sign(line.slope)
    expected = side * off / error < -FAR and side * (values[best].mean() - values[rest].mean()) < 0
    assert contradicted(strength, [values]) == [bool(expected)]


def test_a_contradicted_column_is_left_out_of_the_fit_and_said():
    strength = 2.5 * strengths()
    good = column(0.8, strength / 2.5)
    rng = np.random.default_rng(2)
    first = rng.integers(0, ITEMS, 5 * ITEMS)
    second = (first + rng.integers(1, ITEMS, first.size)) % ITEMS
    score = (strength[first] - strength[second] + rng.logistic(size=first.size) > 0) * 1.0
    evidence = Evidence.from_arrays(ITEMS, first, second, score)
    groups = [
        ColumnGroup(name=name, columns=(name,), values=(values / values.std())[:, None])
        for name, values in (("turned", turned_at_the_top(good)), ("good", good))
    ]
    informed = fit_informed(evidence, groups)
    assert [(effect.column, effect.contradicted) for effect in informed.effects] == [("turned", True), ("good", False)]
    assert informed.effects[0].probability == 0.0
    np.testing.assert_array_equal(informed.fit.strength, fit_informed(evidence, groups[1:]).fit.strength)
    alone = fit_informed(evidence, groups[:1])
    assert alone.fit is alone.without
    assert alone.effects[0].effect == pytest.approx(0.0)
