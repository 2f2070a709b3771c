"""The memory specification's score of search results, by hand."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paragone.analysis.content.document_score import document_score, elo_norm, r_gate

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


@given(similarity=share, low=share, high=share)
def test_a_higher_rating_never_lowers_a_score_and_a_low_r_never_lifts_it(
    similarity: float, low: float, high: float
) -> None:
    low, high = sorted((low, high))
    assert document_score(similarity, low, 1.0) <= document_score(similarity, high, 1.0) + 1e-12
    assert document_score(similarity, high, 0.25) <= document_score(similarity, high, 1.0)
