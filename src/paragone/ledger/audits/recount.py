"""A pool replayed by columns beside what was recorded of it."""

import math
from bisect import bisect_left
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from operator import attrgetter
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import Connection, select

from paragone.domain import Outcome, Rating, RatingConfig
from paragone.errors import Corrupted
from paragone.ledger import pools, schema
from paragone.ledger.audits.moves import NUMBERS, Floats, Moves, wrong_change, wrong_record
from paragone.ledger.played import AT_ONCE, item_numbers, raw, record_counts, rows_of, unstored
from paragone.ledger.records import Difference
from paragone.ratings.adjustment_columns import AdjustmentColumns, adjust_arrays
from paragone.ratings.columns import replay_arrays, replay_rows
from paragone.ratings.elo import LEAST_WEIGHT

_match, _change, _rating, _rollback = schema.match, schema.rating_change, schema.rating, schema.rollback
_adjustment = schema.adjustment
_PLAYED = select(*raw(_match, "seq", "match", "a", "b", "outcome", "confidence")).order_by(_match.c.seq)
_MOVED = select(*raw(_change, "item", "match", *NUMBERS)).order_by(_change.c.seq)
_VOIDED = select(*raw(_rollback, "seq", "match")).order_by(_rollback.c.seq)
_ADJUSTED = select(*raw(_adjustment, "seq", "adjustment", "item", "target", "share", "old", "new", "clamped")).order_by(
    _adjustment.c.seq
)
_RECORD = ("elo", "matches", "wins", "losses", "ties")
_MADE_BY_ADJUSTMENTS = [NUMBERS.index(name) for name in ("old", "new", "clamped")]
_SCORES = {Outcome.A.value: 1.0, Outcome.DRAW.value: 0.5, Outcome.B.value: 0.0}

Ints = NDArray[np.int64]


@dataclass(kw_only=True, slots=True)
class _Part:
    """Matches that count, one after the other."""

    ids: Sequence[str]
    a: Ints
    b: Ints
    score: Floats
    confidence: Floats

    def move(self, ratings: Floats, config: RatingConfig) -> Floats:
        """The ratings after these matches."""
        return replay_arrays(self.a, self.b, self.score, self.confidence, len(ratings), config, start=ratings)

    def take_out(self, place: int) -> "_Part":
        """One of the matches, which is no part of these any more."""
        one = slice(place, place + 1)
        taken = _Part(ids=[self.ids[place]], **{name: getattr(self, name)[one] for name in _COLUMNS})
        self.ids = [*self.ids[:place], *self.ids[place + 1 :]]
        for name in _COLUMNS:
            setattr(self, name, np.delete(getattr(self, name), place))
        return taken


_COLUMNS = ("a", "b", "score", "confidence")


@dataclass(kw_only=True, slots=True)
class _Shift:
    """Adjustments with no match between them."""

    columns: AdjustmentColumns

    @classmethod
    def of(cls, numbers: Sequence[int], rows: Sequence[Any]) -> "_Shift":
        """The adjustments of some rows, whose items have these numbers."""
        return cls(
            columns=AdjustmentColumns(
                item=np.array(numbers, dtype=np.int64),
                target=np.array([row.target for row in rows], dtype=np.float64),
                share=np.array([row.share for row in rows], dtype=np.float64),
                before=np.zeros(len(rows), dtype=np.int64),
            )
        )

    def move(self, ratings: Floats, config: RatingConfig) -> Floats:
        """The ratings after these adjustments."""
        moved = ratings.copy()
        adjust_arrays(moved, self.columns, config)
        return moved


@dataclass(frozen=True, kw_only=True, slots=True)
class _Step:
    """Moves that were recorded, and what they should be."""

    there: Moves
    made: Moves
    table: str = _change.name


