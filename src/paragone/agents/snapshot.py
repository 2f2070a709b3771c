"""A JSON file beside the database that serves the leaderboard and recent debates without touching the database.

A system that records brings the file up to date: at most once a second, before it reads the file itself, and when it
closes. A file that is truncated, or belongs to another pool or program, is ignored.
"""

import hashlib
import json
import math
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote

from paragone.errors import Failure, Unwritable
from paragone.files import in_turn, swap_in

FORMAT: Final = "paragone agents snapshot 1"
PERIOD = 1.0
"""Seconds between two writes, unless the file is read."""

_LONGEST_STEM = 120

Rows = list[dict[str, Any]]


def path_beside(database: Path, pool: str) -> Path:
    """The file of a pool's snapshot, in the folder of its database."""
    stem = quote(pool, safe=" ")
    if len(stem) > _LONGEST_STEM:
        stem = hashlib.sha256(pool.encode()).hexdigest()[:32]
    resolved = database.resolve()  # so that links to a database share one snapshot
    return resolved.with_name(f"{resolved.name}.{stem}.snapshot.json")


class Snapshot:
    """The snapshot of one pool, kept by one system.

    Args:
        path: The file; None for none.
        pool: The pool's id.
        created: When the pool was created: a file left behind by an earlier pool of that name is not read.
        gather: Returns what to write: the rows of each part, and whether these are all.
        clock: Monotonic seconds.
        now: The time that the file shows.
    """

    def __init__(
        self,
        path: Path | None,
        *,
        pool: str,
        created: datetime,
        gather: Callable[[], Mapping[str, tuple[Rows, bool]]],
        clock: Callable[[], float],
        now: Callable[[], datetime],
    ) -> None:
        self.path = path
        self._of = {"format": FORMAT, "pool": pool, "created": created.isoformat()}
        self._gather = gather
        self._clock = clock
        self._now = now
        self._guard = threading.Lock()
        self._writing = threading.Lock()
        self._changes = 0
        self._covered = 0
        self._next = -math.inf

    def fall_behind(self) -> None:
        """Note that the database has changed."""
        with self._guard:
            self._changes += 1

    def keep_up(self) -> None:
        """Bring the file up to date, unless that was done within the last second or is being done.

        If it cannot be written, that is left for later: the evidence itself is in the ledger.
        """
        if self.path is None or self._clock() < self._next or not self._writing.acquire(blocking=False):
            return
        try:
            self._try_to_write(self.path)
        finally:
            self._writing.release()

    def write(self) -> Path:
        """Write the file now; returns its path.

        Raises:
            Unwritable: If this system keeps no snapshot, or it cannot be written.
        """
        if self.path is None:
            raise Unwritable("this system keeps no snapshot; name a file: EloSystem(..., snapshot=FILE)")
        with self._writing:
            try:
                self._write(self.path)
            except OSError as error:
                raise Unwritable(f"the snapshot {self.path} cannot be written: {error}") from error
        return self.path

    def rows(self, part: str, limit: int) -> Rows | None:
        """The first rows of a part from the file; None if the file is missing, invalid or too short.

        Args:
            part: The part.
            limit: How many at most.
        """
        if self.path is None or not self.catch_up():
            return None
        snapshot = _read(self.path)
        if any(snapshot.get(name) != value for name, value in self._of.items()):
            return None
        rows, completeness = snapshot.get(part), snapshot.get("whole")
        if not isinstance(rows, list) or not isinstance(completeness, dict):
            return None
        return rows[:limit] if limit <= len(rows) or completeness.get(part) is True else None

    def catch_up(self) -> bool:
        """Write what this system has recorded since the last write; returns whether the file has all of it."""
        if self.path is not None:
            with self._writing:
                if self._covered < self._changes:
                    self._try_to_write(self.path)
        return self._covered >= self._changes

    def _try_to_write(self, path: Path) -> None:
        with suppress(OSError, Failure):  # the file stays out of date, and is not read until it is written
            self._write(path)

    def _write(self, path: Path) -> None:
        with in_turn(path.parent):
            changes, self._next = self._changes, self._clock() + PERIOD
            parts = self._gather()
            completeness = {part: complete for part, (_, complete) in parts.items()}
            rows = {part: part_rows for part, (part_rows, _) in parts.items()}
            swap_in(
                json.dumps({**self._of, "updated_at": self._now().isoformat(), "whole": completeness, **rows}), path
            )
            self._covered = changes


def _read(path: Path) -> dict[str, Any]:
    """The content of a file; empty if it is not a JSON object."""
    try:
        values = json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError):
        return {}
    return values if isinstance(values, dict) else {}
