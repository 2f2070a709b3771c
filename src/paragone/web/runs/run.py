"""One run of a tournament, in a thread with its own event loop."""

import asyncio
import threading
import time
from collections.abc import AsyncIterator, Callable, Iterable, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from typing import Literal

from paragone.domain import Question, Verdict
from paragone.errors import Failure, JudgeFailed, ParagoneError
from paragone.judges.base import Judge
from paragone.judges.call_options import CallOptions
from paragone.ledger import Event, Ledger
from paragone.ledger.evidence.tournaments import ADMIN
from paragone.tournaments.agent import RankingAgent
from paragone.tournaments.agent.tasks import task_records
from paragone.tournaments.running.control import Gate, Observer, Progress, unobserved
from paragone.tournaments.running.runner import Runner
from paragone.tournaments.state import TournamentState
from paragone.tournaments.tournament import Tournament
from paragone.web.problems import words_of


class WatchedGate(Gate):
    """A gate that knows the calls in flight. Thread-safe."""

    def __init__(self) -> None:
        super().__init__()
        self._lock = threading.Lock()
        self._in_flight: dict[object, tuple[str, float]] = {}

    def in_flight(self) -> dict[str, float]:
        """Seconds that each call has waited for its answer, by id, the longest first."""
        now = time.monotonic()
        with self._lock:
            return {call: now - since for call, since in self._in_flight.values()}

    async def waiting_for(self, judge: Judge, question: Question) -> Verdict:
        """The judge's answer, unless the gate is closed before or abandoned meanwhile.

        Raises:
            Closed: If it is.
        """
        key = object()
        with self._lock:
            self._in_flight[key] = (question.call, time.monotonic())
        try:
            return await super().waiting_for(judge, question)
        finally:
            with self._lock:
                del self._in_flight[key]

    def close_from_outside(self, reason: str, *, at_once: bool = False) -> None:
        """Stop calls; with ``at_once``, abandon those in flight too."""
        with suppress(RuntimeError):  # the run and its loop have ended meanwhile
            self.close(reason)
            if at_once:
                self.abandon()