class Recount:
    """A pool replayed beside what was recorded of it."""

    def __init__(self, connection: Connection, pool: str) -> None:
        self._connection = connection
        self._pool = pool
        self._config = pools.config(connection, pool)
        self._numbers = item_numbers(connection, pool)
        self._items = list(self._numbers)
        self._elo = np.full(len(self._items), self._config.initial)
        self._last = self._elo.copy()  # what the last recorded change says
        self._counts = np.zeros((4, len(self._items)), np.int64)
        self._recorded = rows_of(connection, _MOVED.where(_change.c.pool == pool))
        self._voids = deque(connection.execute(_VOIDED.where(_rollback.c.pool == pool)))
        self._adjustments = deque(connection.execute(_ADJUSTED.where(_adjustment.c.pool == pool)))
        self._history: list[_Part | _Shift] = []  # only where a rollback is to replay it

    def differences(self) -> Iterator[Difference]:
        """What differs, in the order of record; the recount is of no use after the first."""
        for step in self._steps():
            there, made = step.there, step.made
            place = there.first_difference(made)
            if place is not None:
                yield wrong_change(self._pool, there[place], made[place], table=step.table)
            last = dict(zip(there.items, there.numbers[NUMBERS.index("new")].tolist(), strict=True))
            self._last[[self._numbers[item] for item in last]] = list(last.values())
        left = self._read(1)
        if len(left):
            yield wrong_change(self._pool, left[0], None, table=_change.name)
        yield from self._wrong_records()

    def _steps(self) -> Iterator[_Step]:
        """What matches, adjustments and rollbacks come to, in their order."""
        for rows in self._parts():
            left = rows
            while self._next < left[-1].seq:
                place = bisect_left(left, self._next, key=attrgetter("seq"))
                yield self._recorded_as(self._play(self._part(left[:place])))
                left = left[place:]
                yield self._between(left[0].seq)
            yield self._recorded_as(self._play(self._part(left)))
        while self._next < math.inf:
            yield self._between(math.inf)

    @property
    def _next(self) -> float:
        """The place of the next adjustment or rollback."""
        return min((float(queue[0].seq) for queue in (self._voids, self._adjustments) if queue), default=math.inf)

    def _recorded_as(self, made: Moves) -> _Step:
        return _Step(there=self._read(len(made)), made=made)

    def _between(self, until: float) -> _Step:
        """A rollback; or all adjustments before the next one, and before a place."""
        void = self._voids[0].seq if self._voids else math.inf
        if void <= self._next:
            return self._recorded_as(self._undo(self._voids.popleft().match))
        rows = []
        while self._adjustments and self._adjustments[0].seq < min(until, void):
            rows.append(self._adjustments.popleft())
        return self._adjust(rows)

    def _adjust(self, rows: Sequence[Any]) -> _Step:
        items, ids = [row.item for row in rows], [row.adjustment for row in rows]
        try:
            shift = _Shift.of([self._numbers[item] for item in items], rows)
            there = np.array([(row.old, row.new, 0.0, 0.0, 0.0, row.clamped) for row in rows], dtype=np.float64).T
        except (KeyError, TypeError, ValueError) as error:
            raise Corrupted(f"an adjustment of pool {self._pool!r} cannot be read ({error!r})") from error
        if self._voids:
            self._history.append(shift)
        self._elo = self._elo.copy()
        made = np.zeros_like(there)
        made[_MADE_BY_ADJUSTMENTS] = adjust_arrays(self._elo, shift.columns, self._config)
        return _Step(
            there=Moves(items=items, matches=ids, numbers=there),
            made=Moves(items=items, matches=ids, numbers=made),
            table=_adjustment.name,
        )

    def _parts(self) -> Iterator[list[Any]]:
        played = rows_of(self._connection, _PLAYED.where(_match.c.pool == self._pool))
        while part := list(islice(played, AT_ONCE)):
            yield part

    def _part(self, rows: Sequence[Any]) -> _Part:
        counted = [row for row in rows if row.outcome != Outcome.VOID.value]
        try:
            return _Part(
                ids=[row.match for row in counted],
                a=np.array([self._numbers[row.a] for row in counted], dtype=np.int64),
                b=np.array([self._numbers[row.b] for row in counted], dtype=np.int64),
                score=np.array([_SCORES[row.outcome] for row in counted], dtype=np.float64),
                confidence=np.array([row.confidence for row in counted], dtype=np.float64),
            )
        except (KeyError, TypeError, ValueError) as error:
            raise Corrupted(f"a match of pool {self._pool!r} cannot be read ({error!r})") from error

    def _play(self, part: _Part) -> Moves:
        if self._voids:
            self._history.append(part)
        rows = replay_rows(part.a, part.b, part.score, part.confidence, len(self._items), self._config, start=self._elo)
        self._elo = rows.ratings
        self._counts += record_counts(part.a, part.b, part.score, len(self._items))
        k = self._config.k * np.clip(part.confidence, LEAST_WEIGHT, 1.0)
        change = k * (part.score - rows.expected)
        columns = (
            (rows.old_a, rows.old_b),
            (rows.new_a, rows.new_b),
            (k, k),
            (rows.expected, 1.0 - rows.expected),
            (part.score, 1.0 - part.score),
            (rows.old_a + change - rows.new_a, rows.old_b - change - rows.new_b),
        )
        pairs = np.column_stack((part.a, part.b)).ravel().tolist()
        return Moves(
            items=[self._items[number] for number in pairs],
            matches=[id for id in part.ids for _ in range(2)],
            numbers=np.array([np.column_stack(pair).ravel() for pair in columns]),
        )

    def _undo(self, void: str) -> Moves:
        """Void a match and replay everything else; the compensating changes."""
        for part in self._history:
            if isinstance(part, _Part) and void in part.ids:
                taken = part.take_out(part.ids.index(void))
                self._counts -= record_counts(taken.a, taken.b, taken.score, len(self._items))
        before, self._elo = self._elo, np.full(len(self._items), self._config.initial)
        for part in self._history:
            self._elo = part.move(self._elo, self._config)
        moved = np.flatnonzero(before != self._elo)
        numbers = np.zeros((len(NUMBERS), len(moved)))
        numbers[0], numbers[1] = before[moved], self._elo[moved]
        return Moves(items=[self._items[n] for n in moved.tolist()], matches=[void] * len(moved), numbers=numbers)

    def _read(self, count: int) -> Moves:
        """The next recorded changes, so many at the most."""
        rows = list(islice(self._recorded, count))
        if not rows:
            return Moves(items=(), matches=())
        items, ids, *numbers = zip(*rows, strict=True)
        try:
            return Moves(items=items, matches=ids, numbers=np.array(numbers, dtype=np.float64))
        except (TypeError, ValueError) as error:
            raise Corrupted(f"a rating change of pool {self._pool!r} cannot be read ({error})") from error

    def _wrong_records(self) -> Iterator[Difference]:
        """Ratings that are not what they should be, in the order of the items; then those of no item."""
        wrong: dict[int, Rating | None] = dict.fromkeys(range(len(self._items)))
        strangers: list[Rating] = []
        statement = select(*raw(_rating, "item", *_RECORD)).where(_rating.c.pool == self._pool)
        rightful = list(zip(self._last.tolist(), *self._counts.tolist(), strict=True))
        for item, *record in rows_of(self._connection, statement):
            number = self._numbers.get(item)
            if number is not None and tuple(record) == rightful[number]:
                del wrong[number]
            else:
                there = _noun(item, record)
                strangers.append(there) if number is None else wrong.update({number: there})
        for number, found in wrong.items():
            expected = _noun(self._items[number], rightful[number])
            yield wrong_record(self._pool, expected.item, found, expected)
        for stranger in strangers:
            yield wrong_record(self._pool, stranger.item, stranger, None)


def _noun(item: str, record: Sequence[Any]) -> Rating:
    return Rating(item=unstored([item])[0], **dict(zip(_RECORD, record, strict=True)))
