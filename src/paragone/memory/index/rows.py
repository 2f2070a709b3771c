"""Writes what was parsed into the tables of ``index.db``, and takes it out again."""

import hashlib
import json
import sqlite3
from collections.abc import Iterable

from paragone.memory.index.parsing import Parsed

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
            *(parsed.source.lines, first_seen, parsed.seen.mtime_ns, parsed.seen.look, made),
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
