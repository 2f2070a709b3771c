"""The standing: what the posterior of a pool says, from evidence to the board's numbers."""

from dataclasses import fields, replace

import numpy as np
import pytest

from paragone.domain import Aim, Goal
from paragone.ratings import Evidence, to_elo
from paragone.ratings.bradley_terry import fit
from paragone.tournaments.posterior import Posterior, fit_options, fit_posterior


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


IDS = tuple("abcdefgh")


def test_the_same_question_has_the_same_posterior_which_is_that_of_a_fit_of_its_own():
    kept = fit_posterior(IDS, votes(), goal=Goal(), seed=3)
    assert fit_posterior(list(IDS), votes(), goal=Goal(), seed=3) is kept
    made = Posterior(ids=IDS, fit=fit(votes(), fit_options(())), seed=3, goal=Goal(), level=0.95, initial=1200.0)
    assert kept.draws.tobytes() == made.draws.tobytes()
    assert (kept.strengths, kept.positions, kept.method) == (made.strengths, made.positions, made.method)


@pytest.mark.parametrize(
    "other",
    [
        {"ids": tuple("bacdefgh")},
        {"goal": Goal(aim=Aim.WINNER)},
        {"level": 0.9},
        {"initial": 1500.0},
        {"seed": 4},
        {"options": fit_options((), repeats=False)},
        {"comparisons": votes(seed=1)},
        {"comparisons": votes(answers=61)},
    ],
    ids="-".join,
)
def test_another_question_has_another(other):
    asked = {"ids": IDS, "comparisons": votes(), "goal": Goal(), "seed": 3}
    kept, others = fit_posterior(**asked), fit_posterior(**asked | other)
    assert others is not kept
    assert fit_posterior(**asked) is kept


def test_every_column_of_the_evidence_makes_a_difference():
    plain = Evidence.from_arrays(
        4, [0, 1, 2], [1, 2, 3], [1.0, 0.0, 0.5], judges=("ann", "ben"), rankings=[(0, 1)], ranking_judge=[1]
    )
    changed = {
        "item_count": 5,
        "first": np.array([0, 1, 0]),
        "second": np.array([1, 2, 1]),
        "score": 1.0 - plain.score,
        "tie": {"tie": np.zeros(3, bool), "soft": np.array([False, False, True])},
        "weight": np.array([1.0, 1.0, 2.0]),
        "judge": np.array([0, 0, 1]),
        "judges": ("ann", "bob"),
        "rankings": np.array([[0, 2]]),
        "ranking_weight": np.array([2.0]),
        "ranking_judge": np.array([0]),
        "ranking_place": np.array([[1, 0]]),
        "differences": np.array([[0.5], [0.0], [-1.0]]),
    }
    assert set(changed) == {field.name for field in fields(Evidence)} - {"soft"}
    for name, value in changed.items():
        other = replace(plain, **(value if isinstance(value, dict) else {name: value}))
        assert other.content != plain.content, name
    assert replace(plain).content == plain.content


def test_what_is_large_is_not_kept():
    ids = tuple(map(str, range(101)))
    large = votes(items=101)
    assert fit_posterior(ids, large, goal=Goal()) is not fit_posterior(ids, large, goal=Goal())
