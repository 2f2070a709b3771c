import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from paragone.domain import Item
from paragone.errors import InvalidItems, NotFound
from paragone.similarity import SimilarityGraph


def items(count):
    return [Item(id=f"i{n}", text=f"text {n}") for n in range(count)]


def planted(groups=4, each=12, spread=0.3, seed=0):
    """Vectors around as many directions as there are groups, and the group of each."""
    rng = np.random.default_rng(seed)
    group = np.repeat(np.arange(groups), each)
    return np.eye(16)[group] + spread * rng.standard_normal((group.size, 16)), group


WORKED = [[2, 0], [0, 3], [3, 4], [-1, 0]]


def test_similarity_is_the_cosine_of_the_vectors_whatever_their_lengths():
    graph = SimilarityGraph.of(items(4), vectors=WORKED)
    assert graph.similarity("i0", "i1") == 0.0
    assert graph.similarity("i0", "i2") == pytest.approx(0.6)
    assert graph.similarity("i1", "i2") == pytest.approx(0.8)
    assert graph.similarity("i0", "i3") == -1.0
    assert graph.similarity("i2", "i2") == pytest.approx(1.0)


def test_neighbours_come_nearest_first_and_never_are_the_item_itself():
    graph = SimilarityGraph.of(items(4), vectors=WORKED)
    assert [id for id, _ in graph.neighbours("i2")] == ["i1", "i0", "i3"]
    assert [cosine for _, cosine in graph.neighbours("i2")] == pytest.approx([0.8, 0.6, -0.6])


def test_doubles_are_each_others_neighbours():
    graph = SimilarityGraph.of(items(5), vectors=[[1, 0], [1, 0], [1, 0], [1, 0], [0, 1]], neighbours=2)
    for id in graph.ids[:4]:
        others = [other for other, _ in graph.neighbours(id)]
        assert id not in others
        assert len(set(others)) == 2
        assert "i4" not in others


@given(st.integers(1, 40), st.integers(0, 12), st.integers(0, 2**32 - 1))
def test_neighbours_are_those_of_the_whole_matrix(count, wanted, seed):
    vectors = np.random.default_rng(seed).standard_normal((count, 6))
    graph = SimilarityGraph.of(items(count), vectors=vectors, neighbours=wanted)
    matrix = graph.matrix().astype(float)
    assert matrix == pytest.approx(matrix.T)
    assert np.diag(matrix) == pytest.approx(np.ones(count), abs=1e-5)
    np.fill_diagonal(matrix, -np.inf)
    best = np.sort(matrix, axis=1)[:, ::-1][:, : min(wanted, count - 1)]
    assert graph.nearest.cosine == pytest.approx(best, abs=1e-5)
    assert graph.nearest.cosine == pytest.approx(np.take_along_axis(matrix, graph.nearest.index, axis=1), abs=1e-5)


def test_planted_clusters_are_found_and_numbered_by_size():
    vectors, group = planted()
    vectors, group = np.delete(vectors, slice(0, 5), axis=0), np.delete(group, slice(0, 5))
    graph = SimilarityGraph.of(items(len(group)), vectors=vectors)
    sizes = [len(cluster.members) for cluster in graph.clusters]
    assert sizes == [12, 12, 12, 7]
    found = {frozenset(cluster.members) for cluster in graph.clusters}
    assert found == {frozenset(f"i{n}" for n in np.flatnonzero(group == g)) for g in range(4)}
    assert all(graph.cluster_of(member) == c.number for c in graph.clusters for member in c.members)


def test_the_most_typical_member_comes_first():
    graph = SimilarityGraph.of(items(3), vectors=[[1, 0.5], [1, 0], [1, -0.6]])
    (only,) = graph.clusters
    assert only.members[0] == "i1"
    assert 0.9 < only.cohesion < 1.0


def test_recommended_matches_are_of_the_alike_and_leave_out_those_that_met():
    vectors, group = planted(spread=0.15)
    graph = SimilarityGraph.of(items(48), vectors=vectors)
    first = graph.recommended(24)
    assert len(set(map(frozenset, first))) == 24
    place = {id: n for n, id in enumerate(graph.ids)}
    assert all(group[place[a]] == group[place[b]] for a, b in first)
    again = graph.recommended(24, excluded=[(b, a) for a, b in first])
    assert {frozenset(pair) for pair in first}.isdisjoint(frozenset(pair) for pair in again)
    assert graph.recommended(3) == first[:3]


def test_recommended_matches_are_shared_out():
    """One item that is everybody's nearest does not take all matches."""
    star = np.vstack([np.ones(8), np.eye(8) + 0.4])
    graph = SimilarityGraph.of(items(9), vectors=star)
    plays = [pair.count("i0") for pair in graph.recommended(8)]
    assert sum(plays) <= 3


def test_one_item_and_no_item_are_fine():
    assert SimilarityGraph.of(items(1), vectors=[[1.0, 0.0]]).neighbours("i0") == ()
    empty = SimilarityGraph.of([], vectors=np.zeros((0, 3)))
    assert (empty.clusters, empty.recommended(5)) == ((), ())


def test_an_item_without_any_direction_is_like_nobody():
    graph = SimilarityGraph.of(items(3), vectors=[[0, 0], [1, 0], [1, 1]])
    assert graph.similarity("i0", "i1") == 0.0
    assert {member for cluster in graph.clusters for member in cluster.members} == {"i0", "i1", "i2"}


@pytest.mark.parametrize(
    ("vectors", "text"),
    [
        ([[1, 0]], "1 vectors for 2 items"),
        ([[1, 0], [np.nan, 1]], "finite"),
        ([1, 2], "one row an item"),
        ([[1], [1, 2]], "equally many"),
        ([["a"], ["b"]], "numbers"),
    ],
)
def test_vectors_that_do_not_fit_are_refused(vectors, text):
    with pytest.raises(InvalidItems, match=text):
        SimilarityGraph.of(items(2), vectors=vectors)


def test_there_is_no_matrix_of_many_items_and_no_item_that_is_not_there():
    graph = SimilarityGraph.of(items(3001), vectors=np.random.default_rng(0).standard_normal((3001, 4)))
    with pytest.raises(InvalidItems, match="3001 items"):
        graph.matrix()
    with pytest.raises(NotFound, match="'nobody'"):
        graph.similarity("i0", "nobody")


def test_what_is_no_item_or_is_there_twice_is_named():
    with pytest.raises(InvalidItems, match=r"made of Item\(id=..., text=...\), not of str"):
        SimilarityGraph.of(["a", "b"], vectors=WORKED[:2])
    with pytest.raises(InvalidItems, match="the id 'i0' appears twice"):
        SimilarityGraph.of([*items(1), *items(1)], vectors=WORKED[:2])
