"""Forecasts against counting by hand, and the rule for stopping."""

from itertools import pairwise, permutations, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from paragone.domain import Aim, Forecast, Goal
from paragone.pairing.forecast import _inversions, expected_tau, forecast, membership, outlook, reached, top_of

ORDER = Goal(aim=Aim.ORDER)


def plain_tau(mean, draw):
    """Kendall's tau a, pair by pair, each once in either order."""
    agreement = np.sign(np.subtract.outer(mean, mean)) * np.sign(np.subtract.outer(draw, draw))
    return agreement.sum() / (len(mean) * (len(mean) - 1))


def plain_membership(values, k):
    """Share of the orders that break ties one way or another in which each item is among the first k."""
    orders = [o for o in permutations(range(len(values))) if all(values[a] >= values[b] for a, b in pairwise(o))]
    return np.mean([[item in order[:k] for item in range(len(values))] for order in orders], axis=0)


def plain_recall(mean, draws, k):
    return np.mean([plain_membership(mean, k) @ plain_membership(draw, k) for draw in draws]) / k


few_levels = st.integers(-2, 2).map(float)
tables = st.integers(2, 5).flatmap(
    lambda items: st.tuples(
        hnp.arrays(float, items, elements=few_levels),
        hnp.arrays(float, st.tuples(st.integers(1, 4), st.just(items)), elements=few_levels),
    )
)


def test_three_items_by_hand():
    mean = np.array([2.0, 1.0, 0.0])
    draws = np.array([[3.0, 2.0, 1.0], [2.0, 3.0, 1.0], [1.0, 2.0, 3.0], [3.0, 1.0, 2.0]])

    # Pairs against the order of the means: 0, 1, 3, 1 of 3, so tau is 1, 1/3, -1, 1/3.
    assert forecast(mean, draws, Goal(aim=Aim.TOP, k=2)) == Forecast(
        p_best=0.5,
        recall=pytest.approx((1 + 1 + 0.5 + 0.5) / 4),
        top=2,
        tau=pytest.approx(1 / 6),
        tau_given_signal=pytest.approx(1 / 6),
    )


def test_draws_of_no_signal_count_for_chance_and_are_told_apart():
    mean = np.array([2.0, 1.0, 0.0])
    draws = np.array([mean, np.zeros(3), mean, np.zeros(3)])
    seen = forecast(mean, draws, Goal(aim=Aim.TOP, k=2))

    assert (seen.tau, seen.tau_given_signal, seen.no_signal) == (0.5, 1.0, 0.5)
    assert seen.p_best == pytest.approx((1 + 1 / 3) / 2)
    assert not seen.is_chance
    assert seen.signal_in_words == "50% that there is none beyond chance; if there is signal, expected agreement 1.00"


def test_no_signal_is_said_where_it_is_likelier_than_signal():
    mean = np.array([2.0, 1.0, 0.0])
    seen = forecast(mean, np.array([mean, *np.zeros((3, 3))]), ORDER)

    assert seen.is_chance
    assert (
        seen.signal_in_words == "no signal beyond chance (probability 75%); if there is signal, expected agreement 1.00"
    )
    assert outlook(mean, np.array([mean, *np.zeros((3, 3))]), ORDER, calls_made=5, calls=5).no_signal == 0.75


@given(tables)
def test_tau_is_that_of_counting_pair_by_pair(table):
    mean, draws = table

    assert expected_tau(mean, draws) == pytest.approx(np.mean([plain_tau(mean, draw) for draw in draws]), abs=1e-9)


@given(tables, st.integers(1, 5))
def test_recall_and_p_best_break_ties_at_random(table, k):
    mean, draws = table
    k = min(k, mean.size)
    ahead = forecast(mean, draws, Goal(aim=Aim.TOP, k=k))

    assert ahead.recall == pytest.approx(plain_recall(mean, draws, k), abs=1e-9)
    assert ahead.p_best == pytest.approx(plain_recall(mean, draws, 1), abs=1e-9)


@given(tables, st.integers(1, 7))
def test_memberships_are_probabilities_and_fill_the_places(table, k):
    _, draws = table
    belongs = membership(draws, k)

    assert belongs.min() >= 0
    assert belongs.max() <= 1 + 1e-12
    assert belongs.sum() == pytest.approx(min(k, draws.shape[1]))


