"""Vectors that were made before, by the hash of their text."""

import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from pathlib import Path

import numpy as np

from paragone.errors import Unwritable
from paragone.similarity.base import Vectors

_TABLE = """
CREATE TABLE IF NOT EXISTS vector (
    embedder TEXT NOT NULL, hash TEXT NOT NULL, numbers BLOB NOT NULL, PRIMARY KEY (embedder, hash)
) WITHOUT ROWID"""
_FOUND = "SELECT hash, numbers FROM vector WHERE embedder = ? AND hash IN ({})"
_KEPT = "INSERT OR REPLACE INTO vector VALUES (?, ?, ?)"
_AT_ONCE = 500


class VectorCache:
    """An SQLite file of vectors; it can be deleted at any time. Several processes may share it."""

    def __init__(self, path: Path) -> None:
        """Open the file, or make it.

        Raises:
            Unwritable: If it cannot be opened or made, or is something else.
        """
        self._path = path
        with self._open() as database:
            database.execute(_TABLE)

    def find(self, embedder: str, hashes: Sequence[str]) -> dict[str, Vectors]:
        """The vectors that are there, by hash."""
        vectors: dict[str, Vectors] = {}
        with self._open() as database:
            for start in range(0, len(hashes), _AT_ONCE):
                some = hashes[start : start + _AT_ONCE]
                rows = database.execute(_FOUND.format(", ".join("?" * len(some))), (embedder, *some))
                vectors |= {hash: np.frombuffer(numbers, dtype="<f4") for hash, numbers in rows}
        return vectors

    def keep(self, embedder: str, vectors: Mapping[str, Vectors]) -> None:
        """Add vectors by hash."""
        with self._open() as database:
            rows = ((embedder, hash, vector.astype("<f4").tobytes()) for hash, vector in vectors.items())
            database.executemany(_KEPT, rows)

    @contextmanager
    def _open(self) -> Iterator[sqlite3.Connection]:
        try:
            with closing(sqlite3.connect(self._path, timeout=30)) as database, database:
                yield database
        except sqlite3.Error as error:
            text = f"the cache of vectors {self._path} cannot be used: {error}; delete it, or name another"
            raise Unwritable(text) from error
