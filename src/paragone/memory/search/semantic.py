"""Likeness of meaning: the cosine of a query's vector with every chunk's.

All of them are looked at. For 100,000 chunks that is one product of a matrix and a vector, some ten milliseconds; an
approximate index would cost more to build and keep than it saves.
"""

from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

from paragone.errors import UsageError
from paragone.similarity import Embedder
from paragone.similarity.vectors import cosines, unit


class Meanings:
    """The vectors of a catalogue's rows."""

    def __init__(self, hashes: Sequence[str], matrix: npt.NDArray[np.float32], rows: Mapping[str, int]) -> None:
        """Take vectors as the index has them, in an order of its own.

        Args:
            hashes: Ids of the chunks, in the matrix's order.
            matrix: Unit vectors, shape (hashes, dimensions).
            rows: The catalogue's row of each id.
        """
        self._matrix = matrix
        self._rows = np.asarray([rows.get(hash, -1) for hash in hashes], np.int64)
        self._size = len(rows)
        self._in_order = np.array_equal(self._rows, np.arange(self._size))

    @property
    def are_there(self) -> bool:
        """Whether any row has a vector."""
        return bool((self._rows >= 0).any())

    def likeness(self, query: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
        """Cosines with a unit vector, 0 where they are below, shape (rows); 0 too for what has no vector.

        Raises:
            UsageError: If the vector is of another embedder than the index.
        """
        if len(self._matrix) and len(query) != self._matrix.shape[1]:
            raise UsageError(
                f"the query has {len(query)} dimensions and the index {self._matrix.shape[1]}: it was made by another "
                "embedder; search with that one, or index anew"
            )
        cosine = np.clip(self._matrix @ query, 0.0, 1.0) if len(self._matrix) else np.zeros(0, np.float32)
        if self._in_order:
            return cosine
        found = np.zeros(self._size, np.float32)
        there = self._rows >= 0
        found[self._rows[there]] = cosine[there]
        return found

    def exact(self, query: npt.NDArray[np.float32], rows: npt.NDArray[np.int64]) -> npt.NDArray[np.float32]:
        """The likeness of a few rows, the same on every processor; ``likeness`` is within 1e-5 of it, shape (rows)."""
        places = np.flatnonzero(np.isin(self._rows, rows))
        found = np.zeros(self._size, np.float32)
        found[self._rows[places]] = np.maximum(cosines(self._matrix[places], query), 0.0)
        return found[rows]


def vector(query: str, embedder: Embedder) -> npt.NDArray[np.float32]:
    """The unit vector of a query, shape (dimensions); all zeros where it has no known word."""
    made: npt.NDArray[np.float32] = unit(embedder.embed([query]))[0]
    return made
