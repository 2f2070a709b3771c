"""Candidates for a query by semantic and keyword similarity, from a snapshot of the index, before ratings apply."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from threading import RLock
from typing import Any

import numpy as np
import numpy.typing as npt

from paragone.domain.content import Content, ContentKind
from paragone.domain.rounding import SHARE_DECIMALS
from paragone.errors import UsageError
from paragone.memory.index import Index
from paragone.memory.index.globs import paths_like
from paragone.memory.scores.learned import PastQueries
from paragone.memory.search.blend import (
    CHUNK_SHARE,
    FILE_SHARE,
    MEANING_WEIGHT,
    Experience,
    Floats,
    SecondHand,
    experience,
    first_hand,
    second_hand,
    spread,
    texts,
)
from paragone.memory.search.bm25 import Postings, idf
from paragone.memory.search.catalogue import Catalogue, CatalogueEntry, cached_catalogue, catalogue
from paragone.memory.store import Store
from paragone.memory.words import query_terms
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
        self.named = lru_cache(_CACHED_GLOBS)(self._find_named)

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
                    is_current=self._is_current,
                )
            return self._catalogues[name]

    @cached_property
    def path_words(self) -> Postings:
        """The words of the paths of the chunks' files, a document for each."""
        files = self.catalogue("chunk").files
        entries = [CatalogueEntry(id=path, path=path, text="") for path in files]
        cached = cached_catalogue(self._folder, "path", self.version, lambda: entries, is_current=self._is_current)
        return (cached if cached.ids == files else catalogue(entries)).words  # the index changed between the two

    def in_files(self, what: SearchTarget, glob: str) -> npt.NDArray[np.bool_]:
        """The rows of a catalogue that lie in a file matching a glob, shape (rows)."""
        return self.catalogue(what).in_files(self.named(what, glob))

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
        matching = np.flatnonzero(self.named(what, glob)[catalogue.places])
        return catalogue.places[matching[np.searchsorted(matching, catalogue.starts[rows])]]

    @cached_property
    def embeddings(self) -> Embeddings:
        hashes, matrix = self._index.vectors()
        return Embeddings(hashes, matrix, self.catalogue("chunk").rows)

    @cached_property
    def by_hand(self) -> npt.NDArray[np.bool_]:
        """Which of the chunks' files no program wrote, shape (files).

        What programs rewrite with every change would otherwise answer every query.
        """
        written = self._index.generated()
        return np.asarray([path not in written for path in self.catalogue("chunk").files], np.bool_)

    @cached_property
    def second_hand(self) -> SecondHand:
        """Which of the chunks' files are about the others, or made from them."""
        chunks = self.catalogue("chunk")
        rows, files = chunks.pairs()
        lengths = np.bincount(files, chunks.words.lengths[rows], len(chunks.files)).astype(np.float64)
        return second_hand(chunks.files, lengths, self.by_hand)

    @cached_property
    def first_seen(self) -> dict[str, float]:
        return self._index.first_seen()

    def _is_current(self) -> bool:
        return self._index.version() == self.version

    def _find_named(self, what: SearchTarget, glob: str) -> npt.NDArray[np.bool_]:
        matching, files = paths_like(glob), self.catalogue(what).files
        return np.fromiter(map(matching.match_file, files), np.bool_, len(files))

    def _entries(self, what: str) -> Iterator[CatalogueEntry]:
        if what == "chunk":
            return (CatalogueEntry(id=chunk.hash, path=chunk.path, text=chunk.text) for chunk in self._index.chunks())
        if what == "symbol":
            symbols = self._index.symbols()
            return (
                CatalogueEntry(id=symbol.id, path=symbol.path, text=f"{symbol.name}\n{symbol.signature}\n{symbol.doc}")
                for symbol in symbols
            )
        decisions = self._index.decisions()
        return (
            CatalogueEntry(id=decision.id, path=decision.path, text=f"{decision.id} {decision.title}")
            for decision in decisions
        )


