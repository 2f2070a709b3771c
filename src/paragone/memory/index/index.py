"""The index of a store: files, chunks, symbols, decision records and vectors, and how they are named."""

import difflib
import hashlib
import json
import logging
import re
import sqlite3
from collections.abc import Callable, Container, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cached_property
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any, TypeVar

from paragone.domain.content import Action, Content, ContentKind
from paragone.errors import Busy, Failure, InvalidConfig, MissingExtra, NotFound, Unwritable
from paragone.memory.index.database import IndexDatabase, is_damage, note
from paragone.memory.index.file_parser import Chunk, Decision, DecisionRecord, decisions_of, is_same_id
from paragone.memory.index.symbols import SymbolEntry, outline
from paragone.memory.index.units import Unit
from paragone.memory.store.lines import AccessLine

if TYPE_CHECKING:
    from paragone.memory.index.indexing import IndexProgress, IndexRun
    from paragone.memory.index.vector_file import Matrix, VectorFile
    from paragone.memory.store import Store
    from paragone.similarity import Embedder


@dataclass(frozen=True, kw_only=True, slots=True)
class FileEntry:
    """A file in the index.

    Attributes:
        path: Below the root, with slashes.
        sha256: Of its bytes, in hexadecimal.
        size: In bytes.
        tokens: Of its text, in ``cl100k_base``.
        language: Such as ``python``; empty if unknown.
        lines: Number of lines.
        mtime: When it was last written, in seconds since 1970.
        first_seen: When the index first held it, under this path or one that it was renamed from.
        adr: Id of the decision record that it is, or empty.
        generated: What it is instead of written by hand, such as ``a lock file``; empty if it is.
    """

    path: str
    sha256: str
    size: int
    tokens: int
    language: str
    lines: int
    mtime: float
    first_seen: float
    adr: str = ""
    generated: str = ""


_LOG = logging.getLogger("paragone.memory")

E = TypeVar("E", FileEntry, Chunk, SymbolEntry)

EMPTY = "the index holds nothing; paragone memory index fills it, and says what it leaves out and why"
LOCK_SECONDS = 2.0
"""Seconds to wait for another indexer."""
_FILE = (
    "SELECT path, sha256, size, tokens, language, lines, mtime_ns / 1e9 AS mtime, first_seen, adr, generated FROM file"
)
_CHUNK = (
    'SELECT hash, path, first AS start, last AS "end", text FROM chunk JOIN file ON file.id = chunk.file '
    "JOIN body ON body.id = chunk.body"
)
_SYMBOL = (
    'SELECT symbol.id AS id, path, name, kind, first AS start, last AS "end", signature, doc '
    "FROM symbol JOIN file ON file.id = symbol.file"
)
_BATCH = 500
"""Paths in one statement."""
_UNITS = (
    "SELECT path, name, kind, depth, first, last, unit.tokens, signature, cost FROM unit "
    "JOIN file ON file.id = unit.file WHERE path IN ({marks}) ORDER BY unit.file, number"
)
_CONTENT = {
    ContentKind.FILE: "SELECT path, path FROM file ORDER BY path",
    ContentKind.SYMBOL: "SELECT symbol.id, path FROM symbol JOIN file ON file.id = symbol.file ORDER BY path, number",
    ContentKind.ADR: "SELECT adr, min(path) FROM file WHERE adr != '' GROUP BY adr ORDER BY 2",
    ContentKind.VECTOR: "SELECT hash, min(path) FROM chunk JOIN file ON file.id = chunk.file "
    "JOIN body ON body.id = chunk.body GROUP BY body ORDER BY 2, min(number)",
}


