"""One run of the indexer: finds what is new, changed, renamed or gone, and writes it in batches."""

import hashlib
import json
import sqlite3
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from paragone.domain.content import Content, ContentKind, PoolSize
from paragone.memory.index.database import (
    IndexDatabase,
    drop_bodies,
    forget_pending,
    keep_pending,
    note,
    note_update,
    put_file,
    read_pending,
    set_note,
    take_file,
)
from paragone.memory.index.file_parser import FileParser, Parsed, ParseResult, RefusedFile
from paragone.memory.index.file_reader import FileReader
from paragone.memory.index.scan import FileStat, Scanner, Skipped
from paragone.memory.index.vector_file import VectorFile, embed_chunks, embedded_elsewhere, without_vectors
from paragone.memory.store.config import TierConfig, initial_rating
from paragone.memory.store.lines import IndexLine

if TYPE_CHECKING:
    from paragone.memory.store import Store
    from paragone.memory.store.config import IndexConfig
    from paragone.similarity import Embedder


@dataclass(frozen=True, kw_only=True, slots=True)
class IndexProgress:
    """Progress of a run: files read, of how many, and chunks embedded so far."""

    done: int
    of: int
    embedded: int


@dataclass(frozen=True, kw_only=True, slots=True)
class IndexRun:
    """What a run did, and what the index holds afterwards.

    Attributes:
        files: Files in the index.
        added: New paths.
        changed: Paths with changed content.
        removed: Paths that are gone, or may not be indexed any more.
        renamed: (old, new) path of files with the same content.
        unchanged: Number of unchanged files.
        skipped: What is not in the index, and why.
        chunks: Chunks in the index.
        symbols: Symbols in the index.
        decisions: Decision records in the index.
        embedded: Chunks that were embedded in this run.
        seconds: How long it took.
    """

    files: int
    added: tuple[str, ...]
    changed: tuple[str, ...]
    removed: tuple[str, ...]
    renamed: tuple[tuple[str, str], ...]
    unchanged: int
    skipped: tuple[Skipped, ...]
    chunks: int
    symbols: int
    decisions: int
    embedded: int
    seconds: float


_SIZE = 2**256


def digest(path: str, sha256: str, parser_version: str) -> int:
    """What one file adds to the version of an index: a sum, which does not depend on the order."""
    return int.from_bytes(hashlib.sha256(f"{path}\0{sha256}\0{parser_version}".encode()).digest(), "big")


def added_up(total: int, change: int) -> int:
    """The sum, never longer than a hash."""
    return (total + change) % _SIZE


@dataclass(frozen=True, slots=True)
class IndexedFile:
    """What the index has of a path.

    Attributes:
        sha256: Hash of its content.
        look: Size, times and inode of the file when it was read, as ``FileStat.look``.
        parser_version: How it was parsed.
        first_seen: When the index first held it.
    """

    sha256: str
    look: str
    parser_version: str
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


_ELSEWHERE = 100_000
"""Chunks that are handed to other processes at once."""


class Renames:
    """Matches new files with deleted ones of the same content, each once; the same file name is preferred.

    Args:
        gone: Deleted files as (path, hash of the content).
    """

    def __init__(self, gone: Iterable[tuple[str, str]]) -> None:
        self._gone: dict[str, list[str]] = defaultdict(list)
        for path, sha256 in sorted(gone):
            self._gone[sha256].append(path)

    def old_path(self, path: str, sha256: str) -> str | None:
        """The former path of a new file; None if it is really new."""
        old = self._gone.get(sha256)
        if not old:
            return None
        name = PurePosixPath(path).name
        return old.pop(next((at for at, candidate in enumerate(old) if PurePosixPath(candidate).name == name), 0))


