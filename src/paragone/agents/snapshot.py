"""A JSON file beside the database that serves the leaderboard and recent debates without touching the database.

Who writes brings it up to date: at most once a second while writing, before it reads the file itself, and when it is
closed. A file that is truncated, of another pool or of another program is as good as none.
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
"""Seconds from one writing to the next, as long as nobody asks."""

_LONGEST_STEM = 120

Rows = list[dict[str, Any]]


def path_beside(database: Path, pool: str) -> Path:
    """Where the snapshot of a pool is: in the folder of its database, whatever the pool is called."""
    stem = quote(pool, safe=" ")
    if len(stem) > _LONGEST_STEM:
        stem = hashlib.sha256(pool.encode()).hexdigest()[:32]
    resolved = database.resolve()  # by whatever name it was opened, it has one snapshot
    return resolved.with_name(f"{resolved.name}.{stem}.snapshot.json")


class Snapshot:
    """The snapshot of one pool, as one system keeps it.

    Args:
        path: The file; None for none.
        pool: The pool's id.
        created: When the pool was made: a file that was left behind by another of that name is not read.
        gather: What to write: the rows of each part, and whether these are all there are.
        clock: Seconds that never go back.
        now: The time, for readers.
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

        What cannot be written is left for later: what was recorded is recorded.
        """
        if self.path is None or self._clock() < self._next or not self._writing.acquire(blocking=False):
            return
        try:
            self._try_to_write(self.path)
        finally:
            self._writing.release()

    def write(self) -> Path:
        """Write the file now; where it is.

        Raises:
            Unwritable: If there is none, or it cannot be written.
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
        """The first rows of a part, from the file; None where it cannot tell.

        Args:
            part: Which.
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
        """Write what this system has recorded since it last did; whether the file has all of it."""
        if self.path is not None:
            with self._writing:
                if self._covered < self._changes:
                    self._try_to_write(self.path)
        return self._covered >= self._changes

    def _try_to_write(self, path: Path) -> None:
        with suppress(OSError, Failure):  # it stays behind, and is not read as long as it is
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
    """What a file holds; nothing where it is no JSON object."""
    try:
        values = json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError):
        return {}
    return values if isinstance(values, dict) else {}
