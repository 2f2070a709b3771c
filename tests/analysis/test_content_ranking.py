"""Scores of search results, by hand."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paragone.analysis.content.convergence import bounded_score, document_score, elo_norm, r_gate

share = st.floats(0.0, 1.0)


@pytest.mark.parametrize(
    ("elo", "norm"), [(100, 0.0), (800, 0.0), (1200, 1 / 3), (1400, 0.5), (1600, 2 / 3), (2000, 1.0), (4000, 1.0)]
)
def test_a_rating_is_a_share_between_800_and_2000(elo: float, norm: float) -> None:
    assert elo_norm(elo) == pytest.approx(norm)


def test_the_gate_is_closed_only_where_r_is_known_to_be_low() -> None:
    assert [r_gate(known) for known in (True, None, False)] == [1.0, 1.0, 0.25]


@pytest.mark.parametrize(
    ("similarity", "elo", "gate", "score"),
    [
        (0.8, 1600, 1.0, 0.76),  # 0.56 + 0.2
        (0.8, 1600, 0.25, 0.19),
        (0.85, 800, 1.0, 0.595),
        (0.0, 2000, 1.0, 0.3),
        (1.0, 2000, 1.0, 1.0),
        (1.0, 2000, 0.25, 0.25),
    ],
)
def test_the_documents_formula(similarity: float, elo: float, gate: float, score: float) -> None:
    assert document_score(similarity, elo_norm(elo), gate) == pytest.approx(score)


@pytest.mark.parametrize(
    ("elo", "gate", "score"),
    [(2000, 1.0, 0.92), (2000, 0.25, 0.74), (800, 1.0, 0.68), (800, 0.25, 0.68), (1400, 1.0, 0.8)],
)
def test_a_bounded_score_of_likeness_four_fifths(elo: float, gate: float, score: float) -> None:
    assert bounded_score(0.8, elo_norm(elo), gate, 0.15) == pytest.approx(score)


@given(similarity=share, norm=share, gate=st.sampled_from([0.25, 1.0]), bound=st.floats(0.0, 0.99))
def test_a_bounded_score_stays_within_its_bound(similarity: float, norm: float, gate: float, bound: float) -> None:
    score = bounded_score(similarity, norm, gate, bound)
    assert similarity * (1 - bound) - 1e-12 <= score <= similarity * (1 + bound) + 1e-12


@given(similarity=share, low=share, high=share)
def test_a_higher_rating_never_lowers_a_score_and_a_low_r_never_lifts_it(
    similarity: float, low: float, high: float
) -> None:
    low, high = sorted((low, high))
    for score in (
        lambda norm, gate: bounded_score(similarity, norm, gate, 0.15),
        lambda *n: document_score(similarity, *n),
    ):
        assert score(low, 1.0) <= score(high, 1.0) + 1e-12
        assert score(high, 0.25) <= score(high, 1.0)


@given(other=share, norm=share)
def test_under_the_bound_likeness_more_than_a_third_higher_always_wins(other: float, norm: float) -> None:
    # 1.15 / 0.85 = 1.353: so far apart, no rating turns the order
    assert bounded_score(min(other * 1.354, 1.354), 0.0, 1.0, 0.15) >= bounded_score(other, norm, 1.0, 0.15)
    assert math.isclose(1.15 / 0.85, 1.353, abs_tol=5e-4)
