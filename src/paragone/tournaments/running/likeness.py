"""Which hypotheses are alike, by the embedder that a tournament's brief names (T17)."""

import asyncio
from collections.abc import Sequence

import numpy as np

from paragone.domain import Item
from paragone.similarity import SimilarityGraph, embed, open_embedder
from paragone.similarity.base import Vectors
from paragone.tournaments.state.proximity import Proximity


class ProximityByEmbedding:
    """Makes similarity graphs from texts; a text is embedded once.

    Args:
        spec: An embedder, such as ``local``.
    """

    def __init__(self, spec: str) -> None:
        self._embedder = open_embedder(spec)
        self._known: dict[str, Vectors] = {}

    def of(self, items: Sequence[Item]) -> Proximity:
        """The graph of some items.

        Raises:
            EmbeddingFailed: If the embedder failed.
        """
        fresh = [item for item in items if item.content_hash not in self._known]
        if fresh:
            vectors = embed(fresh, self._embedder)
            self._known.update({item.content_hash: vector for item, vector in zip(fresh, vectors, strict=True)})
        return SimilarityGraph.of(items, vectors=np.stack([self._known[item.content_hash] for item in items]))

    async def graph(self, hypotheses: Sequence[Item]) -> Proximity:
        """The same for a Ranking Agent, in a thread of its own."""
        return await asyncio.to_thread(self.of, hypotheses)
