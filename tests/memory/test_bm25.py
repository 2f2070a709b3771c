"""BM25 against its definition, and against bm25s."""

import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from paragone.memory.search.bm25 import K1, B, Postings, PostingsBuilder, idf, nothing, postings

Document = list[str]
a_document = st.lists(st.sampled_from("abcdefgh"), max_size=12)


def indexed(documents: list[Document]) -> Postings:
    return postings(len(documents), gathered(dict(enumerate(documents))), old=nothing(), to=np.zeros(0, np.int64))


def gathered(documents: dict[int, Document], known: tuple[str, ...] = ()) -> PostingsBuilder:
    fresh = PostingsBuilder(known)
    for row, document in documents.items():
        fresh.add(row, Counter(document))
    return fresh


def plain(documents: list[Document], query: list[str]) -> list[float]:
    """Lucene's BM25 as it is written down, over what it could reach."""
    mean = max(sum(map(len, documents)) / len(documents), 1e-9)
    weights = {word: idf(sum(word in one for one in documents), len(documents)) for word in query}
    most = sum(weights[word] for word in query)
    scores = []
    for one in documents:
        penalty = K1 * (1 - B + B * len(one) / mean)
        scores.append(sum(weights[word] * one.count(word) / (one.count(word) + penalty) for word in query) / most)
    return scores


def test_two_documents_by_hand() -> None:
    found = indexed([["a", "b"], ["b", "b"]]).similarity(["a"])
    # idf = ln(1 + 1.5 / 1.5); one occurrence in a document of mean length: 1 / (1 + 1.5)
    assert idf(1, 2) == pytest.approx(math.log(2))
    assert found.tolist() == pytest.approx([0.4, 0.0])


def test_a_word_that_nobody_has_lowers_what_is_reached() -> None:
    table = indexed([["a", "b"], ["b", "b"]])
    share = math.log(2) / (math.log(2) + math.log1p(2.5 / 0.5))
    assert table.similarity(["a", "z"]).tolist() == pytest.approx([0.4 * share, 0.0])


@given(st.lists(a_document, min_size=1, max_size=8), st.lists(st.sampled_from("abcz"), min_size=1, max_size=5))
def test_likeness_is_the_definition(documents: list[Document], query: list[str]) -> None:
    found = indexed(documents).similarity(query)
    assert found.tolist() == pytest.approx(plain(documents, query), abs=1e-6)
    assert ((found >= 0.0) & (found < 1.0)).all()


def test_the_order_and_the_scores_are_those_of_bm25s() -> None:
    bm25s = pytest.importorskip("bm25s")
    rng = np.random.default_rng(5)
    words = [f"w{number}" for number in range(50)]
    documents = [rng.choice(words, size=rng.integers(3, 40)).tolist() for _ in range(300)]
    peer = bm25s.BM25(method="lucene", k1=K1, b=B)
    peer.index(documents, show_progress=False)
    table, query = indexed(documents), ["w1", "w2", "w3", "w2"]
    most = sum(idf(sum(word in one for one in documents), len(documents)) for word in query)
    assert table.similarity(query) * most == pytest.approx(peer.get_scores(query), abs=1e-5)


@given(st.lists(a_document, min_size=1, max_size=8), st.lists(a_document, max_size=5), st.data())
def test_an_index_brought_up_to_date_is_the_one_made_anew(
    before: list[Document], fresh: list[Document], data: st.DataObject
) -> None:
    stays = data.draw(st.permutations([row for row in range(len(before)) if data.draw(st.booleans())]))
    to = np.full(len(before), -1, np.int64)
    to[stays] = range(len(stays))
    old, new = indexed(before), {len(stays) + row: one for row, one in enumerate(fresh)}
    updated = postings(len(stays) + len(fresh), gathered(new, tuple(old.terms)), old=old, to=to)
    anew = indexed([*(before[row] for row in stays), *fresh])
    assert updated.terms == anew.terms
    for name in ("starts", "documents", "counts", "lengths"):
        assert np.array_equal(getattr(updated, name), getattr(anew, name)), name


def test_nothing_answers_nothing() -> None:
    assert nothing().similarity(["a"]).tolist() == []
    assert indexed([["a"], []]).similarity([]).tolist() == [0.0, 0.0]
