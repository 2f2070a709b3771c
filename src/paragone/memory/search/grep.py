"""Search by regular expression (RE2), line by line, in the files of the index."""

import re
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

from paragone.domain.text import harmless, visible
from paragone.errors import NotFound, UnreadableFile, UsageError
from paragone.memory.index import FileReader, Index
from paragone.memory.index.file_reader import decoded
from paragone.memory.index.globs import paths_like, regular_expressions
from paragone.memory.index.index import EMPTY
from paragone.memory.store import Store
from paragone.wire.search import GrepMatch

MAX_PATTERN_LENGTH = 1000
"""Characters of a pattern."""
_MAX_PATTERN_BYTES = 1 << 20
"""Bytes of a compiled pattern: a bound on its cost per byte of text."""


def line_pattern(pattern: str, *, ignore_case: bool = False) -> Any:  # noqa: ANN401 - re2 has no types
    """A pattern over UTF-8 bytes, in which ``^`` and ``$`` are the ends of a line and nothing matches a line end.

    Raises:
        UsageError: If it is empty, too long, or invalid; says what is wrong, and where.
        MissingExtra: If google-re2 is not installed.
    """
    if not pattern:
        raise UsageError("the pattern is empty; say what to look for")
    if len(pattern) > MAX_PATTERN_LENGTH:
        raise UsageError(f"the pattern has {len(pattern):,} characters; {MAX_PATTERN_LENGTH:,} is the most")
    re2 = regular_expressions()
    options = re2.Options()
    options.never_nl, options.log_errors, options.never_capture = True, False, True
    options.case_sensitive, options.max_mem = not ignore_case, _MAX_PATTERN_BYTES
    try:
        written = pattern.encode()
    except UnicodeEncodeError as error:
        raise UsageError(f"the pattern holds half a character at position {error.start + 1}") from error
    try:
        re2.compile(written, options)  # as it was given, so that messages tell of what was given
        return re2.compile(b"(?m:" + written + b")", options)
    except re2.error as error:
        raise UsageError(_complaint(pattern, error)) from error


def _complaint(pattern: str, error: Exception) -> str:
    """What is wrong with a pattern, and where: re2 names the part that it does not understand, or none."""
    message = error.args[0]
    why = visible(message.decode("utf-8", "replace") if isinstance(message, bytes) else str(message))
    reason, _, part = why.partition(": ")
    at = _unmatched(pattern) if part == visible(pattern) or not part else pattern.rfind(part)
    where = f" at position {at + 1}" if at >= 0 else ""
    fragment = f" {part!r}" if part and part != visible(pattern) else ""
    hint = "; look-around and back-references are not supported" if _is_beyond(why) else ""
    return f"{visible(pattern)!r} is not a valid pattern: {reason}{fragment}{where}{hint}"


def _is_beyond(why: str) -> bool:
    return why.startswith("invalid perl operator") or (why.startswith("invalid escape") and why[-1].isdigit())


def _unmatched(pattern: str) -> int:
    """The position of an unmatched bracket or a final backslash; -1 if there is none."""
    inside, groups, at = -1, [], 0
    while at < len(pattern):
        sign = pattern[at]
        if sign == "\\" and at == len(pattern) - 1:
            return at
        if inside >= 0:
            inside = -1 if sign == "]" and at > inside + 1 else inside
        elif sign == "[":
            inside = at
        elif sign == "(":
            groups.append(at)
        elif sign == ")" and not groups:
            return at
        elif sign == ")":
            groups.pop()
        at += 2 if sign == "\\" else 1
    return inside if inside >= 0 else groups[-1] if groups else -1


MAX_MATCHES = 1000
"""Matches on a page."""
WIDTH = 300
"""Characters of a line that are shown."""
MAX_SECONDS = 60.0
"""Seconds that a search may take."""
_WINDOW = 1 << 14
"""Bytes searched between two looks at the clock, to the end of a line."""
_GROUP = 1 << 16
"""Bytes of small files, about, that are searched together."""
_GROUP_FILES = 64
"""Files that are, at most: what is read between two looks at the clock."""
_MAX_LINE_BYTES = 1 << 16
"""Bytes of a line that are searched."""


@dataclass(frozen=True, kw_only=True, slots=True)
class GrepPage:
    """A page of matches, by path and line.

    Attributes:
        pattern: The pattern.
        matches: The lines.
        next_offset: Start of the next page; None on the last one.
        timed_out: Whether time ran out before all files were searched.
        files_searched: Number of files searched until the page was full.
        files: Number of files to search.
    """

    pattern: str
    matches: tuple[GrepMatch, ...]
    next_offset: int | None
    timed_out: bool
    files_searched: int
    files: int


class Grep:
    """Searches the files of the index, as they are now; ``timer`` counts seconds."""

    def __init__(self, store: Store, index: Index, *, timer: Callable[[], float] = time.monotonic) -> None:
        self._index, self._reader, self._timer = index, FileReader(store), timer

    def grep(
        self,
        pattern: str,
        *,
        glob: str | None = None,
        ignore_case: bool = False,
        limit: int = 50,
        offset: int = 0,
        seconds: float = 5.0,
    ) -> GrepPage:
        """Find the lines that match; arguments and errors are those of ``Memory.grep``."""
        if not (1 <= limit <= MAX_MATCHES and offset >= 0 and 0.0 < seconds <= MAX_SECONDS):
            raise UsageError(
                f"limit lies between 1 and {MAX_MATCHES}, offset at or above 0, seconds in (0, {MAX_SECONDS:g}]"
            )
        compiled = line_pattern(pattern, ignore_case=ignore_case)
        paths = self._paths(glob)
        with self._reader.reading() as data:
            run = _GrepRun(self._reader, data, compiled, self._timer, self._timer() + seconds)
            files = run.in_groups(paths) if is_of_lines(pattern) else run.one_by_one(paths)
            matches = list(islice(files, offset, offset + limit + 1))
        return GrepPage(
            pattern=pattern,
            matches=tuple(matches[:limit]),
            next_offset=offset + limit if len(matches) > limit else None,
            timed_out=run.timed_out,
            files_searched=run.files,
            files=len(paths),
        )

    def _paths(self, glob: str | None) -> list[str]:
        paths = sorted(self._index.paths())
        if not paths:
            raise NotFound(EMPTY)
        return paths if glob is None else list(paths_like(glob).match_files(paths))


