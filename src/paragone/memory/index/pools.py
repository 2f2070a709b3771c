"""How much there is of each kind of content, and what it begins at on average."""

import sqlite3

from paragone.domain.content import Content, ContentKind, PoolSize
from paragone.memory.scores.tiers import initial_rating
from paragone.memory.store.config import TierConfig

_COUNTS = {
    ContentKind.FILE: "SELECT path, 1 FROM file",
    ContentKind.SYMBOL: "SELECT path, count(*) FROM symbol JOIN file ON file.id = symbol.file GROUP BY path",
    ContentKind.ADR: "SELECT min(path), 1 FROM file WHERE adr != '' GROUP BY adr",
    ContentKind.VECTOR: "SELECT min(path), 1 FROM chunk JOIN file ON file.id = chunk.file GROUP BY body",
}
"""Content goes by the first path in which it lies."""


def pool_sizes(connection: sqlite3.Connection, tiers: TierConfig) -> dict[ContentKind, PoolSize]:
    """The size of each pool that holds anything, and the mean of its initial ratings in Elo points."""
    initial = {
        path: initial_rating(Content(kind=ContentKind.FILE, id=path, path=path), tiers)
        for (path,) in connection.execute("SELECT path FROM file")
    }
    found = {kind: _pool(connection, query, initial) for kind, query in _COUNTS.items()}
    return {kind: pool for kind, pool in found.items() if pool.count}


def _pool(connection: sqlite3.Connection, query: str, initial: dict[str, float]) -> PoolSize:
    count, total = 0, 0.0
    for path, some in connection.execute(query):
        count, total = count + some, total + some * initial[path]
    return PoolSize(count=count, mean_initial=total / count if count else 0.0)
