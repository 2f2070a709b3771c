"""Turns of the threads of one process that write to one file.

SQLite lets one transaction write at a time, and who waits for it sleeps and looks again, longer each time: among the
threads of one process most of the time is slept away, and one may find the file taken again and again. So they queue
here, first come, first served, and the one whose turn it is waits for other processes only.
"""

import os
import threading
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from weakref import WeakValueDictionary


class Turns:
    """A queue of threads."""

    def __init__(self) -> None:
        self._guard = threading.Lock()
        self._taken = False
        self._gates: deque[threading.Lock] = deque()

    @contextmanager
    def turn(self, patience: float) -> Iterator[bool]:
        """Whether one's turn came within so many seconds; it is held until the block ends."""
        mine = self._come(patience)
        try:
            yield mine
        finally:
            if mine:
                self._go()

    def _come(self, patience: float) -> bool:
        with self._guard:
            if not self._taken:
                self._taken = True
                return True
            gate = threading.Lock()
            gate.acquire()
            self._gates.append(gate)
        try:
            return gate.acquire(timeout=min(max(patience, 0.0), threading.TIMEOUT_MAX)) or self._leave(gate)
        except BaseException:  # an interrupt; those behind must not wait for who has gone
            if self._leave(gate):
                self._go()
            raise

    def _leave(self, gate: threading.Lock) -> bool:
        """Leave the queue; whether one's turn has come at the last moment."""
        with self._guard:
            if gate not in self._gates:
                return True
            self._gates.remove(gate)
            return False

    def _go(self) -> None:
        """Let the next one in."""
        with self._guard:
            if self._gates:
                self._gates.popleft().release()
            else:
                self._taken = False


_BY_FILE: WeakValueDictionary[tuple[int, Path], Turns] = WeakValueDictionary()
_GUARD = threading.Lock()


def turns_of(file: Path) -> Turns:
    """The turns of those of this process who write to a file; a process that was forked off has turns of its own."""
    with _GUARD:
        return _BY_FILE.setdefault((os.getpid(), file.resolve()), Turns())
