"""The planned rounds of a tournament, stored as columns and read as a list, and how far their order is on record.

Matches have plan numbers, 0, 1, 2, ..., in the order in which they were planned. A pointer moves over them as they are
recorded, or set aside by an event. How many matches were on record when the pointer reached a number is what a later
plan may know, whatever the order in which answers arrived.
"""

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Self, overload

import numpy as np

from paragone.domain import Lineup, Order, Pairing, Planned
from paragone.ledger import Event, PlannedRound
from paragone.tournaments.state.packed_columns import Names, PackedTable, is_count

_Form = tuple[tuple[Order, ...], int, bool, bool, int]
_LIST = -1


class Rounds(Sequence[PlannedRound]):
    """Planned rounds in their order; each access creates equal ones, not the same objects.

    Matches among several items are stored as objects.
    """

    def __init__(self, rounds: Iterable[PlannedRound] = ()) -> None:
        self._items = Names()
        self._forms: dict[_Form, int] = {}
        self._of_number: list[_Form] = []
        self._rounds = PackedTable({"number": "i", "start": "i"})
        self._planned = PackedTable({"a": "i", "b": "i", "form": "i"})
        self._lineups: dict[int, Lineup] = {}
        self.extend(rounds)

    def append(self, planned_round: PlannedRound) -> None:
        """Append a round."""
        self._rounds.add(planned_round.number, len(self._planned))
        for planned in planned_round.pairings:
            if isinstance(planned, Lineup):
                self._lineups[len(self._planned)] = planned
                self._planned.add(_LIST, _LIST, _LIST)
            else:
                self._planned.add(self._items.number(planned.a), self._items.number(planned.b), self._form(planned))

    def extend(self, rounds: Iterable[PlannedRound]) -> None:
        """Append some rounds."""
        for planned_round in rounds:
            self.append(planned_round)

    def copy(self) -> Self:
        """A copy to read while this one grows. They share names and forms."""
        other = type(self)()
        other._items, other._forms, other._of_number = self._items, self._forms, self._of_number
        other._rounds, other._planned, other._lineups = self._rounds.copy(), self._planned.copy(), dict(self._lineups)
        return other

    @property
    def matches(self) -> int:
        """How many matches they have."""
        return len(self._planned)

    @property
    def nbytes(self) -> int:
        """Bytes of all rows."""
        return self._rounds.nbytes + self._planned.nbytes

    def distinct_pairs(self) -> int:
        """How many pairs are planned, each counted once however often it is."""
        a, b = (self._planned.column(name).astype(np.int64) for name in "ab")
        keys = np.minimum(a, b) * len(self._items) + np.maximum(a, b)
        return int(np.unique(keys[a != _LIST]).size)

    def planned(self, index: int) -> tuple[str, Planned]:
        """A match by its place among all of them, with its id."""
        starts = self._rounds.values("start")
        row = bisect_right(starts, index) - 1
        return f"{self._rounds.values('number')[row]}.{index - starts[row] + 1}", self._read(index)

    def place(self, id: str) -> int | None:
        """The place of a match among all of them, by its id; None if it is not planned. Rounds must be in order."""
        number, _, position = id.partition(".")
        if not (is_count(number) and is_count(position)):
            return None
        row = bisect_left(self._rounds.values("number"), int(number))
        if row == len(self) or self._rounds.values("number")[row] != int(number):
            return None
        index = self._rounds.values("start")[row] + int(position) - 1
        return index if index in self._places(row) else None

    def __len__(self) -> int:
        return len(self._rounds)

    @overload
    def __getitem__(self, index: int) -> PlannedRound: ...
    @overload
    def __getitem__(self, index: slice) -> list[PlannedRound]: ...
    def __getitem__(self, index: int | slice) -> PlannedRound | list[PlannedRound]:
        if isinstance(index, slice):
            return [self[row] for row in range(len(self))[index]]
        row = range(len(self))[index]
        pairings = tuple([self._read(at) for at in self._places(row)])
        return PlannedRound(number=self._rounds.values("number")[row], pairings=pairings)

    def __repr__(self) -> str:
        return f"Rounds({list(self)!r})"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Sequence):
            return NotImplemented
        return list(self) == list(other)

    __hash__ = None  # type: ignore[assignment]  # it changes

    def _places(self, row: int) -> range:
        starts = self._rounds.values("start")
        return range(starts[row], starts[row + 1] if row + 1 < len(self) else len(self._planned))

    def _form(self, pairing: Pairing) -> int:
        """The number of how a pair is judged; few differ."""
        form = (pairing.orders, pairing.turns, pairing.degraded, pairing.panel, pairing.level)
        number = self._forms.setdefault(form, len(self._forms))
        if number == len(self._of_number):
            self._of_number.append(form)
        return number

    def _read(self, index: int) -> Planned:
        if index in self._lineups:
            return self._lineups[index]
        a, b, form = self._planned.row(index)
        orders, turns, degraded, panel, level = self._of_number[form]
        texts = self._items.texts
        return Pairing(a=texts[a], b=texts[b], orders=orders, turns=turns, degraded=degraded, panel=panel, level=level)


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