class Index:
    """Files, chunks, symbols, decision records and vectors of a store.

    Threads may share it, and processes the files below it. Each read sees one state of the index, which runs of the
    indexer change batch by batch. Nothing is opened before it is needed.

    Args:
        store: Whose index.
        embedder: Embeds chunks; the local model if None.
    """

    def __init__(self, store: "Store", *, embedder: "Embedder | None" = None) -> None:
        self._store = store
        self._embedder, self._is_embedder_given = embedder, embedder is not None
        self._database = IndexDatabase(store.path)
        self._vectors: tuple[str, list[str], Matrix] | None = None
        self._is_current = False

    def update(
        self,
        *,
        progress: "Callable[[IndexProgress], None]" = lambda progress: None,  # noqa: ARG005
        vectors: bool = True,
        on: str | None = None,
    ) -> "IndexRun":
        """Bring the index up to date with the files, and log new citations between decision records.

        Each batch is kept, whatever happens to the next. Arguments and errors are those of ``Memory.index``.

        Raises:
            Unwritable: If the disk is full or read-only.
        """
        if on is not None and self._is_embedder_given:
            raise InvalidConfig("only the local embedder works in other processes: leave on out, or the embedder")
        embedder = self._chosen_embedder() if vectors else None
        with self._store.locked("index", patience=LOCK_SECONDS):
            self._database.prepare()
            self._is_current = True
            try:
                return self._run(embedder, on, progress)
            except sqlite3.DatabaseError as error:
                if not is_damage(error):
                    raise Unwritable(f"{self._database.path} cannot be written: {error}") from error
                self._database.begin_anew()
                return self._run(embedder, on, progress)
            except OSError as error:
                raise Unwritable(f"{self._store.path} cannot be written: {error.strerror or error}") from error

    def files(self) -> list[FileEntry]:
        return self._entries(FileEntry, f"{_FILE} ORDER BY path")

    def paths(self) -> list[str]:
        """The paths of all files."""
        return [path for (path,) in self._rows("SELECT path FROM file ORDER BY path")]

    def file(self, path: str) -> FileEntry | None:
        return next(iter(self._entries(FileEntry, f"{_FILE} WHERE path = ?", path)), None)

    def chunks(self, path: str | None = None) -> Iterator[Chunk]:
        """All chunks, by path and line, or those of one file. Texts are read file by file."""
        paths = self.paths() if path is None else [path]
        for each in paths:
            yield from self._entries(Chunk, f"{_CHUNK} WHERE path = ? ORDER BY number", each)

    def symbols(self, path: str | None = None) -> Iterator[SymbolEntry]:
        """All symbols, by path and line, or those of one file."""
        where, parameters = ("", ()) if path is None else (" WHERE path = ?", (path,))
        yield from self._entries(SymbolEntry, f"{_SYMBOL}{where} ORDER BY path, number", *parameters)

    def units(self, paths: Sequence[str]) -> dict[str, list[Unit]]:
        """The units of some files by path, in order; the first of each is the rest."""
        units: dict[str, list[Unit]] = {path: [] for path in paths}
        for start in range(0, len(paths), _BATCH):
            some = paths[start : start + _BATCH]
            for path, *row in self._rows(_UNITS.format(marks=",".join("?" * len(some))), *some):
                units[path].append(Unit._make(row))
        return units

    def unit_sizes(self) -> "list[tuple[str, str, int, int]]":
        """Path, name, tokens and tokens of the signature of all units, in order within each file."""
        paths = dict(self._rows("SELECT id, path FROM file"))
        rows = self._rows("SELECT file, name, tokens, cost FROM unit ORDER BY file, number")
        return [(paths[file], name, tokens, cost) for file, name, tokens, cost in rows]

    def symbol(self, name: str) -> list[SymbolEntry]:
        """The symbols that a name may mean: by id, else by whole name, else by the last parts of the name.

        Args:
            name: ``@path::Qualified.name``, or a name with or without ``@``. Several symbols mean that it is ambiguous.
        """
        bare = name.removeprefix("@")
        if matches := self._entries(SymbolEntry, f"{_SYMBOL} WHERE symbol.id = ?", f"@{bare}"):
            return matches
        leaf = bare.rpartition(".")[2]
        alike = self._entries(SymbolEntry, f"{_SYMBOL} WHERE leaf = ? ORDER BY path, number", leaf)
        exact = [symbol for symbol in alike if symbol.name == bare]
        return exact or [symbol for symbol in alike if symbol.name.endswith("." + bare)]

    def decisions(self) -> list[Decision]:
        """All decision records, by path."""
        rows = self._rows("SELECT path, adr, title, cites FROM file WHERE adr != '' ORDER BY path")
        return decisions_of(
            (path, DecisionRecord(id, title, tuple(json.loads(names)))) for path, id, title, names in rows
        )

    def decision(self, id: str) -> Decision | None:
        """The decision record with an id, in any spelling; the first by path if there are several."""
        alike = [decision for decision in self.decisions() if is_same_id(decision.id, id)]
        return next((decision for decision in alike if decision.id == id), alike[0] if alike else None)

    def vectors(self) -> "tuple[list[str], Matrix]":
        """The vectors of all chunks.

        Returns:
            The hash of each row, empty if the row is dead; and the rows, unit length, shape (rows, dimensions), mapped
            into memory and not to be written.
        """
        version = self.version()
        if self._vectors is None or self._vectors[0] != version:
            self._vectors = (version, *self._read_vectors())
        return self._vectors[1:]

    def places(self, hash: str) -> list[Chunk]:
        """Where the chunk with a hash occurs, by path and line."""
        return self._entries(Chunk, f"{_CHUNK} WHERE hash = ? ORDER BY path, number", hash)

    def contents(self, kind: ContentKind) -> Iterator[Content]:
        """All content of a kind, each piece once, with the first path that contains it."""
        yield from (Content(kind=kind, id=id, path=path) for id, path in self._rows(_CONTENT[kind]))

    def generated(self) -> frozenset[str]:
        """The paths of files that a program wrote."""
        return frozenset(path for (path,) in self._rows("SELECT path FROM file WHERE generated != ''"))

    def first_seen(self) -> dict[str, float]:
        """When the index first held each file, by path; the ratings of files that were never used decay from then."""
        return dict(self._rows("SELECT path, first_seen FROM file ORDER BY path"))

    def signatures(self, entry: FileEntry) -> str:
        """The outline of a file: each definition up to its body; empty if it has none."""
        return outline(entry.language, list(self.symbols(entry.path)))

    def version(self) -> str:
        """Identifies what the index holds: the same content has the same version."""
        with self._reading() as connection:
            parts = [note(connection, name) for name in ("total", "embedder", "vectors", "shape")]
        return hashlib.sha256("\n".join(parts).encode()).hexdigest()

    def embedder(self) -> str:
        """Name of the embedder that made the vectors; empty before the first run with vectors."""
        with self._reading() as connection:
            return note(connection, "embedder")

    def updated(self) -> float | None:
        """When the last complete run began, in seconds since 1970; None before the first."""
        with self._reading() as connection:
            updated_at = note(connection, "updated")
        return float(updated_at) if updated_at else None

    def close(self) -> None:
        """Close the file; it is opened again when needed."""
        self._vectors, self._is_current = None, False
        self._database.close()

    @contextmanager
    def _reading(self) -> Iterator[sqlite3.Connection]:
        """One state of the index; one that an earlier version of paragone made is brought up to date before."""
        if not self._is_current and self._database.is_outdated():
            _LOG.warning("%s is of an earlier version of paragone: all files are read again", self._database.path)
            with suppress(Busy):  # then another process does it
                self.update(vectors=False)
        self._is_current = True
        with self._database.reading() as connection:
            yield connection

    @cached_property
    def _vector_file(self) -> "VectorFile":
        from paragone.memory.index.vector_file import VectorFile

        return VectorFile(self._store.path)

    def _run(
        self, embedder: "Embedder | None", on: str | None, progress: "Callable[[IndexProgress], None]"
    ) -> "IndexRun":
        from paragone.memory.index.indexing import IndexPass

        run = IndexPass(
            self._store, self._database, self._vector_file, embedder=embedder, on=on, progress=progress
        ).run()
        lines = list(_citations(self.decisions(), {*run.added, *run.changed}))
        if lines:
            self._store.logs.append(lines)
        return run

    def _rows(self, query: str, *parameters: object) -> "list[tuple[Any, ...]]":
        with self._reading() as connection:
            return connection.execute(query, parameters).fetchall()

    def _entries(self, kind: type[E], query: str, *parameters: object) -> list[E]:
        """Rows as entries, whose fields are the columns."""
        with self._reading() as connection:
            rows = connection.execute(query, parameters)
            names = [name for name, *_ in rows.description]
            return [kind(**dict(zip(names, row, strict=True))) for row in rows]

    def _read_vectors(self) -> "tuple[list[str], Matrix]":
        for _ in range(3):  # the file may be replaced between reading its name and opening it
            try:
                with self._reading() as connection:
                    return self._vector_file.read(connection)
            except FileNotFoundError:
                continue
        raise Failure(f"the vectors of {self._database.path} are gone; make them anew with: paragone memory index")

    def _chosen_embedder(self) -> "Embedder":
        if self._embedder is None:
            from paragone.similarity import open_embedder

            try:
                self._embedder = open_embedder("local")
            except MissingExtra as error:
                raise MissingExtra(f"{error}; or index without vectors: paragone memory index --no-vectors") from error
        return self._embedder


