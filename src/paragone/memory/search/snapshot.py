"""One state of the index, prepared for searching: embeddings and catalogues."""

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property, lru_cache
from threading import RLock

import numpy as np
import numpy.typing as npt

from paragone.errors import UsageError
from paragone.memory.index import Index
from paragone.memory.search.catalogue import Catalogue, Entry, cached_catalogue
from paragone.memory.search.query import What, paths_like
from paragone.memory.store import Store
from paragone.similarity import Embedder
from paragone.similarity.vectors import cosines, unit


class Embeddings:
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

    def similarity(self, query: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
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
        similarity = np.zeros(self._size, np.float32)
        is_indexed = self._rows >= 0
        similarity[self._rows[is_indexed]] = cosine[is_indexed]
        return similarity

    def exact(self, query: npt.NDArray[np.float32], rows: npt.NDArray[np.int64]) -> npt.NDArray[np.float32]:
        """Cosines of a few rows, equal on every processor; ``similarity`` is within 1e-5 of them, shape (rows)."""
        indices = np.flatnonzero(np.isin(self._rows, rows))
        similarity = np.zeros(self._size, np.float32)
        similarity[self._rows[indices]] = np.maximum(cosines(self._matrix[indices], query), 0.0)
        return similarity[rows]


def vector(query: str, embedder: Embedder) -> npt.NDArray[np.float32]:
    """The unit vector of a query, shape (dimensions); all zeros where it has no known word."""
    embedded: npt.NDArray[np.float32] = unit(embedder.embed([query]))[0]
    return embedded


_GLOBS = 64


class SearchSnapshot:
    """One state of the index. Threads may share it.

    An index that changes meanwhile does no harm: what is gone is not found, what is new is found by the next snapshot.
    """

    def __init__(self, store: Store, index: Index) -> None:
        self.version = index.version()
        self._folder = store.path / "keyword"
        self._index = index
        self._lock = RLock()
        self._catalogues: dict[str, Catalogue] = {}
        self._named = lru_cache(_GLOBS)(self._find_named)

    def catalogue(self, what: What) -> Catalogue:
        """The catalogue of chunks (files are found by theirs), symbols or decision records."""
        name = "chunk" if what == "file" else what
        with self._lock:
            if name not in self._catalogues:
                self._catalogues[name] = cached_catalogue(
                    self._folder,
                    name,
                    self.version,
                    lambda: self._entries(name),
                    is_current=lambda: self._index.version() == self.version,
                )
            return self._catalogues[name]

    def in_files(self, what: What, glob: str) -> npt.NDArray[np.bool_]:
        """Which rows of a catalogue lie in a file that a glob names, shape (rows)."""
        return self.catalogue(what).in_files(self._named(what, glob))

    def files(self, what: What, rows: npt.NDArray[np.int64], glob: str | None) -> npt.NDArray[np.int32]:
        """Of each row the number of the first file that it lies in, of those that a glob names, shape (rows).

        Args:
            what: Of which catalogue.
            rows: All of them lie in a file that is named.
            glob: None names all.
        """
        catalogue = self.catalogue(what)
        if glob is None:
            return catalogue.places[catalogue.starts[rows]]
        matching = np.flatnonzero(self._named(what, glob)[catalogue.places])
        return catalogue.places[matching[np.searchsorted(matching, catalogue.starts[rows])]]

    @cached_property
    def embeddings(self) -> Embeddings:
        """The vectors of the chunks."""
        hashes, matrix = self._index.vectors()
        return Embeddings(hashes, matrix, self.catalogue("chunk").rows)

    @cached_property
    def first_seen(self) -> dict[str, float]:
        """When the index first held each file, by path: what nobody used fades from there."""
        return {file.path: file.first_seen for file in self._index.files()}

    def _find_named(self, what: What, glob: str) -> npt.NDArray[np.bool_]:
        matching, files = paths_like(glob), self.catalogue(what).files
        return np.fromiter(map(matching.match_file, files), np.bool_, len(files))

    def _entries(self, what: str) -> Iterator[Entry]:
        if what == "chunk":
            return (Entry(id=chunk.hash, path=chunk.path, text=chunk.text) for chunk in self._index.chunks())
        if what == "symbol":
            symbols = self._index.symbols()
            return (
                Entry(id=symbol.id, path=symbol.path, text=f"{symbol.name}\n{symbol.signature}\n{symbol.doc}")
                for symbol in symbols
            )
        decisions = self._index.decisions()
        return (
            Entry(id=decision.id, path=decision.path, text=f"{decision.id} {decision.title}") for decision in decisions
        )