@pytest.mark.parametrize("k", [1, 3, 10, 40])
def test_membership_is_the_share_of_draws_with_the_item_among_the_first(k):
    rng = np.random.default_rng(k)
    draws = rng.standard_normal(60) * 2 + rng.standard_normal((50, 60))
    plain = np.mean([[np.sum(draw > value) < k for value in draw] for draw in draws], axis=0)

    np.testing.assert_allclose(membership(draws, k), plain, atol=1e-12)


@pytest.mark.parametrize("items", [2, 3, 64, 65, 300])
def test_tau_of_many_items(items):
    rng = np.random.default_rng(items)
    mean = rng.standard_normal(items)
    draws = mean + rng.standard_normal((5, items))

    assert expected_tau(mean, draws) == pytest.approx(np.mean([plain_tau(mean, draw) for draw in draws]), abs=1e-9)


@given(hnp.arrays(np.float64, st.tuples(st.integers(1, 4), st.integers(1, 40)), elements=st.integers(0, 9).map(float)))
def test_inversions_are_those_of_counting_pair_by_pair(rows):
    before, after = (rows[:, at] for at in np.triu_indices(rows.shape[1], 1))
    wrong, equal = _inversions(rows)

    assert wrong.tolist() == (before > after).sum(axis=1).tolist()
    assert equal.tolist() == (before == after).sum(axis=1).tolist()


@pytest.mark.parametrize("items", [65_535, 65_536, 65_537])
def test_inversions_of_more_items_than_half_words_can_rank(items):
    falling = np.arange(items, 0, -1.0)
    wrong, equal = _inversions(np.stack([falling, -falling, 0 * falling]))

    pairs = items * (items - 1) // 2
    assert (wrong.tolist(), equal.tolist()) == ([pairs, 0, 0], [0, 0, pairs])


def test_equal_means_count_neither_for_nor_against():
    draws = np.array([[3.0, 2.0, 1.0, 0.0]])

    assert expected_tau(np.zeros(4), draws) == 0
    assert expected_tau(np.array([1.0, 1.0, 0.0, 0.0]), draws) == pytest.approx(4 / 6)


def test_draws_that_are_all_equal_say_nothing():
    ahead = forecast(np.array([2.0, 1.0, 0.0, -1.0]), np.full((3, 4), 7.0), Goal(aim=Aim.TOP, k=2))

    assert ahead == Forecast(p_best=0.25, recall=0.5, top=2, tau=0.0, no_signal=1.0, tau_given_signal=0.0)


def test_a_truth_that_is_known_is_forecast_with_certainty():
    mean = np.array([0.3, -1.0, 2.0, 0.9])

    assert forecast(mean, mean[np.newaxis], ORDER) == Forecast(
        p_best=1.0, recall=1.0, top=1, tau=1.0, tau_given_signal=1.0
    )


def test_of_many_values_the_first_draws_do():
    rng = np.random.default_rng(0)
    mean = rng.standard_normal(5000)
    draws = mean + 0.5 * rng.standard_normal((200, 5000))

    few, others = expected_tau(mean, draws), expected_tau(mean, draws[::-1])
    assert few != others  # not the same draws
    assert few == pytest.approx(others, abs=0.002)


@pytest.mark.parametrize(
    ("goal", "items", "top"),
    [
        (Goal(), 150, 10),
        (Goal(), 24, 8),
        (Goal(), 2, 1),
        (ORDER, 30, 10),
        (Goal(aim=Aim.WINNER), 30, 1),
        (Goal(aim=Aim.TOP, k=5), 30, 5),
        (Goal(aim=Aim.TOP, k=50), 30, 30),
    ],
)
def test_the_top_that_recall_speaks_of(goal, items, top):
    assert top_of(goal, items) == top


def test_a_top_of_everybody_is_settled_at_once():
    ahead = forecast(np.zeros(3), np.random.default_rng(0).standard_normal((9, 3)), Goal(aim=Aim.TOP, k=9))

    assert (ahead.recall, ahead.top) == (1.0, 3)


@pytest.mark.parametrize(
    ("aim", "k", "needs"),
    [
        (Aim.WINNER, None, {"p_best"}),
        (Aim.TOP, 3, {"recall"}),
        (Aim.ORDER, None, {"tau"}),
        (Aim.BALANCED, None, {"tau", "recall"}),
    ],
)
def test_each_goal_stops_on_its_own_figure(aim, k, needs):
    goal = Goal(aim=aim, k=k, confidence=0.8)
    for settled in product((True, False), repeat=3):
        figures = dict(zip(("p_best", "recall", "tau"), settled, strict=True))
        ahead = Forecast(top=3, **{name: 0.8 if good else 0.79 for name, good in figures.items()})
        assert reached(ahead, goal) is all(figures[name] for name in needs)


