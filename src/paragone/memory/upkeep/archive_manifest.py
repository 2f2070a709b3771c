"""The archive's manifest: what went in, and what came out again. One line each, only ever appended to."""

import sys
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from paragone.errors import InvalidRecord
from paragone.memory.store.instant import Instant
from paragone.memory.store.lines import Line
from paragone.memory.store.log_writing import writing
from paragone.memory.store.wire import from_json, written

_NAME = "manifest"


@dataclass(frozen=True, kw_only=True, slots=True)
class ArchiveLine(Line):
    """A line of the archive's manifest: a file that went in, or that came out.

    Attributes:
        event: Which of both.
        entry: Of one that came out, the id of the line by which it went in; of one that made way for another, that
            other's; else empty.
        path: Where it was, below the root.
        sha256: Of its bytes.
        size: In bytes.
        mode: Its permission bits.
        mtime_ns: When it was last written, in nanoseconds since 1970.
        reason: Why it went in.
        elo: Its rating then, as the last move left it.
        decayed: The same, faded since its last use.
        need: Its need then.
        updates: How often its rating had moved.
        uses: How often it had been used.
        last_use: When, at the last time; null where never.
        r: Its R; null where unknown.
    """

    event: Literal["archived", "restored"]
    path: str
    sha256: str
    entry: str = ""
    size: int = 0
    mode: int = 0o644
    mtime_ns: int = 0
    reason: str = ""
    elo: float | None = None
    decayed: float | None = None
    need: float | None = None
    updates: int = 0
    uses: int = 0
    last_use: Instant | None = None
    r: float | None = None


class ArchiveManifest:
    """The manifest of an archive's folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._read = 0
        self._there: dict[str, ArchiveLine] = {}

    def entries(self) -> list[ArchiveLine]:
        """What is in the archive, in the order in which it went in."""
        for line in self._new_lines():
            if line.event == "archived":
                self._there[line.id] = line
            else:
                self._there.pop(line.entry, None)
        return list(self._there.values())

    def append(self, line: ArchiveLine) -> ArchiveLine:
        """Write a line; it is on the disk when this returns.

        Raises:
            Unwritable: If the disk is full, or the folder may not be written.
        """
        made, data = written(line)
        with writing(self._folder, sys.maxsize) as manifest:
            manifest.write(_NAME, [data])
            manifest.sync()
        return made

    def _new_lines(self) -> Iterator[ArchiveLine]:
        """Lines since the last look. One that a kill cut in half says nothing; whoever writes next closes it."""
        try:
            with (self._folder / f"{_NAME}.jsonl").open("rb") as file:
                file.seek(self._read)
                data = file.read()
        except FileNotFoundError:
            return
        whole = data[: data.rfind(b"\n") + 1]
        self._read += len(whole)
        for raw in whole.splitlines():
            with suppress(InvalidRecord):
                yield from_json(ArchiveLine, raw)
