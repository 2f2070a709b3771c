"""How often somebody may do something: so many times a minute, at once or spread out."""

import ipaddress
import threading
import time
from collections import Counter, OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from starlette.exceptions import HTTPException

MOST = 10_000
"""Clients that are remembered; who was silent longest is forgotten first."""


class Rate:
    """A bucket for each client that holds a minute's worth and fills again evenly. Threads share one.

    Args:
        a_minute: How often, a minute and client.
        clock: Seconds that only grow.
        most: Clients that are remembered.
    """

    def __init__(self, a_minute: float, *, clock: Callable[[], float] = time.monotonic, most: int = MOST) -> None:
        self._full, self._clock, self._most = float(a_minute), clock, most
        self._left: OrderedDict[str, tuple[float, float]] = OrderedDict()
        self._lock = threading.Lock()

    def wait(self, client: str) -> float:
        """Count one time; seconds until it may be, 0.0 where it may be now."""
        with self._lock:
            now = self._clock()
            tokens, since = self._left.pop(client, (self._full, now))
            tokens = min(self._full, tokens + (now - since) * self._full / 60.0)
            allowed = tokens >= 1.0
            self._left[client] = (tokens - allowed, now)
            while len(self._left) > self._most:
                self._left.popitem(last=False)
            return 0.0 if allowed else (1.0 - tokens) * 60.0 / self._full

    def __len__(self) -> int:
        return len(self._left)


def network(address: str) -> str:
    """Whom an address stands for: of IPv6 everybody has 64 bits of addresses, which count as one."""
    try:
        parsed = ipaddress.ip_address(address)
    except ValueError:
        return address
    if parsed.version == 4:
        return address
    return str(parsed.ipv4_mapped or ipaddress.ip_network((parsed, 64), strict=False))


class ConnectionLimit:
    """Counts what each client has open. It belongs to one event loop.

    Args:
        most: How much a client may have open.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._open: Counter[str] = Counter()

    def admit(self, client: str) -> None:
        """Refuse one more where there are enough.

        Raises:
            HTTPException: 429 then.
        """
        if self._open[client] >= self._most:
            words = f"{self._most} of these are open already, which is as many as one client may have; close some"
            raise HTTPException(429, words, headers={"retry-after": "10"})

    @contextmanager
    def joined(self, client: str) -> Iterator[None]:
        """Count one for as long as the block lasts."""
        self._open[client] += 1
        try:
            yield
        finally:
            self._open[client] -= 1
            if not self._open[client]:
                del self._open[client]
