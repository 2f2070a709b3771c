"""How much somebody has open at once: what lasts is bounded by its number, as it cannot be by a rate."""

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

from starlette.exceptions import HTTPException


class Crowd:
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
