"""The logs of a store: evidence, an index of its ids, and the log of rating changes that follows from it."""

import heapq
import sqlite3
import sys
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, suppress
from dataclasses import dataclass, field, replace
from itertools import groupby
from pathlib import Path
from typing import Any

from paragone.errors import InvalidRecord, Unwritable
from paragone.memory.store import log_files
from paragone.memory.store.line_json import encode, from_json
from paragone.memory.store.lines import EVIDENCE, LOGS, UPDATES, L, LogLine, UpdateLine
from paragone.memory.store.log_files import (
    LogPart,
    LogProblem,
    PartsOfLogs,
    last_seq,
    log_problems,
    parts,
    raw_after,
    raw_lines,
    writing,
)
from paragone.memory.store.log_import import A_DAY, LogImport, import_lines

Ids = Callable[[int], Iterator[tuple[int, str]]]
"""The ``seq`` and id of every line after a ``seq``, in order."""

_SCHEMA = """
    CREATE TABLE IF NOT EXISTS known (id TEXT PRIMARY KEY) WITHOUT ROWID;
    CREATE TABLE IF NOT EXISTS counted (seq INTEGER NOT NULL, id TEXT NOT NULL);
"""


class IdIndex:
    """Looks up ids. It reads what was added to the logs since the last look-up; if deleted, it reads all of them.

    Only the holder of the logs' lock uses it.
    """

    def __init__(self, path: Path, ids: Ids) -> None:
        self._path, self._ids = path, ids
        self._connection: sqlite3.Connection | None = None

    def among(self, ids: Collection[str]) -> set[str]:
        """Those of some ids that the logs hold.

        Raises:
            Unwritable: If the file cannot be written.
        """
        try:
            return self._settled(ids)
        except sqlite3.DatabaseError:
            pass  # damaged, or of another form: made again
        try:
            self.forget()
            return self._settled(ids)
        except (sqlite3.Error, OSError) as error:
            raise Unwritable(f"{self._path} cannot be written: {error}") from error

    def forget(self) -> None:
        """Delete the file; it is made again."""
        self.close()
        for path in self._path.parent.glob(f"{self._path.name}*"):
            path.unlink(missing_ok=True)

    def close(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def _settled(self, ids: Collection[str]) -> set[str]:
        connection = self._opened()
        with connection:
            self._catch_up(connection)
        rows = (connection.execute("SELECT id FROM known WHERE id = ?", (id,)).fetchone() for id in ids)
        return {row[0] for row in rows if row}

    def _opened(self) -> sqlite3.Connection:
        if self._connection is None:
            self._connection = sqlite3.connect(self._path, check_same_thread=False)
            self._connection.execute("PRAGMA synchronous = OFF")
            self._connection.executescript(_SCHEMA)
        return self._connection

    def _catch_up(self, connection: sqlite3.Connection) -> None:
        seq, id = connection.execute("SELECT seq, id FROM counted").fetchone() or (0, "")
        lines = self._ids(seq - 1 if seq else 0)
        if seq and next(lines, None) != (seq, id):  # other logs than it was made from
            connection.execute("DELETE FROM known")
            connection.execute("DELETE FROM counted")
            lines = self._ids(0)
        last = None
        for last in lines:
            connection.execute("INSERT OR IGNORE INTO known VALUES (?)", last[1:])
        if last is not None:
            connection.execute("DELETE FROM counted")
            connection.execute("INSERT INTO counted VALUES (?, ?)", last)


Made = tuple[UpdateLine, bytes]


@dataclass(frozen=True, kw_only=True, slots=True)
class _End:
    """The end of the log: its last event, by which constants, and the ids of its changes."""

    seq: int = 0
    basis: str = ""
    ids: frozenset[str] = frozenset()


class UpdateLog:
    """Rating changes in the order of their events; those by other constants are in other files."""

    def __init__(self, folder: Path, rotate_bytes: int) -> None:
        self._folder, self._rotate_bytes = folder, rotate_bytes
        self._firsts: dict[int, int] = {}
        self._last: tuple[LogPart, _End] | None = None

    def append(self, encoded: Sequence[Made]) -> None:
        """Write changes by one set of constants, as the holder of the lock; known ones are left out."""
        basis, end = encoded[0][0].basis, self._end()
        is_anew = bool(end.seq) and end.basis != basis
        end = _End() if is_anew else end
        fresh = [
            entry
            for entry in encoded
            if entry[0].seq > end.seq or (entry[0].seq == end.seq and entry[0].id not in end.ids)
        ]
        if not fresh:
            return
        with writing(self._folder, self._rotate_bytes) as out:
            if is_anew:
                out.begin_anew(UPDATES)
            out.write(UPDATES, [raw for _, raw in fresh])
            self._last = (out.state(UPDATES), _end_of([line for line, _ in fresh], end))

    def after(self, seq: int) -> Iterator[UpdateLine]:
        """Changes by the latest constants, of events beyond a ``seq``."""
        return self._lines(self._newest(), seq)

    def _lines(self, files: Sequence[LogPart], seq: int) -> Iterator[UpdateLine]:
        for raw in raw_after(files, seq, self._firsts):
            line = _line(UpdateLine, raw)
            if line is not None and line.seq > seq:
                yield line

    def _end(self) -> _End:
        files = parts(self._folder, (UPDATES,)).get(UPDATES, [])
        if not files:
            return _End()
        if self._last is None or self._last[0] != files[-1]:
            with writing(self._folder, self._rotate_bytes) as out:
                out.state(UPDATES)  # a line that somebody left without its newline may be whole, and so be there
            files = parts(self._folder, (UPDATES,))[UPDATES]
            last = last_seq(files)
            self._last = (files[-1], _end_of(list(self._lines(self._newest(), last - 1)), _End()))
        return self._last[1]

    def _newest(self) -> list[LogPart]:
        """The files of the latest constants."""
        files: list[LogPart] = []
        basis = None
        for part in reversed(parts(self._folder, (UPDATES,)).get(UPDATES, [])):
            first = next(filter(None, (_line(UpdateLine, raw) for raw in raw_lines(part))), None)
            if first is not None and basis not in (None, first.basis):
                break
            basis = basis if first is None else first.basis
            files.insert(0, part)
        return files


def _line(kind: type[L], raw: bytes) -> L | None:
    """The line that a text holds; None if it is damaged."""
    try:
        return from_json(kind, raw)
    except InvalidRecord:
        return None


def _end_of(lines: Sequence[UpdateLine], before: _End) -> _End:
    """The end after some more lines."""
    if not lines:
        return before
    last = lines[-1]
    ids = {line.id for line in lines if line.seq == last.seq}
    return _End(seq=last.seq, basis=last.basis, ids=frozenset(ids | before.ids if before.seq == last.seq else ids))


Locking = Callable[[str], AbstractContextManager[None]]
_OPERATIONS = "act_log"


@dataclass(frozen=True, kw_only=True, slots=True)
class OperationLine(LogLine):
    """A line of the log of operations, which move no rating.

    Attributes:
        by: Who did it.
        act: What, such as ``prune``.
        about: To what, and with which options.
    """

    by: str
    act: str
    about: dict[str, Any] = field(default_factory=dict)


_LOG_OF = {kind: log for log, kind in LOGS.items()}


class Logs:
    """Evidence in the order of writing, and the rating changes that follow from it."""

    def __init__(
        self,
        folder: Path,
        *,
        root: Path,
        locked: Locking,
        clock: Callable[[], float],
        new_id: Callable[[], str],
        rotate_bytes: int,
        ids: Path,
    ) -> None:
        self._folder, self._locked, self._clock, self._new_id = folder, locked, clock, new_id
        self._rotate_bytes, self._root = rotate_bytes, root
        self._known = IdIndex(ids, self._ids_after)
        self._firsts: dict[int, int] = {}
        self._lasts: dict[str, tuple[LogPart, int]] = {}
        self._closed: dict[str, LogPart] = {}
        self._updates = UpdateLog(folder, rotate_bytes)

    @property
    def last_seq(self) -> int:
        """The ``seq`` of the last line of evidence; 0 if there is none. Cheap if nothing was written since."""
        return self._last(log_files.cut(self._folder, EVIDENCE))

    def append(self, lines: Iterable[LogLine]) -> list[LogLine]:
        """Write lines of evidence; they are on the disk when this returns.

        Args:
            lines: Each gets its ``seq``, and an id and a time if it has none. A line whose id is in the logs, or
                belongs to an earlier one of these lines, is left out.

        Returns:
            What was written, as it will be read: times to the millisecond.

        Raises:
            InvalidRecord: If a line is invalid; nothing was written.
            Unwritable: If the disk is full or read-only. Some lines may have been written; those with ids can be
                appended again without harm.
            Busy: If another process held the lock for too long.
        """
        drafts = list(lines)
        if not drafts:
            return []
        with self._locked("logs"):
            fresh = self._unknown(drafts)
            seq, now = self._closed_seq(), self._clock()
            encoded = [encode(self._stamped(line, seq + number, now)) for number, line in enumerate(fresh, 1)]
            self._write(encoded)
            return [line for line, _ in encoded]

    def after(self, seq: int = 0, *, kinds: Collection[type[LogLine]] | None = None) -> Iterator[LogLine]:
        """Lines of evidence beyond a ``seq``, in order. Damaged ones are skipped; ``problems`` names them.

        Args:
            seq: What was read already.
            kinds: Which lines; only their logs are read. All if None.
        """
        cut = log_files.cut(self._folder, EVIDENCE)
        selected = [log for log in cut if kinds is None or EVIDENCE[log] in kinds]
        streams = [self._read(cut[log], EVIDENCE[log], seq) for log in selected if self._last_of(log, cut[log]) > seq]
        last = seq
        for line in heapq.merge(*streams, key=lambda line: line.seq):
            if line.seq > last:
                last = line.seq
                yield line

    def _read(self, log: Sequence[LogPart], kind: type[LogLine], seq: int) -> Iterator[LogLine]:
        for raw in log_files.raw_after(log, seq, self._firsts):
            if log_files.seq_of(raw) > seq and (line := _line(kind, raw)) is not None:
                yield line

    def append_updates(self, lines: Iterable[UpdateLine]) -> None:
        """Write rating changes, in order of the ``seq`` of their events; known ones are left out.

        They follow from the evidence, so this does not wait for the disk. Changes by other constants start a new file.

        Raises:
            Unwritable: If the disk is full or read-only.
            Busy: If another process held the lock of this log for too long.
        """
        encoded = [encode(line) for line in lines]
        if encoded:
            with self._locked("updates"):
                self._updates.append(encoded)

    def updates(self, *, after: int = 0) -> Iterator[UpdateLine]:
        """Rating changes by the latest constants, of events beyond a ``seq``, in order."""
        return self._updates.after(after)

    def problems(self) -> list[LogProblem]:
        """The damaged lines of all logs, which are not counted."""
        with ExitStack() as locks:
            with suppress(Unwritable):  # where nobody may write, nobody does
                locks.enter_context(self._locked("logs"))
                locks.enter_context(self._locked("updates"))
            return list(log_problems(self._folder))

    def import_file(self, path: Path, *, kind: str | None = None) -> LogImport:
        """Append the lines of a log written elsewhere. Doing it twice, or again after a kill, changes nothing.

        Args:
            path: A file of JSON lines with the memory specification's fields.
            kind: Which log it is, such as ``search_log`` or ``session_audit``; detected from its lines if None.

        Raises:
            UnreadableFile: If it cannot be read.
            InvalidConfig: If no log of that kind can be imported.
            Unwritable: As for ``append``.
            Busy: As for ``append``.
        """
        return import_lines(path, kind=kind, root=self._root, latest=self._clock() + A_DAY, append=self.append)

    def record_operation(self, by: str, operation: str, **about: object) -> OperationLine:
        """Log what an administrator is about to do, as over HTTP; it is on the disk when this returns.

        Args:
            by: Who does it.
            operation: What, such as ``prune``.
            about: To what, and with which options; JSON values.

        Raises:
            Unwritable: If the disk is full or read-only.
            Busy: If another process writes for too long.
        """
        draft = OperationLine(id=self._new_id(), timestamp=self._clock(), by=by, act=operation, about=about)
        line, raw = encode(draft)
        with self._locked("acts"), writing(self._folder, sys.maxsize) as log:
            log.write(_OPERATIONS, [raw])
            log.sync()
        return line

    def operations(self) -> list[OperationLine]:
        """All operations of administrators, oldest first. A line that a kill cut in half is left out."""
        files = parts(self._folder, (_OPERATIONS,)).get(_OPERATIONS, ())
        lines = (_line(OperationLine, raw) for part in files for raw in raw_lines(part))
        return [line for line in lines if line is not None]

    def close(self) -> None:
        self._known.close()

    def _stamped(self, line: LogLine, seq: int, now: float) -> LogLine:
        return replace(line, seq=seq, id=line.id or self._new_id(), timestamp=line.timestamp or now)

    def _unknown(self, lines: Sequence[LogLine]) -> list[LogLine]:
        for line in lines:
            if type(line) not in EVIDENCE.values():
                raise InvalidRecord(f"{type(line).__name__} is not a line of evidence")
        given_ids = {line.id for line in lines if line.id}
        seen_ids = self._known.among(given_ids) if given_ids else set()
        fresh = []
        for line in lines:
            if line.id not in seen_ids:
                fresh.append(line)
                seen_ids |= {line.id} - {""}
        return fresh

    def _closed_seq(self) -> int:
        """The last ``seq``, after lines that others left cut in half were given their newline."""
        by_log = log_files.parts(self._folder, EVIDENCE)
        changed = [log for log in by_log if self._closed.get(log) != by_log[log][-1]]
        if changed:
            with writing(self._folder, self._rotate_bytes) as out:
                self._closed.update({log: out.state(log) for log in changed})
            by_log = log_files.parts(self._folder, EVIDENCE)
        return self._last(by_log)

    def _last(self, by_log: PartsOfLogs) -> int:
        return max((self._last_of(log, by_log[log]) for log in by_log), default=0)

    def _last_of(self, log: str, files: Sequence[LogPart]) -> int:
        part, seq = self._lasts.get(log, (None, 0))
        if part != files[-1]:
            seq = log_files.last_seq(files)
            self._lasts[log] = (files[-1], seq)
        return seq

    def _write(self, encoded: Sequence[tuple[LogLine, bytes]]) -> None:
        """Write runs of one log each, so that a kill leaves the first of them and no gaps."""
        with writing(self._folder, self._rotate_bytes) as out:
            for kind, run in groupby(encoded, key=lambda entry: type(entry[0])):
                out.write(_LOG_OF[kind], [raw for _, raw in run])
            out.sync()
            for line, _ in encoded:
                log = _LOG_OF[type(line)]
                self._closed[log] = out.state(log)
                self._lasts[log] = (self._closed[log], line.seq)

    def _ids_after(self, seq: int) -> Iterator[tuple[int, str]]:
        return ((line.seq, line.id) for line in self.after(seq))
