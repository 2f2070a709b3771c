"""Every move of every rating, by matches, rollbacks and adjustments, in the order of record."""

from typing import Any

from sqlalchemy import CompoundSelect, Connection, Row, Select, literal, select, union_all

from paragone.domain import RatingChange
from paragone.ledger import pools, schema
from paragone.ledger.columns import Real, of_few

_change, _adjustment = schema.rating_change, schema.adjustment
_MOVED = ("item", "match", "old", "new", "k", "expected", "score", "clamped")


def every(connection: Connection, pool: str, item: str | None = None) -> tuple[RatingChange, ...]:
    """The moves of all items of a pool, or of one: each begins where the one before it of the same item ended.

    Raises:
        NotFound: If there is no such pool.
    """
    pools.config(connection, pool)
    nothing = literal(0.0, Real)
    moves = merged(
        pool,
        select(*_change.c["seq", *_MOVED]),
        select(
            *_adjustment.c["seq", "item", "adjustment", "old", "new"],
            *(nothing.label(name) for name in ("k", "expected", "score")),
            _adjustment.c.clamped,
        ),
        item,
    )
    return tuple(_noun(row) for row in connection.execute(moves))


def merged(
    pool: str, by_matches: Select[Any], by_adjustments: Select[Any], item: str | None = None
) -> CompoundSelect[Any] | Select[Any]:
    """The same columns of rating changes and of adjustments, ``seq`` among them, in the order of record."""
    parts = [by_matches.where(_change.c.pool == pool), by_adjustments.where(_adjustment.c.pool == pool)]
    if item is not None:
        parts = [parts[0].where(_change.c.item == item), parts[1].where(_adjustment.c.item == item)]
        moves = union_all(*parts).subquery()
        return select(moves).order_by(of_few(moves.c.seq))
    return union_all(*parts).order_by("seq")


def _noun(row: Row[Any]) -> RatingChange:
    return RatingChange(**{name: getattr(row, name) for name in _MOVED})
