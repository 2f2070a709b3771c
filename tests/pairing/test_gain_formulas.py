"""What a ranking risks and what a comparison is expected to tell, by worked numbers and plain sums."""

import math
from statistics import NormalDist

import numpy as np
import pytest

from paragone.pairing.gain import information, order_form, pair_variances, top_rows

NORMAL = NormalDist()


def posterior(items, seed):
    rng = np.random.default_rng(seed)
    root = rng.standard_normal((items, items)) / math.sqrt(items)
    centre = np.eye(items) - 1 / items
    mean = rng.standard_normal(items)
    return mean - mean.mean(), centre @ (root @ root.T + 0.1 * np.eye(items)) @ centre


def test_between_equals_that_are_known_an_answer_tells_a_quarter():
    assert information(np.array([0.0]), np.array([0.0])) == pytest.approx([0.25])
    # A variance of 8 / pi halves it; at log 3 the chances are 3/4 and 1/4, and p (1 - p) is 3/16.
    assert information(np.array([0.0]), np.array([8 / math.pi])) == pytest.approx([0.125])
    assert information(np.array([math.log(3), -math.log(3)]), np.zeros(2)) == pytest.approx([3 / 16, 3 / 16])
    assert information(np.array([2000.0]), np.array([0.0])) == [0.0]


def test_information_is_near_the_average_over_the_difference():
    at = np.linspace(-8, 8, 4001)
    for lead, variance in ((0.0, 0.5), (1.0, 0.5), (0.5, 2.0), (2.0, 1.0)):
        density = np.exp(-((at - lead) ** 2) / (2 * variance))
        chance = 1 / (1 + np.exp(-at))
        average = float((density * chance * (1 - chance)).sum() / density.sum())
        # What is taken is 1 / (1 / average + variance): the answer of a Newton step.
        expected = 1 / (1 / average + variance)
        assert float(information(np.array(lead), np.array(variance))) == pytest.approx(expected, rel=0.2)


def test_the_form_of_the_order_beside_plain_sums():
    mean, covariance = posterior(7, 1)
    weights, risk = np.zeros((7, 7)), 0.0
    for i in range(7):
        for j in range(7):
            if i != j:
                variance = covariance[i, i] + covariance[j, j] - 2 * covariance[i, j]
                lead = (mean[i] - mean[j]) / math.sqrt(variance)
                weights[i, j] = NORMAL.pdf(lead) ** 2 / variance
                risk += NORMAL.cdf(lead) * (1 - NORMAL.cdf(lead)) / 2
    form = (np.diag(weights.sum(axis=1)) - weights) / risk
    assert order_form(mean, covariance) == pytest.approx(form, rel=2e-3)
    assert order_form(mean, covariance).sum(axis=1) == pytest.approx(np.zeros(7), abs=1e-12)


def test_two_items_alike_have_a_form_worked_out_by_hand():
    # The difference has mean 0 and variance 4: density^2 / variance = 1 / (8 pi); the risk is 1/4.
    form = order_form(np.zeros(2), np.array([[1.0, -1.0], [-1.0, 1.0]]))
    assert form == pytest.approx(np.array([[1.0, -1.0], [-1.0, 1.0]]) / (2 * math.pi))


@pytest.mark.parametrize("top", [1, 2, 5])
def test_the_form_of_a_top_beside_plain_sums(top):
    mean, covariance = posterior(7, 2)
    deviation = np.sqrt(np.diagonal(covariance))

    def belongs(threshold):
        return np.array([NORMAL.cdf((m - threshold) / s) for m, s in zip(mean, deviation, strict=True)])

    low, high = -20.0, 20.0
    for _ in range(80):
        middle = (low + high) / 2
        low, high = (middle, high) if belongs(middle).sum() > top else (low, middle)
    force = np.array([NORMAL.pdf((m - low) / s) / s for m, s in zip(mean, deviation, strict=True)])
    away = np.eye(7) - np.outer(np.ones(7), force / force.sum())
    share = belongs(low)
    form = away.T @ np.diag(force**2) @ away / (share * (1 - share)).sum()
    rows = top_rows(mean, covariance, top)
    assert rows.T @ rows == pytest.approx(form, rel=0.02, abs=2e-3)
    assert rows.sum(axis=1) == pytest.approx(np.zeros(len(rows)), abs=1e-12), "moving all items alike changes nothing"


def test_who_certainly_belongs_or_does_not_is_in_no_row_of_its_own():
    mean = np.array([9.0, 0.1, -0.1, -9.0])
    assert len(top_rows(mean, 0.01 * np.eye(4), 2)) == 2


def test_variances_of_pairs():
    variances = pair_variances(np.array([[2.0, 0.5], [0.5, 1.0]]))
    assert variances[0, 1] == variances[1, 0] == 2.0
    assert variances[0, 0] > 0
