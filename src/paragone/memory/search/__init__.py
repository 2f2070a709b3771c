"""Search: by meaning, by words, or by both; by pattern; and reading what was found."""

from paragone.memory.search.grep import Grep, Grepped
from paragone.memory.search.ranking import Found, Result
from paragone.memory.search.reading import Expansion, Page, expand, read
from paragone.memory.search.searcher import Searcher

__all__ = [
    "Expansion",
    "Found",
    "Grep",
    "Grepped",
    "Page",
    "Result",
    "Searcher",
    "expand",
    "read",
]
