"""Adjustments: moves of ratings that no match made, each once, in order with the matches."""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import Connection, Row, select

from paragone.domain import Adjustment, RatingChange
from paragone.errors import Conflict, Corrupted
from paragone.ledger import running_ratings, schema
from paragone.ledger.chain import Page
from paragone.ledger.columns import AT_ONCE
from paragone.ledger.evidence import pools
from paragone.ledger.records import RecordedAdjustment
from paragone.ratings.replay import adjust

_adjustment = schema.adjustment
_SAID = ("item", "kind", "target", "share", "reason")
_MADE = ("old", "new", "clamped")


def put(connection: Connection, page: Page, adjustments: Sequence[Adjustment]) -> tuple[RatingChange, ...]:
    """Add adjustments to a page, each with the change it causes; one that is recorded already changes nothing.

    Returns:
        A change for each, in the given order; for one that was recorded before, the change of then.

    Raises:
        NotFound: If the pool lacks one of the items.
        Conflict: If an adjustment of that id is recorded with other content.
    """
    pool = page.head.pool
    config = pools.config(connection, pool)
    recorded_by_id = _known(connection, pool, [adjustment.id for adjustment in adjustments])
    ratings = running_ratings.some(
        connection, pool, [each.item for each in adjustments if each.id not in recorded_by_id]
    )
    for adjustment in adjustments:
        if adjustment.id in recorded_by_id:
            _require_equal(pool, recorded_by_id[adjustment.id][0], adjustment)
            continue
        ratings[adjustment.item], change = adjust(ratings[adjustment.item], adjustment, config)
        recorded_by_id[adjustment.id] = (adjustment, change)
        page.add(_adjustment, **_values(adjustment, change))
    running_ratings.put(page, ratings.values())
    return tuple(recorded_by_id[adjustment.id][1] for adjustment in adjustments)


def recorded(connection: Connection, pool: str) -> tuple[RecordedAdjustment, ...]:
    """All adjustments of a pool, in the order of record.

    Raises:
        NotFound: If there is no such pool.
    """
    pools.config(connection, pool)
    commit = schema.commit
    same_commit = (commit.c.pool == _adjustment.c.pool) & (commit.c.number == _adjustment.c.commit)
    query = select(_adjustment, commit.c.at).join(commit, same_commit).where(_adjustment.c.pool == pool)
    return tuple(
        RecordedAdjustment(adjustment=_of(row), change=_change_of(row), sequence=row.seq, at=row.at)
        for row in connection.execute(query.order_by(_adjustment.c.seq))
    )


def _known(connection: Connection, pool: str, ids: Sequence[str]) -> dict[str, tuple[Adjustment, RatingChange]]:
    """Which of some adjustments were made already, by id, and what they came to."""
    by_id: dict[str, tuple[Adjustment, RatingChange]] = {}
    for start in range(0, len(ids), AT_ONCE):
        condition = _adjustment.c.adjustment.in_(ids[start : start + AT_ONCE])
        rows = connection.execute(select(_adjustment).where(_adjustment.c.pool == pool, condition))
        by_id.update((row.adjustment, (_of(row), _change_of(row))) for row in rows)
    return by_id


def _require_equal(pool: str, recorded_before: Adjustment, adjustment: Adjustment) -> None:
    if recorded_before != adjustment:
        field = next(name for name in _SAID if getattr(recorded_before, name) != getattr(adjustment, name))
        raise Conflict(
            f"adjustment {adjustment.id!r} of pool {pool!r} was made already, with another {field}; make another move "
            "under another id"
        )


def _values(adjustment: Adjustment, change: RatingChange) -> dict[str, Any]:
    content = {name: getattr(adjustment, name) for name in _SAID}
    return {"adjustment": adjustment.id, **content, **{name: getattr(change, name) for name in _MADE}}


def _of(row: Row[tuple[Any, ...]]) -> Adjustment:
    try:
        return Adjustment(id=row.adjustment, **{name: getattr(row, name) for name in _SAID})
    except ValueError as error:  # nothing of ours wrote that
        raise Corrupted(f"adjustment {row.adjustment!r} cannot be ({error}); an audit says more") from error


def _change_of(row: Row[tuple[Any, ...]]) -> RatingChange:
    effect = {name: getattr(row, name) for name in _MADE}
    return RatingChange(item=row.item, match=row.adjustment, **effect, k=0.0, expected=0.0, score=0.0)
