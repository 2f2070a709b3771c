"""Rate limits (a token bucket per client) and limits on open connections."""

import ipaddress
import threading
import time
from collections import Counter, OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from starlette.exceptions import HTTPException

MOST = 10_000
"""Maximum number of clients tracked; the least recently active is dropped first."""


class Rate:
    """A token bucket per client that holds a minute's worth and refills evenly. Thread-safe.

    Args:
        a_minute: Requests per client and minute.
        clock: A monotonic clock, in seconds.
        most: Maximum number of clients tracked.
    """

    def __init__(self, a_minute: float, *, clock: Callable[[], float] = time.monotonic, most: int = MOST) -> None:
        self._full, self._clock, self._most = float(a_minute), clock, most
        self._left: OrderedDict[str, tuple[float, float]] = OrderedDict()
        self._lock = threading.Lock()

    def wait(self, client: str) -> float:
        """Take a token; the seconds to wait for one, 0.0 if there was one."""
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
    """The client that an address belongs to: an IPv6 client has a whole /64 network, which counts as one."""
    try:
        parsed = ipaddress.ip_address(address)
    except ValueError:
        return address
    if parsed.version == 4:
        return address
    return str(parsed.ipv4_mapped or ipaddress.ip_network((parsed, 64), strict=False))


class ConnectionLimit:
    """Limits the open streams of each client. For use in one event loop.

    Args:
        most: Maximum number of open streams per client.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._open: Counter[str] = Counter()

    def admit(self, client: str) -> None:
        """Check that the client may open another stream.

        Raises:
            HTTPException: 429 if it may not.
        """
        if self._open[client] >= self._most:
            words = f"{self._most} streams are open already, the limit for one client; close some first"
            raise HTTPException(429, words, headers={"retry-after": "10"})

    @contextmanager
    def joined(self, client: str) -> Iterator[None]:
        """Count a stream as open for the duration of the block."""
        self._open[client] += 1
        try:
            yield
        finally:
            self._open[client] -= 1
            if not self._open[client]:
                del self._open[client]
