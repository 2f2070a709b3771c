"""Vectors of items: each distinct text is embedded once, and not at all if it is cached."""

import sqlite3
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from pathlib import Path

import numpy as np
import numpy.typing as npt

from paragone.domain import Item
from paragone.errors import InvalidItems, Unwritable
from paragone.similarity.embedders import Embedder, Vectors

_TABLE = """
CREATE TABLE IF NOT EXISTS vector (
    embedder TEXT NOT NULL, hash TEXT NOT NULL, numbers BLOB NOT NULL, PRIMARY KEY (embedder, hash)
) WITHOUT ROWID"""
_FOUND = "SELECT hash, numbers FROM vector WHERE embedder = ? AND hash IN ({})"
_KEPT = "INSERT OR REPLACE INTO vector VALUES (?, ?, ?)"
_AT_ONCE = 500


class VectorCache:
    """An SQLite file of vectors, which can be deleted at any time and shared by processes.

    Raises:
        Unwritable: If it cannot be opened or created, or is something else.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        with self._open() as database:
            database.execute(_TABLE)

    def find(self, embedder: str, hashes: Sequence[str]) -> dict[str, Vectors]:
        """The cached vectors, by hash."""
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


_BATCH = 1024


def embed(
    items: Sequence[Item],
    embedder: Embedder,
    *,
    cache: VectorCache | None = None,
    progress: Callable[[int, int], None] = lambda done, of: None,  # noqa: ARG005
) -> Vectors:
    """Unit vectors of items.

    Args:
        items: The items; only their texts matter.
        embedder: Embeds texts.
        cache: Stores vectors batch by batch, so that a run that was stopped continues.
        progress: Called with the number of distinct texts that have vectors, and of all.

    Returns:
        Shape (items, dimensions), each of length 1, or 0 for a text without any known word.
    """
    texts = {item.content_hash: item.text for item in items}
    vectors = {} if cache is None else cache.find(embedder.name, list(texts))
    missing = [hash for hash in texts if hash not in vectors]
    for start in range(0, len(missing), _BATCH):
        progress(len(vectors), len(texts))
        some = missing[start : start + _BATCH]
        batch = dict(zip(some, embedder.embed([texts[hash] for hash in some]), strict=True))
        if cache is not None:
            cache.keep(embedder.name, batch)
        vectors |= batch
    progress(len(vectors), len(texts))
    return unit(np.stack([vectors[item.content_hash] for item in items])) if items else np.zeros((0, 0), np.float32)


def cosines(a: Vectors, b: Vectors) -> npt.NDArray[np.float64]:
    """Cosines of unit vectors along the last axis, with broadcasting.

    They are the same to the last bit on every processor, unlike those of a matrix product.
    """
    products = np.multiply(a, b, dtype=np.float64)
    result: npt.NDArray[np.float64] = np.clip(products.sum(axis=-1), -1.0, 1.0)
    return result


def unit(vectors: npt.ArrayLike) -> Vectors:
    """Vectors divided by their lengths; zero stays zero.

    Raises:
        InvalidItems: If they are not a table of finite numbers.
    """
    try:
        table = np.array(vectors, dtype=np.float32)
    except (TypeError, ValueError) as error:
        raise InvalidItems("vectors must be numbers, equally many for each item") from error
    if table.ndim != 2 or not np.isfinite(table).all():
        raise InvalidItems("vectors must be a table of finite numbers: one row an item, one column a dimension")
    # In double precision: the squares of large numbers overflow single precision, those of small ones vanish.
    length = np.sqrt(np.square(table, dtype=np.float64).sum(axis=1))[:, np.newaxis]
    table /= np.where(length > 0, length, 1.0)
    return table
