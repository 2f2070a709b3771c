"""Vectors for the chunks of an index that have none yet: each text once, in batches."""

import sqlite3
from collections.abc import Mapping
from typing import TYPE_CHECKING

from paragone.memory.index.vectors import VectorFile

if TYPE_CHECKING:
    from paragone.similarity import Embedder

_AT_ONCE = 1024


def embed_chunks(
    connection: sqlite3.Connection, vectors: VectorFile, embedder: "Embedder", texts: Mapping[str, str]
) -> int:
    """Within a transaction: embed those texts, by hash, that have no vector.

    Returns:
        How many were embedded.
    """
    from paragone.similarity.vectors import unit

    missing = {hash: text for hash, text in texts.items() if not _has_vector(connection, hash)}
    if missing:
        # The longest together: a batch of the embedder's is as wide as its longest text.
        order = sorted(missing, key=lambda one: (len(missing[one]), one))
        table = dict(zip(order, unit(embedder.embed([missing[hash] for hash in order])), strict=True))
        vectors.append(connection, {hash: table[hash] for hash in missing})
    return len(missing)


def without_vectors(connection: sqlite3.Connection) -> list[tuple[str, str]]:
    """Some of the chunks that have no vector, as (hash, text); none where all have one."""
    query = "SELECT hash, text FROM body WHERE hash NOT IN (SELECT hash FROM vector) ORDER BY id LIMIT ?"
    return connection.execute(query, (_AT_ONCE,)).fetchall()


def _has_vector(connection: sqlite3.Connection, hash: str) -> bool:
    return connection.execute("SELECT 1 FROM vector WHERE hash = ?", (hash,)).fetchone() is not None
