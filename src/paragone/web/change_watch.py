"""Watches the ledger for changes while somebody listens, and notifies listeners.

There is one watch in a process. The ledger's versions come from the database, so listeners hear of writes by other
processes too. A listener keeps no queue, only the newest unread version of each pool, however slow its reader is.
"""

import asyncio
from collections import defaultdict
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import contextmanager

from paragone.errors import Failure
from paragone.wire.event import Event

SOONEST = 0.25
"""Seconds between two queries while pools change."""
LATEST = 1.0
"""Seconds between two queries when nothing has changed for a while."""
AWAY = 8.0
"""Maximum seconds between two queries while the database does not answer."""
SLOWER = 1.25
"""Factor by which waits grow while nothing changes."""
HEARTBEAT = 15.0
"""Seconds of silence after which a heartbeat is sent."""


class Listener:
    """A listener to one pool or to all.

    Attributes:
        pool: The pool; all where None.
    """

    def __init__(self, pool: str | None, last: int | None) -> None:
        self.pool = pool
        self._last = last
        self._unread: dict[str | None, Event] = {}
        self._wake = asyncio.Event()
        self._ended = False

    def tell(self, event: Event) -> None:
        """Keep an event until it is read; older ones of the same pool are dropped."""
        self._unread[event.pool] = event
        self._wake.set()

    def greet(self, now: Mapping[str, int]) -> None:
        """Report the current version, and whether it changed while the connection was lost."""
        version = _total(now) if self.pool is None else now.get(self.pool, 0)
        has_moved = self._last is not None and version != self._last
        self.tell(Event(pool=self.pool, version=version, id=version, moved=has_moved))

    def end(self) -> None:
        """End the stream after the events that are kept."""
        self._ended = True
        self._wake.set()

    async def news(self, heartbeat: float = HEARTBEAT) -> AsyncIterator[Event | None]:
        """The events as they come; None after so many seconds without any."""
        while True:
            while self._unread:
                yield self._unread.pop(next(iter(self._unread)))
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
        versions: Queries the versions; called in a thread.
        failed: Called each time that the ledger cannot answer.
        soonest: Seconds between two queries while pools change.
        latest: Seconds between two queries when nothing has changed for a while.
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
        """Number of listeners."""
        return sum(map(len, self._listeners.values()))

    @contextmanager
    def listening(self, pool: str | None, last: int | None = None) -> Iterator[Listener]:
        """Listen for the duration of the block.

        The first event is the current version: at once if that is known, else as soon as the ledger has answered.

        Args:
            pool: The pool to hear of; all where None.
            last: The version that the listener received before it lost the connection; None if it is new.
        """
        listener = Listener(pool, last)
        self._listeners[pool].add(listener)
        if self._ended:
            listener.end()
        elif self._task is None:
            self._known = None  # nobody watched, so it may be stale
            self._task = asyncio.create_task(self._watch())
        elif self._known is not None:
            listener.greet(self._known)
        try:
            yield listener
        finally:
            self._leave(listener)

    def end(self) -> None:
        """End all streams, and those that begin later."""
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
        """Notify listeners of changes; whether there were any."""
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
