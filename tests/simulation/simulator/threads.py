"""Threads that are greenlets: they take turns where they wait for the disk or for one another, as the seed says.

A thread goes on until it pauses; the event loop of the process resumes it when its pause is over. So work in a thread
and work in the event loop interleave at every statement that is sent to the database, without a real thread.
"""

import asyncio
from collections import deque
from collections.abc import Callable, Iterable
from concurrent.futures import Executor, Future
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from greenlet import GreenletExit, getcurrent, greenlet

from paragone.ledger.databases.threads import Threads

if TYPE_CHECKING:
    from simulator.part import Part


_FIRST_LOOK, _LAST_LOOK = 0.0003, 0.02
"""Seconds between two looks of a thread at what it waits for."""


class SimulatedThreads(Threads):
    """See the module.

    Args:
        process: The process that they belong to.
    """

    def __init__(self, process: "Part") -> None:
        self._process = process
        self.alive: list[Thread] = []
        self.default = self.executor(32, "asyncio")

    def executor(self, most: int, name: str) -> "SimulatedExecutor":
        return SimulatedExecutor(self._process, self, most, name)

    def wait(self, futures: Iterable[Future[Any]]) -> None:
        waiting = list(futures)
        self.until(lambda: all(future.done() for future in waiting))

    def gate(self) -> "SimulatedGate":
        return SimulatedGate(self)

    def until(self, is_over: Callable[[], bool], seconds: float = 3600.0) -> bool:
        """Have others go on until something holds; whether it did within so many seconds."""
        deadline, pause = self._process.now + seconds, _FIRST_LOOK
        while not is_over():
            if self._process.is_dead:
                raise GreenletExit
            if self._process.now >= deadline:
                return False
            if self.current is not None:
                self.current.pause(pause)
                pause = min(1.5 * pause, _LAST_LOOK)
            else:
                self._step_all()
        return True

    @property
    def current(self) -> "Thread | None":
        """The thread that runs now; None for the event loop's."""
        thread = getattr(getcurrent(), "thread", None)
        return thread if thread in self.alive else None

    def _step_all(self) -> None:
        """The loop's own thread waits: the others go on, and time passes."""
        if not self._process.machine.let_threads_go_on(0.001):
            raise RuntimeError("a thread waits for what nobody will do")

    def drop(self) -> None:
        """End all of them where they are."""
        for thread in [*self.alive]:
            thread.drop()


class Thread:
    """A thread."""

    def __init__(self, process: "Part", threads: SimulatedThreads, work: Callable[[], None]) -> None:
        self._process, self._threads = process, threads
        self.greenlet = greenlet(work)
        self.greenlet.thread = self
        self._turn = 0
        threads.alive.append(self)
        self._resume_after(process.pause_of("start"))

    def _resume_after(self, seconds: float) -> None:
        self._turn += 1
        turn = self._turn
        self._process.loop.call_later(seconds, lambda: self.step() if turn == self._turn else None)

    def step(self) -> None:
        """Go on until the next pause, or the end."""
        if self.greenlet.dead:
            return
        self._turn += 1
        loop = asyncio._get_running_loop()
        self.greenlet.parent = getcurrent()
        asyncio._set_running_loop(None)
        try:
            seconds = self.greenlet.switch()
        finally:
            asyncio._set_running_loop(loop)
        if self.greenlet.dead:
            self._threads.alive.remove(self)
        else:
            self._resume_after(seconds)

    def pause(self, seconds: float) -> None:
        """Let others go on for so long; in the thread itself."""
        self.greenlet.parent.switch(seconds)

    def drop(self) -> None:
        """End where it is."""
        self.greenlet.parent = getcurrent()
        with suppress(BaseException):  # whatever it does about it: the process is dead
            self.greenlet.throw(GreenletExit)
        if self in self._threads.alive:
            self._threads.alive.remove(self)


class SimulatedExecutor(Executor):
    """Runs work in simulated threads, at most so many at once."""

    def __init__(self, process: "Part", threads: SimulatedThreads, most: int, name: str) -> None:
        self._process, self._threads, self._most, self._name = process, threads, most, name
        self._queue: deque[tuple[Future[Any], Callable[[], Any]]] = deque()
        self._running = 0

    def submit(self, work: Callable[..., Any], /, *args: Any, **options: Any) -> Future[Any]:
        future: Future[Any] = Future()
        self._queue.append((future, lambda: work(*args, **options)))
        self._begin()
        return future

    def _begin(self) -> None:
        if self._running < self._most and self._queue and not self._process.is_dead:
            self._running += 1
            Thread(self._process, self._threads, self._serve)

    def _serve(self) -> None:
        """Do what is queued, as a thread of a pool does."""
        try:
            while self._queue:
                future, work = self._queue.popleft()
                if future.set_running_or_notify_cancel():
                    self._do(future, work)
        finally:
            self._running -= 1

    def _do(self, future: Future[Any], work: Callable[[], Any]) -> None:
        self._process.trace(f"thread {self._name} begins")
        try:
            result = work()
        except GreenletExit:
            raise
        except BaseException as error:  # noqa: BLE001 - as a pool of threads does
            self._process.trace(f"thread {self._name} ends: {type(error).__name__}")
            self._process.pause("end")
            future.set_exception(error)
        else:
            self._process.trace(f"thread {self._name} ends")
            self._process.pause("end")
            future.set_result(result)

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Wait for what was submitted."""
        self._threads.until(lambda: not self._running and not self._queue)


class SimulatedGate:
    """A closed lock."""

    def __init__(self, threads: SimulatedThreads) -> None:
        self._threads, self._is_open = threads, False

    def acquire(self, *, timeout: float = -1) -> bool:
        came = self._threads.until(lambda: self._is_open, 3600.0 if timeout < 0 else timeout)
        self._is_open = False if came else self._is_open
        return came

    def release(self) -> None:
        self._is_open = True


class SimulatedTurns:
    """The queue of threads that want to write to one file, first come, first served."""

    def __init__(self, threads: SimulatedThreads) -> None:
        self._threads = threads
        self._queue: deque[object] = deque()

    def turn(self, patience: float) -> "_Turn":
        return _Turn(self._threads, self._queue, patience)


class _Turn:
    def __init__(self, threads: SimulatedThreads, queue: deque[object], patience: float) -> None:
        self._threads, self._queue, self._patience = threads, queue, patience
        self._mine = object()

    def __enter__(self) -> bool:
        self._queue.append(self._mine)
        came = self._threads.until(lambda: self._queue[0] is self._mine, self._patience)
        if not came:
            self._queue.remove(self._mine)
        return came

    def __exit__(self, *_: object) -> None:
        if self._mine in self._queue:
            self._queue.remove(self._mine)
