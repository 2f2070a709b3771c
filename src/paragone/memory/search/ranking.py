"""Results of a search, their order, and the figures behind each score."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from paragone.analysis.content.ranking import bounded_score, document_score, elo_norm, r_gate
from paragone.domain.content import Content, ContentKind
from paragone.domain.rounding import SHARE_DECIMALS
from paragone.memory.scores import ContentRating
from paragone.memory.search.candidates import Candidate
from paragone.memory.search.query import How, What
from paragone.memory.store.config import SearchMode
from paragone.memory.store.lines import Tool

R_UNKNOWN = "R unknown"
R_LOW = "R low"
FILE_GONE = "file gone"


@dataclass(frozen=True, kw_only=True, slots=True)
class Breakdown:
    """What a score is made of.

    Attributes:
        mode: The formula: ``relevance``, ``bounded`` or ``document``.
        similarity: How well it answers the query, in [0, 1].
        semantic: Cosine of embeddings, in [0, 1]; None if not requested.
        keyword: By its words, in [0, 1]; None if not requested.
        rated: Whose rating it is: its own once it has moved, its file's until then.
        rating: In Elo points, by ``ranking.rank_by`` of the configuration.
        elo_norm: The same in [0, 1].
        r: R; None where it is unknown.
        r_source: Where R comes from, or empty.
        r_gate: 1, or 0.25 where R is low.
        flags: What to know besides: ``R unknown``, ``R low``, ``file gone``.
    """

    mode: SearchMode
    similarity: float
    semantic: float | None
    keyword: float | None
    rated: ContentKind
    rating: float
    elo_norm: float
    r: float | None
    r_source: str
    r_gate: float
    flags: tuple[str, ...] = ()

    def flagged(self, flag: str) -> "Breakdown":
        """The same with one more flag."""
        return replace(self, flags=(*self.flags, flag))


def score(parts: Breakdown, bound: float) -> float:
    """What orders results, the highest first; ``relevance`` is similarity alone."""
    if parts.mode == "bounded":
        return bounded_score(parts.similarity, parts.elo_norm, parts.r_gate, bound)
    if parts.mode == "document":
        return document_score(parts.similarity, parts.elo_norm, parts.r_gate)
    return parts.similarity


def breakdown(candidate: Candidate, rating: ContentRating, mode: SearchMode) -> Breakdown:
    """The figures of one result."""
    flags = {None: (R_UNKNOWN,), False: (R_LOW,), True: ()}[rating.is_high]
    return Breakdown(
        mode=mode,
        similarity=candidate.similarity,
        semantic=candidate.semantic,
        keyword=candidate.keyword,
        rated=rating.content.kind,
        rating=rating.rating,
        elo_norm=elo_norm(rating.rating),
        r=rating.r,
        r_source=rating.r_source or "",
        r_gate=r_gate(rating.is_high),
        flags=flags,
    )


def own_or_file(content: Content, ratings: dict[Content, ContentRating]) -> ContentRating:
    """The rating that speaks for content: its own once it has moved, its file's until then.

    A chunk has a new id after every edit, and few are ever shown; its file keeps its rating.
    """
    own = ratings[content]
    return own if own.updates else ratings[file_of(content)]


def file_of(content: Content) -> Content:
    """The file that content lies in."""
    return Content.file(content.path)


def by_score(parts: Sequence[Breakdown], bound: float) -> list[int]:
    """The order of results, the best first. Equal scores go by similarity, then stay as they were."""
    return sorted(
        range(len(parts)), key=lambda at: (-round(score(parts[at], bound), SHARE_DECIMALS), -parts[at].similarity, at)
    )


@dataclass(frozen=True, kw_only=True, slots=True)
class Result:
    """One result.

    Attributes:
        rank: From 1, over all pages.
        path: The file it lies in.
        start: Its first line, from 1.
        end: Its last line.
        hash: The chunk's id; empty where a result is no chunk.
        symbol: Id of the innermost definition that it lies in, or that it is; or empty.
        adr: Id of the decision record that it lies in, or that it is; or empty.
        title: What that is called: the symbol's qualified name, the record's title; or empty.
        snippet: Some lines of it, harmless to show.
        similarity: How well it answers the query, in [0, 1].
        score: What orders results.
        breakdown: The figures that made the score.
    """

    rank: int
    path: str
    start: int
    end: int
    hash: str = ""
    symbol: str = ""
    adr: str = ""
    title: str = ""
    snippet: str
    similarity: float
    score: float
    breakdown: Breakdown


@dataclass(frozen=True, kw_only=True, slots=True)
class Found:
    """What a search found.

    Attributes:
        query: The query, cleaned.
        what: Chunks, files, symbols or decision records.
        how: By meaning, by words, or by both; symbols and records are found by their words.
        tool: Its name in the search log.
        mode: What ordered the results.
        results: One page of them, the best first.
        total: How many there are, on all pages together.
        next_offset: Where the next page begins; None on the last one.
    """

    query: str
    what: What
    how: How
    tool: Tool
    mode: SearchMode
    results: tuple[Result, ...]
    total: int
    next_offset: int | None
