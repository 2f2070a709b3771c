"""Locks between processes and threads, which the operating system gives back when their holder is killed."""

import os
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

from paragone.errors import Busy, Unwritable

if sys.platform == "win32":
    import msvcrt

    _BEHIND = 4096  # a locked byte cannot be read there; the holder's name stands before it

    def _try_lock(file: int) -> None:
        os.lseek(file, _BEHIND, os.SEEK_SET)
        msvcrt.locking(file, msvcrt.LK_NBLCK, 1)

    def _unlock(file: int) -> None:
        os.lseek(file, _BEHIND, os.SEEK_SET)
        msvcrt.locking(file, msvcrt.LK_UNLCK, 1)
else:
    import fcntl

    def _try_lock(file: int) -> None:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)

    def _unlock(file: int) -> None:
        fcntl.flock(file, fcntl.LOCK_UN)  # to close it alone frees nothing where a fork has it open too


@contextmanager
def file_lock(path: Path, *, patience: float = 30.0) -> Iterator[None]:
    """Hold the lock on a file, alone among all processes and threads. Its holder may take it again inside.

    Args:
        path: The lock file; it stays.
        patience: Seconds to wait for it.

    Raises:
        Busy: If somebody else held it all that time.
        Unwritable: If the file cannot be made.
    """
    turn, deadline = _turn(path), time.monotonic() + patience
    if not turn.threads.acquire(timeout=patience):
        raise Busy(_busy(path, patience))
    try:
        if not turn.depth:
            turn.file = _hold(path, patience, deadline)
        turn.depth += 1
        try:
            yield
        finally:
            turn.depth -= 1
            if not turn.depth:
                _release(turn.file)
    finally:
        turn.threads.release()


@dataclass(slots=True)
class _Turn:
    """Who in this process holds a lock: a thread, how deep, and by which open file."""

    threads: threading.RLock = field(default_factory=threading.RLock)
    depth: int = 0
    file: int = -1


_TURNS: dict[Path, _Turn] = {}
_GUARD = threading.Lock()


def _turn(path: Path) -> _Turn:
    with _GUARD:
        return _TURNS.setdefault(path, _Turn())


def _begin_anew_in_child() -> None:
    """A fork holds nothing, whatever its parent held."""
    global _GUARD  # noqa: PLW0603 - another thread may have held it at the fork, and is not here to give it back
    _GUARD = threading.Lock()
    for turn in _TURNS.values():
        if turn.depth:
            with suppress(OSError):
                os.close(turn.file)
    _TURNS.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_begin_anew_in_child)


def _hold(path: Path, patience: float, deadline: float) -> int:
    file, pause = _opened(path), 0.0005
    while True:
        try:
            _try_lock(file)
        except OSError as error:
            if time.monotonic() >= deadline:
                os.close(file)
                raise Busy(_busy(path, patience)) from error
            time.sleep(pause)
            pause = min(2 * pause, 0.02)
        else:
            _sign(file)
            return file


def _opened(path: Path) -> int:
    try:
        return os.open(path, os.O_RDWR | os.O_CREAT, 0o666)
    except FileNotFoundError:
        pass
    except OSError as error:
        raise _unwritable(path, error) from error
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        return os.open(path, os.O_RDWR | os.O_CREAT, 0o666)
    except OSError as error:
        raise _unwritable(path, error) from error


def _unwritable(path: Path, error: OSError) -> Unwritable:
    return Unwritable(f"the lock file {path} cannot be made: {error.strerror}; its folder must be writable")


def _sign(file: int) -> None:
    with suppress(OSError):  # a name for messages; a full disk is no reason not to hold a lock
        os.lseek(file, 0, os.SEEK_SET)
        os.write(file, b"%-20d\n" % os.getpid())


def _release(file: int) -> None:
    try:
        _unlock(file)
    finally:
        os.close(file)


def _busy(path: Path, patience: float) -> str:
    holder = ""
    with suppress(OSError, UnicodeDecodeError):
        holder = path.read_text(encoding="utf-8").strip()
    who = f"process {holder}" if holder.isdigit() else "somebody else"
    return f"{path.parent.parent}: {who} has held {path.stem!r} for more than {patience:g} s; wait until it is done"
