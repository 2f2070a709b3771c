"""How judge calls are made, with all defaults; none of it changes a result."""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Self

CONCURRENCY = 8
"""Calls in flight at the most."""

TIMEOUT = 300.0
"""Seconds that a call may take."""

ATTEMPTS = 3
"""Tries for a call before it counts as failed."""

FIRST_WAIT = 0.5
"""The longest wait before the first retry, in seconds, of which chance takes a part; it doubles from there."""

IN_A_BATCH = 200
"""Calls in flight at the least where a judge takes its questions in batches."""


@dataclass(frozen=True, kw_only=True, slots=True)
class CallOptions:
    """How judge calls are made; none of these options changes the result.

    Attributes:
        concurrency: Maximum number of calls in flight.
        per_minute: Maximum number of calls a minute.
        timeout: Seconds a call may take.
        attempts: Tries for a call before it counts as failed.
        wait: The longest wait before the first retry, in seconds; it doubles from there.
        patience: Seconds to wait for a ledger that cannot be written: a full disk, a server that is restarted.
        spool: Folder for the file in which answers wait meanwhile; beside the ledger, else elsewhere, where None.
    """

    concurrency: int = CONCURRENCY
    per_minute: float | None = None
    timeout: float = TIMEOUT
    attempts: int = ATTEMPTS
    wait: float = FIRST_WAIT
    patience: float = 120.0
    spool: Path | None = None

    def in_batches(self) -> Self:
        """The same with room for a batch: a small one takes as long as a large one."""
        return replace(self, concurrency=max(self.concurrency, IN_A_BATCH))

    @property
    def outage(self) -> int:
        """Failures in a row that are taken for an outage of the judge."""
        return max(10, 2 * self.concurrency)
