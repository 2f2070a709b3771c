"""Whether the ratings are what follows from the matches.

Matches are replayed by columns, some thousand at a time, beside the changes that were recorded; memory grows with the
items of the pool, not with its matches. Only a pool with rollbacks is held as columns, 25 bytes a match, since a
rollback replays what stands. Pools with matches among several items go the plain way, over nouns; so does the test of
this one.
"""

import math
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import astuple, dataclass, field
from itertools import islice, zip_longest
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import Connection, select

from paragone.domain import Outcome, Rating, RatingChange
from paragone.errors import Corrupted
from paragone.ledger import matches, pools, projections, schema
from paragone.ledger.played import AT_ONCE, is_paired, item_numbers, raw, record_counts, rows_of, unstored
from paragone.ledger.recomputation import current, recomputed
from paragone.ledger.records import Difference
from paragone.ratings.columns import replay_arrays, replay_rows
from paragone.ratings.elo import LEAST_WEIGHT

TOLERANCE = 1e-6
"""Elo points by which a recomputed rating may differ: mathematical libraries differ in the last bit."""

_match, _change, _rating, _rollback = schema.match, schema.rating_change, schema.rating, schema.rollback
_PLAYED = select(*raw(_match, "seq", "match", "a", "b", "outcome", "confidence")).order_by(_match.c.seq)
_NUMBERS = ("old", "new", "k", "expected", "score", "clamped")
_MOVED = select(*raw(_change, "item", "match", *_NUMBERS)).order_by(_change.c.seq)
_RECORD = ("elo", "matches", "wins", "losses", "ties")
_SCORES = {Outcome.A.value: 1.0, Outcome.DRAW.value: 0.5, Outcome.B.value: 0.0}

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


def wrong_ratings(connection: Connection, pool: str) -> Iterator[Difference]:
    """Recorded changes and ratings that are not what the matches and rollbacks of a pool come to, the first first."""
    return _Recount(connection, pool).differences() if is_paired(connection, pool) else by_nouns(connection, pool)


def by_nouns(connection: Connection, pool: str) -> Iterator[Difference]:
    """``wrong_ratings``, with all of the pool in memory."""
    made = recomputed(connection, pool)
    stored = matches.changes(connection, pool)
    for there, expected in zip_longest(stored, made.changes):
        if there is None or expected is None or not _agree(there, expected):
            yield _wrong_change(pool, there, expected)
    rightful, there_now = current(connection, pool, made), projections.ratings(connection, pool)
    for item in [*rightful, *(there_now.keys() - rightful.keys())]:
        if there_now.get(item) != rightful.get(item):
            yield _wrong_record(pool, item, there_now.get(item), rightful.get(item))


def _agree(there: RatingChange, expected: RatingChange) -> bool:
    pairs = zip(astuple(there), astuple(expected), strict=True)
    return all(math.isclose(a, b, rel_tol=0.0, abs_tol=TOLERANCE) if isinstance(a, float) else a == b for a, b in pairs)


def _wrong_change(pool: str, there: RatingChange | None, expected: RatingChange | None) -> Difference:
    named = there or expected
    if named is None:
        raise ValueError("nothing differs from nothing")
    message = f"match {named.match!r} moved {named.item!r} by {there}, and the evidence says {expected}"
    return Difference(pool=pool, table="rating_change", row=named.match, message=message)


def _wrong_record(pool: str, item: str, there: Rating | None, rightful: Rating | None) -> Difference:
    message = f"the rating of {item!r} is {there}, and the evidence says {rightful}"
    return Difference(pool=pool, table="rating", row=item, message=message)


@dataclass(kw_only=True, slots=True)
class _Moves:
    """Rating changes as columns."""

    items: Sequence[str]
    matches: Sequence[str]
    numbers: Floats = field(default_factory=lambda: np.empty((len(_NUMBERS), 0)))

    def __len__(self) -> int:
        return len(self.items)

    def __getitem__(self, place: int) -> RatingChange | None:
        """The change at a place, as a noun; None after the last."""
        if place >= len(self):
            return None
        values = dict(zip(_NUMBERS, self.numbers[:, place].tolist(), strict=True))
        (item,), (match,) = unstored([self.items[place]]), unstored([self.matches[place]])
        return RatingChange(item=item, match=match, **values)

    def first_difference(self, other: "_Moves") -> int | None:
        """Where two sequences of changes differ first; None if they do not."""
        common = min(len(self), len(other))
        same = np.abs(self.numbers[:, :common] - other.numbers[:, :common]) <= TOLERANCE
        agree = same.all(axis=0)
        agree &= np.fromiter(map(str.__eq__, self.items, other.items), bool, common)
        agree &= np.fromiter(map(str.__eq__, self.matches, other.matches), bool, common)
        if not agree.all():
            return int(np.argmin(agree))
        return None if len(self) == len(other) else common


