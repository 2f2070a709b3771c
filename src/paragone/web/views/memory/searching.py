"""Searches as values. Somebody looks; that is no search by an agent: nothing is logged, and no rating moves."""

from dataclasses import asdict, dataclass

from paragone.memory.search.query import How, What
from paragone.web.readers.memory_reader import Remembered
from paragone.wire.search import Search, SearchMode


@dataclass(frozen=True, kw_only=True, slots=True)
class SearchQuery:
    """What to look for, and how; see ``Memory.search``."""

    query: str
    how: How = "hybrid"
    what: What = "chunk"
    mode: SearchMode | None = None
    glob: str | None = None
    limit: int = 10
    offset: int = 0


def search(memory: Remembered, wanted: SearchQuery) -> Search:
    """Find what answers a query best.

    Raises:
        UsageError: If the query is empty, or there is nothing to search by.
        NotFound: If nothing is indexed yet.
        Busy: If the store does not answer.
    """
    options = asdict(wanted)
    query = options.pop("query")
    result = memory.ask(lambda parts: parts.searcher.search(query, **options))
    return Search.like(result)
