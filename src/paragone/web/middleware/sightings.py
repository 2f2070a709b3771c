"""When people were last seen: kept in memory, and in a file beside that of the tokens for other processes."""

import json
import secrets
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path

from paragone.web.middleware.roles import LOCAL, Caller

EVERY = 60.0
"""Seconds after which what was seen is written, so that a request seldom waits for the disk."""


class Sightings:
    """When each name was last seen, to the minute. Nothing depends on it but what a page shows. Thread-safe.

    Args:
        tokens: The file of tokens, beside which it is kept; None to keep it in memory alone.
        clock: Seconds since 1970.
    """

    def __init__(self, tokens: Path | None, *, clock: Callable[[], float] = time.time) -> None:
        self._path = None if tokens is None else tokens.with_suffix(".seen")
        self._clock = clock
        self._lock = threading.Lock()
        self._seen: dict[str, int] = {}
        self._written = clock()

    def note(self, who: Caller) -> None:
        """Somebody is there now."""
        if self._path is None or who.name == LOCAL.name:
            return
        now = self._clock()
        self._seen[who.name] = int(now)
        if now - self._written > EVERY:
            self.write()

    def last(self) -> Mapping[str, int]:
        """When each name was last seen by any process, in seconds since 1970."""
        latest = self._stored()
        for name, at in tuple(self._seen.items()):
            latest[name] = max(at, latest.get(name, 0))
        return latest

    def write(self) -> None:
        """Write what was seen since. If that fails, it is written later; if two write at once, one minute is lost."""
        with self._lock:
            self._written = self._clock()
            if self._path is None or not self._seen:
                return
            beside = self._path.with_name(f".{self._path.name}.{secrets.token_hex(4)}")
            with suppress(OSError):
                beside.write_text(json.dumps(self.last()), "utf-8")
                beside.replace(self._path)

    def _stored(self) -> dict[str, int]:
        try:
            stored = {} if self._path is None else json.loads(self._path.read_text("utf-8"))
            return {str(name): int(at) for name, at in stored.items()}
        except (OSError, ValueError, TypeError, AttributeError):
            return {}
