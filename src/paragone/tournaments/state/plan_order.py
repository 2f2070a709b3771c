"""The matches of a tournament in the order of their plans, and how far that order is on record.

Matches have plan numbers, 0, 1, 2, ..., in the order in which they were planned. A pointer moves over them as they are
recorded, or set aside by an event. How many matches were on record when the pointer reached a number is what a later
plan may know, whatever the order in which answers arrived.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from paragone.domain import Planned
from paragone.ledger import Event, PlannedRound

ASIDE = "aside"
"""Event: the pointer passes a match that has no answer yet. ``after`` is how many matches were on record then."""


class PlanOrder:
    """The plan numbers of all planned matches, and the pointer.

    Attributes:
        planned: Id and plan of each match; its index is its plan number.
        number_of: The plan number of each match, by id.
        aside: Matches that were set aside and are not on record.
        pointer: The plan numbers below it are recorded, set aside, or were passed.
        records: Matches on record, those included that no plan has.
    """

    def __init__(self) -> None:
        self.planned: list[tuple[str, Planned]] = []
        self.number_of: dict[str, int] = {}
        self.aside: dict[str, None] = {}  # a set that remembers the order of its making
        self.pointer = self.records = 0
        self._recorded: set[int] = set()
        self._reached = [0]
        self._staying: set[int] = set()

    @classmethod
    def of(cls, rounds: Iterable[PlannedRound], records: Iterable[str], events: Iterable[Event]) -> "PlanOrder":
        """The order that the ledger tells.

        Args:
            rounds: The planned rounds.
            records: Ids of the matches in the order of record.
            events: The events in the order of record.
        """
        order, asides = cls(), [event.detail for event in events if event.kind == ASIDE]
        notes, rounds = block_notes(events), tuple(rounds)
        last_without = max((planned.number for planned in rounds if planned.number not in notes), default=0)
        for planned_round in rounds:
            stays_open = planned_round.number in notes or planned_round.number == last_without
            order.add_round(planned_round, stays_open=stays_open)
        for id in records:
            while asides and asides[0]["after"] <= order.records:
                order.set_aside(asides.pop(0)["match"])
            order.record(id)
        for detail in asides:
            order.set_aside(detail["match"])
        return order

    def add_round(self, planned_round: PlannedRound, *, stays_open: bool = True) -> None:
        """Number the matches of a round.

        Args:
            planned_round: The round.
            stays_open: Whether matches of it that were passed are open; of the rounds that were not planned ahead, only
                those of the last one are.
        """
        for position, planned in enumerate(planned_round.pairings, start=1):
            number, id = len(self.planned), f"{planned_round.number}.{position}"
            self.planned.append((id, planned))
            self.number_of[id] = number
            if stays_open:
                self._staying.add(number)

    def record(self, id: str) -> None:
        """Note that a match is on record."""
        self.records += 1
        self.aside.pop(id, None)
        number = self.number_of.get(id)
        if number is None:
            return
        self._recorded.add(number)
        self._advance(number + 1)

    def set_aside(self, id: str) -> None:
        """Let the pointer pass a match without an answer."""
        if id in self.number_of and self.number_of[id] not in self._recorded:
            self.aside[id] = None
            self._advance(self.number_of[id] + 1)

    def _advance(self, to: int) -> None:
        while self.pointer < to:
            self.pointer += 1
            self._reached.append(self.records)

    def records_at(self, pointer: int) -> int:
        """How many matches were on record when the pointer reached a plan number, which it must have."""
        return self._reached[max(0, pointer)]

    def is_recorded(self, number: int) -> bool:
        """Whether the match with a plan number is on record."""
        return number in self._recorded

    @property
    def open(self) -> list[tuple[str, Planned]]:
        """Matches that are neither on record nor set aside, in the order of their plans."""
        passed = sorted(number for number in self._staying - self._recorded if number < self.pointer)
        numbers = [*passed, *(number for number in range(self.pointer, len(self.planned)))]
        return [self.planned[number] for number in numbers if self.planned[number][0] not in self.aside]


def block_notes(events: Iterable[Event]) -> Mapping[int, Mapping[str, Any]]:
    """The notes of the rounds that were planned ahead of answers, by round."""
    return {
        int(event.detail["number"]): event.detail
        for event in events
        if event.kind == "round" and "evidence" in event.detail
    }
