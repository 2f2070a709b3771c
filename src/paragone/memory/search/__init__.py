"""Search: by meaning, by words, or by both; by pattern; and reading what was found."""

from paragone.memory.search.grep import Grep, GrepPage, Match
from paragone.memory.search.ranking import Breakdown, Found, Result
from paragone.memory.search.reading import DecisionPage, Expansion, Page, expand, read, read_decision
from paragone.memory.search.searcher import Searcher

__all__ = [
    "Breakdown",
    "DecisionPage",
    "Expansion",
    "Found",
    "Grep",
    "GrepPage",
    "Match",
    "Page",
    "Result",
    "Searcher",
    "expand",
    "read",
    "read_decision",
]