class Writer:
    """Updates the tables with the files that were read.

    Args:
        database: Where to write.
        vectors: Where vectors are written.
        embedder: Embeds chunks; they get no vectors if None.
        on: What embeds all chunks together, after the last file was read; if None they are embedded here, file by file.
        indexed: What the index has, by path.
        parser_version: Identifies how files are parsed.
        pending: The line that the index log still lacks.
        renames: Knows the old path of a new file.
        since: When a new file was first seen, by when it was last written, in nanoseconds.
    """

    def __init__(
        self,
        database: IndexDatabase,
        vectors: VectorFile,
        *,
        embedder: "Embedder | None",
        on: str | None,
        indexed: Mapping[str, IndexedFile],
        parser_version: str,
        pending: IndexLine,
        renames: Renames,
        since: Callable[[int], float],
    ) -> None:
        self._database, self._vectors, self._embedder = database, vectors, embedder
        self._indexed, self._parser_version, self._renames, self._since = indexed, parser_version, renames, since
        self._before, self._on = pending, on
        self.done = Done()

    @property
    def pending(self) -> IndexLine:
        """The line that the index log still lacks, with what this run has done so far."""
        before, done = self._before, self.done
        return replace(
            before,
            added=before.added + len(done.added),
            changed=before.changed + len(done.changed),
            removed=before.removed + len(done.removed),
            renamed=(*before.renamed, *done.renamed),
        )

    def write(self, batch: Iterable[ParseResult]) -> None:
        with self._database.writing() as connection:
            loose: list[int] = []
            texts: dict[str, str] = {}
            for parsed_file in batch:
                connection.execute("DELETE FROM refused WHERE path = ?", (parsed_file.stat.path,))
                if isinstance(parsed_file, Parsed):
                    loose += self._put(connection, parsed_file)
                    texts |= {chunk.hash: chunk.text for chunk in parsed_file.cut.chunks}
                elif isinstance(parsed_file, RefusedFile):
                    loose += self._refuse(connection, parsed_file)
                else:
                    self._update_status(
                        connection, parsed_file.stat.path, parsed_file.stat.look, parsed_file.stat.mtime_ns
                    )
            drop_bodies(connection, loose)
            self._embed(connection, texts)
            keep_pending(connection, self.pending)

    def remove(self, paths: Iterable[str]) -> None:
        """Remove files that are gone."""
        with self._database.writing() as connection:
            loose = [body for path in paths for body in self._remove(connection, path)]
            drop_bodies(connection, loose)
            keep_pending(connection, self.pending)

    def embed_the_rest(self, progress: Callable[[], None]) -> None:
        """Embed what an earlier run left without vectors."""
        if self._embedder is None:
            return
        while self._on is not None and (many := without_vectors(self._database.connection, _ELSEWHERE)):
            for vectors in embedded_elsewhere(many, self._on):
                with self._database.writing() as connection:
                    self._vectors.append(connection, vectors)
                self.done.embedded += len(vectors)
                progress()
        while some := without_vectors(self._database.connection):
            with self._database.writing() as connection:
                self._embed(connection, dict(some))
            progress()

    def _put(self, connection: sqlite3.Connection, parsed: Parsed) -> list[int]:
        path, sha256 = parsed.source.path, parsed.source.sha256
        was = self._indexed.get(path)
        old = self._renames.old_path(path, sha256) if was is None else None
        if was is not None:
            first_seen = was.first_seen
            self._count(connection, less=digest(path, was.sha256, was.parser_version))
        else:
            first_seen = self._indexed[old].first_seen if old is not None else self._since(parsed.stat.mtime_ns)
        self._count(connection, more=digest(path, sha256, self._parser_version))
        self._note_change(path, old, is_new=was is None, is_other=was is not None and was.sha256 != sha256)
        return put_file(connection, parsed, parser_version=self._parser_version, first_seen=first_seen)

    def _note_change(self, path: str, old: str | None, *, is_new: bool, is_other: bool) -> None:
        if old is not None:
            self.done.renamed.append((old, path))
        elif is_new:
            self.done.added.append(path)
        elif is_other:
            self.done.changed.append(path)
        else:
            self.done.unchanged += 1

    def _refuse(self, connection: sqlite3.Connection, refused: RefusedFile) -> list[int]:
        path = refused.stat.path
        self.done.skipped.append(Skipped(path=path, why=refused.why))
        if refused.lasting:
            row = (path, refused.stat.look, self._parser_version, refused.why)
            connection.execute("INSERT INTO refused VALUES (?, ?, ?, ?)", row)
        return self._remove(connection, path)

    def _update_status(self, connection: sqlite3.Connection, path: str, look: str, mtime_ns: int) -> None:
        self.done.unchanged += 1
        connection.execute("UPDATE file SET look = ?, mtime_ns = ? WHERE path = ?", (look, mtime_ns, path))

    def _remove(self, connection: sqlite3.Connection, path: str) -> list[int]:
        was = self._indexed.get(path)
        if was is None:
            return []
        self._count(connection, less=digest(path, was.sha256, was.parser_version))
        if not any(path == old for old, _ in (*self._before.renamed, *self.done.renamed)):
            self.done.removed.append(path)
        return take_file(connection, path)

    def _count(self, connection: sqlite3.Connection, *, more: int = 0, less: int = 0) -> None:
        total = int(note(connection, "total", "0"), 16)
        set_note(connection, "total", f"{added_up(total, more - less):064x}")

    def _embed(self, connection: sqlite3.Connection, texts: Mapping[str, str]) -> None:
        if self._embedder is not None and self._on is None and texts:
            self.done.embedded += embed_chunks(connection, self._vectors, self._embedder, texts)


