"""Searches of a memory."""

from dataclasses import dataclass, replace
from typing import Literal

from paragone.domain.content import ContentKind
from paragone.wire.value import Value

SearchMode = Literal["learned", "document"]
"""The formula by which results are ordered."""
SearchMethod = Literal["semantic", "keyword", "hybrid"]
SearchTarget = Literal["chunk", "file", "symbol", "decision"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Breakdown(Value):
    """The figures behind a score.

    Attributes:
        mode: The formula: ``learned`` or ``document``.
        similarity: How well it answers the query, from 0 to 1.
        semantic: Cosine of embeddings, from 0 to 1; None in a search by words.
        keyword: Similarity of words, from 0 to 1; None in a search by meaning.
        text: What the texts of the content and of its file add to the learned score.
        past: What past queries that its file answered add to it.
        use: What uses of its file add to it.
        feedback: What reports and readings add to it, or take away.
        usefulness: P(useful), from reports and readings.
        is_known: Whether there are reports; otherwise usefulness is a guess.
        demotion: The share that reports of errors leave of the document's score; 1 without any.
        rated: Kind of the content whose rating counts: its own once it has changed, until then its file's.
        rating: In Elo points: need or Elo, as the store is configured; Elo in mode ``document``.
        elo_norm: The Elo from 0 to 1.
        r: R; None if unknown.
        r_source: Where R comes from, or empty.
        r_gate: 1, or 0.25 if R is low.
        flags: Remarks: ``usefulness unknown``, ``reported wrong``, ``R unknown``, ``R low``, ``file gone``.
    """

    mode: SearchMode
    similarity: float
    semantic: float | None
    keyword: float | None
    text: float
    past: float
    use: float
    feedback: float
    usefulness: float
    is_known: bool
    demotion: float
    rated: ContentKind
    rating: float
    elo_norm: float
    r: float | None
    r_source: str
    r_gate: float
    flags: tuple[str, ...] = ()

    @property
    def summary(self) -> str:
        """The parts of the score, in one line."""
        if self.mode == "document":
            return f"similarity {self.similarity:.2f}, rating {self.rating:.0f}"
        parts = (("past queries", self.past), ("use", self.use), ("feedback", self.feedback))
        more = "".join(f", {name} {points:+.1f}" for name, points in parts if abs(points) >= 0.05)
        return f"text {self.text:.1f}{more}"

    def flagged(self, flag: str) -> "Breakdown":
        """The same with one more flag."""
        return replace(self, flags=(*self.flags, flag))


@dataclass(frozen=True, kw_only=True, slots=True)
class SearchResult(Value):
    """One result.

    Attributes:
        rank: From 1, over all pages.
        path: The file that contains it.
        start: Its first line.
        end: Its last line.
        symbol: Id of the definition that it is or that contains it; or empty.
        adr: Id of the decision record that it is or that contains it; or empty.
        title: The symbol's qualified name or the record's title; or empty.
        snippet: Some lines of it, safe to show.
        similarity: How well it answers the query, from 0 to 1.
        score: The score by which results are ordered.
        breakdown: The figures behind the score.
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
    """The results of a search.

    Attributes:
        query: The query as it was understood.
        what: Chunks, files, symbols or decision records.
        how: By meaning, by words, or by both; symbols and records are found by words.
        mode: The order of the results.
        total: Number of results on all pages.
        results: One page of them, best first.
        next_offset: Start of the next page; None on the last one.
        notice: What the searcher should know, such as why the search went by words; or empty.
    """

    query: str
    what: SearchTarget
    how: SearchMethod
    mode: SearchMode
    total: int
    results: tuple[SearchResult, ...]
    next_offset: int | None
    notice: str = ""


# A ``memory.contradictions.Sentence`` has the same fields by chance: that is a sentence, and this a line.
@dataclass(frozen=True, kw_only=True, slots=True)
class GrepMatch(Value):
    """A line that matches.

    Attributes:
        path: The file.
        line: Its number, from 1.
        text: The line, safe to show; of a long one the part around the match, with ``…`` for the rest.
    """

    path: str
    line: int
    text: str
