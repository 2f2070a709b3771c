"""Plan a tournament ahead of its answers, and keep count of how far they have come."""

import asyncio
import math
from collections.abc import Callable, Mapping
from typing import Any

from paragone.domain import Match, Planned
from paragone.ledger import Event, Ledger, PlannedRound, utc_now
from paragone.tournaments.planning.blocks import planner_for
from paragone.tournaments.planning.schedule import Plan
from paragone.tournaments.planning.window import Window
from paragone.tournaments.running.recording import LedgerWriter
from paragone.tournaments.state import State
from paragone.tournaments.state.packed_events import packed
from paragone.tournaments.state.plan_order import ASIDE, PlanOrder, block_notes

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
        state: State,
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

    @property
    def is_over(self) -> bool:
        """Whether nothing more will be planned before all that is planned has been played."""
        return self.last is not None

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
        if self._window.size is None:
            return unanswered < ROOM * self._concurrency
        return self._needed <= self.order.pointer

    @property
    def _needed(self) -> int:
        """Where the pointer has to be for the next block."""
        if self._window.size is None:
            return 0
        return max(0, self.order.rounds.matches + self._window.block - self._window.size)

    async def plan(self, *, idle: bool) -> list[tuple[str, Planned]]:
        """Plan a block and record it; the matches by id, none if there are no more.

        Raises:
            GateClosed: If the gate is closed during an outage of the ledger.
        """
        idle = idle and self.last is not None  # else the block has its place in the order, however late it is planned
        reached = self.order.pointer if idle else min(self._needed, self.order.pointer)
        known = self.order.records if idle else self.order.records_at(reached)
        news = self._state.played[self._known : known] if known > self._known else []
        self._known = max(self._known, known)
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
        room = 1 if self._window.size is not None else math.ceil(ROOM * self._concurrency / self._window.block)
        while len(plans) < room:
            plan = self._planner.following(self._window.block, idle=idle and not plans)
            self.last = None if plan.pairings else plan
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