_COUNTS = {
    ContentKind.FILE: "SELECT path, 1 FROM file",
    ContentKind.SYMBOL: "SELECT path, count(*) FROM symbol JOIN file ON file.id = symbol.file GROUP BY path",
    ContentKind.ADR: "SELECT min(path), 1 FROM file WHERE adr != '' GROUP BY adr",
    ContentKind.VECTOR: "SELECT min(path), 1 FROM chunk JOIN file ON file.id = chunk.file GROUP BY body",
}
"""Content counts for the first path that contains it."""


def pool_sizes(connection: sqlite3.Connection, tiers: TierConfig) -> dict[ContentKind, PoolSize]:
    """The size of each pool that is not empty, and the mean of its initial ratings in Elo points."""
    initial = {
        path: initial_rating(Content.file(path), tiers) for (path,) in connection.execute("SELECT path FROM file")
    }
    sizes = {kind: _pool(connection, query, initial) for kind, query in _COUNTS.items()}
    return {kind: pool for kind, pool in sizes.items() if pool.count}


def _pool(connection: sqlite3.Connection, query: str, initial: dict[str, float]) -> PoolSize:
    count, total = 0, 0.0
    for path, some in connection.execute(query):
        count, total = count + some, total + some * initial[path]
    return PoolSize(count=count, mean_initial=total / count if count else 0.0)


PARSER_FORM = 4
"""The version of what is stored of a parsed file; a new number makes all files be parsed again."""
_FILES, _CHUNKS = 256, 1024
"""A batch is full with this number of files, or of chunks."""


