"""Whether the ratings are what follows from the matches, the adjustments and the tests.

Matches are replayed by columns, some thousand at a time, beside the changes that were recorded; memory grows with the
items and the adjustments of the pool, not with its matches. Only a pool with rollbacks is held as columns, 25 bytes a
match, since a rollback replays what stands. Pools with matches among several items or with scorecards, or with tests,
go the plain way, over nouns; so does the test of this one.
"""

import math
from collections.abc import Iterator, Mapping
from itertools import zip_longest
from operator import attrgetter
from typing import TypeVar

from sqlalchemy import Connection

from paragone.domain import GLOBAL, Rating, RatingChange
from paragone.ledger import running_ratings
from paragone.ledger.agents import strength_tests
from paragone.ledger.audits.column_replay import NUMBERS, TOLERANCE, Recount, wrong_change, wrong_record
from paragone.ledger.evidence import adjustments, rating_changes
from paragone.ledger.evidence.match_columns import is_paired
from paragone.ledger.replays import current, recomputed
from paragone.wire.audit import Difference

Key = TypeVar("Key", bound=str | tuple[str, str])


def wrong_ratings(connection: Connection, pool: str) -> Iterator[Difference]:
    """Recorded moves and ratings that are not what follows from the evidence of a pool, the first first."""
    if not is_paired(connection, pool):
        yield from by_nouns(connection, pool)
        return
    yield from Recount(connection, pool).differences()
    yield from _wrong(pool, running_ratings.tracks(connection, pool), {})  # without scorecards or tests there are none


def by_nouns(connection: Connection, pool: str) -> Iterator[Difference]:
    """``wrong_ratings``, with all of the pool in memory."""
    replayed = recomputed(connection, pool)
    tables = _tables(connection, pool)
    recorded = rating_changes.every(connection, pool)
    for recorded_change, expected in zip_longest(recorded, replayed.changes):
        change = recorded_change or expected
        if change is not None and (
            recorded_change is None or expected is None or not _agree(recorded_change, expected)
        ):
            by_match = "rating_change" if change.track == GLOBAL else "track_change"
            yield wrong_change(pool, recorded_change, expected, table=tables.get(change.match, by_match))
    ratings, tracks = current(recorded, replayed)
    yield from _wrong(pool, running_ratings.ratings(connection, pool), ratings)
    yield from _wrong(pool, running_ratings.tracks(connection, pool), tracks)


def _wrong(pool: str, stored: Mapping[Key, Rating], rightful: Mapping[Key, Rating]) -> Iterator[Difference]:
    """Ratings that are not what they should be; then those that should not be there."""
    for key in [*rightful, *(stored.keys() - rightful.keys())]:
        rating, due = stored.get(key), rightful.get(key)
        if rating != due:
            yield wrong_record(pool, key if isinstance(key, str) else key[0], rating, due)


def _tables(connection: Connection, pool: str) -> dict[str, str]:
    """Where moves are recorded that no match made, by what made them."""
    adjusted = {entry.adjustment.id: "adjustment" for entry in adjustments.recorded(connection, pool)}
    return {**adjusted, **{test.id: "test" for test in strength_tests.by_place(connection, pool).values()}}


def _agree(recorded: RatingChange, expected: RatingChange) -> bool:
    if recorded == expected:
        return True
    near = zip(_numbers(recorded), _numbers(expected), strict=True)
    return _identity(recorded) == _identity(expected) and all(
        math.isclose(a, b, rel_tol=0.0, abs_tol=TOLERANCE) for a, b in near
    )


_identity = attrgetter("item", "match", "track")
_numbers = attrgetter(*NUMBERS)
