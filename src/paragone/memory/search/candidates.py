"""Candidates for a query by semantic and keyword similarity, from a snapshot of the index, before ratings apply."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from threading import RLock

import numpy as np
import numpy.typing as npt

from paragone.domain.content import Content, ContentKind
from paragone.errors import UsageError
from paragone.memory.index import Index
from paragone.memory.index.file_reader import paths_like
from paragone.memory.search.bm25 import query_terms
from paragone.memory.search.catalogue import Catalogue, Entry, cached_catalogue
from paragone.memory.store import Store
from paragone.similarity import Embedder
from paragone.similarity.vectors import cosines, unit
from paragone.wire.search import SearchMethod, SearchTarget


class Embeddings:
    """The vectors of a catalogue's rows.

    Args:
        hashes: Ids of the chunks, in the matrix's order.
        matrix: Unit vectors, shape (hashes, dimensions).
        rows: The catalogue's row of each id.
    """

    def __init__(self, hashes: Sequence[str], matrix: npt.NDArray[np.float32], rows: Mapping[str, int]) -> None:
        self._matrix = matrix
        self._rows = np.asarray([rows.get(hash, -1) for hash in hashes], np.int64)
        self._size = len(rows)
        self._in_order = np.array_equal(self._rows, np.arange(self._size))

    @property
    def are_there(self) -> bool:
        """Whether any row has a vector."""
        return bool((self._rows >= 0).any())

    def similarity(self, query: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
        """Cosines with a unit vector, at least 0, shape (rows); 0 for rows without a vector.

        Raises:
            UsageError: If the vector comes from another embedder than the index.
        """
        if len(self._matrix) and len(query) != self._matrix.shape[1]:
            raise UsageError(
                f"the query has {len(query)} dimensions and the index {self._matrix.shape[1]}: it was made by another "
                "embedder; search with that one, or index anew"
            )
        # Both are unit vectors, so a product is a cosine. Below 0 two texts are unrelated, as they are at 0.
        cosine = np.clip(self._matrix @ query, 0.0, 1.0) if len(self._matrix) else np.zeros(0, np.float32)
        if self._in_order:
            return cosine
        similarity = np.zeros(self._size, np.float32)
        is_indexed = self._rows >= 0
        similarity[self._rows[is_indexed]] = cosine[is_indexed]
        return similarity

    def exact(self, query: npt.NDArray[np.float32], rows: npt.NDArray[np.int64]) -> npt.NDArray[np.float32]:
        """Cosines of a few rows, the same on every processor; ``similarity`` is within 1e-5 of them. Shape (rows)."""
        indices = np.flatnonzero(np.isin(self._rows, rows))
        similarity = np.zeros(self._size, np.float32)
        similarity[self._rows[indices]] = np.maximum(cosines(self._matrix[indices], query), 0.0)
        return similarity[rows]


def vector(query: str, embedder: Embedder) -> npt.NDArray[np.float32]:
    """The unit vector of a query, shape (dimensions); zeros if it has no known word."""
    embedded: npt.NDArray[np.float32] = unit(embedder.embed([query]))[0]
    return embedded


_CACHED_GLOBS = 64


class SearchSnapshot:
    """One state of the index, prepared for searching. Threads may share it.

    If the index changes meanwhile, deleted content is not found, and new content is found by the next snapshot.
    """

    def __init__(self, store: Store, index: Index) -> None:
        self.version = index.version()
        self._folder = store.path / "keyword"
        self._index = index
        self._lock = RLock()
        self._catalogues: dict[str, Catalogue] = {}
        self._named = lru_cache(_CACHED_GLOBS)(self._find_named)

    def catalogue(self, what: SearchTarget) -> Catalogue:
        """The catalogue of chunks (also for files), symbols or decision records."""
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

    def in_files(self, what: SearchTarget, glob: str) -> npt.NDArray[np.bool_]:
        """The rows of a catalogue that lie in a file matching a glob, shape (rows)."""
        return self.catalogue(what).in_files(self._named(what, glob))

    def files(self, what: SearchTarget, rows: npt.NDArray[np.int64], glob: str | None) -> npt.NDArray[np.int32]:
        """The number of each row's first file, among those that match a glob, shape (rows).

        Args:
            what: Which catalogue.
            rows: Rows that all lie in a matching file.
            glob: All files match if None.
        """
        catalogue = self.catalogue(what)
        if glob is None:
            return catalogue.places[catalogue.starts[rows]]
        matching = np.flatnonzero(self._named(what, glob)[catalogue.places])
        return catalogue.places[matching[np.searchsorted(matching, catalogue.starts[rows])]]

    @cached_property
    def embeddings(self) -> Embeddings:
        hashes, matrix = self._index.vectors()
        return Embeddings(hashes, matrix, self.catalogue("chunk").rows)

    @cached_property
    def first_seen(self) -> dict[str, float]:
        return self._index.first_seen()

    def _find_named(self, what: SearchTarget, glob: str) -> npt.NDArray[np.bool_]:
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


Scores = npt.NDArray[np.float32]

_TOLERANCE = 1e-5
SEMANTIC_SHARE = 0.3
"""Weight of semantic similarity; keyword similarity has the rest."""


def fused(semantic: Scores, keyword: Scores) -> Scores:
    """The weighted mean of both, in [0, 1]; shapes (rows)."""
    return np.float32(SEMANTIC_SHARE) * semantic + np.float32(1.0 - SEMANTIC_SHARE) * keyword


def near_best(scores: Scores, count: int) -> npt.NDArray[np.int64]:
    """Rows that may be among the ``count`` highest scores, each of which is known within 1e-5."""
    if count >= len(scores):
        return np.arange(len(scores))
    # The count-th score and that of a row may both be off, in opposite directions: hence twice the tolerance.
    least = np.partition(scores, len(scores) - count)[len(scores) - count]
    return np.flatnonzero(scores >= least - 2 * _TOLERANCE)


def best(scores: Scores, count: int) -> npt.NDArray[np.int64]:
    """Rows with the highest scores above 0, best first; equal ones by row, also at the cut."""
    if count < len(scores):
        least = np.partition(scores, len(scores) - count)[len(scores) - count]
        above = np.flatnonzero(scores > least)
        rows = np.concatenate([above, np.flatnonzero(scores == least)[: count - len(above)]])
    else:
        rows = np.arange(len(scores))
    rows = rows[scores[rows] > 0.0]
    order: npt.NDArray[np.int64] = rows[np.lexsort((rows, -scores[rows]))]
    return order


MAX_RESULTS = 300
"""Results of a search at most. It bounds pages, and the cost of ratings."""
_CHUNKS_PER_FILE = 8
"""For files this many times as many chunks are considered, since several of the best lie in one file."""

_KINDS: dict[SearchTarget, ContentKind] = {
    "chunk": ContentKind.VECTOR,
    "file": ContentKind.FILE,
    "symbol": ContentKind.SYMBOL,
    "decision": ContentKind.ADR,
}
Vector = npt.NDArray[np.float32]


@dataclass(frozen=True, kw_only=True, slots=True)
class Candidate:
    """Something that answers a query.

    Attributes:
        id: Of the chunk, symbol or record that matched.
        content: What is rated; when searching for files, the file.
        similarity: How well it answers, in [0, 1].
        semantic: Cosine of embeddings, in [0, 1]; None in a search by words.
        keyword: Similarity of words, in [0, 1]; None in a search by meaning.
    """

    id: str
    content: Content
    similarity: float
    semantic: float | None
    keyword: float | None


def candidates(
    snapshot: SearchSnapshot,
    query: str,
    what: SearchTarget,
    how: SearchMethod,
    *,
    glob: str | None,
    vector: Callable[[str], Vector],
    exact_ids: Sequence[str],
) -> list[Candidate]:
    """The best matches, at most ``MAX_RESULTS``; one per file when searching for files.

    Args:
        snapshot: What is searched.
        query: The query, checked.
        what: Chunks, files, symbols or records.
        how: By meaning, by words, or both.
        glob: Only in files that match.
        vector: Returns a query's unit vector.
        exact_ids: Ids that the query names exactly: their similarity is 1.
    """
    entries = snapshot.catalogue(what)
    meaning = vector(query) if how != "keyword" else None
    semantic = snapshot.embeddings.similarity(meaning) if meaning is not None else None
    keyword = entries.words.similarity(query_terms(query)) if how != "semantic" else None
    if keyword is not None:
        keyword[[entries.rows[id] for id in exact_ids if id in entries.rows]] = 1.0
    inside = None if glob is None else snapshot.in_files(what, glob)
    deepest = MAX_RESULTS * (_CHUNKS_PER_FILE if what == "file" else 1)
    similarity = _similarity(semantic, keyword, inside)
    if meaning is not None and semantic is not None:
        # The product of a matrix differs between processors in its last bits, and with it the order of near ties. So
        # those that may be shown are computed again, in a fixed order of additions.
        near = near_best(similarity, deepest)
        semantic[near] = snapshot.embeddings.exact(meaning, near)
        similarity = _similarity(semantic, keyword, inside)
    rows = best(similarity, deepest)
    files = snapshot.files(what, rows, glob)
    if what == "file":
        first = np.sort(np.unique(files, return_index=True)[1])
        rows, files = rows[first], files[first]
    return [
        Candidate(
            id=entries.ids[row],
            content=_content(what, entries.ids[row], entries.files[file]),
            similarity=float(similarity[row]),
            semantic=None if semantic is None else float(semantic[row]),
            keyword=None if keyword is None else float(keyword[row]),
        )
        for row, file in zip(rows[:MAX_RESULTS].tolist(), files[:MAX_RESULTS].tolist(), strict=True)
    ]


def _similarity(semantic: Vector | None, keyword: Vector | None, inside: npt.NDArray[np.bool_] | None) -> Vector:
    """The fused similarity if both exist, and 0 outside the glob."""
    both = fused(semantic, keyword) if semantic is not None and keyword is not None else None
    similarity = next(scores for scores in (both, semantic, keyword) if scores is not None)
    return similarity if inside is None else similarity * inside


def _content(what: SearchTarget, id: str, path: str) -> Content:
    return Content(kind=_KINDS[what], id=path if what == "file" else id, path=path)
