"""The similarity graph of items: nearest neighbours (by faiss), clusters, and which pairs should meet."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from paragone import extras
from paragone.domain import Item
from paragone.domain.rounding import COSINE_DECIMALS, rounded
from paragone.errors import InvalidItems, NotFound
from paragone.similarity.embedders import Embedder, Vectors, open_embedder
from paragone.similarity.vectors import VectorCache, cosines, embed, unit

if TYPE_CHECKING:
    import faiss

# Comparing all pairs, block by block, takes about a minute of one core for 100,000 items of 256 dimensions and misses
# nothing; a graph that is walked from item to item (HNSW) only pays for more.
EXACT = 150_000
"""Number of items up to which all pairs are compared."""

_LINKS = 24
_BUILD_WIDTH = 60
_SEARCH_WIDTH = 96
_BLOCK = 4096
_SPARE = 4


@dataclass(frozen=True, kw_only=True, eq=False, slots=True)
class Neighbours:
    """The nearest neighbours of each item.

    Attributes:
        index: Their indices, nearest first, shape (items, neighbours); -1 if there are no more.
        cosine: Their cosines, same shape; -1 there.
    """

    index: npt.NDArray[np.int32]
    cosine: npt.NDArray[np.float32]


def nearest(vectors: Vectors, count: int, *, exact: int = EXACT) -> Neighbours:
    """The nearest neighbours of every item, by cosine.

    Args:
        vectors: Unit vectors, shape (items, dimensions).
        count: Neighbours per item; fewer if there are not enough items.
        exact: Number of items up to which all pairs are compared. With more, a few neighbours may be missed.

    Raises:
        MissingExtra: If faiss is not installed.
    """
    extras.require("similarity needs", "faiss-cpu")
    items = len(vectors)
    count = max(min(count, items - 1), 0)
    if count == 0:
        return Neighbours(index=np.zeros((items, 0), np.int32), cosine=np.zeros((items, 0), np.float32))
    table = _exhaustive(vectors) if items <= exact else _walked(vectors)
    blocks = [_of_block(table, vectors, start, count) for start in range(0, items, _BLOCK)]
    return Neighbours(
        index=np.concatenate([block.index for block in blocks]),
        cosine=np.concatenate([block.cosine for block in blocks]),
    )


def _exhaustive(vectors: Vectors) -> "faiss.Index":
    import faiss

    table = faiss.IndexFlatIP(vectors.shape[1])
    table.add(vectors)
    return table


def _walked(vectors: Vectors) -> "faiss.Index":
    import faiss

    table = faiss.IndexHNSWFlat(vectors.shape[1], _LINKS, faiss.METRIC_INNER_PRODUCT)
    table.hnsw.efConstruction, table.hnsw.efSearch = _BUILD_WIDTH, _SEARCH_WIDTH
    threads = faiss.omp_get_max_threads()
    faiss.omp_set_num_threads(1)  # several would tie the graph together in the order in which they happen to come
    try:
        table.add(vectors)
    finally:
        faiss.omp_set_num_threads(threads)
    return table


def _of_block(table: "faiss.Index", vectors: Vectors, start: int, count: int) -> Neighbours:
    """Neighbours of some rows, in the order of their exact cosines; those of faiss differ by processor.

    A few more are requested: an item or one of its duplicates is its own nearest, and the last cosines may differ in
    the last bit alone.
    """
    block = vectors[start : start + _BLOCK]
    _, index = table.search(block, min(count + 1 + _SPARE, table.ntotal))
    rows = np.arange(start, start + len(index))[:, np.newaxis]
    other = (index >= 0) & (index != rows)
    cosine = np.stack([cosines(block, vectors[column]) for column in index.T], axis=1)
    cosine = np.where(other, cosine.astype(np.float32), -1.0)
    best = np.lexsort((index, -cosine, ~other))[:, :count]
    index = np.where(other, index, -1)
    return Neighbours(
        index=np.take_along_axis(index, best, axis=1).astype(np.int32),
        cosine=np.take_along_axis(cosine, best, axis=1).astype(np.float32),
    )


BY_GRAPH = 20_000
"""Number of items up to which the neighbour graph is split into communities; for more, that takes too long."""

Labels = npt.NDArray[np.int64]


def cluster(vectors: Vectors, neighbours: Neighbours, *, by_graph: int = BY_GRAPH) -> Labels:
    """A cluster for every item, numbered from 0 by falling size.

    Communities (Louvain) of the neighbour graph choose their number themselves and leave no item out. Above
    ``by_graph`` items it is mini-batch k-means, with as many clusters as the square root of half the items.
    """
    items = len(vectors)
    labels = _communities(neighbours) if items <= by_graph else _means(vectors, round((items / 2) ** 0.5))
    sizes = np.bincount(labels)
    first = np.full(sizes.size, items)
    np.minimum.at(first, labels, np.arange(items))
    number = np.empty(sizes.size, np.int64)
    number[np.lexsort((first, -sizes))] = np.arange(sizes.size)
    return number[labels]


def _communities(neighbours: Neighbours) -> Labels:
    import networkx as nx

    items = len(neighbours.index)
    rows, columns = np.nonzero((neighbours.index >= 0) & (neighbours.cosine > 0))
    neighbour_ids, weights = neighbours.index[rows, columns], neighbours.cosine[rows, columns]
    graph = nx.Graph()
    graph.add_nodes_from(range(items))
    graph.add_weighted_edges_from(zip(rows.tolist(), neighbour_ids.tolist(), weights.tolist(), strict=True))
    labels = np.zeros(items, np.int64)
    for number, members in enumerate(nx.community.louvain_communities(graph, seed=0)):
        labels[list(members)] = number
    return labels


def _means(vectors: Vectors, count: int) -> Labels:
    from sklearn.cluster import MiniBatchKMeans

    labels = MiniBatchKMeans(count, n_init=3, batch_size=4096, random_state=0).fit_predict(vectors.astype(np.float64))
    return np.unique(labels, return_inverse=True)[1].astype(np.int64)


MATRIX_LIMIT = 3000
"""Number of items up to which there is a matrix of all pairs."""

NEIGHBOURS = 10


@dataclass(frozen=True, kw_only=True, slots=True)
class Cluster:
    """Similar items.

    Attributes:
        number: From 0, the largest first.
        members: Ids, the most typical first.
        cohesion: Mean cosine of the members with their common direction, from -1 to 1.
    """

    number: int
    members: tuple[str, ...]
    cohesion: float


@dataclass(frozen=True, kw_only=True, eq=False)
class SimilarityGraph:
    """Similarity of a pool's items: cosines of their vectors.

    Create it with ``of``. Its memory is proportional to the items: their vectors and neighbours.

    Attributes:
        ids: Item ids; every array is in this order.
        vectors: Unit vectors, shape (items, dimensions).
        nearest: Each item's nearest neighbours.
        labels: Each item's cluster.
    """

    ids: tuple[str, ...]
    vectors: Vectors
    nearest: Neighbours
    labels: npt.NDArray[np.int64]

    @classmethod
    def of(
        cls,
        items: Sequence[Item],
        *,
        embedder: Embedder | None = None,
        vectors: npt.ArrayLike | None = None,
        cache: VectorCache | None = None,
        neighbours: int = NEIGHBOURS,
    ) -> "SimilarityGraph":
        """The graph of some items.

        Args:
            items: The items.
            embedder: Embeds their texts; the local one if neither it nor vectors are given.
            vectors: The items' vectors if known, shape (items, dimensions).
            cache: Stores the vectors.
            neighbours: Neighbours per item.

        Raises:
            InvalidItems: If an item is invalid or an id occurs twice, or vectors do not fit the items.
            MissingExtra: If a package is not installed.
            EmbeddingFailed: If a remote embedder failed.
        """
        ids = _ids(items)
        table = unit(vectors) if vectors is not None else embed(items, embedder or open_embedder(), cache=cache)
        if len(table) != len(ids):
            raise InvalidItems(f"{len(table)} vectors for {len(ids)} items; give one each")
        near = nearest(table, neighbours)
        return cls(ids=ids, vectors=table, nearest=near, labels=cluster(table, near))

    @cached_property
    def _place(self) -> Mapping[str, int]:
        return {id: position for position, id in enumerate(self.ids)}

    def similarity(self, a: str, b: str) -> float:
        """Cosine of two items, from -1 to 1.

        Raises:
            NotFound: If one of them is not in the graph.
        """
        return float(cosines(self.vectors[self._at(a)], self.vectors[self._at(b)]))

    def neighbours(self, id: str) -> tuple[tuple[str, float], ...]:
        """An item's nearest neighbours with their cosines, nearest first.

        Raises:
            NotFound: If it is not in the graph.
        """
        row = self._at(id)
        pairs = zip(self.nearest.index[row].tolist(), self.nearest.cosine[row].tolist(), strict=True)
        return tuple((self.ids[other], cosine) for other, cosine in pairs if other >= 0)

    def cluster_of(self, id: str) -> int:
        """Number of an item's cluster.

        Raises:
            NotFound: If it is not in the graph.
        """
        return int(self.labels[self._at(id)])

    @cached_property
    def clusters(self) -> tuple[Cluster, ...]:
        """All clusters, the largest first."""
        order = np.argsort(self.labels, kind="stable")
        ends = np.cumsum(np.bincount(self.labels))
        groups = np.split(order, ends[:-1]) if order.size else []
        return tuple(self._cluster(number, rows) for number, rows in enumerate(groups))

    def matrix(self) -> npt.NDArray[np.float32]:
        """Cosines of all pairs, shape (items, items).

        Raises:
            InvalidItems: If there are more than 3,000 items: ask for pairs or neighbours instead.
        """
        if len(self.ids) > MATRIX_LIMIT:
            raise InvalidItems(
                f"a matrix of {len(self.ids)} items would hold {len(self.ids) ** 2:,} numbers; above {MATRIX_LIMIT} "
                "items ask for similarity(a, b) or neighbours(id)"
            )
        exact = self.vectors.astype(np.float64)
        return rounded(np.clip(exact @ exact.T, -1.0, 1.0), COSINE_DECIMALS).astype(np.float32)

    def recommended(self, count: int, *, excluded: Collection[tuple[str, str]] = ()) -> tuple[tuple[str, str], ...]:
        """Matches between similar items, most similar first, each item in about as many as the others.

        Args:
            count: Maximum number of matches.
            excluded: Pairs to leave out, in either order.
        """
        excluded_pairs = {frozenset(pair) for pair in excluded}
        matches: list[tuple[str, str]] = []
        waiting = [pair for pair in self._pairs() if frozenset(pair) not in excluded_pairs]
        while waiting and len(matches) < count:
            busy: set[str] = set()
            later: list[tuple[str, str]] = []
            for pair in waiting:
                if busy.isdisjoint(pair) and len(matches) < count:
                    busy.update(pair)
                    matches.append(pair)
                else:
                    later.append(pair)
            waiting = later
        return tuple(matches)

    def likest(self, count: int) -> tuple[tuple[str, str], ...]:
        """The most similar pairs among neighbours, most similar first."""
        return tuple(islice(self._pairs(), count))

    def _pairs(self) -> Iterator[tuple[str, str]]:
        """Neighbours as pairs, each once, most similar first."""
        rows = np.broadcast_to(np.arange(len(self.ids))[:, np.newaxis], self.nearest.index.shape)
        valid = self.nearest.index >= 0
        low, high = np.minimum(rows, self.nearest.index)[valid], np.maximum(rows, self.nearest.index)[valid]
        _, first = np.unique(low.astype(np.int64) * len(self.ids) + high, return_index=True)
        order = first[np.argsort(-self.nearest.cosine[valid][first], kind="stable")]
        for a, b in zip(low[order].tolist(), high[order].tolist(), strict=True):
            yield self.ids[a], self.ids[b]

    def _cluster(self, number: int, rows: npt.NDArray[np.int64]) -> Cluster:
        middle = self.vectors[rows].mean(axis=0, dtype=np.float64)
        length = float(np.linalg.norm(middle))
        members = self.vectors[rows].astype(np.float64)
        typical = rounded(members @ (middle / length if length else middle), COSINE_DECIMALS)
        order = np.argsort(-typical, kind="stable")
        return Cluster(
            number=number,
            members=tuple(self.ids[row] for row in rows[order].tolist()),
            cohesion=float(typical.mean()),
        )

    def _at(self, id: str) -> int:
        if id not in self._place:
            raise NotFound(f"item {id!r} is not in the graph of {len(self.ids)} items")
        return self._place[id]


def _ids(items: Sequence[Item]) -> tuple[str, ...]:
    """The items' ids; each must occur once, since it identifies a row of the graph."""
    ids: dict[str, None] = {}
    for item in items:
        if not isinstance(item, Item):
            raise InvalidItems(f"a graph is made of Item(id=..., text=...), not of {type(item).__name__}")
        if item.id in ids:
            raise InvalidItems(f"the id {item.id!r} appears twice; ids must differ")
        ids[item.id] = None
    return tuple(ids)
