"""Similarity of items: texts become vectors, vectors a graph of nearest neighbours, the graph clusters.

Nothing here judges or rates: similarity says which items are worth comparing, not which is better. There is never a
matrix of all pairs above a few thousand items. A new source of vectors is a class with ``name`` and ``embed``; the
libraries (faiss, networkx, scikit-learn, wordllama) come with the extra ``similarity`` and are imported when used.
"""

from typing import TYPE_CHECKING

from paragone.on_demand import names

if TYPE_CHECKING:
    from paragone.similarity.embedders import Embedder, open_embedder
    from paragone.similarity.graph import Cluster, SimilarityGraph
    from paragone.similarity.vectors import VectorCache, embed
else:
    __getattr__ = names(
        __name__,
        {
            ".embedders": "Embedder open_embedder",
            ".graph": "Cluster SimilarityGraph",
            ".vectors": "VectorCache embed",
        },
    )

__all__ = ["Cluster", "Embedder", "SimilarityGraph", "VectorCache", "embed", "open_embedder"]