_ANCHORS = re.compile(r"\\[Az]|\(\?(?!:|P<|i\))")
"""What may mean the beginning or the end of the whole text, and not of a line: such anchors, and flags."""


def is_of_lines(pattern: str) -> bool:
    """Whether a pattern matches the same lines in a text as in several texts put together, line after line."""
    return _ANCHORS.search(pattern) is None


class _GrepRun:
    """One search, within its time limit; ``data`` reads a file that is allowed."""

    def __init__(
        self,
        reader: FileReader,
        data: Callable[[str], bytes],
        pattern: Any,  # noqa: ANN401
        timer: Callable[[], float],
        end: float,
    ) -> None:
        self._reader, self._data, self._pattern, self._timer, self._end = reader, data, pattern, timer, end
        self.timed_out, self.files = False, 0

    def in_groups(self, paths: Iterable[str]) -> Iterator[GrepMatch]:
        """Matches in files. Small ones are searched together first, which most often finds nothing, and once."""
        rest = iter(paths)
        while not self._is_over():
            group, characters_left = [], _GROUP
            for path in islice(rest, _GROUP_FILES):
                group.append((path, self._raw(path)))
                characters_left -= len(group[-1][1])
                if characters_left <= 0:
                    break
            if not group:
                return
            yield from self._in_group(group)

    def one_by_one(self, paths: Iterable[str]) -> Iterator[GrepMatch]:
        """Matches in files."""
        for path in paths:
            if self._is_over():
                return
            yield from self._in_file(path, self._raw(path))
            if self.timed_out:
                return
            self.files += 1

    def _in_group(self, group: Sequence[tuple[str, bytes]]) -> Iterator[GrepMatch]:
        together = b"\n".join(text for _, text in group if len(text) <= _WINDOW)
        is_there = self._pattern.search(together) is not None
        for path, text in group:
            if is_there or len(text) > _WINDOW:
                yield from self._in_file(path, text)
            if self.timed_out:
                return
            self.files += 1

    def _in_file(self, path: str, raw: bytes) -> Iterator[GrepMatch]:
        """Matches in a file. Only files with matches are read with all checks, which cost more than the search."""
        if next(self._lines(raw), None) is None or self.timed_out:
            return
        try:
            text = self._reader.read(path).text
        except (UnreadableFile, NotFound):
            return
        for line, row, start in self._lines(text.encode("utf-8", "replace")):
            yield GrepMatch(path=path, line=line, text=_shown(row, start))

    def _raw(self, path: str) -> bytes:
        """A file's bytes as UTF-8 text; empty if it cannot be read."""
        try:
            data = self._data(path)
        except (OSError, ValueError):
            return b""
        if data.isascii() and b"\r" not in data:
            return data
        return decoded(data)[0].encode("utf-8", "replace")

    def _lines(self, data: bytes) -> Iterator[tuple[int, bytes, int]]:
        """Matching lines: number, text, and the position of the match in it."""
        number = 1
        for window in _windows(data):
            position, counted = 0, 0
            while position < len(window):
                if self._is_over():
                    return
                match = self._pattern.search(window, position)
                if match is None or match.start() >= len(window):
                    break
                start = window.rfind(b"\n", 0, match.start()) + 1
                end = window.find(b"\n", match.start())
                end = len(window) if end < 0 else end
                number += window.count(b"\n", counted, start)
                counted = start
                yield number, window[start:end], match.start() - start
                position = end + 1
            number += window.count(b"\n", counted)

    def _is_over(self) -> bool:
        self.timed_out = self.timed_out or self._timer() >= self._end
        return self.timed_out


def _windows(data: bytes) -> Iterator[bytes]:
    """A text in pieces that end where lines do; very long lines are cut."""
    start = 0
    while start < len(data):
        end = len(data) if len(data) - start <= _WINDOW else data.find(b"\n", start + _WINDOW)
        end = len(data) if end < 0 else end
        yield _shortened(data[start : end + 1])
        start = end + 1


def _shortened(window: bytes) -> bytes:
    if len(window) <= _MAX_LINE_BYTES:
        return window
    ends = b"\n" if window.endswith(b"\n") else b""
    return b"\n".join(row[:_MAX_LINE_BYTES] for row in window.removesuffix(b"\n").split(b"\n")) + ends


def _shown(row: bytes, at: int) -> str:
    """A line as shown, cut around the match."""
    text = row.decode("utf-8", "replace")
    column = len(row[:at].decode("utf-8", "replace"))
    first = max(column - WIDTH // 3, 0) if len(text) > WIDTH else 0
    excerpt = harmless(text[first : first + WIDTH]).replace("\n", " ")
    return f"{'…' if first else ''}{excerpt}{'…' if first + WIDTH < len(text) else ''}"
