"""Writes parsed files to the tables of ``index.db``, and removes them."""

import hashlib
import json
import sqlite3
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from paragone.memory.index.database import Database, Pending, keep_pending, note, set_note
from paragone.memory.index.entries import Skipped
from paragone.memory.index.parsing import Parsed, ParseResult, Refused
from paragone.memory.index.scan import Renames
from paragone.memory.index.vectors import VectorFile, embed_chunks, without_vectors

if TYPE_CHECKING:
    from paragone.similarity import Embedder


_SIZE = 2**256


def put_file(connection: sqlite3.Connection, parsed: Parsed, *, made: str, first_seen: float) -> list[int]:
    """Write a file, instead of what there was of its path.

    Returns:
        Bodies that may belong to no chunk any more.
    """
    loose = take_file(connection, parsed.source.path)
    record = parsed.record
    row = connection.execute(
        "INSERT INTO file (path, sha256, size, tokens, language, lines, first_seen, mtime_ns, look, made, adr, title, "
        "cites) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            *(parsed.source.path, parsed.source.sha256, parsed.size, parsed.cut.tokens, parsed.language),
            *(parsed.source.lines, first_seen, parsed.stat.mtime_ns, parsed.stat.look, made),
            *((record.id, record.title, json.dumps(record.names)) if record else ("", "", "[]")),
        ),
    ).lastrowid
    _put_chunks(connection, row, parsed)
    connection.executemany(
        "INSERT INTO symbol VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            (
                row,
                number,
                one.id,
                one.name,
                one.name.rpartition(".")[2],
                one.kind,
                one.start,
                one.end,
                one.signature,
                one.doc,
            )
            for number, one in enumerate(parsed.symbols)
        ),
    )
    return loose


def take_file(connection: sqlite3.Connection, path: str) -> list[int]:
    """Take a file out, if it is there; its bodies stay until they are dropped."""
    found = connection.execute("SELECT id FROM file WHERE path = ?", (path,)).fetchone()
    if found is None:
        return []
    loose = [body for (body,) in connection.execute("SELECT DISTINCT body FROM chunk WHERE file = ?", found)]
    for table in ("chunk", "symbol"):
        connection.execute(f"DELETE FROM {table} WHERE file = ?", found)  # noqa: S608 - a name from right above
    connection.execute("DELETE FROM file WHERE id = ?", found)
    return loose


def drop_bodies(connection: sqlite3.Connection, loose: Iterable[int]) -> None:
    """Drop those bodies that belong to no chunk, with their vectors."""
    rows = [(body,) for body in set(loose)]
    connection.executemany(
        "DELETE FROM vector WHERE hash = (SELECT hash FROM body WHERE id = ?1) "
        "AND NOT EXISTS (SELECT 1 FROM chunk WHERE body = ?1)",
        rows,
    )
    connection.executemany("DELETE FROM body WHERE id = ?1 AND NOT EXISTS (SELECT 1 FROM chunk WHERE body = ?1)", rows)


def digest(path: str, sha256: str, made: str) -> int:
    """What one file adds to the version of an index: the sum does not depend on the order."""
    return int.from_bytes(hashlib.sha256(f"{path}\0{sha256}\0{made}".encode()).digest(), "big")


def added_up(total: int, change: int) -> int:
    """The sum, never longer than a hash."""
    return (total + change) % _SIZE


def _put_chunks(connection: sqlite3.Connection, file: int | None, parsed: Parsed) -> None:
    chunks = parsed.cut.chunks
    connection.executemany(
        "INSERT OR IGNORE INTO body (hash, text) VALUES (?, ?)", ((chunk.hash, chunk.text) for chunk in chunks)
    )
    connection.executemany(
        "INSERT INTO chunk SELECT ?, ?, ?, ?, id FROM body WHERE hash = ?",
        ((file, number, chunk.start, chunk.end, chunk.hash) for number, chunk in enumerate(chunks)),
    )


@dataclass(frozen=True, slots=True)
class Known:
    """What the index has of a path: of which content, how it looked, how it was made, since when it is there."""

    sha256: str
    look: str
    made: str
    first_seen: float


@dataclass(slots=True)
class Done:
    """What a run has done so far."""

    added: list[str] = field(default_factory=list)
    changed: list[str] = field(default_factory=list)
    removed: list[str] = field(default_factory=list)
    renamed: list[tuple[str, str]] = field(default_factory=list)
    skipped: list[Skipped] = field(default_factory=list)
    unchanged: int = 0
    embedded: int = 0


