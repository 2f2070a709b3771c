"""Several processes serving one address: they share its socket and secret, and meet in the ledger."""

import multiprocessing
import os
import signal
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from multiprocessing.connection import wait
from multiprocessing.context import SpawnProcess
from tempfile import TemporaryDirectory

from paragone.errors import Unwritable
from paragone.web.config import WebConfig
from paragone.web.instrumentation import SHARED
from paragone.web.server.running import GRACE, SPARE, leave, run

YOUNG = 10.0
"""Seconds: a process that ends on its own before that counts as failed at start."""
LOOK = 0.5
"""Seconds between checks for signals."""


def supervise(config: WebConfig, listening: socket.socket, announce: Callable[[str], None]) -> None:
    """Keep the configured number of processes serving until a signal; one that dies is replaced.

    Raises:
        KeyboardInterrupt: On SIGINT, when all have ended.
        Unwritable: If processes end as soon as they begin.
    """
    with TemporaryDirectory(prefix="paragone-") as counts, _environment(SHARED, counts), _signals() as signals:
        crew = _Crew(config, listening, announce)
        try:
            while not signals:
                crew.look(LOOK)
        finally:
            crew.end()
    if signal.SIGINT in signals:
        raise KeyboardInterrupt


class _Crew:
    """The processes."""

    def __init__(self, config: WebConfig, listening: socket.socket, announce: Callable[[str], None]) -> None:
        self._config, self._listening, self._announce = config, listening, announce
        self._began: dict[SpawnProcess, float] = {}
        self._died_young = 0
        for _ in range(config.workers):
            self._begin()

    def look(self, seconds: float) -> None:
        """Wait up to so many seconds for processes that die, and replace them."""
        wait([process.sentinel for process in self._began], timeout=seconds)
        for process in [child for child in self._began if not child.is_alive()]:
            age = time.monotonic() - self._began.pop(process)
            _forget(process)
            words = f"process {process.pid} ended on its own with code {process.exitcode}"
            self._died_young = self._died_young + 1 if age < YOUNG else 0
            if self._died_young > self._config.workers:
                raise Unwritable(f"{words} after {age:.1f} s, as did those before it; nothing is served")
            self._announce(f"{words}; another takes its place")
            self._begin()

    def end(self) -> None:
        """Terminate all, and wait until they have ended."""
        for process in self._began:
            process.terminate()
        until = time.monotonic() + GRACE + SPARE + 1
        for process in self._began:
            process.join(max(0.0, until - time.monotonic()))
            if process.is_alive():
                process.kill()
                process.join()

    def _begin(self) -> None:
        # A new interpreter each: threads and database connections do not survive a fork.
        process = multiprocessing.get_context("spawn").Process(target=_work, args=(self._config, self._listening))
        process.start()
        self._began[process] = time.monotonic()


def _work(config: WebConfig, listening: socket.socket) -> None:
    """One process; it ends when its parent is gone."""
    threading.Thread(target=_end_with_parent, daemon=True).start()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches all processes of a terminal; the parent tells us
    run(config, listening)
    leave(0)


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os.kill(os.getpid(), signal.SIGTERM)


def _forget(process: SpawnProcess) -> None:
    """Keep the counts of a dead process, but not its open event streams."""
    from prometheus_client.multiprocess import mark_process_dead

    if process.pid is not None:
        mark_process_dead(process.pid)  # type: ignore[no-untyped-call]


@contextmanager
def _environment(name: str, value: str) -> Iterator[None]:
    os.environ[name] = value
    try:
        yield
    finally:
        del os.environ[name]


@contextmanager
def _signals() -> Iterator[list[int]]:
    """Collect signals during the block."""
    received: list[int] = []
    numbers = (signal.SIGINT, signal.SIGTERM)
    before = {
        signal_number: signal.signal(signal_number, lambda number, _: received.append(number))
        for signal_number in numbers
    }
    try:
        yield received
    finally:
        for signal_number, was in before.items():
            signal.signal(signal_number, was)
