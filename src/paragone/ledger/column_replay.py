"""A pool replayed by columns, and compared with its recorded changes."""

import math
from bisect import bisect_left
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from operator import attrgetter
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import Connection, bindparam, select

from paragone.domain import GLOBAL, Outcome, Rating, RatingChange, RatingConfig
from paragone.errors import Corrupted
from paragone.ledger import schema
from paragone.ledger.evidence import pools
from paragone.ledger.evidence.match_columns import (
    NUMBERS,
    PLAYED,
    change_columns,
    in_order,
    item_numbers,
    raw,
    read_ids,
    record_counts,
)
from paragone.ledger.running_ratings import RECORD
from paragone.ledger.statements import ROWS_AT_ONCE, Statement
from paragone.ratings.adjustment_columns import AdjustmentColumns, adjust_arrays
from paragone.ratings.elo_arrays import replay_arrays, replay_rows
from paragone.wire.audit import Difference

TOLERANCE = 1e-6
"""Elo points by which a recomputed rating may differ: mathematical libraries differ in the last bit."""

_BY_MATCHES = ("rating_change", "track_change")

Floats = NDArray[np.float64]


@dataclass(kw_only=True, slots=True)
class Moves:
    """Rating changes as columns."""

    items: Sequence[str]
    matches: Sequence[str]
    numbers: Floats = field(default_factory=lambda: np.empty((len(NUMBERS), 0)))

    def __len__(self) -> int:
        return len(self.items)

    def __getitem__(self, index: int) -> RatingChange | None:
        """The change at an index; None after the last."""
        if index >= len(self):
            return None
        values = dict(zip(NUMBERS, self.numbers[:, index].tolist(), strict=True))
        (item,), (match,) = read_ids([self.items[index]]), read_ids([self.matches[index]])
        return RatingChange(item=item, match=match, **values)

    def first_difference(self, other: "Moves") -> int | None:
        """The first index at which two sequences of changes differ; None if they are equal."""
        common = min(len(self), len(other))
        same = np.abs(self.numbers[:, :common] - other.numbers[:, :common]) <= TOLERANCE
        agree = same.all(axis=0)
        agree &= np.fromiter(map(str.__eq__, self.items, other.items), bool, common)
        agree &= np.fromiter(map(str.__eq__, self.matches, other.matches), bool, common)
        if not agree.all():
            return int(np.argmin(agree))
        return None if len(self) == len(other) else common


def wrong_change(pool: str, recorded: RatingChange | None, expected: RatingChange | None, *, table: str) -> Difference:
    """The difference between a recorded change and the one that follows from the evidence.

    Args:
        pool: The pool.
        recorded: The recorded change, if any.
        expected: The change that follows from the evidence, if any.
        table: The table of the change.
    """
    change = recorded or expected
    if change is None:
        raise ValueError("nothing differs from nothing")
    what = "match" if table in _BY_MATCHES else table
    message = f"{what} {change.match!r} moved {change.item!r} by {recorded}, and the evidence says {expected}"
    return Difference(pool=pool, table=table, row=change.match, message=message)


def wrong_record(pool: str, item: str, recorded: Rating | None, expected: Rating | None) -> Difference:
    """The difference between a stored rating, global or in a domain, and the one that follows from the evidence."""
    rating = recorded or expected
    domain = "" if rating is None or rating.track == GLOBAL else rating.track
    message = f"the rating of {item!r}{domain and f' in {domain!r}'} is {recorded}, and the evidence says {expected}"
    return Difference(pool=pool, table="track_rating" if domain else "rating", row=item, message=message)


_change, _rating, _adjustment = schema.rating_change, schema.rating, schema.adjustment
_MOVED = in_order(_change, "item", "match", *NUMBERS)
_VOIDED = in_order(schema.rollback, "seq", "match")
_ADJUSTED = in_order(_adjustment, "seq", "adjustment", "item", "target", "share", "old", "new", "clamped")
_RECORDS = Statement(select(*raw(_rating, "item", *RECORD)).where(_rating.c.pool == bindparam("of_pool")))
_MADE_BY_ADJUSTMENTS = [NUMBERS.index(name) for name in ("old", "new", "clamped")]
_SCORES = {Outcome.A.value: 1.0, Outcome.DRAW.value: 0.5, Outcome.B.value: 0.0}

