"""Who runs a tournament now: a lock that the operating system gives back when its holder is killed."""

import os
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TextIO

from paragone.errors import Busy, Unwritable

if sys.platform == "win32":
    import msvcrt

    def _try_lock(file: TextIO) -> None:
        file.seek(0)
        msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
else:
    import fcntl

    def _try_lock(file: TextIO) -> None:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)


@contextmanager
def file_claim(path: Path, tournament: str) -> Iterator[None]:
    """Hold the lock on a file of its own, which is removed at the end.

    Args:
        path: The lock file; it is left behind, unlocked, by a holder that is killed.
        tournament: What is claimed, for messages.

    Raises:
        Busy: If another process or thread holds it.
        Unwritable: If the file cannot be made.
    """
    file = _hold(path, tournament)
    try:
        yield
    finally:
        with suppress(OSError):  # a system that does not remove open files leaves an unlocked one behind: no harm
            path.unlink(missing_ok=True)
        file.close()


def is_file_claimed(path: Path) -> bool:
    """Whether a process that lives has signed the lock file. The lock is left alone: to try it would be to hold it."""
    try:
        holder = path.read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError):
        return False
    return holder.isdigit() and _lives(int(holder))


def _lives(process: int) -> bool:
    if sys.platform == "win32":
        return True  # the file of a holder that was killed is removed by the next one
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except (PermissionError, OverflowError):
        return True
    return True


def _hold(path: Path, tournament: str) -> TextIO:
    while True:
        try:
            file = path.open("a+", encoding="utf-8")
        except OSError as error:
            raise Unwritable(
                f"the lock file {path} cannot be made: {error.strerror}; its folder must be writable"
            ) from error
        try:
            _try_lock(file)
        except OSError as error:
            file.close()
            raise Busy(_busy(tournament, path)) from error
        if _is_at(file, path):
            _sign(file)
            return file
        file.close()  # the holder before removed the file between our opening and our locking it


def _is_at(file: TextIO, path: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(file.fileno()), path.stat())
    except FileNotFoundError:
        return False


def _sign(file: TextIO) -> None:
    file.truncate(0)
    file.write(f"{os.getpid()}\n")
    file.flush()


def _busy(tournament: str, path: Path) -> str:
    holder = ""
    with suppress(OSError, UnicodeDecodeError):
        holder = path.read_text(encoding="utf-8").strip()
    who = f"process {holder}" if holder.isdigit() else "somebody else"
    return f"tournament {tournament!r} is being run by {who} now; wait until it ends, or stop it first"


class LocalClaims:
    """Claims within one process, for databases that live in its memory."""

    def __init__(self) -> None:
        self._held: set[str] = set()
        self._guard = threading.Lock()

    def is_held(self, tournament: str) -> bool:
        """Whether somebody holds a tournament."""
        with self._guard:
            return tournament in self._held

    @contextmanager
    def claim(self, tournament: str) -> Iterator[None]:
        """Hold a tournament.

        Raises:
            Busy: If it is held.
        """
        with self._guard:
            if tournament in self._held:
                raise Busy(f"tournament {tournament!r} is being run by another thread now; wait until it ends")
            self._held.add(tournament)
        try:
            yield
        finally:
            with self._guard:
                self._held.discard(tournament)
