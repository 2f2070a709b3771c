"""Vectors from a model behind an API."""

from collections.abc import Sequence

import numpy as np

from paragone.errors import EmbeddingFailed
from paragone.llm.embeddings import connect_embeddings
from paragone.similarity.base import Vectors

_BATCH = 256


class RemoteEmbedder:
    """Asks an embedding model, some hundred texts a call."""

    def __init__(self, model: str, *, base_url: str | None = None, timeout: float = 120.0) -> None:
        """Open a client; see ``paragone.llm.embeddings.connect_embeddings``."""
        self._client = connect_embeddings(model, base_url=base_url, timeout=timeout)
        self.name = self._client.name

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Vectors of some texts, shape (texts, dimensions).

        Raises:
            EmbeddingFailed: If a call failed, or its answer holds no vectors of one length.
        """
        rows = [
            row for start in range(0, len(texts), _BATCH) for row in self._client.embed(texts[start : start + _BATCH])
        ]
        try:
            vectors = np.asarray(rows, dtype=np.float32)
        except (TypeError, ValueError) as error:
            raise EmbeddingFailed(f"{self.name} gave vectors of different lengths") from error
        return vectors.reshape(len(texts), -1) if texts else np.zeros((0, 0), np.float32)
