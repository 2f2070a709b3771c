"""Search: by meaning, by words, or by both; by pattern; and reading what was found."""

from paragone.memory.search.grep import Grep, Grepped, Match
from paragone.memory.search.ranking import Breakdown, Found, Result
from paragone.memory.search.reading import Expansion, Page, expand, read
from paragone.memory.search.searcher import Searcher

__all__ = [
    "Breakdown",
    "Expansion",
    "Found",
    "Grep",
    "Grepped",
    "Match",
    "Page",
    "Result",
    "Searcher",
    "expand",
    "read",
]
