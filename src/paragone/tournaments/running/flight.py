"""Keep calls in flight: ask what is planned, plan further ahead, and commit answers in the order of the plan."""

import asyncio
import math
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from paragone.domain import Match, Planned
from paragone.errors import BudgetSpent
from paragone.ledger import Event, Ledger, PlannedRound, utc_now
from paragone.tournaments.planning.blocks import Window, planner_for
from paragone.tournaments.planning.schedule import Plan
from paragone.tournaments.running.control import ASKING, CallOrigin, GateClosed
from paragone.tournaments.running.match_play import Answers, MatchPlay, answered_of
from paragone.tournaments.running.recording import LedgerWriter
from paragone.tournaments.state import TournamentState
from paragone.tournaments.state.history import packed
from paragone.tournaments.state.rounds import ASIDE, PlanOrder, block_notes

ROOM = 2
"""Of a pairing that needs no answers, how many times the calls in flight are planned and not answered yet."""


class Ahead:
    """Plans the blocks of a run, each as soon as what it may know is on record.

    Args:
        ledger: The ledger.
        state: The tournament; kept in step with the ledger.
        writer: Writes the plans.
        window: How far ahead.
        concurrency: Calls in flight at the most.
        record_event: Records an event by kind and detail.

    Attributes:
        order: The matches in the order of their plans.
        last: Why no further block was planned; None while there may be one.
    """

    def __init__(
        self,
        ledger: Ledger,
        state: TournamentState,
        *,
        writer: LedgerWriter,
        window: Window,
        concurrency: int,
        record_event: Callable[[str, Mapping[str, Any]], None],
    ) -> None:
        self.order = PlanOrder.of(state.rounds, state.played.ids(), state.events)
        self.last: Plan | None = None
        self._ledger = ledger
        self._state = state
        self._writer = writer
        self._window = window
        self._concurrency = concurrency
        self._record_event = record_event
        self._planner = planner_for(state, block_notes(state.events))
        self._known = max((note["evidence"] for note in block_notes(state.events).values()), default=0)
        self._looked = -1  # where the pointer was at the last plan

    @property
    def is_over(self) -> bool:
        """Whether nothing more will be planned before all that is planned has been played."""
        return self.last is not None

    @property
    def passes_slow_ones(self) -> bool:
        """Whether a match that takes long is set aside, so that its answer counts where it comes."""
        return not self._window.by_evidence

    def allows(self, match: str) -> bool:
        """Whether a match is within the window, so that it may be asked."""
        size = self._window.size
        number = self.order.rounds.place(match)
        return size is None or number is None or number < self.order.pointer + size

    def is_unavailable(self, planned: Planned) -> bool:
        """Whether an item of a match was retired since it was planned."""
        return not self._state.event_state.retired.keys().isdisjoint(planned.items)

    def is_due(self, unanswered: int, *, idle: bool) -> bool:
        """Whether to plan a block now.

        Args:
            unanswered: Matches that are planned and not answered yet; each that waits for its turn takes memory.
            idle: Whether every planned match was played or given up.
        """
        if self.last is not None:
            return idle and (self.last.is_budget or not self.last.reason) and self._known < self.order.records
        if self._window.by_evidence:
            return idle or self._looked < self.order.pointer
        if self._window.size is None:
            return unanswered < ROOM * self._concurrency
        return self._needed <= self.order.pointer

    @property
    def _needed(self) -> int:
        """Where the pointer has to be for the next block."""
        if self._window.by_evidence:
            return self.order.pointer
        if self._window.size is None:
            return 0
        return max(0, self.order.rounds.matches + self._window.block - self._window.size)

    async def plan(self, *, idle: bool) -> list[tuple[str, Planned]]:
        """Plan a block and record it; the matches by id, none if there are no more.

        Raises:
            GateClosed: If the gate is closed during an outage of the ledger.
        """
        # Unless nothing more is planned, or the window follows the evidence, a block has its place in the order,
        # however late it is planned.
        idle = idle and (self.last is not None or self._window.by_evidence)
        reached = self.order.pointer if idle else min(self._needed, self.order.pointer)
        records = self.order.records if idle else self.order.records_at(reached)
        news = self._state.played[self._known : records] if records > self._known else []
        self._known, self._looked = max(self._known, records), self.order.pointer
        plans = await asyncio.to_thread(self._following, news, idle, len(self._state.rounds))
        if plans:
            await self._writer.call(lambda: self._record_plans(plans))
        first = self.order.rounds.matches
        for block, notes in plans:
            self._state.rounds.append(block)
            noted = Event(kind="round", detail={**notes, "number": block.number}, at=utc_now())
            self._state.events.append(packed(noted))
            self.order.add_round(block)
        return [self.order.rounds.planned(number) for number in range(first, self.order.rounds.matches)]

    def _record_plans(self, plans: list[tuple[PlannedRound, Mapping[str, Any]]]) -> None:
        for block, notes in plans:
            self._ledger.tournaments.plan_round(self._state.id, block.number, block.pairings, notes)

    def _following(self, news: list[Match], idle: bool, rounds: int) -> list[tuple[PlannedRound, Mapping[str, Any]]]:
        """The next block with its notes, or as many as there is room for where they need no answers; in a thread."""
        self._planner.learn(news)
        plans: list[tuple[PlannedRound, Mapping[str, Any]]] = []
        blocks = 1.0 if self._window.size is not None else math.ceil(ROOM * self._concurrency / self._window.block)
        blocks = math.inf if self._window.by_evidence else blocks
        while len(plans) < blocks:
            plan = self._planner.following(self._window.block, idle=idle and not plans)
            self.last = None if plan.pairings or plan.waits else plan
            if not plan.pairings:
                break
            block = PlannedRound(number=rounds + len(plans) + 1, pairings=plan.pairings)
            plans.append((block, {**plan.notes, "window": self._window.size}))
            self._planner.planned(block)
        return plans

    def record(self, match: str) -> None:
        """Note that a match is on record."""
        self.order.record(match)

    def set_aside(self, match: str, reason: str) -> None:
        """Let the pointer pass a match without an answer, by an event."""
        self._record_event(ASIDE, {"match": match, "after": self.order.records, "reason": reason})
        self.order.set_aside(match)