Ints = NDArray[np.int64]


@dataclass(kw_only=True, slots=True)
class _Part:
    """Consecutive matches that count."""

    ids: Sequence[str]
    a: Ints
    b: Ints
    score: Floats
    confidence: Floats

    def move(self, ratings: Floats, config: RatingConfig) -> Floats:
        """The ratings after these matches."""
        return replay_arrays(self.a, self.b, self.score, self.confidence, len(ratings), config, start=ratings)

    def remove(self, index: int) -> "_Part":
        """Remove one of the matches and return it."""
        single = slice(index, index + 1)
        removed = _Part(ids=[self.ids[index]], **{name: getattr(self, name)[single] for name in _COLUMNS})
        self.ids = [*self.ids[:index], *self.ids[index + 1 :]]
        for name in _COLUMNS:
            setattr(self, name, np.delete(getattr(self, name), index))
        return removed


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
        adjusted = ratings.copy()
        adjust_arrays(adjusted, self.columns, config)
        return adjusted


@dataclass(frozen=True, kw_only=True, slots=True)
class _Step:
    """Recorded changes, and what they should be."""

    recorded: Moves
    expected: Moves
    table: str = _change.name


class Recount:
    """A pool replayed beside its recorded changes."""

    def __init__(self, connection: Connection, pool: str) -> None:
        self._connection = connection
        self._pool, self._values = pool, {"of_pool": pool}
        self._config = pools.config(connection, pool)
        self._numbers = item_numbers(connection, pool)
        self._items = list(self._numbers)
        self._elo = np.full(len(self._items), self._config.initial)
        self._last = self._elo.copy()  # ratings after the last recorded change
        self._counts = np.zeros((4, len(self._items)), np.int64)
        self._recorded = _MOVED.stream(connection, self._values)
        self._voids = deque(_VOIDED.named_rows(connection, self._values))
        self._adjustments = deque(_ADJUSTED.named_rows(connection, self._values))
        self._history: list[_Part | _Shift] = []  # only kept if a later rollback replays it

    def differences(self) -> Iterator[Difference]:
        """Differences in the order of record; after the first, the others may only follow from it."""
        for step in self._steps():
            recorded, expected = step.recorded, step.expected
            index = recorded.first_difference(expected)
            if index is not None:
                yield wrong_change(self._pool, recorded[index], expected[index], table=step.table)
            last = dict(zip(recorded.items, recorded.numbers[NUMBERS.index("new")].tolist(), strict=True))
            self._last[[self._numbers[item] for item in last]] = list(last.values())
        extra = self._read(1)
        if len(extra):
            yield wrong_change(self._pool, extra[0], None, table=_change.name)
        yield from self._wrong_records()

    def _steps(self) -> Iterator[_Step]:
        """The changes by matches, adjustments and rollbacks, in order."""
        for rows in self._parts():
            remaining = rows
            while self._next < remaining[-1].seq:
                index = bisect_left(remaining, self._next, key=attrgetter("seq"))
                yield self._recorded_as(self._play(self._part(remaining[:index])))
                remaining = remaining[index:]
                yield self._between(remaining[0].seq)
            yield self._recorded_as(self._play(self._part(remaining)))
        while self._next < math.inf:
            yield self._between(math.inf)

    @property
    def _next(self) -> float:
        """Sequence number of the next adjustment or rollback."""
        return min((float(queue[0].seq) for queue in (self._voids, self._adjustments) if queue), default=math.inf)

    def _recorded_as(self, expected: Moves) -> _Step:
        return _Step(recorded=self._read(len(expected)), expected=expected)

    def _between(self, until: float) -> _Step:
        """The next rollback, or all adjustments before it and before a sequence number."""
        void = self._voids[0].seq if self._voids else math.inf
        if void <= self._next:
            return self._recorded_as(self._void_match(self._voids.popleft().match))
        rows = []
        while self._adjustments and self._adjustments[0].seq < min(until, void):
            rows.append(self._adjustments.popleft())
        return self._adjust(rows)

    def _adjust(self, rows: Sequence[Any]) -> _Step:
        items, ids = [row.item for row in rows], [row.adjustment for row in rows]
        try:
            shift = _Shift.of([self._numbers[item] for item in items], rows)
            recorded = np.array([(row.old, row.new, 0.0, 0.0, 0.0, row.clamped) for row in rows], dtype=np.float64).T
        except (KeyError, TypeError, ValueError) as error:
            raise Corrupted(f"an adjustment of pool {self._pool!r} cannot be read ({error!r})") from error
        if self._voids:
            self._history.append(shift)
        self._elo = self._elo.copy()
        expected = np.zeros_like(recorded)
        expected[_MADE_BY_ADJUSTMENTS] = adjust_arrays(self._elo, shift.columns, self._config)
        return _Step(
            recorded=Moves(items=items, matches=ids, numbers=recorded),
            expected=Moves(items=items, matches=ids, numbers=expected),
            table=_adjustment.name,
        )

    def _parts(self) -> Iterator[list[Any]]:
        played = PLAYED.stream(self._connection, self._values)
        while part := list(islice(played, ROWS_AT_ONCE)):
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
        numbers = change_columns(rows, part.score, part.confidence, self._config)
        pairs = np.column_stack((part.a, part.b)).ravel().tolist()
        return Moves(
            items=[self._items[number] for number in pairs],
            matches=[id for id in part.ids for _ in range(2)],
            numbers=np.array(list(numbers.values())),
        )

    def _void_match(self, void: str) -> Moves:
        """Void a match and replay everything else; returns the compensating changes."""
        for part in self._history:
            if isinstance(part, _Part) and void in part.ids:
                removed = part.remove(part.ids.index(void))
                self._counts -= record_counts(removed.a, removed.b, removed.score, len(self._items))
        before, self._elo = self._elo, np.full(len(self._items), self._config.initial)
        for part in self._history:
            self._elo = part.move(self._elo, self._config)
        changed = np.flatnonzero(before != self._elo)
        numbers = np.zeros((len(NUMBERS), len(changed)))
        numbers[0], numbers[1] = before[changed], self._elo[changed]
        return Moves(items=[self._items[n] for n in changed.tolist()], matches=[void] * len(changed), numbers=numbers)

    def _read(self, count: int) -> Moves:
        """The next recorded changes, at most ``count``."""
        rows = list(islice(self._recorded, count))
        if not rows:
            return Moves(items=(), matches=())
        items, ids, *numbers = zip(*rows, strict=True)
        try:
            return Moves(items=items, matches=ids, numbers=np.array(numbers, dtype=np.float64))
        except (TypeError, ValueError) as error:
            raise Corrupted(f"a rating change of pool {self._pool!r} cannot be read ({error})") from error

    def _wrong_records(self) -> Iterator[Difference]:
        """Stored ratings that differ, in the order of the items; then those of unknown items."""
        wrong: dict[int, Rating | None] = dict.fromkeys(range(len(self._items)))
        unknown: list[Rating] = []
        expected_records = list(zip(self._last.tolist(), *self._counts.tolist(), strict=True))
        for item, *record in _RECORDS.stream(self._connection, self._values):
            number = self._numbers.get(item)
            if number is not None and tuple(record) == expected_records[number]:
                del wrong[number]
            else:
                recorded = _noun(item, record)
                unknown.append(recorded) if number is None else wrong.update({number: recorded})
        for number, recorded_rating in wrong.items():
            expected = _noun(self._items[number], expected_records[number])
            yield wrong_record(self._pool, expected.item, recorded_rating, expected)
        for rating in unknown:
            yield wrong_record(self._pool, rating.item, rating, None)


def _noun(item: str, record: Sequence[Any]) -> Rating:
    return Rating(item=read_ids([item])[0], **dict(zip(RECORD, record, strict=True)))
