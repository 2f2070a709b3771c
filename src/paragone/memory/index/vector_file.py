"""The vectors of an index, in a file of their own beside ``index.db``."""

import os
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from paragone.domain.text import counted
from paragone.memory.index.database import note, set_note

if TYPE_CHECKING:
    from paragone.similarity import Embedder

Matrix = npt.NDArray[np.float32]
_MAX_DEAD_SHARE = 0.25
_MIN_DEAD_ROWS = 1000
_COPIED_ROWS = 10_000


class VectorFile:
    """The vectors of chunks, one row each in a file of 32-bit floats; the table ``vector`` has the hash of each row.

    The row of a deleted vector is not used again, since another process may have the file mapped: a reader never sees
    another vector than the one it looked up. When many rows are dead, the others are written to a new file.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder / "vectors"

    def begin(self, connection: sqlite3.Connection, embedder: str) -> None:
        """Within a transaction: delete the vectors of another embedder, and those whose file is gone or too short."""
        path, rows, wide = self._path(connection), *_shape(connection)
        is_complete = path.is_file() and path.stat().st_size >= rows * wide * 4
        if note(connection, "embedder") == embedder and (is_complete or not rows):
            return
        connection.execute("DELETE FROM vector")
        set_note(connection, "embedder", embedder)
        _set_shape(connection, 0, 0)
        self._next(connection)

    def append(self, connection: sqlite3.Connection, vectors: Mapping[str, Matrix]) -> None:
        """Within a transaction: add unit vectors by hash, at least one. They are on the disk when this returns."""
        table = np.stack(list(vectors.values())).astype("<f4")
        rows, wide = _shape(connection)
        wide = wide or table.shape[1]
        self._folder.mkdir(exist_ok=True)
        path = self._path(connection)
        with path.open("r+b" if path.exists() else "w+b") as file:
            file.truncate(rows * wide * 4)  # drops what a run wrote that was killed before it committed
            file.seek(rows * wide * 4)
            file.write(table.tobytes())
            file.flush()
            os.fsync(file.fileno())  # before the commit: a committed row always has its vector
        connection.executemany("INSERT INTO vector VALUES (?, ?)", enumerate(vectors, rows))
        _set_shape(connection, rows + len(table), wide)

    def read(self, connection: sqlite3.Connection) -> tuple[list[str], Matrix]:
        """The hash of each row, empty if it is dead; and the rows, mapped, shape (rows, dimensions).

        Raises:
            FileNotFoundError: If another process wrote a new file meanwhile.
        """
        rows, wide = _shape(connection)
        if not rows:
            return [], np.zeros((0, wide), np.float32)
        hashes = [""] * rows
        for row, hash in connection.execute("SELECT row, hash FROM vector"):
            hashes[row] = hash
        return hashes, np.memmap(self._path(connection), dtype="<f4", mode="r", shape=(rows, wide))

    def is_sparse(self, connection: sqlite3.Connection) -> bool:
        """Whether many rows are dead."""
        rows, _ = _shape(connection)
        dead = rows - int(connection.execute("SELECT count(*) FROM vector").fetchone()[0])
        return dead > max(_MIN_DEAD_ROWS, _MAX_DEAD_SHARE * rows)

    def compact(self, connection: sqlite3.Connection) -> None:
        """Within a transaction: write the rows that are not dead to a new file, in their order."""
        hashes, matrix = self.read(connection)
        living = [row for row, hash in enumerate(hashes) if hash]
        self._next(connection)
        with self._path(connection).open("wb") as file:
            for some in _slices(living):
                file.write(np.ascontiguousarray(matrix[some]).tobytes())
            file.flush()
            os.fsync(file.fileno())
        connection.execute("DELETE FROM vector")
        connection.executemany("INSERT INTO vector VALUES (?, ?)", enumerate(hashes[row] for row in living))
        _set_shape(connection, len(living), matrix.shape[1])

    def tidy(self, connection: sqlite3.Connection) -> None:
        """Delete files that nothing refers to any more. Who has one mapped keeps it, if the system allows."""
        current = self._path(connection)
        for path in self._folder.glob("*.f32"):
            if path != current:
                with suppress(OSError):  # Windows deletes no file that is mapped; the next run does
                    path.unlink()

    def _path(self, connection: sqlite3.Connection) -> Path:
        return self._folder / f"{int(note(connection, 'vectors', '1')):06d}.f32"

    def _next(self, connection: sqlite3.Connection) -> None:
        set_note(connection, "vectors", str(int(note(connection, "vectors", "1")) + 1))


def _shape(connection: sqlite3.Connection) -> tuple[int, int]:
    rows, _, wide = note(connection, "shape", "0 0").partition(" ")
    return int(rows), int(wide)


def _set_shape(connection: sqlite3.Connection, rows: int, wide: int) -> None:
    set_note(connection, "shape", f"{rows} {wide}")


def _slices(rows: list[int]) -> Iterator[list[int]]:
    return (rows[at : at + _COPIED_ROWS] for at in range(0, len(rows), _COPIED_ROWS))


_BATCH = 1024


def embed_chunks(
    connection: sqlite3.Connection, vectors: VectorFile, embedder: "Embedder", texts: Mapping[str, str]
) -> int:
    """Within a transaction: embed those texts, by hash, that have no vector; returns how many."""
    from paragone.similarity.vectors import unit

    missing = {hash: text for hash, text in texts.items() if not _has_vector(connection, hash)}
    if missing:
        # The longest together: a batch of the embedder's is as wide as its longest text.
        order = sorted(missing, key=lambda chunk_hash: (len(missing[chunk_hash]), chunk_hash))
        table = dict(zip(order, unit(embedder.embed([missing[hash] for hash in order])), strict=True))
        vectors.append(connection, {hash: table[hash] for hash in missing})
    return len(missing)


def without_vectors(connection: sqlite3.Connection, most: int = _BATCH) -> list[tuple[str, str]]:
    """Some of the chunks that have no vector, as (hash, text); none if all have one."""
    query = "SELECT hash, text FROM body WHERE hash NOT IN (SELECT hash FROM vector) ORDER BY id LIMIT ?"
    return connection.execute(query, (most,)).fetchall()


def embedded_elsewhere(chunks: Sequence[tuple[str, str]], on: str) -> Iterator[dict[str, Matrix]]:
    """Unit vectors by hash, of batch after batch of chunks that other processes embed, in the order of the chunks.

    Args:
        chunks: Hash and text of each.
        on: ``local`` for processes of this machine, or the address of a Dask scheduler.

    Raises:
        MissingExtra: If a cluster is asked for and Dask is not installed.
        ServerFailed: If the scheduler does not answer, or processes die again and again.
    """
    from paragone.intake.parallel import Work, results

    batches = [chunks[at : at + _BATCH] for at in range(0, len(chunks), _BATCH)]
    work: Work[str, list[str], Matrix] = Work(
        compute=_unit_vectors,
        shared="local",
        parts=[[text for _, text in batch] for batch in batches],
        subject="embed chunks",
        killed=lambda parts, tries: (
            f"{counted(len(parts), 'portion')} of the chunks killed their process {tries} times; index without --on"
        ),
    )
    ready: dict[int, Matrix] = {}
    due = 0
    for number, vectors in results(work, on):
        ready[number] = vectors
        while due in ready:
            yield dict(zip((hash for hash, _ in batches[due]), ready.pop(due), strict=True))
            due += 1


def _unit_vectors(spec: str, texts: list[str]) -> Matrix:
    from paragone.similarity.vectors import unit

    return unit(_opened(spec).embed(texts))


@cache
def _opened(spec: str) -> "Embedder":
    from paragone.similarity import open_embedder

    return open_embedder(spec)


def _has_vector(connection: sqlite3.Connection, hash: str) -> bool:
    return connection.execute("SELECT 1 FROM vector WHERE hash = ?", (hash,)).fetchone() is not None
