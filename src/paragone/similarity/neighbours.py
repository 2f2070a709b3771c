"""The nearest neighbours of every item, by faiss.

Comparing all pairs, block by block, takes about a minute of one core for 100,000 items of 256 dimensions and misses
nothing; a graph that is walked from item to item (HNSW) only pays for more.
"""

from dataclasses import dataclass
from importlib.util import find_spec
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from paragone.errors import MissingExtra
from paragone.similarity.embedders import Vectors
from paragone.similarity.vectors import cosines

if TYPE_CHECKING:
    import faiss

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
    if find_spec("faiss") is None:
        raise MissingExtra(
            "similarity needs the package faiss-cpu; install it with: pip install 'paragone[similarity]'"
        )
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
