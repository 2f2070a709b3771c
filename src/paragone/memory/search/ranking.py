"""Results of a search, their order, and the figures behind each score."""

from collections.abc import Sequence
from dataclasses import dataclass

from paragone.analysis.content.convergence import bounded_score, document_score, elo_norm, r_gate
from paragone.domain.content import Content
from paragone.domain.rounding import SHARE_DECIMALS
from paragone.memory.scores import ContentRating
from paragone.memory.search.candidates import Candidate
from paragone.memory.store.lines import Tool
from paragone.wire.search import Breakdown, Search, SearchMode, SearchResult

R_UNKNOWN = "R unknown"
R_LOW = "R low"
FILE_GONE = "file gone"


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
class Result(SearchResult):
    """One result.

    Attributes:
        hash: The chunk's id; empty where a result is no chunk.
    """

    hash: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class Found(Search):
    """What a search found.

    Attributes:
        tool: Its name in the search log.
    """

    tool: Tool
    results: tuple[Result, ...]
