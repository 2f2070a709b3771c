"""Which items are alike: providers of similarity, opened from the settings."""

import asyncio
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

import numpy as np

from paragone.domain import Item
from paragone.domain.records import SimilarityGraph as SimilarityRecord
from paragone.errors import InvalidItems, NotFound
from paragone.intake.item_values import read_similarities, read_vectors
from paragone.similarity import SimilarityGraph, VectorCache, embed, open_embedder
from paragone.similarity.embedders import Vectors
from paragone.tournaments.state.similarities import Proximity

VECTORS, PAIRS = "vectors:", "pairs:"
"""Specs of files: of vectors by item, and of similarities by pair."""

_NAMED = 5


class ProximityProvider(Protocol):
    """Provides similarities: the Proximity Agent, or what the settings name."""

    async def graph(self, hypotheses: Sequence[Item]) -> Proximity:
        """The similarities of some hypotheses; asked again when new ones join."""
        ...


class RecordedProximity:
    """A recorded similarity graph as a provider, such as a Proximity Agent's.

    Pairs that the matrix does not name are unlike. Pairs whose match is recommended are as alike as can be, so that
    they meet before others.

    Args:
        graph: The record.
    """

    def __init__(self, graph: SimilarityRecord) -> None:
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


class EmbeddingProximity:
    """Similarity graphs from texts; each text is embedded once, and with a cache once for all runs.

    Args:
        spec: An embedder, such as ``local``.
        cache: Stores vectors between runs.
    """

    def __init__(self, spec: str, cache: VectorCache | None = None) -> None:
        self._embedder = open_embedder(spec)
        self._cache = cache
        self._vectors: dict[str, Vectors] = {}

    def of(self, items: Sequence[Item]) -> Proximity:
        """The graph of some items.

        Raises:
            EmbeddingFailed: If the embedder failed.
            Unwritable: If the cache cannot be used.
        """
        fresh = [item for item in items if item.content_hash not in self._vectors]
        if fresh:
            vectors = embed(fresh, self._embedder, cache=self._cache)
            self._vectors.update({item.content_hash: vector for item, vector in zip(fresh, vectors, strict=True)})
        return SimilarityGraph.of(items, vectors=np.stack([self._vectors[item.content_hash] for item in items]))

    async def graph(self, hypotheses: Sequence[Item]) -> Proximity:
        """The same in a thread."""
        return await asyncio.to_thread(self.of, hypotheses)


class VectorProximity:
    """Similarity graphs from a file of vectors; items without a vector are unlike all others.

    Args:
        path: See ``read_vectors``.
    """

    def __init__(self, path: str | Path) -> None:
        self._path = path

    def of(self, items: Sequence[Item]) -> Proximity:
        """The graph of some items.

        Raises:
            UsageError: If the file cannot be read, or names none of the items.
        """
        vectors = read_vectors(self._path, [item.id for item in items])
        covered = [item for item in items if item.id in vectors]
        if not covered:
            raise InvalidItems(f"{self._path} has a vector for none of the items")
        return SimilarityGraph.of(covered, vectors=np.array([vectors[item.id] for item in covered], dtype=np.float32))

    async def graph(self, hypotheses: Sequence[Item]) -> Proximity:
        """The same in a thread."""
        return await asyncio.to_thread(self.of, hypotheses)


def open_similarity(spec: str, ledger: Path | None = None) -> ProximityProvider:
    """Open a source of similarity.

    Args:
        spec: An embedder, ``vectors:FILE`` or ``pairs:FILE``.
        ledger: The ledger's file, if it is one: vectors are cached in a file beside it.

    Raises:
        UsageError: If it cannot be opened.
        Unwritable: If the file of vectors beside the ledger cannot be used.
    """
    if spec.startswith(VECTORS):
        return VectorProximity(spec.removeprefix(VECTORS))
    if spec.startswith(PAIRS):
        return RecordedProximity(SimilarityRecord(similarity_matrix=read_similarities(spec.removeprefix(PAIRS))))
    cache = None if ledger is None else VectorCache(ledger.with_name(f"{ledger.name}.vectors"))
    return EmbeddingProximity(spec, cache)


def check_similarity(spec: str, items: Sequence[Item]) -> None:
    """Check a source of similarity before anything is written.

    Raises:
        UsageError: If an embedder cannot be opened, or a file does not name the items.
    """
    if spec.startswith(VECTORS):
        path = spec.removeprefix(VECTORS)
        vectors = read_vectors(path, [item.id for item in items])
        missing = [item.id for item in items if item.id not in vectors]
        if missing:
            listed_ids = ", ".join(map(repr, missing[:_NAMED])) + (", ..." if len(missing) > _NAMED else "")
            raise InvalidItems(f"{path} has no vector for {len(missing)} of {len(items)} items: {listed_ids}")
    elif spec.startswith(PAIRS):
        path, ids = spec.removeprefix(PAIRS), {item.id for item in items}
        if not any(a in ids and b in ids for a, b in read_similarities(path)):
            raise InvalidItems(f"{path} names no pair of these items: its ids must be theirs")
    else:
        open_embedder(spec)
