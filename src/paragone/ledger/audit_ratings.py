"""Whether the ratings are what follows from the matches and the adjustments.

Matches are replayed by columns, some thousand at a time, beside the changes that were recorded; memory grows with the
items and the adjustments of the pool, not with its matches. Only a pool with rollbacks is held as columns, 25 bytes a
match, since a rollback replays what stands. Pools with matches among several items go the plain way, over nouns; so
does the test of this one.
"""

import math
from collections.abc import Iterator
from dataclasses import astuple
from itertools import zip_longest

from sqlalchemy import Connection

from paragone.domain import RatingChange
from paragone.ledger import adjustments, moves, projections
from paragone.ledger.audit_moves import TOLERANCE, wrong_change, wrong_record
from paragone.ledger.audit_recount import Recount
from paragone.ledger.played import is_paired
from paragone.ledger.recomputation import current, recomputed
from paragone.ledger.records import Difference


def wrong_ratings(connection: Connection, pool: str) -> Iterator[Difference]:
    """Recorded moves and ratings that are not what follows from the evidence of a pool, the first first."""
    return Recount(connection, pool).differences() if is_paired(connection, pool) else by_nouns(connection, pool)


def by_nouns(connection: Connection, pool: str) -> Iterator[Difference]:
    """``wrong_ratings``, with all of the pool in memory."""
    made = recomputed(connection, pool)
    adjusted = {entry.adjustment.id for entry in adjustments.recorded(connection, pool)}
    for there, expected in zip_longest(moves.every(connection, pool), made.changes):
        if there is None or expected is None or not _agree(there, expected):
            named = there or expected
            yield wrong_change(pool, there, expected, adjusted=named is not None and named.match in adjusted)
    rightful, there_now = current(connection, pool, made), projections.ratings(connection, pool)
    for item in [*rightful, *(there_now.keys() - rightful.keys())]:
        if there_now.get(item) != rightful.get(item):
            yield wrong_record(pool, item, there_now.get(item), rightful.get(item))


def _agree(there: RatingChange, expected: RatingChange) -> bool:
    pairs = zip(astuple(there), astuple(expected), strict=True)
    return all(math.isclose(a, b, rel_tol=0.0, abs_tol=TOLERANCE) if isinstance(a, float) else a == b for a, b in pairs)
