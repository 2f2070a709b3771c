"""One watch a process: it asks the ledger what moved while somebody listens, and tells those whom it concerns.

The ledger's versions come from the database, so a listener hears of writes by other processes as of those by its own. A
listener keeps no queue: of each pool it holds the newest version that it has not told yet, however slow its reader is.
"""

import asyncio
from collections import defaultdict
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import contextmanager

from paragone.errors import Failure
from paragone.wire.event import Event

SOONEST = 0.25
"""Seconds between two questions while things move."""
LATEST = 1.0
"""Seconds between two questions when nothing has moved for a while."""
AWAY = 8.0
"""Seconds between two questions at the most while the database does not answer."""
SLOWER = 1.25
"""How much longer each wait is than the one before, while nothing moves."""
HEARTBEAT = 15.0
"""Seconds of silence after which a listener is told that the server is there."""


class Listener:
    """Somebody who listens, to one pool or to all.

    Attributes:
        pool: The pool; all where None.
    """

    def __init__(self, pool: str | None, last: int | None) -> None:
        self.pool = pool
        self._last = last
        self._untold: dict[str | None, Event] = {}
        self._wake = asyncio.Event()
        self._ended = False

    def tell(self, event: Event) -> None:
        """Hold news until they are read; older ones of the same pool are dropped."""
        self._untold[event.pool] = event
        self._wake.set()

    def greet(self, now: Mapping[str, int]) -> None:
        """Tell how things are, and whether they moved while the connection was lost."""
        version = _total(now) if self.pool is None else now.get(self.pool, 0)
        has_moved = self._last is not None and version != self._last
        self.tell(Event(pool=self.pool, version=version, id=version, moved=has_moved))

    def end(self) -> None:
        """What is held is still read; then there is no more."""
        self._ended = True
        self._wake.set()

    async def news(self, heartbeat: float = HEARTBEAT) -> AsyncIterator[Event | None]:
        """The news as they come; None after so many seconds without any."""
        while True:
            while self._untold:
                yield self._untold.pop(next(iter(self._untold)))
            if self._ended:
                return
            self._wake.clear()
            try:
                async with asyncio.timeout(heartbeat):
                    await self._wake.wait()
            except TimeoutError:
                yield None


class Watch:
    """Asks for versions while somebody listens. It belongs to one event loop.

    Args:
        versions: What asks; it runs in a thread.
        failed: Hears of each time that the ledger could not answer.
        soonest: Seconds between two questions while things move.
        latest: Seconds between two questions when nothing has moved for a while.
    """

    def __init__(
        self,
        versions: Callable[[], Mapping[str, int]],
        failed: Callable[[], None] = lambda: None,
        *,
        soonest: float = SOONEST,
        latest: float = LATEST,
    ) -> None:
        self._ask, self._failed = versions, failed
        self._soonest, self._latest = soonest, latest
        self._listeners: defaultdict[str | None, set[Listener]] = defaultdict(set)
        self._known: Mapping[str, int] | None = None
        self._task: asyncio.Task[None] | None = None
        self._ended = False

    def __len__(self) -> int:
        """How many listen."""
        return sum(map(len, self._listeners.values()))

    @contextmanager
    def listening(self, pool: str | None, last: int | None = None) -> Iterator[Listener]:
        """Somebody listens for as long as the block lasts.

        The first news is how things are: at once where that is known, else as soon as the ledger has answered.

        Args:
            pool: The pool to hear of; all where None.
            last: The version that the listener heard of before the connection was lost; None where it is new.
        """
        listener = Listener(pool, last)
        self._listeners[pool].add(listener)
        if self._ended:
            listener.end()
        elif self._task is None:
            self._known = None  # nobody watched: what was known is old
            self._task = asyncio.create_task(self._watch())
        elif self._known is not None:
            listener.greet(self._known)
        try:
            yield listener
        finally:
            self._leave(listener)

    def end(self) -> None:
        """Listeners hear no more; those who come are sent away."""
        self._ended = True
        for listeners in self._listeners.values():
            for listener in listeners:
                listener.end()
        self._stop()

    def _leave(self, listener: Listener) -> None:
        listeners = self._listeners[listener.pool]
        listeners.discard(listener)
        if not listeners:
            del self._listeners[listener.pool]
        if not self._listeners:
            self._stop()

    def _stop(self) -> None:
        if self._task is not None:
            self._task.cancel()
            self._task = None

    async def _watch(self) -> None:
        wait = self._soonest
        while True:
            try:
                now = await asyncio.to_thread(self._ask)
            except Failure:
                self._failed()
                wait = min(2 * wait, AWAY)
            else:
                wait = self._soonest if self._spread(now) else min(SLOWER * wait, self._latest)
            await asyncio.sleep(wait)

    def _spread(self, now: Mapping[str, int]) -> bool:
        """Tell what moved; whether anything did."""
        before, self._known = self._known, now
        if before is None:
            for listeners in self._listeners.values():
                for listener in listeners:
                    listener.greet(now)
            return True
        changed = {pool: version for pool, version in now.items() if before.get(pool) != version}
        total = _total(now)
        for pool, version in changed.items():
            for listener in self._listeners.get(pool, ()):
                listener.tell(Event(pool=pool, version=version, id=version))
            for listener in self._listeners.get(None, ()):
                listener.tell(Event(pool=pool, version=version, id=total))
        return bool(changed)


def _total(versions: Mapping[str, int]) -> int:
    return sum(versions.values())
