"""Files, and what moves."""

from collections.abc import Iterator
from typing import Literal

from paragone.client.addresses import pool_path
from paragone.client.events import Event, listen
from paragone.client.methods.asking import Asking

What = Literal["board", "items", "matches", "verdicts", "turns", "changes"]
Format = Literal["csv", "jsonl", "parquet"]


class FileMethods(Asking):
    """Exports and events."""

    def export(self, pool: str, what: What, format: Format = "csv") -> Iterator[bytes]:
        """Everything of one kind as a file, in pieces."""
        with self._at.stream(pool_path(pool, "exports", what), format=format) as answer:
            yield from answer.iter_bytes()

    def events(self, pool: str | None = None, *, last: str | None = None) -> Iterator[Event]:
        """What moves, as it moves, without end: of a pool or of all. A connection that is lost is made again.

        Args:
            pool: The pool; all where None.
            last: ``id`` of the last event that was heard before: what moved since is told at once.
        """
        return listen(self._at, pool, last)
