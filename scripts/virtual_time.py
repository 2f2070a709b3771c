"""An event loop whose clock jumps to the next timer when nothing else is left to do: an hour of waiting takes no time.

While a thread works for the loop, time stands still, so that what threads do takes no time either.
"""

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

T = TypeVar("T")


class VirtualLoop(asyncio.SelectorEventLoop):
    """See the module."""

    def __init__(self) -> None:
        super().__init__()
        self._now = 0.0
        self._working = 0

    def time(self) -> float:
        return self._now

    def run_in_executor(self, executor: Any, work: Callable[..., T], *arguments: Any) -> "asyncio.Future[T]":
        self._working += 1
        future = super().run_in_executor(executor, work, *arguments)
        future.add_done_callback(self._worked)
        return future

    def _worked(self, _: object) -> None:
        self._working -= 1

    def _run_once(self) -> None:
        if not self._ready and not self._working:
            # Timers that were cancelled stay in the heap: a jump to one would leave the rest of the way to be waited.
            self._now = max(
                self._now, min((timer._when for timer in self._scheduled if not timer._cancelled), default=0.0)
            )
        super()._run_once()  # type: ignore[misc]


def run(work: Callable[[], Coroutine[Any, Any, T]]) -> tuple[T, float]:
    """Run a coroutine; its result, and the seconds that it took by the loop's clock."""
    loop = VirtualLoop()
    try:
        asyncio.set_event_loop(loop)
        result = loop.run_until_complete(work())
        return result, loop.time()
    finally:
        loop.run_until_complete(loop.shutdown_asyncgens())
        asyncio.set_event_loop(None)
        loop.close()
