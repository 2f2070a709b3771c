"""How long a match may take."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, nullcontext

from paragone.tournaments.running.opening import Voices
from paragone.tournaments.running.pace import Pace
from paragone.tournaments.state import State


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


def match_clock(state: State, voices: Voices, pace: Pace) -> MatchClock:
    """The time of a match; none where a person answers, or where calls wait for their turn in the minute."""
    system = state.brief.system
    if system is None or voices.judge.card.interactive or pace.per_minute is not None:
        return MatchClock()
    at_once = max(1, pace.concurrency // max(1, state.brief.comparison_rounds))
    return MatchClock(system.scheduling.timeout_per_match, at_once)