def _citations(decisions: Sequence[Decision], paths: Container[str]) -> Iterator[AccessLine]:
    """Citations of decision records by the records in some files.

    Source: the memory specification, "ADRs cited in new ADRs get bonus ELO (citation graph)".
    """
    by_id = {decision.id: decision for decision in decisions}
    for citing in decisions:
        cited = [by_id[id] for id in citing.cites if id in by_id and id != citing.id] if citing.path in paths else []
        for record in cited:
            yield AccessLine(
                id=f"citation:{citing.id}:{record.id}",  # the same in every run, so that it counts once
                session_id="",
                action=Action.CITED,
                entity_type=ContentKind.ADR,
                entity_id=record.id,
                file_path=record.path,
                also=((ContentKind.FILE, record.path),),
                tool="index",
            )


_HASH = re.compile(r"[0-9a-f]{64}")
_MAX_NAMED = 3
_MAX_COMPARED = 20_000
"""With more files, only paths with the same file name are suggested: comparing all of them takes too long."""


def content_named(index: Index, text: str) -> Content:
    """The content that a name means.

    Args:
        index: The index.
        text: A file's path below the root, a symbol with or without its path, a decision record, or a chunk's hash.

    Raises:
        NotFound: If there is none, with similar names; or if several symbols have the name, with their ids.
    """
    name = text.strip()
    content = (
        _file_named(index, name)
        or _note_named(index, name)
        or _decision_named(index, name)
        or _chunk_named(index, name)
        or _symbol_named(index, name)
    )
    if content is None:
        raise NotFound(f"there is no content {text!r} in the index{did_you_mean(index, name)}")
    return content


