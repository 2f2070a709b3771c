"""Appending bytes to log files: whole lines, rotated by size, on the disk before anybody is told."""

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from paragone.errors import Unwritable
from paragone.memory.store.log_reading import Part, current, ends_within_a_line, parts


def sync_folder(folder: Path) -> None:
    """See to it that what was made, renamed or removed in a folder stays so."""
    with suppress(PermissionError):  # Windows opens no folders, and needs none to be synced
        opened = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(opened)
        finally:
            os.close(opened)


class Writing:
    """One append, by whoever holds the logs' lock."""

    def __init__(self, folder: Path, rotate_bytes: int) -> None:
        self._folder, self._rotate_bytes = folder, rotate_bytes
        self._open: dict[str, int] = {}
        self._is_new = False

    def write(self, log: str, lines: list[bytes]) -> None:
        """Append lines, each with its newline; as many as fit into the file, the rest into the next one."""
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
        """See to it that all of it survives a loss of power."""
        for file in self._open.values():
            os.fsync(file)
        if self._is_new:
            sync_folder(self._folder)

    def state(self, log: str) -> Part:
        """How the current file of a log is now."""
        status = os.fstat(self._file(log))
        return Part(path=current(self._folder, log), number=0, inode=status.st_ino, size=status.st_size)

    def begin_anew(self, log: str) -> None:
        """Let what is written next stand in a file of its own."""
        if os.fstat(self._file(log)).st_size:
            self._rotate(log)

    def close(self) -> None:
        """Let go of the files."""
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
    """Files to append to.

    Raises:
        Unwritable: If the disk is full, or the folder may not be written; lines before that may have been written.
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
