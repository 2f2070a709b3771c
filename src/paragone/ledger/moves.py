"""Every move of every rating, by matches, tests, voids of either and adjustments, in the order of record."""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import (
    ColumnElement,
    CompoundSelect,
    Connection,
    Row,
    Select,
    Table,
    cast,
    func,
    literal,
    null,
    select,
    union_all,
)

from paragone.domain import GLOBAL, RatingChange
from paragone.ledger import pools, schema
from paragone.ledger.columns import Real, Words, of_few


def every(connection: Connection, pool: str, item: str | None = None) -> tuple[RatingChange, ...]:
    """The moves of all items of a pool, or of one; each begins where the one before it of its item and track ended.

    Raises:
        NotFound: If there is no such pool.
    """
    pools.config(connection, pool)
    rows = connection.execute(_moves(pool, item))
    return tuple(change for row in rows for change in _nouns(row))


def page(connection: Connection, pool: str, after: int, count: int) -> tuple[list[RatingChange], int]:
    """So many moves of a pool from a place in its record on, in the order of record, and where the last of them is.

    Args:
        connection: A transaction.
        pool: The pool.
        after: The last row that is left out.
        count: Moves at the most; a test in a domain, which is two, counts as one.
    """
    rows = connection.execute(_moves(pool, after=after).limit(count)).all()
    return [change for row in rows for change in _nouns(row)], rows[-1].seq if rows else after


def _moves(pool: str, item: str | None = None, *, after: int = 0) -> CompoundSelect[Any] | Select[Any]:
    parts = [(table, part.where(table.c.seq > after) if after else part) for table, part in _PARTS]
    return merged(pool, parts, item)


def merged(
    pool: str, parts: Sequence[tuple[Table, Select[Any]]], item: str | None = None
) -> CompoundSelect[Any] | Select[Any]:
    """The same columns of several tables of a pool, ``seq`` among them, in the order of record; all rows or an item's.

    Args:
        pool: The pool.
        parts: The columns, with the table that they are of.
        item: Id of the item.
    """
    rows = [part.where(table.c.pool == pool) for table, part in parts]
    if item is not None:
        moves = union_all(*(row.where(table.c.item == item) for row, (table, _) in zip(rows, parts, strict=True)))
        few = moves.subquery()
        return select(few).order_by(of_few(few.c.seq))
    return union_all(*rows).order_by("seq")


def _nouns(row: Row[Any]) -> tuple[RatingChange, ...]:
    """The move of a row; or, of a test in a domain, both."""
    _, item, cause, k, expected, score, old, new, clamped, track, domain, *its_own = tuple(row)
    moved = {"item": item, "match": cause, "k": k, "expected": expected, "score": score}
    made = RatingChange(old=old, new=new, clamped=clamped, track=track, **moved)
    if domain is None:
        return (made,)
    old, new, clamped = its_own
    return (made, RatingChange(old=old, new=new, clamped=clamped, track=domain, **moved))


def _part(table: Table, cause: str = "match", track: str | None = None) -> tuple[Table, Select[Any]]:
    """The columns that all moves have, from one table; what it lacks is nothing."""
    nothing = literal(0.0, Real)
    k, expected, score, clamped = (
        table.c[name] if name in table.c else nothing.label(name) for name in ("k", "expected", "score", "clamped")
    )
    whose = literal(GLOBAL, Words) if track is None else table.c[track]
    chosen = select(
        *table.c["seq", "item", cause],
        k,
        expected,
        score,
        *table.c["old", "new"],
        clamped,
        whose.label("track"),
        _or_absent(table, "domain", Words),
        *(_or_absent(table, f"domain_{name}", Real) for name in ("old", "new", "clamped")),
    )
    return table, chosen


def _or_absent(table: Table, name: str, kind: type[Real] | type[Words]) -> ColumnElement[Any]:
    """A column of a table, which most of these lack; where a text is empty, that is absent too."""
    if name not in table.c:
        return cast(null(), kind).label(name)
    column = table.c[name]
    return (func.nullif(column, "", type_=Words) if kind is Words else column).label(name)


_PARTS = (
    _part(schema.rating_change),
    _part(schema.adjustment, "adjustment"),
    _part(schema.track_change, track="track"),
    _part(schema.test, "test"),
    _part(schema.void_change, "test", track="track"),
)
"""What moves ratings."""