@dataclass(kw_only=True, slots=True)
class _Part:
    """Matches that count, one after the other."""

    ids: Sequence[str]
    a: Ints
    b: Ints
    score: Floats
    confidence: Floats


class _Recount:
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
        self._voids = connection.execute(
            select(*raw(_rollback, "seq", "match")).where(_rollback.c.pool == pool).order_by(_rollback.c.seq)
        ).all()
        self._history: list[_Part] = []  # only where a rollback is to replay it

    def differences(self) -> Iterator[Difference]:
        """What differs, in the order of record; the recount is of no use after the first."""
        for made in self._made():
            there = self._read(len(made))
            place = there.first_difference(made)
            if place is not None:
                yield _wrong_change(self._pool, there[place], made[place])
            last = dict(zip(there.items, there.numbers[_NUMBERS.index("new")].tolist(), strict=True))
            self._last[[self._numbers[item] for item in last]] = list(last.values())
        left = self._read(1)
        if len(left):
            yield _wrong_change(self._pool, left[0], None)
        yield from self._wrong_records()

    def _made(self) -> Iterator[_Moves]:
        """The changes that matches and rollbacks imply, in their order."""
        voids = deque(self._voids)
        for rows in self._parts():
            left = rows
            while voids and voids[0].seq < left[-1].seq:
                void = voids.popleft()
                before = [row for row in left if row.seq < void.seq]
                yield self._play(self._part(before))
                yield self._undo(void.match)
                left = left[len(before) :]
            yield self._play(self._part(left))
        for void in voids:
            yield self._undo(void.match)

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

    def _play(self, part: _Part) -> _Moves:
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
        return _Moves(
            items=[self._items[number] for number in pairs],
            matches=[id for id in part.ids for _ in range(2)],
            numbers=np.array([np.column_stack(pair).ravel() for pair in columns]),
        )

    def _undo(self, void: str) -> _Moves:
        """Void a match and replay the others; the compensating changes."""
        for part in self._history:
            if void in part.ids:
                place = part.ids.index(void)
                a, b, score = part.a[place : place + 1], part.b[place : place + 1], part.score[place : place + 1]
                self._counts -= record_counts(a, b, score, len(self._items))
                part.ids = [*part.ids[:place], *part.ids[place + 1 :]]
                part.a, part.b = np.delete(part.a, place), np.delete(part.b, place)
                part.score, part.confidence = np.delete(part.score, place), np.delete(part.confidence, place)
        a, b, score, confidence = (
            np.concatenate([getattr(part, name) for part in self._history])
            for name in ("a", "b", "score", "confidence")
        )
        before, self._elo = self._elo, replay_arrays(a, b, score, confidence, len(self._items), self._config)
        moved = np.flatnonzero(before != self._elo)
        numbers = np.zeros((len(_NUMBERS), len(moved)))
        numbers[0], numbers[1] = before[moved], self._elo[moved]
        return _Moves(items=[self._items[n] for n in moved.tolist()], matches=[void] * len(moved), numbers=numbers)

    def _read(self, count: int) -> _Moves:
        """The next recorded changes, so many at the most."""
        rows = list(islice(self._recorded, count))
        if not rows:
            return _Moves(items=(), matches=())
        items, ids, *numbers = zip(*rows, strict=True)
        try:
            return _Moves(items=items, matches=ids, numbers=np.array(numbers, dtype=np.float64))
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
            yield _wrong_record(self._pool, expected.item, found, expected)
        for stranger in strangers:
            yield _wrong_record(self._pool, stranger.item, stranger, None)


def _noun(item: str, record: Sequence[Any]) -> Rating:
    return Rating(item=unstored([item])[0], **dict(zip(_RECORD, record, strict=True)))
