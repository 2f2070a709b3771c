"""Where a ledger's work is done beside the caller: threads, and how one waits for another.

Everything that runs in a thread of its own asks here, so that a simulation can put all of it under one seed.
"""

import threading
from collections.abc import Iterable
from concurrent.futures import Executor, Future, ThreadPoolExecutor, wait
from typing import Any, Protocol


class Latch(Protocol):
    """A lock that one thread waits at and another opens."""

    def acquire(self, *, timeout: float = -1) -> bool:
        """Wait until it is opened; whether that was within so many seconds."""
        ...

    def release(self) -> None:
        """Open it for one thread."""
        ...


class Threads:
    """The threads of the operating system."""

    def executor(self, most: int, name: str) -> Executor:
        """What runs work in threads.

        Args:
            most: Threads at the most.
            name: Begins the names of the threads.
        """
        return ThreadPoolExecutor(most, name)

    def wait(self, futures: Iterable[Future[Any]]) -> None:
        """Wait until all are over, whatever became of them."""
        wait(futures)

    def gate(self) -> Latch:
        """A gate that is closed."""
        gate = threading.Lock()
        gate.acquire()
        return gate