def _file_named(index: Index, name: str) -> Content | None:
    path = name.replace("\\", "/").removeprefix("./")
    for candidate in dict.fromkeys((name, path)):
        if candidate and index.file(candidate) is not None:
            return Content.file(candidate)
    return None


def _note_named(index: Index, name: str) -> Content | None:
    """The file of a note that is named by its id, ``note:7f3a91c2``, with which its name ends."""
    id = name.removeprefix("note:")
    if id == name or not id:
        return None
    paths = [
        path for path in index.paths() if PurePosixPath(path).stem.endswith(f"-{id}") or PurePosixPath(path).stem == id
    ]
    return Content.file(paths[0]) if paths else None


def _decision_named(index: Index, name: str) -> Content | None:
    for candidate in dict.fromkeys((name, name.upper())):
        decision = index.decision(candidate)
        if decision is not None:
            return Content(kind=ContentKind.ADR, id=decision.id, path=decision.path)
    return None


def _chunk_named(index: Index, name: str) -> Content | None:
    if not _HASH.fullmatch(name):
        return None
    chunks = index.places(name)
    return Content(kind=ContentKind.VECTOR, id=name, path=chunks[0].path) if chunks else None


def _symbol_named(index: Index, name: str) -> Content | None:
    symbols = index.symbol(name) if name else []
    if len(symbols) > 1:
        listed, remaining = (
            ", ".join(symbol.id for symbol in symbols[:_MAX_NAMED]),
            len(symbols) - _MAX_NAMED,
        )
        more = f" and {remaining:,} more" if remaining > 0 else ""
        raise NotFound(f"{len(symbols)} symbols are called {name!r}: {listed}{more}; name one by its id")
    return Content(kind=ContentKind.SYMBOL, id=symbols[0].id, path=symbols[0].path) if symbols else None


def did_you_mean(index: Index, name: str) -> str:
    """The paths most similar to a name, as the end of a message; empty if there are none."""
    paths = [entry.path for entry in index.files() if entry.path != name]
    last = PurePosixPath(name).name
    near = [path for path in paths if PurePosixPath(path).name == last][:_MAX_NAMED]
    if not near and len(paths) <= _MAX_COMPARED:
        near = difflib.get_close_matches(name, paths, n=_MAX_NAMED, cutoff=0.7)
    return f"; did you mean {' or '.join(map(repr, near))}?" if near else ""