PASSES = 3
"""How often a match without an answer is asked before it is left for later."""

LOOK_AGAIN = 0.5
"""Seconds between two looks at a match that holds up a full window."""


@dataclass(eq=False, slots=True)
class _Match:
    """A match that is planned and not on record.

    Attributes:
        id: Its id.
        planned: Its plan.
        fresh: Whether it was planned in this run.
        set_aside: Whether the pointer has passed it, so that its answer is committed whenever it comes.
        dropped: Whether it is not to be asked any more, though the run goes on.
        tries: How often it was asked.
        running: Whether it is being asked.
        answers: What it was answered, failures included.
    """

    id: str
    planned: Planned
    fresh: bool = False
    is_set_aside: bool = False
    dropped: bool = False
    tries: int = 0
    running: bool = False
    answers: Answers = field(default=())

    @property
    def is_answered(self) -> bool:
        """Whether all its calls have answers."""
        return bool(self.answers) and not self.running and len(answered_of(self.answers)) == len(self.answers)

    @property
    def has_failed(self) -> bool:
        """Whether it was asked, and lacks an answer."""
        return bool(self.tries) and not self.running and not self.is_answered and not self.dropped


class Flight:
    """Plays matches until none is left, none can be planned, or the gate is closed.

    Args:
        play: Judges and records them.
        matches: Open matches in the order of their plans, by id.
        set_aside: Open matches that the pointer has passed: each is committed when it is answered.
        ahead: Plans further matches; None if these are all.
        is_healthy: Whether the judge answered the last question that it was asked.
        on_silence: Called when nothing was answered of all that was asked, with the number of matches.
        is_slow: Whether a match takes so long that it must not hold up the others.
    """

    def __init__(
        self,
        play: MatchPlay,
        matches: Iterable[tuple[str, Planned]],
        *,
        set_aside: Iterable[tuple[str, Planned]] = (),
        ahead: Ahead | None = None,
        fresh: bool = False,
        is_healthy: Callable[[], bool],
        on_silence: Callable[[int], None],
        is_slow: Callable[[str], bool],
    ) -> None:
        self._play = play
        self._ahead = ahead
        self._is_healthy = is_healthy
        self._on_silence = on_silence
        self._is_slow = is_slow
        self._queue = deque(_Match(id, planned, fresh=fresh) for id, planned in matches)
        self._aside = [_Match(id, planned, is_set_aside=True) for id, planned in set_aside]
        self._unasked = deque([*self._aside, *self._queue])
        self._tasks: set[asyncio.Task[None]] = set()
        self._planning: asyncio.Task[list[tuple[str, Planned]]] | None = None
        self._wake = asyncio.Event()
        self._error: BaseException | None = None
        self._running = 0  # matches that are being asked
        self._answered = 0  # matches that were answered since nothing was being asked
        self._loop = asyncio.get_running_loop()

    async def run(self) -> None:
        """Play them."""
        try:
            await self._play_all()
        finally:
            await self._end()
        if self._error is not None:
            raise self._error

    async def _play_all(self) -> None:
        while self._error is None:
            self._plan()
            self._ask()
            if not self._running and self._planning is None and not await self._settle():
                return
            await self._wait()
            self._wake.clear()
            await self._take_plan()
            await self._commit()

    async def _end(self) -> None:
        # Calls that are cut off here still report what they took (``Accounted``), so wait for them to end.
        for task in self._tasks:
            task.cancel()
        # A plan is not cut off: what the ledger has of it and what the state has would differ.
        tasks = [*self._tasks, *([] if self._planning is None else [self._planning])]
        await asyncio.gather(*tasks, return_exceptions=True)

    # Planning

    def _plan(self, *, idle: bool = False) -> None:
        ahead = self._ahead
        if ahead is None or self._planning is not None or self._play.gate.closed:
            return
        if ahead.is_due(len(self._unasked) + self._running, idle=idle):
            self._planning = asyncio.create_task(ahead.plan(idle=idle))
            self._planning.add_done_callback(lambda _: self._wake.set())

    async def _take_plan(self) -> None:
        if self._planning is None or not self._planning.done():
            return
        planning, self._planning = self._planning, None
        try:
            block = [_Match(id, planned, fresh=True) for id, planned in planning.result()]
        except GateClosed:
            return
        self._queue.extend(block)
        self._unasked.extend(block)

    # Asking

    def _ask(self) -> None:
        if self._play.gate.closed:
            return
        while self._unasked and self._may_ask(self._unasked[0]):
            match = self._unasked.popleft()
            if not self._is_unavailable(match):  # such a match is set aside when its turn to be committed comes
                self._begin(match)
        head = self._queue[0] if self._queue else None
        if head is not None and head.has_failed and head.tries < PASSES and self._is_healthy():
            self._begin(head)
        if not self._running and self._planning is None:
            for match in [match for match in self._queue if match.has_failed and match.tries < PASSES]:
                self._begin(match)

    def _may_ask(self, match: _Match) -> bool:
        return match.is_set_aside or self._ahead is None or self._ahead.allows(match.id)

    def _is_unavailable(self, match: _Match) -> bool:
        return self._ahead is not None and self._ahead.is_unavailable(match.planned)

    def _begin(self, match: _Match) -> None:
        asking = CallOrigin(fresh=match.fresh and not match.tries, retry=match.tries > 0)
        self._running += 1
        match.tries, match.running = match.tries + 1, True
        task = self._loop.create_task(self._judged(match, asking))
        self._tasks.add(task)
        task.add_done_callback(self._ended)

    async def _judged(self, match: _Match, asking: CallOrigin) -> None:
        ASKING.set(asking)
        try:
            match.answers = await self._play.answers_of(match.id, match.planned)
            self._answered += bool(answered_of(match.answers))
        except GateClosed:
            match.answers, match.dropped = (), not self._play.gate.closed
        except BudgetSpent as limit:
            self._play.spend(limit)
        finally:
            match.running = False
            self._running -= 1
            self._wake.set()

    def _ended(self, task: asyncio.Task[None]) -> None:
        """A match has been asked; an error that is not the judge's ends the run."""
        self._tasks.discard(task)
        if not task.cancelled() and task.exception() is not None:
            self._error = task.exception()
            self._wake.set()

    async def _wait(self) -> None:
        """Until an answer or a plan arrives, or the head of a full window is to be looked at again."""
        if not self._running and self._planning is None:
            return
        if not self._is_held_up:
            await self._wake.wait()
            return
        try:
            async with asyncio.timeout(LOOK_AGAIN):
                await self._wake.wait()
        except TimeoutError:
            self._pass_slow_head()

    @property
    def _is_held_up(self) -> bool:
        """Whether the window is full, its head is being asked, and it may be passed."""
        if self._ahead is None or self._ahead.is_over or self._planning is not None or not self._queue:
            return False
        if not self._ahead.passes_slow_ones:
            return False
        return self._queue[0].running and (not self._unasked or not self._may_ask(self._unasked[0]))

    def _pass_slow_head(self) -> None:
        head = self._queue[0]
        if head.running and self._is_slow(head.id):
            self._queue.popleft()
            self._set_aside(head, "slow")
            self._aside.append(head)

    def _set_aside(self, match: _Match, reason: str) -> None:
        match.is_set_aside = True
        if self._ahead is not None:
            self._ahead.set_aside(match.id, reason)

    # Committing

    async def _commit(self) -> None:
        """Record what is answered, in the order of the plan."""
        ready = [match for match in self._aside if match.is_answered]
        self._aside = [match for match in self._aside if not match.is_answered]
        skips = self._play.budget_spent  # once it is, nothing is asked again: what was answered is committed
        while self._queue:
            head = self._queue[0]
            if head.is_answered:
                ready.append(head)
            elif not head.tries and self._is_unavailable(head):
                if head in self._unasked:
                    self._unasked.remove(head)
                self._set_aside(head, "retired")
            elif head.has_failed and head.tries >= PASSES and self._is_healthy() and not self._play.gate.closed:
                await self._record(ready)
                ready = []
                await self._give_up(head)
            elif not head.dropped and (not skips or head.running):
                break
            self._queue.popleft()
        await self._record(ready)

    async def _record(self, matches: list[_Match]) -> None:
        if not matches:
            return
        try:
            await self._play.commit([(match.id, match.planned, match.answers) for match in matches])
        except GateClosed:  # the ledger is away, and the answers wait
            self._queue.extendleft(reversed(matches))
            return
        if self._ahead is not None:
            for match in matches:
                self._ahead.record(match.id)

    async def _give_up(self, match: _Match) -> None:
        """Go on without an answer of a match; it stays open for a later run."""
        answered = answered_of(match.answers)
        if answered:
            match.answers = answered
            await self._record([match])
            return
        await self._play.give_up(match.id, match.planned, match.answers)
        self._set_aside(match, "failed")

    async def _settle(self) -> bool:
        """With nothing in flight: whether there is more to do, after giving up what has failed too often."""
        await self._commit()
        if self._play.gate.closed:
            return False
        failed = [match for match in self._queue if match.has_failed]
        if failed and not self._answered:
            self._on_silence(len(failed))
            return False
        self._answered = 0
        while self._queue and self._queue[0].has_failed:
            await self._give_up(self._queue.popleft())
            await self._commit()
        self._plan(idle=not self._queue)
        return self._planning is not None or bool(self._unasked and self._may_ask(self._unasked[0]))
