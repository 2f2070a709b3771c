"""Searches of a memory."""

from dataclasses import dataclass, replace
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
        semantic: Cosine of meanings, from 0 to 1; None where the search was by words alone.
        keyword: By its words, from 0 to 1; None where the search was by meaning alone.
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
    flags: tuple[str, ...] = ()

    def flagged(self, flag: str) -> "Breakdown":
        """The same with one more flag."""
        return replace(self, flags=(*self.flags, flag))


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
        title: What that is called: the symbol's qualified name, the record's title; or empty.
        snippet: Some lines of it, harmless to show.
        similarity: How well it answers the query, from 0 to 1.
        score: What orders results.
        breakdown: What the score is made of.
    """

    rank: int
    path: str
    start: int
    end: int
    symbol: str = ""
    adr: str = ""
    title: str = ""
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
        how: By meaning, by words, or by both; symbols and records are found by their words.
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
    results: tuple[SearchResult, ...]
    next_offset: int | None


@dataclass(frozen=True, kw_only=True, slots=True)
class GrepMatch(Value):
    """A line that matches.

    Attributes:
        path: The file.
        line: Its number, from 1.
        text: The line, harmless to show; of a long one the part around the match, with ``…`` for the rest.
    """

    path: str
    line: int
    text: str
