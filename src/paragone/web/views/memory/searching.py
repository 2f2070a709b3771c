"""Searches as values. Somebody looks; that is no search by an agent: nothing is logged, and no rating moves."""

from dataclasses import asdict, dataclass

from paragone.web.readers.memory_reader import MemoryReader
from paragone.wire.search import Search, SearchMethod, SearchMode, SearchTarget


@dataclass(frozen=True, kw_only=True, slots=True)
class SearchQuery:
    """What to look for, and how; see ``Memory.search``."""

    query: str
    how: SearchMethod = "hybrid"
    what: SearchTarget = "chunk"
    mode: SearchMode | None = None
    glob: str | None = None
    limit: int = 10
    offset: int = 0


def search(memory: MemoryReader, query: SearchQuery) -> Search:
    """Find what answers a query best.

    Raises:
        UsageError: If the query is empty, or there is nothing to search by.
        NotFound: If nothing is indexed yet.
        Busy: If the store does not answer.
    """
    options = asdict(query)
    text = options.pop("query")
    result = memory.ask(lambda components: components.searcher.search(text, **options))
    return Search.like(result)
