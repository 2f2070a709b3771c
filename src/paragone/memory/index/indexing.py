"""One run of the indexer: what is new, changed, renamed or gone, in batches that are kept one by one."""

import hashlib
import json
import sqlite3
from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING

from paragone.domain.content import Content, ContentKind, PoolSize
from paragone.memory.index.database import Database, forget_pending, note, read_pending, set_note
from paragone.memory.index.decisions import DecisionFinder
from paragone.memory.index.entries import IndexProgress, IndexRun, Skipped
from paragone.memory.index.file_reader import FileReader
from paragone.memory.index.parsing import FileParser, Parsed, ParseResult
from paragone.memory.index.scan import FileStat, Renames, Scanner
from paragone.memory.index.vectors import VectorFile
from paragone.memory.index.writing import Known, Writer
from paragone.memory.scores.content_rating import initial_rating
from paragone.memory.store.config import TierConfig
from paragone.memory.store.lines import IndexLine

if TYPE_CHECKING:
    from paragone.memory.store import Store
    from paragone.memory.store.config import IndexConfig
    from paragone.similarity import Embedder


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
        path: initial_rating(Content.file(path), tiers) for (path,) in connection.execute("SELECT path FROM file")
    }
    found = {kind: _pool(connection, query, initial) for kind, query in _COUNTS.items()}
    return {kind: pool for kind, pool in found.items() if pool.count}


def _pool(connection: sqlite3.Connection, query: str, initial: dict[str, float]) -> PoolSize:
    count, total = 0, 0.0
    for path, some in connection.execute(query):
        count, total = count + some, total + some * initial[path]
    return PoolSize(count=count, mean_initial=total / count if count else 0.0)


FORM = 1
"""Of what is made of a file; another number makes all of them anew."""
_FILES, _CHUNKS = 256, 1024
"""A batch is full with so many files, or so many chunks."""


class Indexing:
    """A run. Whoever makes one holds the lock on the index."""

    def __init__(
        self,
        store: "Store",
        database: Database,
        vectors: VectorFile,
        *,
        embedder: "Embedder | None",
        progress: Callable[[IndexProgress], None],
    ) -> None:
        config = store.config.index
        reader = FileReader(store)
        self._store, self._database, self._vectors, self._embedder = store, database, vectors, embedder
        self._progress = progress
        self._scanner = Scanner(store.root, reader, config)
        self._parser = FileParser(reader, DecisionFinder(config), chunk_tokens=config.chunk_tokens)
        self._made = _made(config)

    def run(self) -> IndexRun:
        """Bring the index up to date."""
        began = self._store.clock()
        connection = self._database.connection
        if self._embedder is not None:
            with self._database.writing():
                self._vectors.begin(connection, self._embedder.name)
        scan = self._scanner.scan()
        known = _known(connection)
        writer = self._writer(connection, known, scan.files)
        writer.done.skipped.extend(scan.skipped)
        unknown = self._unknown(connection, scan.files, known, writer)
        left = len(unknown)
        for batch in self._batches(unknown, known):
            writer.write(batch)
            left -= len(batch)
            self._show(writer, len(scan.files), left)
        writer.remove(path for path in known if path not in scan.files)
        writer.embed_the_rest(lambda: self._show(writer, len(scan.files), 0))
        self._tell(connection, writer, began)
        self._tidy(connection)
        return _summary(connection, writer, seconds=self._store.clock() - began)

    def _writer(
        self, connection: sqlite3.Connection, known: Mapping[str, Known], seen: Mapping[str, FileStat]
    ) -> Writer:
        pending = read_pending(connection, self._store.new_id)
        told = {old for old, _ in pending.renamed}
        gone = ((path, was.sha256) for path, was in known.items() if path not in seen and path not in told)
        return Writer(
            self._database,
            self._vectors,
            embedder=self._embedder,
            known=known,
            made=self._made,
            pending=pending,
            renames=Renames(gone),
            since=_first_seen(connection, self._store),
        )

    def _unknown(
        self, connection: sqlite3.Connection, seen: Mapping[str, FileStat], known: Mapping[str, Known], writer: Writer
    ) -> list[FileStat]:
        """Files that have to be looked into, in the order of their paths."""
        refused = {path: (look, made, why) for path, look, made, why in connection.execute("SELECT * FROM refused")}
        found = []
        for path in sorted(seen):
            one, was, before = seen[path], known.get(path), refused.get(path)
            if was is not None and one.look and (was.look, was.made) == (one.look, self._made):
                writer.done.unchanged += 1
            elif before is not None and one.look and before[:2] == (one.look, self._made):
                writer.done.skipped.append(Skipped(path=path, why=before[2]))
            else:
                found.append(one)
        return found

    def _batches(self, files: Sequence[FileStat], known: Mapping[str, Known]) -> Iterator[list[ParseResult]]:
        batch: list[ParseResult] = []
        chunks = 0
        for seen in files:
            was = known.get(seen.path)
            parsed_file = self._parser.parse(seen, was.sha256 if was is not None and was.made == self._made else None)
            batch.append(parsed_file)
            chunks += len(parsed_file.cut.chunks) if isinstance(parsed_file, Parsed) else 0
            if len(batch) >= _FILES or chunks >= _CHUNKS:
                yield batch
                batch, chunks = [], 0
        if batch:
            yield batch

    def _show(self, writer: Writer, of: int, remaining: int) -> None:
        self._progress(IndexProgress(done=of - remaining, of=of, embedded=writer.done.embedded))

    def _tell(self, connection: sqlite3.Connection, writer: Writer, began: float) -> None:
        """Write the line of the log, if there is anything to tell; a kill in between writes it once, by its id."""
        tiers = _hash(asdict(self._store.config.tiers))
        if not writer.pending.is_empty or note(connection, "tiers") != tiers:
            self._store.logs.append([writer.pending.line(pool_sizes(connection, self._store.config.tiers))])
        with self._database.writing():
            forget_pending(connection)
            set_note(connection, "tiers", tiers)
            set_note(connection, "updated", repr(began))

    def _tidy(self, connection: sqlite3.Connection) -> None:
        if self._vectors.is_sparse(connection):
            with self._database.writing():
                self._vectors.compact(connection)
        self._vectors.tidy(connection)


def _made(config: "IndexConfig") -> str:
    """Names the way in which files are made into rows: a change of it makes all of them anew."""
    return _hash([FORM, config.chunk_tokens, config.decisions, config.decision_id])[:16]


def _hash(value: object) -> str:
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()


def _known(connection: sqlite3.Connection) -> dict[str, Known]:
    rows = connection.execute("SELECT path, sha256, look, made, first_seen FROM file")
    return {path: Known(*rest) for path, *rest in rows}


def _first_seen(connection: sqlite3.Connection, store: "Store") -> Callable[[int], float]:
    """When a new file was first seen: now. Where an index was lost, by the first run after it was last written."""
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
