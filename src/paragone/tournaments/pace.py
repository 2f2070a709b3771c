"""How a run makes its calls, how long a match may take, and why a run ended."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, nullcontext
from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True, slots=True)
class Pace:
    """How judge calls are made; none of it changes the result.

    Attributes:
        concurrency: Calls at once at the most.
        per_minute: Calls a minute at the most.
        timeout: Seconds a call may take.
        attempts: Tries for a call before it counts as failed.
        wait: Seconds before the first retry; waits double from there.
    """

    concurrency: int = 8
    per_minute: float | None = None
    timeout: float = 300.0
    attempts: int = 3
    wait: float = 0.5

    @property
    def outage(self) -> int:
        """Failures in a row that are taken for an outage of the judge."""
        return max(10, 2 * self.concurrency)


@dataclass(frozen=True, kw_only=True, slots=True)
class Stop:
    """Why a run ended.

    Attributes:
        reason: In words.
        finished: Whether the tournament is over; otherwise ``resume`` goes on with it.
        failed: Whether something broke, rather than somebody asking for the stop.
        paused: Whether the run did all that was asked of it, though the tournament is not over: a session has so many
            rounds.
    """

    reason: str
    finished: bool
    failed: bool = False
    paused: bool = False


class MatchClock:
    """Gives every match so many seconds, from the moment when there is room for it.

    Args:
        seconds: Seconds a match may take; None for no limit.
        at_once: Matches that there is room for; None where nothing is limited.

    Attributes:
        late: Matches that ran out of time the last time they were played.
    """

    def __init__(self, seconds: float | None = None, at_once: int | None = None) -> None:
        self.late: set[str] = set()
        self._seconds = seconds
        self._room = nullcontext() if at_once is None else asyncio.Semaphore(at_once)

    @property
    def complaint(self) -> str:
        """What is wrong with a match that ran out of time, in words."""
        return f"the match took longer than {self._seconds:g} s" if self._seconds is not None else "no answer"

    @asynccontextmanager
    async def match(self, id: str) -> AsyncIterator[None]:
        """Plays a match in time; where that runs out, what is under way is cancelled and the match is ``late``."""
        async with self._room:
            self.late.discard(id)
            deadline = asyncio.timeout(self._seconds)
            try:
                async with deadline:
                    yield
            except TimeoutError:
                if not deadline.expired():
                    raise
                self.late.add(id)
