"""Log files, written by one process while others read: whole lines, rotated by size, a consistent cut over all logs.

The lines of a log have rising ``seq``, over its rotated files and then its current one. So a position is found by
bisection, and only what follows it is read.
"""

import json
import math
import os
import re
import sys
from collections.abc import Container, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from paragone.errors import InvalidRecord, Unwritable
from paragone.memory.store.line_json import from_json
from paragone.memory.store.lines import LOGS, UPDATES, LogLine

_NAME = re.compile(r"([a-z_]+?)(?:\.(\d{6,}))?\.jsonl")
_HEAD = re.compile(rb'\{"id":"[^"\\]*","seq":(\d{1,16}),')
_WINDOW = 1 << 16
MAX_SEQ = 1 << 53
"""A ``seq`` beyond this is damage: no log gets so far, and it would leave none to give out."""


@dataclass(frozen=True, kw_only=True, slots=True)
class LogPart:
    """A file of a log, as it was at some moment.

    Attributes:
        path: Where it was.
        number: Its number since it was rotated; 0 for the current file.
        inode: Identifies the file after a rename.
        size: Its bytes at that moment; later lines are not part of the cut.
    """

    path: Path
    number: int
    inode: int
    size: int


PartsOfLogs = Mapping[str, Sequence[LogPart]]


def current(folder: Path, log: str) -> Path:
    """The file of a log that is being written."""
    return folder / f"{log}.jsonl"


_Look = list[tuple[str, float, str, int, int]]
"""Log, number (infinite for the current file), path, inode and size of each file."""


def parts(folder: Path, logs: Container[str]) -> dict[str, list[LogPart]]:
    """All files of some logs, by log, oldest first."""
    return _parts(_look(folder, logs))


def _look(folder: Path, logs: Container[str]) -> _Look:
    """All files of some logs, in order."""
    seen: _Look = []
    try:
        entries = list(os.scandir(folder))
    except FileNotFoundError:
        return seen
    except OSError as error:
        raise _unreadable(folder, error) from error
    for entry in entries:
        match = _NAME.fullmatch(entry.name)
        if match and match[1] in logs:
            try:
                status = os.stat(entry.path)  # noqa: PTH116 - of an entry it may be stale, and a Path is slow
            except FileNotFoundError:
                continue  # it has just been rotated
            seen.append((match[1], int(match[2] or 0) or math.inf, entry.path, status.st_ino, status.st_size))
    return sorted(seen)


def _parts(seen: _Look) -> dict[str, list[LogPart]]:
    by_log: dict[str, list[LogPart]] = {}
    for log, number, path, inode, size in seen:
        rotated = 0 if number == math.inf else int(number)
        by_log.setdefault(log, []).append(LogPart(path=Path(path), number=rotated, inode=inode, size=size))
    return by_log


def cut(folder: Path, logs: Container[str]) -> dict[str, list[LogPart]]:
    """All files as they were together at one moment.

    Files only grow. If two looks find the same, all of it existed at once between them. So nobody sees a line without
    those that were written to other logs before it.
    """
    before = _look(folder, logs)
    while (now := _look(folder, logs)) != before:
        before = now
    return _parts(now)


def raw_lines(part: LogPart, start: int = 0) -> Iterator[bytes]:
    """The complete lines of a file within the cut, without newlines, from a byte at which one begins."""
    with _opened(part) as file:
        file.seek(start)
        remaining, rest = part.size - start, b""
        while remaining > 0 and (chunk := file.read(min(remaining, 16 * _WINDOW))):
            remaining -= len(chunk)
            *lines, rest = (rest + chunk).split(b"\n")
            yield from lines


def raw_after(log: Sequence[LogPart], seq: int, firsts: dict[int, int]) -> Iterator[bytes]:
    """The lines of a log from some position before which none has a ``seq`` beyond the given one.

    Args:
        log: Its files.
        seq: The given one.
        firsts: The known first ``seq`` of files, by inode; it is added to.
    """
    start = 0
    for number in range(len(log) - 1, 0, -1):
        if _first(log[number], firsts) <= seq:
            start = number
            break
    for number in range(start, len(log)):
        yield from raw_lines(log[number], _offset(log[number], seq) if number == start and seq else 0)


