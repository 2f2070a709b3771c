"""One thread in which a store is opened, used and closed: a database's connection belongs to its thread."""

import asyncio
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

T = TypeVar("T")


class MemoryThread:
    """Runs calls one after the other, in the order in which they came, while the server goes on listening."""

    def __init__(self) -> None:
        self._pool = ThreadPoolExecutor(max_workers=1, thread_name_prefix="memory")

    def submit(self, call: Callable[[], T]) -> Future[T]:
        """Have it run when its turn comes, whether or not somebody waits for it."""
        return self._pool.submit(call)

    async def run(self, call: Callable[[], T]) -> T:
        """Run it and wait for what it returns. Who stops waiting does not stop it once it has begun."""
        return await asyncio.wrap_future(self.submit(call))

    def close(self) -> None:
        """Finish what is waiting, and end the thread."""
        self._pool.shutdown(wait=True)
