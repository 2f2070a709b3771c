"""Meaning and words together, and the best of many."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from paragone.errors import UsageError
from paragone.memory.search.candidates import Embeddings, best, fused

scores = arrays.arrays(np.float32, st.integers(0, 40), elements=st.sampled_from([0.0, 0.25, 0.5, 1.0]))


def test_three_tenths_are_meaning() -> None:
    found = fused(np.asarray([1.0, 0.0, 0.5], np.float32), np.asarray([0.0, 1.0, 0.5], np.float32))
    assert found.tolist() == pytest.approx([0.3, 0.7, 0.5])


@given(scores, st.integers(1, 50))
def test_the_best_are_those_of_a_full_sort_ties_by_row(found: "np.ndarray", count: int) -> None:
    plain = sorted((row for row, score in enumerate(found.tolist()) if score > 0), key=lambda row: (-found[row], row))
    assert best(found, count).tolist() == plain[:count]


MATRIX = np.asarray([[1.0, 0.0], [0.6, 0.8], [-1.0, 0.0]], np.float32)


def test_cosines_come_in_the_order_of_the_rows() -> None:
    rows = {"c": 0, "a": 1, "without": 2, "b": 3}
    found = Embeddings(["a", "b", "c"], MATRIX, rows).similarity(np.asarray([1.0, 0.0], np.float32))
    assert found.tolist() == pytest.approx([0.0, 1.0, 0.0, 0.6])


def test_where_both_have_one_order_nothing_is_moved() -> None:
    found = Embeddings(["a", "b", "c"], MATRIX, {"a": 0, "b": 1, "c": 2}).similarity(np.asarray([1.0, 0.0], np.float32))
    assert found.tolist() == pytest.approx([1.0, 0.6, 0.0])


def test_a_vector_whose_chunk_is_gone_does_no_harm() -> None:
    found = Embeddings(["a", "b", "c"], MATRIX, {"b": 0}).similarity(np.asarray([1.0, 0.0], np.float32))
    assert found.tolist() == pytest.approx([0.6])


def test_a_query_of_another_embedder_is_refused() -> None:
    with pytest.raises(UsageError, match="3 dimensions and the index 2"):
        Embeddings(["a", "b", "c"], MATRIX, {"a": 0}).similarity(np.ones(3, np.float32))