def last_seq(log: Sequence[LogPart]) -> int:
    """The ``seq`` of the last line of a log; 0 if it is empty."""
    for part in reversed(log):
        window = _WINDOW // 8
        while True:
            seq = _last_within(part, max(part.size - window, 0))
            if seq:
                return seq
            if window >= part.size:
                break
            window *= 8
    return 0


def seq_of(raw: bytes) -> int:
    """The ``seq`` that a line states; 0 for what is not a line."""
    head = _HEAD.match(raw)
    return _bounded(int(head[1])) if head else _seq_within(raw)


def ends_within_a_line(file: int) -> bool:
    """Whether the last line of an open file lacks its newline."""
    size = os.lseek(file, 0, os.SEEK_END)
    if not size:
        return False
    os.lseek(file, size - 1, os.SEEK_SET)
    return os.read(file, 1) != b"\n"


def _opened(part: LogPart) -> BinaryIO:
    """A file of the cut, found by its inode if it was rotated since."""
    while True:
        try:
            file = part.path.open("rb")
        except FileNotFoundError:
            file = None
        except OSError as error:
            raise _unreadable(part.path, error) from error
        if file is not None and os.fstat(file.fileno()).st_ino == part.inode:
            return file
        if file is not None:
            file.close()
        log = part.path.name.partition(".")[0]
        rotated = [each for each in parts(part.path.parent, (log,)).get(log, ()) if each.inode == part.inode]
        if not rotated:
            raise Unwritable(f"{part.path} was taken away while it was read")
        part = rotated[0]


def _unreadable(path: Path, error: OSError) -> Unwritable:
    return Unwritable(f"{path} cannot be read: {error.strerror or error}")


def _first(part: LogPart, firsts: dict[int, int]) -> int:
    if part.inode not in firsts:
        seq = next(filter(None, map(_seq_within, raw_lines(part))), 0)
        if not seq:
            return sys.maxsize  # it tells nothing: look further back
        firsts[part.inode] = seq
    return firsts[part.inode]


def _last_within(part: LogPart, start: int) -> int:
    with _opened(part) as file:
        file.seek(start)
        lines = file.read(part.size - start).split(b"\n")[:-1]
    complete = lines[1:] if start else lines
    return next(filter(None, map(_seq_within, reversed(complete))), 0)


def _seq_within(raw: bytes) -> int:
    """As ``seq_of``, but parses the whole line: one that was cut in half has none."""
    try:
        values = json.loads(raw)
    except (ValueError, RecursionError):
        return 0
    seq = values.get("seq") if isinstance(values, dict) else None
    return _bounded(seq) if isinstance(seq, int) and not isinstance(seq, bool) else 0


def _bounded(seq: int) -> int:
    return seq if 0 < seq <= MAX_SEQ else 0


def _offset(part: LogPart, seq: int) -> int:
    """Start of a line before which none has a higher ``seq``, less than a window before the first that has."""
    # Bisection over bytes, since lines have different lengths: a probe reads on to the next whole line. It begins near
    # the end, where readers that follow a log are.
    low, high = 0, part.size
    middle = max(high - _WINDOW, 0)
    with _opened(part) as file:
        while high - low > _WINDOW:
            end, found_seq = _line_from(file, middle, high)
            if found_seq and found_seq <= seq:
                low = end
            else:
                high = middle
            middle = (low + high) // 2
    return low


def _line_from(file: BinaryIO, start: int, end: int) -> tuple[int, int]:
    """The first good line that begins between two bytes: where it ends, and its ``seq``."""
    file.seek(start - 1 if start else 0)
    if start:
        file.readline()
    while file.tell() < end:
        raw = file.readline()
        if not raw.endswith(b"\n"):
            break
        if seq := _seq_within(raw):
            return file.tell(), seq
    return end, 0


@dataclass(frozen=True, kw_only=True, slots=True)
class LogProblem:
    """A line of a log that is not counted.

    Attributes:
        file: Its file.
        line: Its number, from 1.
        what: What is wrong with it.
    """

    file: Path
    line: int
    what: str


def log_problems(folder: Path) -> Iterator[LogProblem]:
    """All damaged lines, while nobody writes."""
    by_log = parts(folder, LOGS)
    for log in by_log:
        last = 0
        for part in by_log[log]:
            for number, problem, seq in _judged(part, LOGS[log]):
                what = problem or _out_of_order(log, seq, last)
                if what:
                    yield LogProblem(file=part.path, line=number, what=what)
                last = max(last, seq)


