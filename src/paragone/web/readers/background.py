"""An executor whose threads do not delay the shutdown of the server."""

import queue
import threading
from collections.abc import Callable
from concurrent.futures import Executor, Future
from types import TracebackType
from typing import Any, ParamSpec, TypeVar

from paragone.errors import Busy

T = TypeVar("T")
P = ParamSpec("P")


class BackgroundExecutor(Executor):
    """A thread pool that the end of the process does not wait for.

    Its jobs only compute from the ledger, so an abandoned one loses nothing. A server that shuts down fails the
    waiting futures and exits, however long a fit would still take.

    Args:
        threads: Maximum number of threads; each starts when first needed.
        name: Name of the threads.
    """

    def __init__(self, threads: int, name: str) -> None:
        self._most, self._name = threads, name
        self._waiting: queue.SimpleQueue[tuple[Future[Any], Callable[[], Any]] | None] = queue.SimpleQueue()
        self._open: set[Future[Any]] = set()
        self._threads: list[threading.Thread] = []
        self._lock = threading.Lock()
        self._ended = False

    def submit(self, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> "Future[T]":
        """Run a call in the background; after shutdown its future fails with ``Busy``."""
        future: Future[T] = Future()
        with self._lock:
            if self._ended:
                future.set_exception(_ending())
                return future
            self._open.add(future)
            if len(self._open) > len(self._threads) < self._most:
                self._threads.append(threading.Thread(target=self._work, name=self._name, daemon=True))
                self._threads[-1].start()
            self._waiting.put((future, lambda: fn(*args, **kwargs)))
        return future

    def shutdown(self, wait: bool = False, *, cancel_futures: bool = True) -> None:
        """Start no more jobs.

        Args:
            wait: Whether to wait for the threads to end.
            cancel_futures: Whether unfinished futures fail at once with ``Busy``.
        """
        with self._lock:
            self._ended = True
            unfinished = list(self._open) if cancel_futures else []
        for future in unfinished:
            self._settle(future, error=_ending())
        for _ in self._threads:
            self._waiting.put(None)
        for thread in self._threads if wait else ():
            thread.join()

    def _work(self) -> None:
        while (job := self._waiting.get()) is not None:
            future, make = job
            if not future.done():
                with _FailureGuard(self, future):
                    self._settle(future, value=make())
            del job, future, make  # an idle thread keeps nothing alive

    def _settle(self, future: "Future[Any]", *, value: object = None, error: BaseException | None = None) -> None:
        """Settle a future once; one that failed at shutdown stays failed."""
        with self._lock:
            is_open = future in self._open
            self._open.discard(future)
        if not is_open:
            return
        if error is None:
            future.set_result(value)
        else:
            future.set_exception(error)


class _FailureGuard:
    """Passes an error of the job to its future, so that it does not end the thread."""

    def __init__(self, executor: BackgroundExecutor, future: "Future[Any]") -> None:
        self._executor, self._future = executor, future

    def __enter__(self) -> None:
        return None

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool:
        if error is not None:
            self._executor._settle(self._future, error=error)
        return True


def _ending() -> Busy:
    return Busy("the server is about to end: ask again in a moment")
