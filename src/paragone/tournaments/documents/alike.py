"""Who is like whom, as a record."""

from collections.abc import Collection, Iterator
from itertools import combinations
from typing import TYPE_CHECKING

from paragone.domain.records import HypothesisCluster, SimilarityGraph

if TYPE_CHECKING:
    from paragone.similarity.graph import SimilarityGraph as Graph

WHOLE = 300
"""Up to so many items a record has the similarity of all pairs; above, of neighbours only."""


def similarity_record(graph: "Graph", *, count: int = 50, met: Collection[tuple[str, str]] = ()) -> SimilarityGraph:
    """A similarity graph as a record (R).

    Args:
        graph: The graph.
        count: How many matches it recommends at the most.
        met: Pairs that it leaves out there, in either order.
    """
    return SimilarityGraph(
        similarity_matrix={pair: graph.similarity(*pair) for pair in _pairs(graph)},
        clusters=tuple(HypothesisCluster(id=cluster.number, members=cluster.members) for cluster in graph.clusters),
        recommended_matches=graph.recommended(count, excluded=met),
    )


def _pairs(graph: "Graph") -> Iterator[tuple[str, str]]:
    if len(graph.ids) <= WHOLE:
        yield from combinations(graph.ids, 2)
        return
    seen: set[frozenset[str]] = set()
    for id in graph.ids:
        for other, _ in graph.neighbours(id):
            if frozenset((id, other)) not in seen:
                seen.add(frozenset((id, other)))
                yield id, other