class IndexPass:
    """A run. Its caller holds the lock on the index."""

    def __init__(
        self,
        store: "Store",
        database: IndexDatabase,
        vectors: VectorFile,
        *,
        embedder: "Embedder | None",
        on: str | None,
        progress: Callable[[IndexProgress], None],
    ) -> None:
        config = store.config.index
        reader = FileReader(store)
        self._store, self._database, self._vectors, self._embedder = store, database, vectors, embedder
        self._progress, self._on = progress, on
        self._scanner = Scanner(store.root, reader, config)
        self._parser = FileParser(reader, config)
        self._parser_version = _parser_version(config)

    def run(self) -> IndexRun:
        began = self._store.clock()
        connection = self._database.connection
        if self._embedder is not None:
            with self._database.writing():
                self._vectors.begin(connection, self._embedder.name)
        scan = self._scanner.scan()
        indexed = _indexed_files(connection)
        writer = self._writer(connection, indexed, scan.files)
        writer.done.skipped.extend(scan.skipped)
        unknown = self._unknown(connection, scan.files, indexed, writer)
        remaining = len(unknown)
        for batch in self._batches(unknown, indexed):
            writer.write(batch)
            remaining -= len(batch)
            self._report(writer, len(scan.files), remaining)
        writer.remove(path for path in indexed if path not in scan.files)
        writer.embed_the_rest(lambda: self._report(writer, len(scan.files), 0))
        self._log_run(connection, writer, began)
        self._compact(connection)
        return _summary(connection, writer, seconds=self._store.clock() - began)

    def _writer(
        self, connection: sqlite3.Connection, indexed: Mapping[str, IndexedFile], scanned: Mapping[str, FileStat]
    ) -> Writer:
        pending = read_pending(connection, self._store.new_id)
        renamed_paths = {old for old, _ in pending.renamed}
        gone = (
            (path, was.sha256) for path, was in indexed.items() if path not in scanned and path not in renamed_paths
        )
        return Writer(
            self._database,
            self._vectors,
            embedder=self._embedder,
            on=self._on,
            indexed=indexed,
            parser_version=self._parser_version,
            pending=pending,
            renames=Renames(gone),
            since=_first_seen(connection, self._store),
        )

    def _unknown(
        self,
        connection: sqlite3.Connection,
        scanned: Mapping[str, FileStat],
        indexed: Mapping[str, IndexedFile],
        writer: Writer,
    ) -> list[FileStat]:
        """The files to read, in the order of their paths: new ones, and those whose look or parser differs."""
        refused = {
            path: (look, parser_version, why)
            for path, look, parser_version, why in connection.execute("SELECT * FROM refused")
        }
        unknown = []
        for path in sorted(scanned):
            stat, was, before = scanned[path], indexed.get(path), refused.get(path)
            if was is not None and stat.look and (was.look, was.parser_version) == (stat.look, self._parser_version):
                writer.done.unchanged += 1
            elif before is not None and stat.look and before[:2] == (stat.look, self._parser_version):
                writer.done.skipped.append(Skipped(path=path, why=before[2]))
            else:
                unknown.append(stat)
        return unknown

    def _batches(self, files: Sequence[FileStat], indexed: Mapping[str, IndexedFile]) -> Iterator[list[ParseResult]]:
        batch: list[ParseResult] = []
        chunks = 0
        for stat in files:
            was = indexed.get(stat.path)
            is_same_form = was is not None and was.parser_version == self._parser_version
            parsed_file = self._parser.parse(stat, was.sha256 if was is not None and is_same_form else None)
            batch.append(parsed_file)
            chunks += len(parsed_file.cut.chunks) if isinstance(parsed_file, Parsed) else 0
            if len(batch) >= _FILES or chunks >= _CHUNKS:
                yield batch
                batch, chunks = [], 0
        if batch:
            yield batch

    def _report(self, writer: Writer, of: int, remaining: int) -> None:
        self._progress(IndexProgress(done=of - remaining, of=of, embedded=writer.done.embedded))

    def _log_run(self, connection: sqlite3.Connection, writer: Writer, began: float) -> None:
        """Write the line of the log if anything changed. After a kill it is still written once, by its id."""
        tiers = _hash(asdict(self._store.config.tiers))
        line = writer.pending
        is_new = line.added or line.changed or line.removed or line.renamed
        if is_new or note(connection, "tiers") != tiers:
            self._store.logs.append([replace(line, pools=pool_sizes(connection, self._store.config.tiers))])
        with self._database.writing():
            forget_pending(connection)
            set_note(connection, "tiers", tiers)
            note_update(connection, began)

    def _compact(self, connection: sqlite3.Connection) -> None:
        if self._vectors.is_sparse(connection):
            with self._database.writing():
                self._vectors.compact(connection)
        self._vectors.tidy(connection)


def _parser_version(config: "IndexConfig") -> str:
    """Identifies how files are parsed: if it changes, all are parsed again."""
    return _hash([PARSER_FORM, config.chunk_tokens, config.generated, config.decisions, config.decision_id])[:16]


def _hash(value: object) -> str:
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()


def _indexed_files(connection: sqlite3.Connection) -> dict[str, IndexedFile]:
    rows = connection.execute("SELECT path, sha256, look, made, first_seen FROM file")
    return {path: IndexedFile(*rest) for path, *rest in rows}


def _first_seen(connection: sqlite3.Connection, store: "Store") -> Callable[[int], float]:
    """When a new file was first seen: now. If an index was lost, the first run after the file was last written."""
    now = store.clock()
    if note(connection, "updated"):
        return lambda mtime_ns: now  # noqa: ARG005
    runs = [*(line.timestamp for line in store.logs.after(kinds={IndexLine})), now]
    return lambda mtime_ns: runs[min(bisect_left(runs, mtime_ns / 1e9), len(runs) - 1)]


def _summary(connection: sqlite3.Connection, writer: Writer, *, seconds: float) -> IndexRun:
    done = writer.done

    def count(what: str) -> int:
        return int(connection.execute(f"SELECT count(*) FROM {what}").fetchone()[0])  # noqa: S608 - names from below

    return IndexRun(
        files=count("file"),
        added=tuple(done.added),
        changed=tuple(done.changed),
        removed=tuple(sorted(done.removed)),
        renamed=tuple(done.renamed),
        unchanged=done.unchanged,
        skipped=tuple(sorted(done.skipped, key=lambda skipped: skipped.path)),
        chunks=count("chunk"),
        symbols=count("symbol"),
        decisions=count("file WHERE adr != ''"),
        embedded=done.embedded,
        seconds=seconds,
    )
