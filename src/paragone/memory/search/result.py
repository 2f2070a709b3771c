"""What a search finds."""

from dataclasses import dataclass

from paragone.memory.store.lines import Tool
from paragone.wire.search import Search, SearchResult


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
