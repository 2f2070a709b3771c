"""What cannot be written to the ledger waits in a file: a spool, which the next run takes in if this one cannot."""

import hashlib
import json
import os
import stat
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from paragone.errors import Corrupted
from paragone.ledger import Pending, TournamentRecord, unpacked

FORMAT = "paragone spool 1"

_FLAGS = os.O_CLOEXEC | os.O_NOFOLLOW if hasattr(os, "O_NOFOLLOW") else 0


def spool_folders(chosen: Path | None, ledger: Path | None) -> tuple[Path, ...]:
    """The folders to try for a spool, in order: the one that was chosen; else beside the ledger, then elsewhere.

    Args:
        chosen: The folder, if one was chosen.
        ledger: The ledger's file; None for a server.
    """
    if chosen is not None:
        return (chosen,)
    beside = () if ledger is None else (ledger.parent,)
    return (*beside, Path.home() / ".paragone", Path(tempfile.gettempdir()))


class Spool:
    """The entries that wait for one tournament, in a file in the first folder that can be written.

    Its lines are JSON objects: an entry, and the SHA-256 of its canonical JSON. The first line names the format and the
    tournament. Only its owner may read and write it; a file of another owner is not read.

    Args:
        tournament: The tournament.
        folders: Where the file may be.

    Attributes:
        paths: The files that hold entries.
        notes: For the observer, about files that could not be read completely.
    """

    def __init__(self, tournament: TournamentRecord, folders: Sequence[Path]) -> None:
        self._header = {"format": FORMAT, "tournament": tournament.id, "created": tournament.created.isoformat()}
        name = hashlib.sha256(_canonical(self._header).encode()).hexdigest()[:16]
        self._candidates = [folder / f"paragone-{name}.spool" for folder in folders]
        self.paths: list[Path] = []
        self.notes: list[str] = []

    def add(self, entry: Pending) -> bool:
        """Add an entry; it is on the disk when this returns. Whether any folder could be written."""
        for path in self._candidates:
            with suppress(OSError):
                self._append(path, entry)
                if path not in self.paths:
                    self.paths.append(path)
                return True
        return False

    def _append(self, path: Path, entry: Pending) -> None:
        path.parent.mkdir(mode=0o700, exist_ok=True)
        handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND | _FLAGS, 0o600)
        with os.fdopen(handle, "r+b") as file:
            if not _is_ours(os.fstat(handle)):
                raise PermissionError(f"{path} is somebody else's")
            size = os.fstat(handle).st_size  # a full disk may take half a line: the file is then cut back to this
            lines = [*([] if size else [self._header]), entry.packed()]
            try:
                _write_whole(handle, "".join(map(_line, lines)).encode("ascii"))
            except OSError:
                file.truncate(size)
                if not size:  # an empty file would stay behind: nobody knows that it holds nothing
                    path.unlink(missing_ok=True)
                raise

    def take(self) -> list[Pending]:
        """The entries of all folders; the files stay until ``clear``."""
        return [entry for path in self._candidates for entry in self._read(path)]

    def clear(self) -> None:
        """Remove the files: their entries are in the ledger."""
        for path in self.paths:
            with suppress(OSError):
                path.unlink(missing_ok=True)
        self.paths.clear()

    def _read(self, path: Path) -> Iterator[Pending]:
        try:
            with os.fdopen(os.open(path, os.O_RDONLY | _FLAGS), "rb") as file:
                if not _is_ours(os.fstat(file.fileno())):
                    self.notes.append(f"{path} is not taken in: it belongs to somebody else, or others may write it")
                    return
                content = file.read()
        except FileNotFoundError:
            return
        except OSError as error:
            self.notes.append(f"{path} is not taken in: it cannot be read: {error.strerror or error}")
            return
        if b"\n" not in content:  # its writer was killed within the first line: nothing in it was safe yet
            self.paths.append(path)
            return
        header, *rest = map(_checked, content.splitlines())
        if header != self._header:
            self.notes.append(f"{path} is not taken in: it does not begin as a spool of this tournament does")
            return
        self.paths.append(path)
        yield from self._entries(path, rest)

    def _entries(self, path: Path, values: Sequence[Mapping[str, Any] | None]) -> Iterator[Pending]:
        damaged = 0
        for value in values:
            try:
                yield unpacked(value or {})
            except (ValueError, TypeError, LookupError, AttributeError, Corrupted):
                damaged += 1
        if damaged:
            self.notes.append(f"{path}: {damaged} of its lines are damaged and were left out")


def _write_whole(handle: int, content: bytes) -> None:
    if os.write(handle, content) < len(content):
        raise OSError("only a part of it was written")
    os.fsync(handle)


def _line(value: Mapping[str, Any]) -> str:
    digest = hashlib.sha256(_canonical(value).encode("ascii")).hexdigest()
    return _canonical({"sha256": digest, "value": value}) + "\n"


def _checked(line: bytes) -> Mapping[str, Any] | None:
    """The value of a line; None if it is damaged."""
    try:
        read = json.loads(line)
        value, digest = read["value"], read["sha256"]
    except (ValueError, TypeError, LookupError):
        return None
    intact = isinstance(value, dict) and hashlib.sha256(_canonical(value).encode("ascii")).hexdigest() == digest
    return value if intact else None


def _canonical(value: Mapping[str, Any]) -> str:
    return json.dumps(value, sort_keys=True, separators=(",", ":"))


def _is_ours(status: os.stat_result) -> bool:
    if not stat.S_ISREG(status.st_mode):
        return False
    return not hasattr(os, "geteuid") or (status.st_uid == os.geteuid() and not status.st_mode & 0o022)
