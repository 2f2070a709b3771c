"""Document T's four numbers."""

import pytest

from paragone.analysis.progress.accuracy import effectiveness, truth_correlation
from paragone.analysis.progress.convergence import convergence


def test_the_four_numbers():
    rounds = [[3, 2, 1, 0], [3, 2, 1, 0], [2, 3, 1, 0], [2, 3, 1, 0]]
    truth = {"a": 9.0, "b": 8.0, "c": 1.0, "unknown": 4.0}
    found = effectiveness(
        convergence(rounds, top=1), decisions=30, units=120, ratings={"a": 2, "b": 3, "c": 1, "d": 0}, truth=truth
    )
    assert found.top_10_stability == pytest.approx(2 / 3)
    assert found.computational_efficiency == 0.25
    assert found.correlation_with_ground_truth == pytest.approx(1 / 3)  # one of three pairs turned round
    assert found.rating_convergence_rate == pytest.approx(convergence(rounds).rate)


def test_where_nothing_can_be_said_there_is_none():
    found = effectiveness(convergence([]), decisions=0, units=0)
    assert found.rating_convergence_rate is None
    assert found.top_10_stability is None
    assert found.computational_efficiency is None
    assert found.correlation_with_ground_truth is None
    assert truth_correlation({"a": 1, "b": 1}, {"a": 2, "b": 3}) is None
