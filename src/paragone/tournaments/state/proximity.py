"""Which items are alike, by a provider of similarity (T21)."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from contextlib import suppress
from typing import Protocol

from paragone.domain import Item
from paragone.domain.records import SimilarityGraph
from paragone.errors import NotFound

REMEMBERED = 100_000
"""Maximum number of cached similarities, so that a long tournament among many items does not fill the memory."""


class Proximity(Protocol):
    """A provider of similarity; ``paragone.similarity.SimilarityGraph`` is one.

    It raises ``NotFound`` for an unknown item, which then counts as unlike all others.
    """

    def similarity(self, a: str, b: str) -> float:
        """How alike two items are, from -1 to 1."""
        ...

    def neighbours(self, id: str) -> tuple[tuple[str, float], ...]:
        """The items most like one, with their similarity, the likest first."""
        ...

    def cluster_of(self, id: str) -> int:
        """Number of an item's cluster."""
        ...


class RecordedProximity:
    """A recorded similarity graph as a provider, such as a Proximity Agent's (document R).

    Pairs that the matrix does not name are unlike. Pairs whose match is recommended are as alike as can be, so that
    they meet before others.

    Args:
        graph: The record.
    """

    def __init__(self, graph: SimilarityGraph) -> None:
        self._similar: defaultdict[str, dict[str, float]] = defaultdict(dict)
        recommended = [(pair, 1.0) for pair in graph.recommended_matches]
        for (a, b), similarity in (*graph.similarity_matrix.items(), *recommended):
            self._similar[a][b] = self._similar[b][a] = similarity
        self._clusters = {member: cluster.id for cluster in graph.clusters for member in cluster.members}

    async def graph(self, hypotheses: Sequence[Item]) -> "RecordedProximity":  # noqa: ARG002  # it is the same for all
        """This provider; hypotheses that the record does not name are unlike all others."""
        return self

    def similarity(self, a: str, b: str) -> float:
        """How alike two items are, from -1 to 1."""
        return self._similar.get(a, {}).get(b, 0.0)

    def neighbours(self, id: str) -> tuple[tuple[str, float], ...]:
        """All items that are named together with one, the likest first."""
        return tuple(sorted(self._similar.get(id, {}).items(), key=lambda pair: (-pair[1], pair[0])))

    def cluster_of(self, id: str) -> int:
        """Number of an item's cluster.

        Raises:
            NotFound: If it is in none.
        """
        if id not in self._clusters:
            raise NotFound(f"{id!r} is in no cluster of this similarity graph")
        return self._clusters[id]


class SimilarityCache:
    """The similarities of a provider, asked once for each pair; 0 for unknown items.

    Args:
        proximity: The provider; without one, no items are alike.
    """

    def __init__(self, proximity: Proximity | None = None) -> None:
        self.proximity = proximity
        self._similarity: dict[tuple[str, str], float] = {}

    def of(self, pairs: Sequence[tuple[str, str]]) -> list[float]:
        """The similarity of each pair, from 0 to 1; opposite items are as unlike as unrelated ones."""
        if self.proximity is None:
            return [0.0] * len(pairs)
        if len(self._similarity) > REMEMBERED:
            self._similarity.clear()
        return [self._similarity[pair] if pair in self._similarity else self._ask(pair) for pair in pairs]

    def neighbours(self, ids: Iterable[str]) -> list[tuple[str, str]]:
        """Pairs of some items with those that are most like them."""
        return [(id, other) for id in ids for other in self._near(id)]

    def cluster_of(self, id: str) -> int | None:
        """Number of an item's cluster; None where nobody knows."""
        if self.proximity is None:
            return None
        try:
            return self.proximity.cluster_of(id)
        except NotFound:
            return None

    def _near(self, id: str) -> list[str]:
        if self.proximity is None:
            return []
        try:
            return [other for other, _ in self.proximity.neighbours(id)]
        except NotFound:
            return []

    def _ask(self, pair: tuple[str, str]) -> float:
        similarity = 0.0
        if self.proximity is not None:
            with suppress(NotFound):
                similarity = max(0.0, min(1.0, self.proximity.similarity(*pair)))
        self._similarity[pair] = similarity
        return similarity
