"""Groups of items that are alike."""

import numpy as np
import numpy.typing as npt

from paragone.similarity.base import Vectors
from paragone.similarity.neighbours import Neighbours

BY_GRAPH = 20_000
"""Up to so many items the graph of neighbours is cut into communities; above, that takes too long."""

Labels = npt.NDArray[np.int64]


def cluster(vectors: Vectors, neighbours: Neighbours, *, by_graph: int = BY_GRAPH) -> Labels:
    """A cluster for every item, numbered from 0 by falling size.

    Communities (Louvain) of the graph of neighbours choose their number themselves and leave nobody out; above
    ``by_graph`` items it is k-means in small batches, with as many clusters as the square root of half the items.
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