class Writer:
    """Brings the tables from what was known to what was looked at."""

    def __init__(
        self,
        database: Database,
        vectors: VectorFile,
        *,
        embedder: "Embedder | None",
        known: Mapping[str, Known],
        made: str,
        pending: Pending,
        renames: Renames,
        since: Callable[[int], float],
    ) -> None:
        """Begin with what the index has.

        Args:
            database: Where to write.
            vectors: Where vectors go.
            embedder: Makes vectors; None leaves them out.
            known: What the index has, by path.
            made: Names the way in which files are made into rows.
            pending: What the logs are still to be told.
            renames: Tells which old path a new file had.
            since: When a new file was first seen, by when it was last written, in nanoseconds.
        """
        self._database, self._vectors, self._embedder = database, vectors, embedder
        self._known, self._made, self._renames, self._since = known, made, renames, since
        self.pending = pending
        self.done = Done()

    def write(self, batch: Iterable[ParseResult]) -> None:
        """Write a batch of files."""
        with self._database.writing() as connection:
            loose: list[int] = []
            texts: dict[str, str] = {}
            for parsed_file in batch:
                connection.execute("DELETE FROM refused WHERE path = ?", (parsed_file.stat.path,))
                if isinstance(parsed_file, Parsed):
                    loose += self._put(connection, parsed_file)
                    texts |= {chunk.hash: chunk.text for chunk in parsed_file.cut.chunks}
                elif isinstance(parsed_file, Refused):
                    loose += self._refuse(connection, parsed_file)
                else:
                    self._look_again(
                        connection, parsed_file.stat.path, parsed_file.stat.look, parsed_file.stat.mtime_ns
                    )
            drop_bodies(connection, loose)
            self._embed(connection, texts)
            keep_pending(connection, self.pending)

    def remove(self, paths: Iterable[str]) -> None:
        """Take out what is gone."""
        with self._database.writing() as connection:
            loose = [body for path in paths for body in self._take(connection, path)]
            drop_bodies(connection, loose)
            keep_pending(connection, self.pending)

    def embed_the_rest(self, progress: Callable[[], None]) -> None:
        """Embed what an earlier run left without vectors."""
        if self._embedder is None:
            return
        while some := without_vectors(self._database.connection):
            with self._database.writing() as connection:
                self._embed(connection, dict(some))
            progress()

    def _put(self, connection: sqlite3.Connection, parsed: Parsed) -> list[int]:
        path, sha256 = parsed.source.path, parsed.source.sha256
        was = self._known.get(path)
        old = self._renames.old_path(path, sha256) if was is None else None
        if was is not None:
            first_seen = was.first_seen
            self._count(connection, less=digest(path, was.sha256, was.made))
        else:
            first_seen = self._known[old].first_seen if old is not None else self._since(parsed.stat.mtime_ns)
        self._count(connection, more=digest(path, sha256, self._made))
        self._note_change(path, old, is_new=was is None, is_other=was is not None and was.sha256 != sha256)
        return put_file(connection, parsed, made=self._made, first_seen=first_seen)

    def _note_change(self, path: str, old: str | None, *, is_new: bool, is_other: bool) -> None:
        if old is not None:
            self.done.renamed.append((old, path))
            self.pending = self.pending.plus(renamed=((old, path),))
        elif is_new:
            self.done.added.append(path)
            self.pending = self.pending.plus(added=1)
        elif is_other:
            self.done.changed.append(path)
            self.pending = self.pending.plus(changed=1)
        else:
            self.done.unchanged += 1

    def _refuse(self, connection: sqlite3.Connection, refused: Refused) -> list[int]:
        path = refused.stat.path
        self.done.skipped.append(Skipped(path=path, why=refused.why))
        if refused.lasting:
            row = (path, refused.stat.look, self._made, refused.why)
            connection.execute("INSERT INTO refused VALUES (?, ?, ?, ?)", row)
        return self._take(connection, path)

    def _look_again(self, connection: sqlite3.Connection, path: str, look: str, mtime_ns: int) -> None:
        self.done.unchanged += 1
        connection.execute("UPDATE file SET look = ?, mtime_ns = ? WHERE path = ?", (look, mtime_ns, path))

    def _take(self, connection: sqlite3.Connection, path: str) -> list[int]:
        was = self._known.get(path)
        if was is None:
            return []
        self._count(connection, less=digest(path, was.sha256, was.made))
        if not any(path == old for old, _ in self.pending.renamed):
            self.done.removed.append(path)
            self.pending = self.pending.plus(removed=1)
        return take_file(connection, path)

    def _count(self, connection: sqlite3.Connection, *, more: int = 0, less: int = 0) -> None:
        total = int(note(connection, "total", "0"), 16)
        set_note(connection, "total", f"{added_up(total, more - less):064x}")

    def _embed(self, connection: sqlite3.Connection, texts: Mapping[str, str]) -> None:
        if self._embedder is not None and texts:
            self.done.embedded += embed_chunks(connection, self._vectors, self._embedder, texts)