@pytest.mark.parametrize(
    ("mean", "draws", "message"),
    [
        ([0.0, np.nan], [[0.0, 1.0]], "finite"),
        ([0.0, 1.0], [[0.0, np.inf]], "finite"),
        ([0.0], [[0.0]], "at least two items"),
        ([0.0, 1.0], [[0.0, 1.0, 2.0]], "draws of shape"),
        ([0.0, 1.0], np.empty((0, 2)), "draws of shape"),
    ],
)
def test_what_cannot_be_forecast_is_refused(mean, draws, message):
    with pytest.raises(ValueError, match=message):
        forecast(np.array(mean), np.array(draws), ORDER)


def test_forecasts_hold_on_average():
    """Truths drawn from a prior, seen through noise: what the posterior expects is what comes."""
    rng = np.random.default_rng(5)
    items, noise = 40, 0.7
    shrink = 1 / (1 + noise**2)
    said, came = [], []
    for _ in range(150):
        truth = rng.standard_normal(items)
        mean = shrink * (truth + noise * rng.standard_normal(items))
        draws = mean + np.sqrt(shrink) * noise * rng.standard_normal((200, items))
        goal = Goal(aim=Aim.TOP, k=5)
        ahead, behind = forecast(mean, draws, goal), forecast(mean, truth[np.newaxis], goal)
        said.append((ahead.p_best, ahead.recall, ahead.tau))
        came.append((behind.p_best, behind.recall, behind.tau))

    error = np.std(np.subtract(said, came), axis=0) / np.sqrt(150)
    assert np.all(np.abs(np.mean(said, axis=0) - np.mean(came, axis=0)) < 3 * error)
    assert np.all(error < (0.05, 0.02, 0.01))


def test_an_outlook_on_no_calls_is_the_forecast_and_more_calls_bring_more():
    rng = np.random.default_rng(6)
    mean = rng.standard_normal(30)
    draws = mean + 0.5 * rng.standard_normal((300, 30))
    goal = Goal(aim=Aim.TOP, k=5)
    ahead = [outlook(mean, draws, goal, calls_made=100, calls=calls) for calls in (0, 100, 1_000, 10**9)]

    today = forecast(mean, draws, goal)
    assert ahead[0].tau == pytest.approx(today.tau)
    assert ahead[0].recall == pytest.approx(today.recall)
    assert ahead[0].p_best == pytest.approx(today.p_best)
    for name in ("tau", "recall", "p_best"):
        figures = [getattr(point, name) for point in ahead]
        assert figures == sorted(figures)
        assert figures[-1] > 0.99


def test_an_outlook_foresees_the_forecast_that_comes():
    """A Gaussian truth seen through noise; three times as many looks leave a third of the noise's variance."""
    rng = np.random.default_rng(7)
    items, noise, spread = 40, 0.6, 3.0

    def seen(total, looks):
        shrink = spread**2 / (spread**2 + noise**2 / looks)
        mean = shrink * total / looks
        return mean, mean + np.sqrt(shrink / looks) * noise * rng.standard_normal((200, items))

    foreseen, came = [], []
    for _ in range(60):
        truth = spread * rng.standard_normal(items)
        looks = truth + noise * rng.standard_normal((3, items))
        foreseen.append(outlook(*seen(looks[0], 1), ORDER, calls_made=50, calls=100))
        came.append(forecast(*seen(looks.sum(axis=0), 3), ORDER))

    for name, allowed in (("tau", 0.005), ("recall", 0.02), ("p_best", 0.06)):
        gap = np.mean([getattr(a, name) - getattr(b, name) for a, b in zip(foreseen, came, strict=True)])
        assert abs(gap) < allowed


@pytest.mark.parametrize(("asked", "calls", "draws"), [(0, 5, 3), (5, -1, 3), (5, 5, 1)])
def test_an_outlook_that_makes_no_sense_is_refused(asked, calls, draws):
    with pytest.raises(ValueError, match="an outlook takes"):
        outlook(np.arange(3.0), np.zeros((draws, 3)), ORDER, calls_made=asked, calls=calls)
