"""The index of a store: what there is to find, and where."""

import hashlib
import json
import sqlite3
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from paragone.domain.content import Content, ContentKind
from paragone.errors import Failure, MissingExtra, Unwritable
from paragone.memory.index.database import Database, is_damage, note
from paragone.memory.index.decisions import Record, decisions_of, is_same_id
from paragone.memory.index.entries import Chunk, Decision, FileEntry, IndexProgress, IndexRun, SymbolEntry
from paragone.memory.index.indexing import Indexing
from paragone.memory.index.symbols import outline
from paragone.memory.index.vectors import Matrix, VectorFile

if TYPE_CHECKING:
    from paragone.memory.store import Store
    from paragone.similarity import Embedder

PATIENCE = 2.0
"""Seconds to wait for another indexer."""
_FILE = "SELECT path, sha256, size, tokens, language, lines, mtime_ns, first_seen, adr FROM file"
_CHUNK = (
    "SELECT hash, path, first, last, text FROM chunk JOIN file ON file.id = chunk.file "
    "JOIN body ON body.id = chunk.body"
)
_SYMBOL = (
    "SELECT symbol.id, path, name, kind, first, last, signature, doc FROM symbol JOIN file ON file.id = symbol.file"
)
_CONTENT = {
    ContentKind.FILE: "SELECT path, path FROM file ORDER BY path",
    ContentKind.SYMBOL: "SELECT symbol.id, path FROM symbol JOIN file ON file.id = symbol.file ORDER BY path, number",
    ContentKind.ADR: "SELECT adr, min(path) FROM file WHERE adr != '' GROUP BY adr ORDER BY 2",
    ContentKind.VECTOR: "SELECT hash, min(path) FROM chunk JOIN file ON file.id = chunk.file "
    "JOIN body ON body.id = chunk.body GROUP BY body ORDER BY 2, min(number)",
}


