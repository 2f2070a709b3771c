"""Work that goes on aside, in a few threads that nobody waits for when the server ends."""

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
    """A few threads that the end of the process does not wait for, as it would for those of other executors.

    What is made here is made of what the ledger has: whoever needs it makes it again, and nothing is lost where it is
    left half done. So a server that ends lets go of those who wait, and goes, however long a fit would have taken.

    Args:
        threads: How many there are at the most; each begins when it is first needed.
        name: What they are called.
    """

    def __init__(self, threads: int, name: str) -> None:
        self._most, self._name = threads, name
        self._waiting: queue.SimpleQueue[tuple[Future[Any], Callable[[], Any]] | None] = queue.SimpleQueue()
        self._open: set[Future[Any]] = set()
        self._threads: list[threading.Thread] = []
        self._lock = threading.Lock()
        self._ended = False

    def submit(self, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> "Future[T]":
        """Have something made; after the end, what comes back has failed (``Busy``)."""
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
        """Begin nothing more.

        Args:
            wait: Whether to wait until the threads have ended.
            cancel_futures: Whether those who wait for something hear at once that it will not be made (``Busy``).
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
                with _Told(self, future):
                    self._settle(future, value=make())
            del job, future, make  # an idle thread keeps nothing alive

    def _settle(self, future: "Future[Any]", *, value: object = None, error: BaseException | None = None) -> None:
        """Once: what was refused at the end stays so."""
        with self._lock:
            is_open = future in self._open
            self._open.discard(future)
        if not is_open:
            return
        if error is None:
            future.set_result(value)
        else:
            future.set_exception(error)


class _Told:
    """What goes wrong inside is told to those who wait, and ends no thread."""

    def __init__(self, executor: BackgroundExecutor, future: "Future[Any]") -> None:
        self._aside, self._future = executor, future

    def __enter__(self) -> None:
        return None

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool:
        if error is not None:
            self._aside._settle(self._future, error=error)
        return True


def _ending() -> Busy:
    return Busy("the server is about to end: ask again in a moment")