RUN = "run"
PAUSE, STOP = "pause", "stop"
Wish = Literal["", "pause", "stop"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Steering:
    """State of the runs of a tournament, by its events.

    Attributes:
        has_started: Whether a run ever began.
        is_ours: Whether the last run is a server's, which can be paused and stopped.
        by: Who began that run; empty if it is not a server's.
        wish: What it was asked to do: pause or stop.
        wished_by: Who asked.
        ended: Whether the last run ended in order; False if it goes on or was killed.
        reason: Why it ended.
        finished: Whether the tournament was over then.
    """

    has_started: bool = False
    is_ours: bool = False
    by: str = ""
    wish: Wish = ""
    wished_by: str = ""
    ended: bool = False
    reason: str = ""
    finished: bool = False

    @property
    def is_paused(self) -> bool:
        """Whether the last run was paused."""
        return self.ended and self.wish == PAUSE and not self.finished


def steering_of(events: Iterable[Event]) -> Steering:
    """The state of the runs of a tournament, from its events.

    A server's run records an event right after it began (after ``resumed`` if it continues another).
    """
    started = ours = ended = finished = False
    by = wished_by = reason = ""
    wish: Wish = ""
    for event in events:
        detail = event.detail
        act = detail.get("act") if event.kind == ADMIN else None
        if event.kind == "resumed" or act == RUN:
            started, ours, ended, finished = True, act == RUN, False, False
            by, wish, wished_by, reason = (str(detail["by"]) if ours else ""), "", "", ""
        elif event.kind == "stopped":
            started, ended, finished, reason = True, True, bool(detail.get("finished")), str(detail["reason"])
        elif not ended and act in {PAUSE, STOP}:
            wish, wished_by = ("pause" if act == PAUSE else "stop"), str(detail["by"])
    return Steering(
        has_started=started,
        is_ours=ours,
        by=by,
        wish=wish,
        wished_by=wished_by,
        ended=ended,
        reason=reason,
        finished=finished,
    )


LOOK = 0.5
"""Seconds between checks for requests that reached other processes."""


class Run:
    """A run that this process plays.

    Args:
        ledger: The ledger.
        state: The tournament, for this run alone.
        pace: How calls are made.
        by: Who began it.
        limits: Limits that change with this run.
        judge: The judge that workers have; None if the tournament's own is asked here.

    Attributes:
        by: Who began it.
        progress: The latest progress; None at first.
        failure: Why it failed; empty if it did not.
    """

    def __init__(
        self,
        ledger: Ledger,
        state: TournamentState,
        pace: CallOptions,
        by: str,
        limits: Mapping[str, object],
        judge: Judge | None = None,
    ) -> None:
        self.by = by
        self.progress: Progress | None = None
        self.failure = ""
        self._ledger, self._id, self._pace, self._limits = ledger, state.id, pace, limits
        self._gate = WatchedGate()
        self._begun, self._settled = threading.Event(), threading.Event()
        self._tournament = _AnnouncedTournament(ledger, state, self._begins)
        self._tournament.gate = self._gate
        self._tournament.judge = judge

    def play(self) -> None:
        """Play until there is a reason to stop.

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
        """Wait up to so many seconds until it has begun or failed; whether it has begun."""
        self._settled.wait(seconds)
        return self._begun.is_set()

    def heed(self, wish: Wish, by: str) -> None:
        """Pause or stop as requested: a pause waits for calls in flight, a stop does not."""
        if wish == PAUSE:
            self._gate.close_from_outside(f"paused by {by}")
        elif wish == STOP:
            self._gate.close_from_outside(f"stopped by {by}", at_once=True)

    def end(self, reason: str, *, at_once: bool = False) -> None:
        """End the run, for a reason of the server's own."""
        self._gate.close_from_outside(reason, at_once=at_once)

    def in_flight(self) -> dict[str, float]:
        """Seconds that each call has waited for its answer, by id."""
        return self._gate.in_flight()

    @property
    def has_begun(self) -> bool:
        """Whether the tournament is claimed and being played."""
        return self._begun.is_set()

    async def _play(self) -> None:
        tournament = self._tournament
        following = asyncio.create_task(self._follow_requests())
        try:
            if any(not record.state.is_final for record in task_records(tournament.state.events).values()):
                await RankingAgent(tournament, pace=self._pace, observer=self._observe).run()
            else:
                async with tournament.playing(self._observe, self._pace) as runner:
                    await runner.run()
        finally:
            following.cancel()

    def _observe(self, progress: Progress) -> None:
        self.progress = progress

    def _begins(self) -> None:
        """Record that this run has begun; requests before this event were for another run.

        The limits are recorded only now: of two runs that begin at once, one is refused together with its limits.
        """
        limits = [("extended", self._limits)] if self._limits and not self._begun.is_set() else []
        self._ledger.tournaments.add_events(self._id, [*limits, (ADMIN, {"by": self.by, "act": RUN, **self._limits})])
        self._begun.set()
        self._settled.set()

    async def _follow_requests(self) -> None:
        """Follow requests that reached other processes of the server."""
        events: list[Event] = []
        while True:
            await asyncio.sleep(LOOK)
            if self._begun.is_set():
                with suppress(Failure):  # retried if the ledger does not answer
                    events += await asyncio.to_thread(self._ledger.tournaments.events, self._id, after=len(events))
                    steering = steering_of(events)
                    self.heed(steering.wish, steering.wished_by)


class _AnnouncedTournament(Tournament):
    """A tournament that reports when play begins."""

    def __init__(self, ledger: Ledger, state: TournamentState, begins: Callable[[], None]) -> None:
        super().__init__(ledger, state)
        self._begins = begins

    @asynccontextmanager
    async def playing(
        self, observer: Observer = unobserved, pace: CallOptions | None = None, *, relate: bool = True
    ) -> AsyncIterator[Runner]:
        async with super().playing(observer, pace, relate=relate) as runner:
            self._begins()
            yield runner
