"""Searches of a memory."""

from dataclasses import dataclass
from typing import Literal

from paragone.domain.content import ContentKind
from paragone.wire.value import Value

SearchMode = Literal["relevance", "bounded", "document"]
"""The formula by which results are ordered."""
SearchMethod = Literal["semantic", "keyword", "hybrid"]
SearchTarget = Literal["chunk", "file", "symbol", "decision"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Breakdown(Value):
    """What a score is made of.

    Attributes:
        mode: The formula: ``relevance``, ``bounded`` or ``document``.
        similarity: How well it answers the query, from 0 to 1.
        semantic: By its meaning; None where that was not asked for.
        keyword: By its words; None where that was not asked for.
        rated: Whose rating it is: its own once that has moved, its file's until then.
        rating: In Elo points.
        elo_norm: The same from 0 to 1.
        r: R; None where it is not known.
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
    flags: list[str]


@dataclass(frozen=True, kw_only=True, slots=True)
class SearchResult(Value):
    """One result.

    Attributes:
        rank: From 1, over all pages.
        path: The file that it lies in.
        start: Its first line.
        end: Its last line.
        symbol: Id of the definition that it lies in, or that it is; or empty.
        adr: Id of the decision record that it lies in, or that it is; or empty.
        title: What that is called; or empty.
        snippet: Some lines of it.
        similarity: How well it answers the query, from 0 to 1.
        score: What orders results.
        breakdown: What the score is made of.
    """

    rank: int
    path: str
    start: int
    end: int
    symbol: str
    adr: str
    title: str
    snippet: str
    similarity: float
    score: float
    breakdown: Breakdown


@dataclass(frozen=True, kw_only=True, slots=True)
class Search(Value):
    """What a search found.

    Attributes:
        query: What was asked, as it was understood.
        what: Chunks, files, symbols or decision records.
        how: By meaning, by words, or by both.
        mode: What ordered the results.
        total: How many there are, on all pages together.
        results: One page of them, the best first.
        next_offset: Where the next page begins; None on the last one.
    """

    query: str
    what: SearchTarget
    how: SearchMethod
    mode: SearchMode
    total: int
    results: list[SearchResult]
    next_offset: int | None