class Index:
    """Files, chunks, symbols, decision records and vectors of what a store remembers.

    Threads may share it, and processes the files below it. What is read is one state of the index each time; runs of
    the indexer change it batch by batch.
    """

    def __init__(self, store: "Store", *, embedder: "Embedder | None" = None) -> None:
        """Nothing is opened before it is asked for.

        Args:
            store: Whose index.
            embedder: Makes vectors of chunks; None is the one that runs here.
        """
        self._store = store
        self._embedder = embedder
        self._database = Database(store.path)
        self._vector_file = VectorFile(store.path)
        self._vectors: tuple[str, list[str], Matrix] | None = None

    def update(
        self,
        *,
        progress: Callable[[IndexProgress], None] | None = None,
        vectors: bool = True,
    ) -> IndexRun:
        """Bring the index up to date with the files. What is done is kept batch by batch, whatever happens.

        Args:
            progress: Told after each batch.
            vectors: Whether to embed chunks; what is left out now is made up for by the next run that does.

        Raises:
            Busy: If somebody else is indexing.
            MissingExtra: If a package that it needs is not installed.
            Unwritable: If the store cannot be written, or the disk is full.
        """
        embedder = self._chosen_embedder() if vectors else None
        with self._store.locked("index", patience=PATIENCE):
            self._database.prepare()
            try:
                return self._run(embedder, progress or _unobserved)
            except sqlite3.DatabaseError as error:
                if not is_damage(error):
                    raise Unwritable(f"{self._database.path} cannot be written: {error}") from error
                self._database.begin_anew()
                return self._run(embedder, progress or _unobserved)
            except OSError as error:
                raise Unwritable(f"{self._store.path} cannot be written: {error.strerror or error}") from error

    def files(self) -> list[FileEntry]:
        """All files, by path."""
        return [_file(row) for row in self._rows(f"{_FILE} ORDER BY path")]

    def file(self, path: str) -> FileEntry | None:
        """The file of a path."""
        return next((_file(row) for row in self._rows(f"{_FILE} WHERE path = ?", path)), None)

    def chunks(self, path: str | None = None) -> Iterator[Chunk]:
        """All chunks, by path and line; those of one file, where one is named. Texts are read file by file."""
        paths = (
            [path]
            if path is not None
            else [file_path for (file_path,) in self._rows("SELECT path FROM file ORDER BY path")]
        )
        for file_path in paths:
            yield from (_chunk(row) for row in self._rows(f"{_CHUNK} WHERE path = ? ORDER BY number", file_path))

    def symbols(self, path: str | None = None) -> Iterator[SymbolEntry]:
        """All symbols, by path and line; those of one file, where one is named."""
        where, parameters = ("", ()) if path is None else (" WHERE path = ?", (path,))
        yield from (_symbol(row) for row in self._rows(f"{_SYMBOL}{where} ORDER BY path, number", *parameters))

    def symbol(self, name: str) -> list[SymbolEntry]:
        """The symbols that a name may mean: of that id, else of that whole name, else of one that ends in it.

        Args:
            name: ``@path::Qualified.name``, or a name, with or without ``@`` and whole or its last parts. Several
                answers say that it is ambiguous.
        """
        if matches := [
            _symbol(row) for row in self._rows(f"{_SYMBOL} WHERE symbol.id = ?", "@" + name.removeprefix("@"))
        ]:
            return matches
        bare = name.removeprefix("@")
        leaf = bare.rpartition(".")[2]
        alike = [_symbol(row) for row in self._rows(f"{_SYMBOL} WHERE leaf = ? ORDER BY path, number", leaf)]
        exact = [symbol for symbol in alike if symbol.name == bare]
        return exact or [symbol for symbol in alike if symbol.name.endswith("." + bare)]

    def decisions(self) -> list[Decision]:
        """All decision records, by path."""
        rows = self._rows("SELECT path, adr, title, cites FROM file WHERE adr != '' ORDER BY path")
        return decisions_of((path, Record(id, title, tuple(json.loads(names)))) for path, id, title, names in rows)

    def decision(self, id: str) -> Decision | None:
        """The decision record of an id, however it is spelt; the first by path where several have it."""
        alike = [decision for decision in self.decisions() if is_same_id(decision.id, id)]
        return next((decision for decision in alike if decision.id == id), alike[0] if alike else None)

    def vectors(self) -> tuple[list[str], Matrix]:
        """The vectors of all chunks.

        Returns:
            The hash of each row, empty where the row is dead; and the rows, unit length, shape (rows, dimensions),
            mapped into memory and not to be written.
        """
        version = self.version()
        if self._vectors is None or self._vectors[0] != version:
            self._vectors = (version, *self._read_vectors())
        return self._vectors[1:]

    def places(self, hash: str) -> list[Chunk]:
        """Where the chunk of a hash lies, by path and line."""
        return [_chunk(row) for row in self._rows(f"{_CHUNK} WHERE hash = ? ORDER BY path, number", hash)]

    def contents(self, kind: ContentKind) -> Iterator[Content]:
        """All content of a kind, each once, with the first path in which it lies."""
        yield from (Content(kind=kind, id=id, path=path) for id, path in self._rows(_CONTENT[kind]))

    def signatures(self, path: str) -> str:
        """The outline of a file: each definition up to its body; empty where it has none."""
        return outline(path, list(self.symbols(path)))

    def version(self) -> str:
        """Names what the index holds: another content has another version, and the same content the same."""
        with self._database.reading() as connection:
            parts = [note(connection, name) for name in ("total", "embedder", "vectors", "shape")]
        return hashlib.sha256("\n".join(parts).encode()).hexdigest()

    def updated(self) -> float | None:
        """When the last run that came to its end began, in seconds since 1970; None before the first."""
        with self._database.reading() as connection:
            updated_at = note(connection, "updated")
        return float(updated_at) if updated_at else None

    def close(self) -> None:
        """Close the file; it is opened again when it is needed."""
        self._vectors = None
        self._database.close()

    def _run(self, embedder: "Embedder | None", progress: Callable[[IndexProgress], None]) -> IndexRun:
        run = Indexing(self._store, self._database, self._vector_file, embedder=embedder, progress=progress)
        return run.run()

    def _rows(self, query: str, *parameters: object) -> "list[tuple[Any, ...]]":
        with self._database.reading() as connection:
            return connection.execute(query, parameters).fetchall()

    def _read_vectors(self) -> tuple[list[str], Matrix]:
        for _ in range(3):  # the file may be replaced between reading its name and opening it
            try:
                with self._database.reading() as connection:
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


def _unobserved(progress: IndexProgress) -> None:
    """Nobody watches."""


def _file(row: tuple[Any, ...]) -> FileEntry:
    path, sha256, size, tokens, language, lines, mtime_ns, first_seen, adr = row
    return FileEntry(
        path=path,
        sha256=sha256,
        size=size,
        tokens=tokens,
        language=language,
        lines=lines,
        mtime=mtime_ns / 1e9,
        first_seen=first_seen,
        adr=adr,
    )


def _chunk(row: tuple[Any, ...]) -> Chunk:
    hash, path, start, end, text = row
    return Chunk(hash=hash, path=path, start=start, end=end, text=text)


def _symbol(row: tuple[Any, ...]) -> SymbolEntry:
    id, path, name, kind, start, end, signature, doc = row
    return SymbolEntry(id=id, path=path, name=name, kind=kind, start=start, end=end, signature=signature, doc=doc)
