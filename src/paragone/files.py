"""Files that several processes read and write: put there whole, and one writer at a time."""

import errno
import os
import sys
import uuid
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from pathlib import Path


def swap_in(content: str | bytes, path: Path, *, durable: bool = False) -> None:
    """Put a whole file in the place of what is there: whoever reads sees the one or the other.

    Args:
        content: What it holds; a text as UTF-8.
        path: The file.
        durable: Whether its content is on the disk before it takes its place, and so survives a loss of power.

    Raises:
        OSError: If it cannot be written; what was there stays.
    """
    if path.is_dir():  # the folder that one stands in has no name beside which anything could be written
        raise IsADirectoryError(errno.EISDIR, "it is a folder", str(path))
    written = content.encode("utf-8") if isinstance(content, str) else content
    beside = _beside(path)
    try:
        with beside.open("wb") as file:
            file.write(written)
            if durable:
                file.flush()
                os.fsync(file.fileno())
        beside.replace(path)
    except OSError:
        beside.unlink(missing_ok=True)
        raise


def _beside(path: Path) -> Path:
    """A name that nobody else has, in the same folder."""
    return path.with_name(f"{path.name}.{uuid.uuid4().hex[:12]}.tmp")


def put_new(content: bytes, path: Path) -> None:
    """Put a whole file, on the disk, where there is none: of several who do so at once one succeeds.

    Args:
        content: What it holds.
        path: The file; the process's owner may write it, and others may read it, as far as the process allows that.

    Raises:
        FileExistsError: If something is there.
        OSError: If it cannot be written, or the file system has no second names for a file.
    """
    beside = _beside(path)
    try:
        with open(beside, "xb", opener=lambda name, flags: os.open(name, flags, 0o644)) as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.link(beside, path)
    finally:
        beside.unlink(missing_ok=True)


if sys.platform == "win32":

    def in_turn(folder: Path) -> AbstractContextManager[None]:  # noqa: ARG001 - folders cannot be locked there
        """Nothing: see elsewhere."""
        return nullcontext()
else:
    import fcntl

    @contextmanager
    def in_turn(folder: Path) -> Iterator[None]:
        """One process at a time: otherwise a process could overwrite a newer state with the older one it read.

        Raises:
            OSError: If the folder cannot be opened.
        """
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            with suppress(OSError):  # file systems that lock nothing: then as on Windows
                fcntl.flock(descriptor, fcntl.LOCK_EX)
            yield
        finally:
            with suppress(OSError):
                fcntl.flock(descriptor, fcntl.LOCK_UN)  # to close it alone frees nothing where a fork has it open too
            os.close(descriptor)
