"""The matches of a tournament in the order of their plans, and how far that order is on record.

Matches have plan numbers, 0, 1, 2, ..., in the order in which they were planned. A pointer moves over them as they are
recorded, or set aside by an event. How many matches were on record when the pointer reached a number is what a later
plan may know, whatever the order in which answers arrived.
"""

from array import array
from collections.abc import Iterable, Mapping
from typing import Any

from paragone.domain import Planned
from paragone.ledger import Event, PlannedRound
from paragone.tournaments.state.rounds import Rounds

ASIDE = "aside"
"""Event: the pointer passes a match that has no answer yet. ``after`` is how many matches were on record then."""


class PlanOrder:
    """The plan numbers of all planned matches, and the pointer.

    Attributes:
        rounds: The planned rounds; the place of a match among all of theirs is its plan number.
        aside: Matches that were set aside and are not on record.
        pointer: The plan numbers below it are recorded, set aside, or were passed.
        records: Matches on record, those included that no plan has.
    """

    def __init__(self) -> None:
        self.rounds = Rounds()
        self.aside: dict[str, None] = {}  # a set that remembers the order of its making
        self.pointer = self.records = 0
        self._reached = array("i", [0])
        self._recorded, self._staying = bytearray(), bytearray()  # a flag for each plan number

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
        self.rounds.append(planned_round)
        more = self.rounds.matches - len(self._recorded)
        self._recorded += bytes(more)
        self._staying += bytes([stays_open]) * more

    def record(self, id: str) -> None:
        """Note that a match is on record."""
        self.records += 1
        self.aside.pop(id, None)
        number = self.rounds.place(id)
        if number is None:
            return
        self._recorded[number] = True
        self._advance(number + 1)

    def set_aside(self, id: str) -> None:
        """Let the pointer pass a match without an answer."""
        number = self.rounds.place(id)
        if number is not None and not self._recorded[number]:
            self.aside[id] = None
            self._advance(number + 1)

    def _advance(self, to: int) -> None:
        while self.pointer < to:
            self.pointer += 1
            self._reached.append(self.records)

    def records_at(self, pointer: int) -> int:
        """How many matches were on record when the pointer reached a plan number, which it must have."""
        return self._reached[max(0, pointer)]

    @property
    def passed(self) -> list[tuple[str, Planned]]:
        """Matches that were set aside and are not on record."""
        numbers = map(self.rounds.place, self.aside)
        return [self.rounds.planned(number) for number in numbers if number is not None]

    @property
    def open(self) -> list[tuple[str, Planned]]:
        """Matches that are neither on record nor set aside, in the order of their plans."""
        passed = (number for number in range(self.pointer) if self._staying[number] > self._recorded[number])
        matches = [self.rounds.planned(number) for number in (*passed, *range(self.pointer, self.rounds.matches))]
        return [(id, planned) for id, planned in matches if id not in self.aside]


def block_notes(events: Iterable[Event]) -> Mapping[int, Mapping[str, Any]]:
    """The notes of the rounds that were planned ahead of answers, by round."""
    return {
        int(event.detail["number"]): event.detail
        for event in events
        if event.kind == "round" and "evidence" in event.detail
    }
