"""What a search finds."""

from dataclasses import dataclass

from paragone.memory.search.query import How, What
from paragone.memory.search.ranking import Breakdown
from paragone.memory.store.lines import Tool
from paragone.wire.search import SearchMode


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
        query: What was asked, as it was understood.
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
