"""Candidates for a query by semantic and keyword similarity, before ratings are applied."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from paragone.domain.content import Content, ContentKind
from paragone.memory.search.bm25 import query_terms
from paragone.memory.search.query import How, What
from paragone.memory.search.snapshot import SearchSnapshot

Scores = npt.NDArray[np.float32]

_DOUBT = 1e-5
SEMANTIC_SHARE = 0.3
"""Weight of semantic similarity; keyword similarity has the rest."""


def fused(semantic: Scores, keyword: Scores) -> Scores:
    """The weighted mean of both, in [0, 1]; shapes (rows)."""
    return np.float32(SEMANTIC_SHARE) * semantic + np.float32(1.0 - SEMANTIC_SHARE) * keyword


def near_best(scores: Scores, count: int) -> npt.NDArray[np.int64]:
    """Rows that may be among so many of the highest scores, each of which is within 1e-5 of what is given."""
    if count >= len(scores):
        return np.arange(len(scores))
    least = np.partition(scores, len(scores) - count)[len(scores) - count]
    return np.flatnonzero(scores >= least - 2 * _DOUBT)


def best(scores: Scores, count: int) -> npt.NDArray[np.int64]:
    """Rows with the highest scores above 0, the best first; equal ones by row.

    Which of equal ones at the end are left out is settled by row too.
    """
    if count < len(scores):
        least = np.partition(scores, len(scores) - count)[len(scores) - count]
        above = np.flatnonzero(scores > least)
        rows = np.concatenate([above, np.flatnonzero(scores == least)[: count - len(above)]])
    else:
        rows = np.arange(len(scores))
    rows = rows[scores[rows] > 0.0]
    order: npt.NDArray[np.int64] = rows[np.lexsort((rows, -scores[rows]))]
    return order


DEEPEST = 300
"""So many of the likeliest are results; what comes after them is none. It bounds pages, and what ratings cost."""
_CHUNKS_A_FILE = 8
"""For files so many times as many chunks are looked at, since several of the likeliest lie in one file."""

_KINDS: dict[What, ContentKind] = {
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
        id: Of the chunk, symbol or record that was found.
        content: What is rated; of a file that is found by a chunk, the file.
        similarity: How well it answers, in [0, 1].
        semantic: Cosine of embeddings, in [0, 1]; None where nobody query_terms for it.
        keyword: By its words, in [0, 1]; None where nobody query_terms for it.
    """

    id: str
    content: Content
    similarity: float
    semantic: float | None
    keyword: float | None


def candidates(
    snapshot: SearchSnapshot,
    query: str,
    what: What,
    how: How,
    *,
    glob: str | None,
    vector: Callable[[str], Vector],
    exact_ids: Sequence[str],
) -> list[Candidate]:
    """The best matches, at most ``DEEPEST``; one per file when searching for files.

    Args:
        snapshot: What is searched.
        query: Checked.
        what: Chunks, files, symbols or records.
        how: By meaning, by words, or both.
        glob: Only in files that it names.
        vector: Makes a query's unit vector.
        exact_ids: Ids that the query names outright: they are found with similarity 1.
    """
    entries = snapshot.catalogue(what)
    meaning = vector(query) if how != "keyword" else None
    semantic = snapshot.embeddings.similarity(meaning) if meaning is not None else None
    keyword = entries.words.similarity(query_terms(query)) if how != "semantic" else None
    if keyword is not None:
        keyword[[entries.rows[id] for id in exact_ids if id in entries.rows]] = 1.0
    inside = None if glob is None else snapshot.in_files(what, glob)
    deepest = DEEPEST * (_CHUNKS_A_FILE if what == "file" else 1)
    similarity = _similarity(semantic, keyword, inside)
    if meaning is not None and semantic is not None:
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
        for row, file in zip(rows[:DEEPEST].tolist(), files[:DEEPEST].tolist(), strict=True)
    ]


def _similarity(semantic: Vector | None, keyword: Vector | None, inside: npt.NDArray[np.bool_] | None) -> Vector:
    """By both where both are there, and 0 outside."""
    both = fused(semantic, keyword) if semantic is not None and keyword is not None else None
    similarity = next(scores for scores in (both, semantic, keyword) if scores is not None)
    return similarity if inside is None else similarity * inside


def _content(what: What, id: str, path: str) -> Content:
    return Content(kind=_KINDS[what], id=path if what == "file" else id, path=path)