SimilarityScores = npt.NDArray[np.float32]

_TOLERANCE = 1e-5
SEMANTIC_SHARE = 0.3
"""Weight of semantic similarity; keyword similarity has the rest."""


def fused(semantic: SimilarityScores, keyword: SimilarityScores) -> SimilarityScores:
    """The weighted mean of both, in [0, 1]; shapes (rows)."""
    return np.float32(SEMANTIC_SHARE) * semantic + np.float32(1.0 - SEMANTIC_SHARE) * keyword


def near_best(scores: SimilarityScores, count: int) -> npt.NDArray[np.int64]:
    """Rows that may be among the ``count`` highest scores, each of which is known within 1e-5."""
    if count >= len(scores):
        return np.arange(len(scores))
    # The count-th score and that of a row may both be off, in opposite directions: hence twice the tolerance.
    least = np.partition(scores, len(scores) - count)[len(scores) - count]
    return np.flatnonzero(scores >= least - 2 * _TOLERANCE)


def best(scores: SimilarityScores, count: int) -> npt.NDArray[np.int64]:
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
TEXT_SCALE = 20.0
"""Points of a similarity of 1 where files are not ranked: about those of a good text."""
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
        text: What its text and its file's add to the learned score.
        past: What queries that its file answered add to it.
        use: What uses of its file add to it.
        is_first: Whether it is the best chunk of its file. The past and the use of a file speak for one chunk of it.
    """

    id: str
    content: Content
    similarity: float
    semantic: float | None
    keyword: float | None
    text: float = 0.0
    past: float = 0.0
    use: float = 0.0
    is_first: bool = True


@dataclass(frozen=True, kw_only=True, slots=True)
class Candidates:
    """The candidates for a query.

    Attributes:
        rows: The best ones, at most ``MAX_RESULTS``.
        spread: Of the texts' scores; what usefulness is measured by.
        weights: How rare each word of the query is.
    """

    rows: list[Candidate]
    spread: float
    weights: Mapping[str, float]


@dataclass(frozen=True, kw_only=True, slots=True)
class SearchRequest:
    """What is asked of a snapshot.

    Attributes:
        query: The query, checked.
        what: Chunks, files, symbols or records.
        how: By meaning, by words, or both.
        glob: Only in files that match.
        vector: Returns a query's unit vector.
        exact_ids: Ids that the query names exactly: their similarity is 1.
        defining: Paths of the files that define what the query names, if it is a name.
    """

    query: str
    what: SearchTarget
    how: SearchMethod
    glob: str | None
    vector: Callable[[str], Vector]
    exact_ids: Sequence[str]
    defining: frozenset[str] = frozenset()


@dataclass(kw_only=True, eq=False, slots=True)
class _Similarity:
    """How well each row of a catalogue answers; shapes (rows)."""

    query: Vector | None
    semantic: Vector | None
    keyword: Vector | None

    @property
    def both(self) -> Vector:
        """The fused similarity if both exist."""
        semantic, keyword = self.semantic, self.keyword
        both = fused(semantic, keyword) if semantic is not None and keyword is not None else None
        return next(scores for scores in (both, semantic, keyword) if scores is not None)

    def settle(self, snapshot: SearchSnapshot, rows: npt.NDArray[np.int64]) -> None:
        """Compute the cosines of some rows exactly.

        The product of a matrix differs between processors in its last bits, and with it the order of near ties. So
        those that may be shown are computed again, in a fixed order of additions.
        """
        if self.query is not None and self.semantic is not None:
            self.semantic[rows] = snapshot.embeddings.exact(self.query, rows)

    def candidate(self, row: int, content: Content, id: str) -> Candidate:
        own = _Similarity(query=None, semantic=_of_row(self.semantic, row), keyword=_of_row(self.keyword, row))
        return Candidate(
            id=id,
            content=content,
            similarity=float(own.both[0]),
            semantic=None if own.semantic is None else float(own.semantic[0]),
            keyword=None if own.keyword is None else float(own.keyword[0]),
        )


def _of_row(scores: Vector | None, row: int) -> Vector | None:
    return None if scores is None else scores[row : row + 1]


def _similarity(snapshot: SearchSnapshot, question: SearchRequest) -> _Similarity:
    entries = snapshot.catalogue(question.what)
    meaning = question.vector(question.query) if question.how != "keyword" else None
    semantic = snapshot.embeddings.similarity(meaning) if meaning is not None else None
    keyword = entries.words.similarity(query_terms(question.query)) if question.how != "semantic" else None
    if keyword is not None:
        keyword[[entries.rows[id] for id in question.exact_ids if id in entries.rows]] = 1.0
    return _Similarity(query=meaning, semantic=semantic, keyword=keyword)


def candidates(snapshot: SearchSnapshot, question: SearchRequest) -> Candidates:
    """The most similar matches, at most ``MAX_RESULTS``; one per file when searching for files."""
    what, entries = question.what, snapshot.catalogue(question.what)
    inside = None if question.glob is None else snapshot.in_files(what, question.glob)
    deepest = MAX_RESULTS * (_CHUNKS_PER_FILE if what == "file" else 1)
    scores = _similarity(snapshot, question)
    scores.settle(snapshot, near_best(_inside(scores.both, inside), deepest))
    both = scores.both
    rows = best(_inside(both, inside), deepest)
    files = snapshot.files(what, rows, question.glob)
    if what == "file":
        first = np.sort(np.unique(files, return_index=True)[1])
        rows, files = rows[first], files[first]
    results = [
        scores.candidate(row, _content(what, entries.ids[row], entries.files[file]), entries.ids[row])
        for row, file in zip(rows[:MAX_RESULTS].tolist(), files[:MAX_RESULTS].tolist(), strict=True)
    ]
    scaled = [replace(candidate, text=TEXT_SCALE * candidate.similarity) for candidate in results]
    return Candidates(
        rows=scaled,
        spread=spread(np.asarray([candidate.text for candidate in scaled])),
        weights=_weights(entries, question.query),
    )


def _weights(entries: Catalogue, query: str) -> dict[str, float]:
    words = sorted(set(query_terms(query)))
    return {word: idf(len(entries.words.of(word)[0]), len(entries.ids)) for word in words}


def _inside(scores: Vector, inside: npt.NDArray[np.bool_] | None) -> Vector:
    return scores if inside is None else scores * inside


def learned_candidates(snapshot: SearchSnapshot, question: SearchRequest, answers: PastQueries) -> Candidates:
    """The best chunks or files by texts, past queries and use, at most ``MAX_RESULTS``; ``blend`` has the formula."""
    entries, words = snapshot.catalogue("chunk"), sorted(set(query_terms(question.query)))
    rows, files = entries.pairs()
    if question.glob is not None:
        in_glob = snapshot.named("chunk", question.glob)[files]
        rows, files = rows[in_glob], files[in_glob]
    scores = _similarity(snapshot, question)
    by_words = texts(entries, snapshot.path_words, words if question.how != "semantic" else ())
    learned = experience(answers, entries.files, words).only(snapshot.by_hand)
    file_scores = FILE_SHARE * by_words.files + learned.past + learned.use

    def own() -> Floats:
        meaning = 0.0 if scores.semantic is None else MEANING_WEIGHT * scores.semantic
        return CHUNK_SHARE * by_words.chunks + meaning

    if scores.semantic is not None:
        likely = ((own()[rows] + file_scores[files]) / MEANING_WEIGHT).astype(np.float32)
        scores.settle(snapshot, np.unique(rows[near_best(likely, MAX_RESULTS * _CHUNKS_PER_FILE)]))
    text = FILE_SHARE * by_words.files + CHUNK_SHARE * _best(by_words.chunks[rows], files, entries)
    if scores.semantic is not None:
        text = text + MEANING_WEIGHT * _best(scores.semantic[rows], files, entries)
    worth = first_hand(question.query, words, snapshot.second_hand, _defines(question, entries.files))
    ranked = _Ranked(
        rows=rows,
        files=files,
        own=worth[files] * own()[rows],
        text=worth * text,
        learned=learned,
        is_file=question.what == "file",
    )
    return ranked.candidates(entries, scores, _weights(entries, question.query))


def _defines(question: SearchRequest, files: Sequence[str]) -> npt.NDArray[np.bool_] | None:
    """Which files define what the query names, shape (files); None where it is no name."""
    return np.asarray([path in question.defining for path in files], np.bool_) if question.defining else None


def _best(scores: npt.NDArray[Any], files: npt.NDArray[np.int64], entries: Catalogue) -> Floats:
    """The highest score in each file, shape (files), from scores of shape (pairs)."""
    best_scores = np.zeros(len(entries.files))
    np.maximum.at(best_scores, files, scores)
    return best_scores


@dataclass(frozen=True, kw_only=True, eq=False, slots=True)
class _Ranked:
    """Chunks in their files with the parts of their scores; columns of shape (pairs), besides those by file."""

    rows: npt.NDArray[np.int64]
    files: npt.NDArray[np.int64]
    own: Floats
    text: Floats
    learned: Experience
    is_file: bool

    def candidates(self, entries: Catalogue, scores: _Similarity, weights: Mapping[str, float]) -> Candidates:
        first = self._first_of_files()
        in_file = self.files[first]
        text = self.text[in_file]
        matches = (text > 0.0) | (self.learned.past[in_file] > 0.0)
        first, in_file, text = first[matches], in_file[matches], text[matches]
        best_ones = [
            (float(points), float(self.learned.past[file]), float(self.learned.use[file]), pair, True)
            for points, file, pair in zip(text.tolist(), in_file.tolist(), first.tolist(), strict=True)
        ]
        scored = best_ones if self.is_file else [*best_ones, *self._others(first)]
        scored.sort(key=lambda row: (-round(row[0] + row[1] + row[2], SHARE_DECIMALS), -row[0], row[3]))
        if not self.is_file:  # a chunk that lies in several files is one result
            rows = self.rows.tolist()
            scored = list({rows[row[3]]: row for row in reversed(scored)}.values())[::-1]
        return Candidates(
            rows=[self._candidate(entries, scores, *row) for row in scored[:MAX_RESULTS]],
            spread=spread(text),
            weights=weights,
        )

    def _first_of_files(self) -> npt.NDArray[np.int64]:
        """The pair with the best chunk of each file; of equal ones the first."""
        order = np.lexsort((self.rows, -self.own, self.files))
        starts = np.flatnonzero(np.diff(self.files[order], prepend=-1))
        return order[starts]

    def _others(self, first: npt.NDArray[np.int64]) -> Iterator[tuple[float, float, float, int, bool]]:
        """Further chunks, which have their own words alone."""
        rest = self.own > 0.0
        rest[first] = False
        pairs = np.flatnonzero(rest)
        likely = pairs[best(self.own[pairs].astype(np.float32), MAX_RESULTS)]
        return ((float(self.own[pair]), 0.0, 0.0, pair, False) for pair in likely.tolist())

    def _candidate(
        self, entries: Catalogue, scores: _Similarity, text: float, past: float, use: float, pair: int, is_first: bool
    ) -> Candidate:
        row, file = int(self.rows[pair]), int(self.files[pair])
        content = _content("file" if self.is_file else "chunk", entries.ids[row], entries.files[file])
        candidate = scores.candidate(row, content, entries.ids[row])
        return replace(candidate, text=text, past=past, use=use, is_first=is_first)


def _content(what: SearchTarget, id: str, path: str) -> Content:
    return Content(kind=_KINDS[what], id=path if what == "file" else id, path=path)