def _out_of_order(log: str, seq: int, last: int) -> str:
    is_wrong = seq <= last if log != UPDATES else seq < last
    return f"its seq is {seq}, and {last} was there before it" if is_wrong else ""


def _judged(part: LogPart, kind: type[LogLine]) -> Iterator[tuple[int, str, int]]:
    """The number of each line, what is wrong with it in itself, and its ``seq``."""
    number, read = 0, 0
    for number, raw in enumerate(raw_lines(part), 1):
        read += len(raw) + 1
        try:
            seq = from_json(kind, raw).seq
            yield (number, "", seq) if seq <= MAX_SEQ else (number, f"its seq {seq} is beyond all bounds", 0)
        except InvalidRecord as error:
            yield number, _words(raw, error), 0
    if read < part.size:
        yield number + 1, "cut in half at the end of the file; whoever writes next closes it", 0


def _words(raw: bytes, error: InvalidRecord) -> str:
    if not raw.strip():
        return "empty"
    is_half = str(error).startswith("Invalid JSON")
    return f"incomplete JSON, as after a kill in the middle of a write: {error}" if is_half else str(error)


def sync_folder(folder: Path) -> None:
    """Make sure that what was created, renamed or removed in a folder survives a loss of power."""
    with suppress(PermissionError):  # Windows opens no folders, and needs none to be synced
        opened = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(opened)
        finally:
            os.close(opened)


class Writing:
    """One append, by the holder of the logs' lock."""

    def __init__(self, folder: Path, rotate_bytes: int) -> None:
        self._folder, self._rotate_bytes = folder, rotate_bytes
        self._open: dict[str, int] = {}
        self._is_new = False

    def write(self, log: str, lines: list[bytes]) -> None:
        """Append lines, each with its newline: as many as fit into the file, the rest into the next one."""
        size = os.fstat(self._file(log)).st_size
        piece: list[bytes] = []
        for line in lines:
            if size and size + len(line) > self._rotate_bytes:
                _write_all(self._file(log), b"".join(piece))
                self._rotate(log)
                piece, size = [], 0
            piece.append(line)
            size += len(line)
        _write_all(self._file(log), b"".join(piece))

    def sync(self) -> None:
        """Make sure that all of it survives a loss of power."""
        for file in self._open.values():
            os.fsync(file)
        if self._is_new:
            sync_folder(self._folder)

    def state(self, log: str) -> LogPart:
        """The current file of a log as it is now."""
        status = os.fstat(self._file(log))
        return LogPart(path=current(self._folder, log), number=0, inode=status.st_ino, size=status.st_size)

    def begin_anew(self, log: str) -> None:
        """Start a new file for what is written next."""
        if os.fstat(self._file(log)).st_size:
            self._rotate(log)

    def close(self) -> None:
        for file in self._open.values():
            os.close(file)
        self._open.clear()

    def _file(self, log: str) -> int:
        if log not in self._open:
            path = current(self._folder, log)
            self._is_new |= not path.exists()
            self._open[log] = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT | getattr(os, "O_BINARY", 0), 0o666)
            if ends_within_a_line(self._open[log]):
                _write_all(self._open[log], b"\n")  # somebody was killed; what is cut in half stays a line of its own
        return self._open[log]

    def _rotate(self, log: str) -> None:
        file = self._open.pop(log)
        os.fsync(file)
        os.close(file)
        numbers = [part.number for part in parts(self._folder, (log,)).get(log, ()) if part.number]
        path = current(self._folder, log)
        with suppress(PermissionError):  # Windows, while somebody reads it: then another time
            path.rename(path.with_name(f"{log}.{max(numbers, default=0) + 1:06}.jsonl"))


@contextmanager
def writing(folder: Path, rotate_bytes: int) -> Iterator[Writing]:
    """Log files opened for appending.

    Raises:
        Unwritable: If the disk is full or read-only; earlier lines may have been written.
    """
    appender = Writing(folder, rotate_bytes)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        yield appender
    except OSError as error:
        raise Unwritable(
            f"{folder} cannot be written: {error.strerror or error}; make room or make it writable, and do it again"
        ) from error
    finally:
        appender.close()


def _write_all(file: int, data: bytes) -> None:
    rest = memoryview(data)
    while rest:
        rest = rest[os.write(file, rest) :]
