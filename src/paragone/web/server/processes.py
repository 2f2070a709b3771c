"""Several processes serving one address: they share its socket and secret, and meet in the ledger."""

import gc
import os
import signal
import socket
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from multiprocessing import Pipe, context
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess, parent_process
from tempfile import TemporaryDirectory

from prometheus_client import values

from paragone.errors import Unwritable
from paragone.web.config import WebConfig
from paragone.web.instrumentation import SHARED
from paragone.web.server.running import GRACE, SPARE, leave, run

YOUNG = 10.0
"""Seconds: a process that ends on its own before that counts as failed at start."""
LOOK = 0.5
"""Seconds between checks for signals, where a signal does not end the wait."""
SIGNALS = signal.SIGINT, signal.SIGTERM
"""The signals that end all processes."""
CAN_FORK = sys.platform == "linux"
"""Other systems have libraries that do not survive a fork."""


def supervise(config: WebConfig, listening: socket.socket, announce: Callable[[str], None]) -> None:
    """Keep the configured number of processes serving until a signal; one that dies is replaced.

    Raises:
        KeyboardInterrupt: On SIGINT, when all have ended.
        Unwritable: If processes end as soon as they begin.
    """
    # Nothing here has a connection to a database, which would not survive a fork.
    with TemporaryDirectory(prefix="paragone-") as counts, _environment(SHARED, counts), _signals() as (signals, came):
        values.ValueClass = values.get_value_class()  # type: ignore[no-untyped-call] # that of shared counts, chosen before the folder was named
        gc.freeze()  # or each fork would copy what its collector looks through
        crew = _Crew(config, listening, announce)
        try:
            while not signals:
                wait([came, *crew.sentinels], timeout=LOOK)
                if not signals:  # else all are ending
                    crew.replace_dead()
        finally:
            crew.end()
    if signal.SIGINT in signals:
        raise KeyboardInterrupt


class _Crew:
    """The processes."""

    def __init__(self, config: WebConfig, listening: socket.socket, announce: Callable[[str], None]) -> None:
        self._config, self._listening, self._announce = config, listening, announce
        self._began: dict[BaseProcess, float] = {}
        self._died_young = 0
        # A fork has everything loaded, which takes a new interpreter a second; but it has no threads except its own.
        alone = CAN_FORK and threading.active_count() == 1
        self._kind: type[BaseProcess] = context.ForkProcess if alone else context.SpawnProcess
        for _ in range(config.workers):
            self._begin()

    @property
    def sentinels(self) -> list[int]:
        """What is ready to read as soon as a process has died."""
        return [process.sentinel for process in self._began]

    def replace_dead(self) -> None:
        """Begin a process for each that has died."""
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
        process = self._kind(target=_work, args=(self._config, self._listening))
        with _signals_later():
            process.start()
        self._began[process] = time.monotonic()


def _work(config: WebConfig, listening: socket.socket) -> None:
    """One process; it ends when its parent is gone."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches all processes of a terminal; the parent tells us
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    if CAN_FORK:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, SIGNALS)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    run(config, listening)
    leave(0)


def _end_with_parent() -> None:
    parent = parent_process()
    if parent is not None:
        parent.join()
        os.kill(os.getpid(), signal.SIGTERM)


def _forget(process: BaseProcess) -> None:
    """Keep the counts of a dead process, but not its open event streams."""
    from prometheus_client.multiprocess import mark_process_dead

    if process.pid is not None:
        mark_process_dead(process.pid)  # type: ignore[no-untyped-call]


@contextmanager
def _signals_later() -> Iterator[None]:
    """Keep signals back during the block: a fork that got one before it is a process of its own would not end."""
    if CAN_FORK:
        signal.pthread_sigmask(signal.SIG_BLOCK, SIGNALS)
    try:
        yield
    finally:
        if CAN_FORK:
            signal.pthread_sigmask(signal.SIG_UNBLOCK, SIGNALS)


@contextmanager
def _environment(name: str, value: str) -> Iterator[None]:
    os.environ[name] = value
    try:
        yield
    finally:
        del os.environ[name]


@contextmanager
def _signals() -> Iterator[tuple[list[int], Connection]]:
    """Collect signals during the block; what is ready to read as soon as there are some comes with them."""
    received: list[int] = []
    reading, writing = Pipe(duplex=False)

    def receive(number: int, _: object) -> None:
        received.append(number)
        writing.send_bytes(b".")

    before = {each: signal.signal(each, receive) for each in SIGNALS}
    try:
        yield received, reading
    finally:
        for each, was in before.items():
            signal.signal(each, was)
        reading.close()
        writing.close()
