"""One run of a tournament, in a thread with an event loop of its own, so that no page waits for it."""

import asyncio
import threading
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager, suppress

from paragone.errors import Failure, JudgeFailed, ParagoneError
from paragone.ledger import Event, Ledger
from paragone.tournaments.agent import RankingAgent
from paragone.tournaments.agent.tasks import task_records
from paragone.tournaments.running.control import CallOptions
from paragone.tournaments.running.progress import Observer, Progress, unobserved
from paragone.tournaments.running.runner import Runner
from paragone.tournaments.state import State
from paragone.tournaments.tournament import Tournament
from paragone.web.acts import ADMIN
from paragone.web.playing.steering import PAUSE, RUN, STOP, Wish, steering_of
from paragone.web.playing.watched_gate import WatchedGate
from paragone.web.problems import words_of

LOOK = 0.5
"""Seconds between looks for wishes that reached other processes."""


class Run:
    """A run that this process plays.

    Args:
        ledger: Where the tournament is kept.
        state: The tournament, for this run alone.
        pace: How calls are made.
        by: Who began it.
        limits: Limits that it was given with it.

    Attributes:
        by: Who began it.
        progress: The last moment that it told of; None before the first.
        failure: What broke it, in words; empty where nothing did.
    """

    def __init__(self, ledger: Ledger, state: State, pace: CallOptions, by: str, limits: Mapping[str, object]) -> None:
        self.by = by
        self.progress: Progress | None = None
        self.failure = ""
        self._ledger, self._id, self._pace, self._limits = ledger, state.id, pace, limits
        self._gate = WatchedGate()
        self._begun, self._settled = threading.Event(), threading.Event()
        self._tournament = _Told(ledger, state, self._begins)
        self._tournament.gate = self._gate

    def play(self) -> None:
        """Play until there is a reason to stop; returns then.

        Raises:
            Busy: If somebody else is running it.
            UsageError: If its judge cannot be opened.
        """
        try:
            asyncio.run(self._play())
        except ParagoneError as error:
            self.failure = str(error) if isinstance(error, JudgeFailed) else words_of(error)
            raise
        finally:
            self._settled.set()

    def settle(self, seconds: float) -> bool:
        """Wait until it has begun or failed to, so many seconds at the most; whether it has begun."""
        self._settled.wait(seconds)
        return self._begun.is_set()

    def heed(self, wish: Wish, by: str) -> None:
        """Pause or stop, as somebody wishes: a pause waits for the answers under way, a stop does not."""
        if wish == PAUSE:
            self._gate.close_from_outside(f"paused by {by}")
        elif wish == STOP:
            self._gate.close_from_outside(f"stopped by {by}", at_once=True)

    def end(self, reason: str, *, at_once: bool = False) -> None:
        """Ask nothing more, for a reason of the server's own."""
        self._gate.close_from_outside(reason, at_once=at_once)

    def in_flight(self) -> dict[str, float]:
        """Seconds for which each call has been waiting for an answer, by its id."""
        return self._gate.in_flight()

    @property
    def has_begun(self) -> bool:
        """Whether the tournament is claimed and being played."""
        return self._begun.is_set()

    async def _play(self) -> None:
        tournament = self._tournament
        hearing = asyncio.create_task(self._hear())
        try:
            if any(not record.state.is_final for record in task_records(tournament.state.events).values()):
                await RankingAgent(tournament, pace=self._pace, observer=self._observe).run()
            else:
                async with tournament.playing(self._observe, self._pace) as runner:
                    await runner.run()
        finally:
            hearing.cancel()

    def _observe(self, progress: Progress) -> None:
        self.progress = progress

    def _begins(self) -> None:
        """The tournament is ours: say so, and only then listen, as what was wished before was wished of another run.

        Its limits are on record from here on, and not before: of two who begin at once, one is refused, limits and all.
        """
        limits = [("extended", self._limits)] if self._limits and not self._begun.is_set() else []
        self._ledger.add_events(self._id, [*limits, (ADMIN, {"by": self.by, "act": RUN, **self._limits})])
        self._begun.set()
        self._settled.set()

    async def _hear(self) -> None:
        """Heed what was wished in another process of the server."""
        heard: list[Event] = []
        while True:
            await asyncio.sleep(LOOK)
            if self._begun.is_set():
                with suppress(Failure):  # a ledger that does not answer is asked again
                    heard += await asyncio.to_thread(self._ledger.events, self._id, after=len(heard))
                    found = steering_of(heard)
                    self.heed(found.wish, found.wished_by)


class _Told(Tournament):
    """A tournament that says when it is being played, by whichever way that came about."""

    def __init__(self, ledger: Ledger, state: State, begins: Callable[[], None]) -> None:
        super().__init__(ledger, state)
        self._begins = begins

    @asynccontextmanager
    async def playing(
        self, observer: Observer = unobserved, pace: CallOptions | None = None, *, relate: bool = True
    ) -> AsyncIterator[Runner]:
        async with super().playing(observer, pace, relate=relate) as runner:
            self._begins()
            yield runner
