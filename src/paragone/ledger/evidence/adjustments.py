"""Adjustments: moves of ratings that no match made, each once, in order with the matches."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Row, select

from paragone.domain import Adjustment, RatingChange
from paragone.errors import Conflict, Corrupted
from paragone.ledger import chain, running_ratings, schema
from paragone.ledger.chain import Page
from paragone.ledger.columns import AT_ONCE
from paragone.ledger.evidence import pools
from paragone.ledger.records import RecordedAdjustment
from paragone.ratings.replay import adjust

_adjustment = schema.adjustment
_SAID = ("item", "kind", "target", "share", "reason")
_MADE = ("old", "new", "clamped")


def record(connection: Connection, pool: str, wanted: Sequence[Adjustment], at: datetime) -> tuple[RatingChange, ...]:
    """Make adjustments, all or none; one that was made already changes nothing.

    Returns:
        A change for each, in the order given; for one that was made already, what it came to then.

    Raises:
        NotFound: If there is no such pool, or it lacks one of the items.
        Conflict: If an id is there already with other content.
    """
    with chain.appending(connection, pool, at) as page:
        return put(connection, page, wanted)


def put(connection: Connection, page: Page, wanted: Sequence[Adjustment]) -> tuple[RatingChange, ...]:
    """Put adjustments on a page, less those that were made already; ``record_void`` says more.

    Raises:
        NotFound: If one of the items is not in the pool.
        Conflict: If an id is there already with other content.
    """
    pool = page.head.pool
    config = pools.config(connection, pool)
    known = _known(connection, pool, [adjustment.id for adjustment in wanted])
    ratings = running_ratings.some(connection, pool, [each.item for each in wanted if each.id not in known])
    for adjustment in wanted:
        if adjustment.id in known:
            _require_equal(pool, known[adjustment.id][0], adjustment)
            continue
        ratings[adjustment.item], change = adjust(ratings[adjustment.item], adjustment, config)
        known[adjustment.id] = (adjustment, change)
        page.add(_adjustment, **_values(adjustment, change))
    page.after.append((running_ratings.SET, running_ratings.settings(pool, ratings.values())))
    return tuple(known[adjustment.id][1] for adjustment in wanted)


def recorded(connection: Connection, pool: str) -> tuple[RecordedAdjustment, ...]:
    """All adjustments of a pool, in the order of record.

    Raises:
        NotFound: If there is no such pool.
    """
    pools.config(connection, pool)
    commit = schema.commit
    made = (commit.c.pool == _adjustment.c.pool) & (commit.c.number == _adjustment.c.commit)
    wanted = select(_adjustment, commit.c.at).join(commit, made).where(_adjustment.c.pool == pool)
    return tuple(
        RecordedAdjustment(adjustment=_of(row), change=_change_of(row), sequence=row.seq, at=row.at)
        for row in connection.execute(wanted.order_by(_adjustment.c.seq))
    )


def _known(connection: Connection, pool: str, ids: Sequence[str]) -> dict[str, tuple[Adjustment, RatingChange]]:
    """Which of some adjustments were made already, by id, and what they came to."""
    found: dict[str, tuple[Adjustment, RatingChange]] = {}
    for start in range(0, len(ids), AT_ONCE):
        named = _adjustment.c.adjustment.in_(ids[start : start + AT_ONCE])
        rows = connection.execute(select(_adjustment).where(_adjustment.c.pool == pool, named))
        found.update((row.adjustment, (_of(row), _change_of(row))) for row in rows)
    return found


def _require_equal(pool: str, there: Adjustment, adjustment: Adjustment) -> None:
    if there != adjustment:
        field = next(name for name in _SAID if getattr(there, name) != getattr(adjustment, name))
        raise Conflict(
            f"adjustment {adjustment.id!r} of pool {pool!r} was made already, with another {field}; make another move "
            "under another id"
        )


def _values(adjustment: Adjustment, change: RatingChange) -> dict[str, Any]:
    said = {name: getattr(adjustment, name) for name in _SAID}
    return {"adjustment": adjustment.id, **said, **{name: getattr(change, name) for name in _MADE}}


def _of(row: Row[tuple[Any, ...]]) -> Adjustment:
    try:
        return Adjustment(id=row.adjustment, **{name: getattr(row, name) for name in _SAID})
    except ValueError as error:  # nothing of ours wrote that
        raise Corrupted(f"adjustment {row.adjustment!r} cannot be ({error}); an audit says more") from error


def _change_of(row: Row[tuple[Any, ...]]) -> RatingChange:
    made = {name: getattr(row, name) for name in _MADE}
    return RatingChange(item=row.item, match=row.adjustment, **made, k=0.0, expected=0.0, score=0.0)
