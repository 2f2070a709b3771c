"""When something that takes its time is due again."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager


class Seldom:
    """Says when something that takes its time is due again, so that it takes a small share of all time.

    Args:
        share: The share of the time that it may take.
        clock: Seconds that never go back.
    """

    def __init__(self, share: float = 0.05, clock: Callable[[], float] = time.monotonic) -> None:
        self._share = share
        self._clock = clock
        self._took = 0.2  # a guess, until the first time
        self._last = clock()

    @property
    def due(self) -> bool:
        """Whether enough time has gone by since the last time."""
        return self._clock() - self._last >= self._took / self._share

    @contextmanager
    def timed(self) -> Iterator[None]:
        """Notes what it takes."""
        start = self._clock()
        yield
        self._last = self._clock()
        self._took = self._last - start
