"""Which items are alike, as providers of similarity answer it (T21)."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Protocol

from paragone.domain import Item
from paragone.domain.records import SimilarityGraph
from paragone.errors import NotFound

REMEMBERED = 100_000
"""Similarities that are remembered at the most, so that a long tournament among many items does not fill the memory."""


class Proximity(Protocol):
    """A provider of similarity; ``paragone.similarity.SimilarityGraph`` is one.

    An item that it does not know raises ``NotFound``: it is then taken for unlike all others.
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
    """What somebody else's similarity graph says, such as a Proximity Agent's (document R): the record as a provider.

    Two that the matrix does not name together are unlike. Two whose match is recommended are as alike as can be, so
    that they meet before others do.

    Args:
        graph: The record.
    """

    def __init__(self, graph: SimilarityGraph) -> None:
        self._similar: defaultdict[str, dict[str, float]] = defaultdict(dict)
        recommended = [(pair, 1.0) for pair in graph.recommended_matches]
        for (a, b), similarity in (*graph.similarity_matrix.items(), *recommended):
            self._similar[a][b] = self._similar[b][a] = similarity
        self._clusters = {member: cluster.id for cluster in graph.clusters for member in cluster.members}

    async def graph(self, hypotheses: Sequence[Item]) -> "RecordedProximity":  # noqa: ARG002  # it says what it says
        """The same for a Ranking Agent; hypotheses that the record does not name are unlike all others."""
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
    """What a provider says, asked once for each pair, and never failing for an item that it does not know.

    Args:
        proximity: Who knows; None where nobody does, and nothing is like anything.
    """

    def __init__(self, proximity: Proximity | None = None) -> None:
        self.proximity = proximity
        self._known: dict[tuple[str, str], float] = {}

    def of(self, pairs: Sequence[tuple[str, str]]) -> list[float]:
        """How alike each pair is, from 0 to 1: what is opposite is no less alike than what is unrelated."""
        if self.proximity is None:
            return [0.0] * len(pairs)
        if len(self._known) > REMEMBERED:
            self._known.clear()
        return [self._known[pair] if pair in self._known else self._ask(pair) for pair in pairs]

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
            try:
                similarity = max(0.0, min(1.0, self.proximity.similarity(*pair)))
            except NotFound:
                similarity = 0.0
        self._known[pair] = similarity
        return similarity
