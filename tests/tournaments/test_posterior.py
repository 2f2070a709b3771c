"""The standing: what the posterior of a pool says, from evidence to the board's numbers."""

import numpy as np
import pytest

from paragone.domain import Goal
from paragone.ratings import Evidence, to_elo
from paragone.tournaments.posterior import fit_posterior


def votes(slopes=(1.0,), items=8, answers=60, seed=0):
    rng = np.random.default_rng(seed)
    truth = rng.normal(size=items) * 2
    first = rng.integers(items, size=answers)
    second = (first + rng.integers(1, items, size=answers)) % items
    odds = np.multiply.outer(slopes, truth[first] - truth[second])
    score = (rng.random(odds.shape) < 1 / (1 + np.exp(-odds))).astype(float).ravel()
    judge, names = np.repeat(np.arange(len(slopes)), answers), [f"judge {at}" for at in range(len(slopes))]
    columns = np.tile(first, len(slopes)), np.tile(second, len(slopes)), score
    return Evidence.from_arrays(items, *columns, judge=judge, judges=names)


def test_ratings_lie_in_intervals_that_are_quantiles_of_the_draws():
    ids = tuple("abcdefgh")
    found = fit_posterior(ids, votes(), goal=Goal(), level=0.9)
    for place, id in enumerate(ids):
        strength = found.strengths[id]
        low, high = np.quantile(found.draws[:, place], [0.05, 0.95])
        assert strength.low == pytest.approx(min(to_elo(low), strength.rating))
        assert strength.high == pytest.approx(max(to_elo(high), strength.rating))
        assert strength.low <= strength.rating <= strength.high


def test_slopes_have_intervals_that_hold_them_and_one_judge_has_none():
    assert fit_posterior(tuple("abcdefgh"), votes(), goal=Goal()).slopes == {}
    slopes = fit_posterior(tuple("abcdefgh"), votes((1.5, 0.5), answers=150), goal=Goal()).slopes
    assert list(slopes) == ["judge 0", "judge 1"]
    assert slopes["judge 0"][0] * slopes["judge 1"][0] == pytest.approx(1)
    assert all(low < slope < high for slope, low, high in slopes.values())
    assert slopes["judge 0"][1] > slopes["judge 1"][2]


def test_what_answers_to_the_same_pair_share_is_part_of_the_method():
    method = fit_posterior(tuple("abcdefgh"), votes(), goal=Goal()).method
    assert method["repeats"]["stretch"] >= 1.0
    assert method["repeats"]["pairs"] > 0
