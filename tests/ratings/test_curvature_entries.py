"""What adds up to the curvature, without value and gradient, in each model."""

from dataclasses import replace

import numpy as np
import pytest

from paragone.ratings import Evidence
from paragone.ratings.model.covariates import PriorShape, ShapedModel, StyledModel
from paragone.ratings.model.davidson import Davidson
from paragone.ratings.model.likelihood import Hyper, Model
from paragone.ratings.model.pair_model import PairModel

ITEMS = 6


def evidence(*, rankings=(), soft=True):
    """Two judges of which one may be soft, ties, and orderings by either."""
    rng = np.random.default_rng(4)
    first = rng.integers(ITEMS, size=40)
    second = (first + rng.integers(1, ITEMS, size=40)) % ITEMS
    judge = np.arange(40) % 2
    score = rng.choice([0.0, 0.5, 1.0], size=40)
    if soft:
        score[judge == 1] = rng.uniform(0.1, 0.9, size=20)
    by = {"judge": judge, "judges": ("a", "b"), "rankings": rankings, "ranking_judge": [0, 1][: len(rankings)]}
    return Evidence.from_arrays(ITEMS, first, second, score, **by)


def models():
    slope = np.array([1.4, 1 / 1.4])
    alike = Model.of(evidence(soft=False), ("a", "b"))
    both = Model.of(evidence(rankings=[[3, 1, 2, 0], [5, 4]]), ("a", "b"), slope)
    styled = replace(evidence(), differences=np.random.default_rng(2).standard_normal((40, 2)))
    known = np.eye(ITEMS) + np.outer(np.linspace(-1, 1, ITEMS), np.linspace(-1, 1, ITEMS)) / 4
    return {
        "rows": alike,
        "slopes, soft and orderings": both,
        "a shape": ShapedModel.around(both, PriorShape.of(known)),
        "differences": StyledModel.of_styled(styled, ("a", "b")),
        "pairs": PairModel.of_pairs(evidence(soft=False), ("a", "b")),
    }


@pytest.mark.parametrize("name", list(models()))
def test_they_are_those_that_come_with_the_gradient_to_the_last_bit(name):
    model, hyper = models()[name], Hyper(spread=1.3, dispersion=np.array([1.0, 0.3]))
    theta = np.random.default_rng(1).standard_normal(model.dimension)
    assert model.entries(theta, hyper).tobytes() == model.derivatives(theta, hyper).entries.tobytes()


def test_the_prior_is_the_one_that_is_asked_for_last():
    """It is kept while the same is asked for: two spreads in turn give what a new model gives."""
    model, theta = models()["rows"], np.random.default_rng(1).standard_normal(models()["rows"].dimension)
    narrow, wide = (Hyper(spread=spread, dispersion=np.ones(2)) for spread in (0.5, 2.0))
    for hyper in (narrow, wide, wide, narrow):
        assert model.derivatives(theta, hyper).value == models()["rows"].derivatives(theta, hyper).value


def test_curvatures_are_variances_and_covariances_of_score_and_tie_by_hand():
    """At even odds with exp(t) = 2 a tie has probability 1/2 and each side 1/4; at t = -inf there is none."""
    outcome = Davidson.at(np.array([0.0, np.log(3.0)]), np.array([np.log(2.0), -np.inf]))
    assert outcome.first == pytest.approx([0.25, 0.75])
    assert outcome.tie.tolist() == pytest.approx([0.5, 0.0])
    # of the score: 1/4 * 1/4 + 1/2 * 1/2 / 4 and 3/4 * 1/4; of being a tie: 1/2 * 1/2
    assert outcome.curvatures(np.array([2.0, 1.0])) == pytest.approx(
        np.array([[2 * 0.125, 0.1875], [0.0, 0.0], [2 * 0.25, 0.0]])
    )
    odds = Davidson.at(np.array([1.0, -2.0]), np.array([-1.0, 0.3]))
    assert odds.curvatures(np.ones(2)) == pytest.approx(np.array([odds.variance, odds.covariance, odds.tie_variance]))
