"""Search by meaning, by words, by both or by pattern; and reading the results."""

from typing import TYPE_CHECKING

from paragone.on_demand import names

if TYPE_CHECKING:
    from paragone.memory.search.grep import Grep, GrepPage
    from paragone.memory.search.reading import DecisionPage, Expansion, FilePage, expand, read, read_decision
    from paragone.memory.search.searcher import Found, RankedResult, Searcher
else:
    __getattr__ = names(
        __name__,
        {
            ".grep": "Grep GrepPage",
            ".reading": "DecisionPage Expansion FilePage expand read read_decision",
            ".searcher": "Found RankedResult Searcher",
        },
    )

__all__ = [
    "DecisionPage",
    "Expansion",
    "FilePage",
    "Found",
    "Grep",
    "GrepPage",
    "RankedResult",
    "Searcher",
    "expand",
    "read",
    "read_decision",
]
