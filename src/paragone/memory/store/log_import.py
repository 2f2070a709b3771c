"""Imports logs written elsewhere: checks each line, makes paths relative to the root, derives ids from content."""

import codecs
import hashlib
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePosixPath, PureWindowsPath
from typing import Any

from paragone.domain.content import ContentKind
from paragone.domain.parameter import unknown
from paragone.errors import InvalidRecord, UnreadableFile
from paragone.memory.store.line_json import from_json
from paragone.memory.store.lines import (
    EVIDENCE,
    AccessLine,
    LogLine,
    SearchLine,
    SessionLine,
    TruthLine,
    as_iso,
)

A_DAY = 86_400.0
"""Seconds by which the clock of another machine may be ahead."""

REQUIRED: Mapping[str, tuple[str, ...]] = {
    "search_log": ("session_id", "timestamp", "tool", "query", "results"),
    "session_audit": (
        "session_id",
        "agent_id",
        "start_time",
        "end_time",
        "files_accessed",
        "symbols_expanded",
        "adrs_read",
        "search_queries",
        "semantic_searches",
        "keyword_searches",
    ),
    "access_log": ("timestamp", "action", "entity_type", "entity_id"),
    "truth_log": ("timestamp", "entity_type", "entity_id", "source", "r"),
}
"""The logs that can be imported, and the fields that each line must have; the first two as specified."""

_MARKS = {"results": "search_log", "files_accessed": "session_audit", "action": "access_log", "r": "truth_log"}
_BATCH_SIZE = 1000


@dataclass(kw_only=True, slots=True)
class LogImport:
    """The result of an import.

    Attributes:
        read: Lines in the file.
        new: Lines that were written.
        known: Lines that were there already.
        refused: The number of each line that was not written, from 1, and why.
        outside: Paths outside the root, which were left out of their lines.
    """

    read: int = 0
    new: int = 0
    known: int = 0
    refused: list[tuple[int, str]] = field(default_factory=list)
    outside: int = 0


def import_lines(
    path: Path,
    *,
    kind: str | None,
    root: Path,
    latest: float,
    append: Callable[[Sequence[LogLine]], Sequence[LogLine]],
) -> LogImport:
    """Append the lines of a log written elsewhere.

    Args:
        path: Its file.
        kind: Which log it is; detected from its lines if None.
        root: Paths are made relative to this folder.
        latest: Later times are refused.
        append: Writes lines; returns those that were new.

    Raises:
        UnreadableFile: If it cannot be read.
        InvalidConfig: If no log of that kind can be imported.
    """
    if kind is not None and kind not in REQUIRED:
        raise unknown("log that can be imported", "kind", kind, REQUIRED)
    result, batch = LogImport(), list[LogLine]()
    for number, raw in _numbered(path):
        result.read += 1
        try:
            batch.append(_line(raw, kind, root, latest, result))
        except InvalidRecord as error:
            result.refused.append((number, str(error)))
        if len(batch) == _BATCH_SIZE:
            _put(batch, append, result)
    _put(batch, append, result)
    return result


def _put(batch: list[LogLine], append: Callable[[Sequence[LogLine]], Sequence[LogLine]], result: LogImport) -> None:
    new = len(append(batch))
    result.new += new
    result.known += len(batch) - new
    batch.clear()


def _numbered(path: Path) -> Iterator[tuple[int, bytes]]:
    """The lines of a file that are not empty, with their numbers."""
    try:
        with path.open("rb") as file:
            for number, raw in enumerate(file, 1):
                if number == 1 and raw.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
                    raise UnreadableFile(f"{path} is UTF-16; save it as UTF-8")
                content = (raw.removeprefix(codecs.BOM_UTF8) if number == 1 else raw).strip()
                if content:
                    yield number, content
    except FileNotFoundError as error:
        raise UnreadableFile(f"{path}: no such file") from error
    except OSError as error:
        raise UnreadableFile(f"{path} cannot be read: {error.strerror or error}") from error


def _line(raw: bytes, kind: str | None, root: Path, latest: float, result: LogImport) -> LogLine:
    values = _object(raw)
    log = kind or _looks_like(values)
    missing = [name for name in REQUIRED[log] if name not in values]
    if missing:
        raise InvalidRecord(f"a line of a {log} has {', '.join(missing)} too")
    line = from_json(EVIDENCE[log], raw)
    _refuse_future(line, latest)
    id = line.id or hashlib.sha256(f"{log}\n{json.dumps(values, sort_keys=True)}".encode()).hexdigest()
    return replace(_under(root, _timed(line), result), id=id, seq=0)


def _object(raw: bytes) -> dict[str, Any]:
    try:
        values = json.loads(raw)
    except (ValueError, RecursionError) as error:
        raise InvalidRecord(f"not valid JSON: {error}") from error
    if not isinstance(values, dict):
        raise InvalidRecord("an object, {...}, is wanted")
    return values


def _looks_like(values: Mapping[str, Any]) -> str:
    for mark, log in _MARKS.items():
        if mark in values:
            return log
    raise InvalidRecord(f"it is a line of none of {', '.join(REQUIRED)}")


def _timed(line: LogLine) -> LogLine:
    """The memory specification's session audit has no time of its own: it was written when the session ended."""
    return replace(line, timestamp=line.end_time) if isinstance(line, SessionLine) and not line.timestamp else line


def _refuse_future(line: LogLine, latest: float) -> None:
    times = {"timestamp": line.timestamp}
    if isinstance(line, SessionLine):
        times |= {"start_time": line.start_time, "end_time": line.end_time}
        if line.end_time < line.start_time:
            raise InvalidRecord(f"its end_time {as_iso(line.end_time)} lies before its start_time")
    for name, time in times.items():
        if time > latest:
            raise InvalidRecord(f"its {name} {as_iso(time)} lies more than a day ahead of the clock")


def _under(root: Path, line: LogLine, result: LogImport) -> LogLine:
    """A line with its paths relative to the root, without those outside it."""
    if isinstance(line, SearchLine):
        rows = [(row, relative(row.file_path, root)) for row in line.results]
        inside = tuple(replace(row, file_path=path) for row, path in rows if path is not None)
        result.outside += len(rows) - len(inside)
        return replace(line, results=inside)
    if isinstance(line, SessionLine):
        paths = [relative(path, root) for path in line.files_accessed]
        result.outside += paths.count(None)
        return replace(line, files_accessed=tuple(path for path in paths if path is not None))
    if isinstance(line, AccessLine | TruthLine):
        return _act_under(root, line)
    return line


def _act_under(root: Path, line: AccessLine | TruthLine) -> LogLine:
    is_file = line.entity_type is ContentKind.FILE
    own, path = (
        relative(raw_path, root) if raw_path else "" for raw_path in (line.entity_id if is_file else "", line.file_path)
    )
    if own is None or path is None:
        raise InvalidRecord(f"{line.file_path or line.entity_id} lies outside of {root}")
    return replace(line, entity_id=own if is_file else line.entity_id, file_path=path)


def relative(path: str, root: Path) -> str | None:
    """A foreign path relative to the root, with slashes; None if it lies outside."""
    plain = path.replace("\\", "/")
    if PureWindowsPath(plain).is_absolute() or plain.startswith("/"):
        prefix = f"{root.as_posix().rstrip('/')}/"
        if not plain.startswith(prefix):
            return None
        plain = plain[len(prefix) :]
    parts = PurePosixPath(plain).parts
    return None if ".." in parts or not parts else str(PurePosixPath(*parts))
