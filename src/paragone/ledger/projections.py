"""The projections: the running Elo and record of each item, as the evidence has them."""

from collections.abc import Iterable, Sequence
from typing import Any

from sqlalchemy import Connection, Row, bindparam, delete, insert, select, update

from paragone.domain import Rating
from paragone.errors import NotFound
from paragone.ledger import schema
from paragone.ledger.columns import Words
from paragone.ledger.dialects import Dialect

_rating = schema.rating
_RECORD = ("elo", "matches", "wins", "losses", "ties")
_SET = (
    update(_rating)
    .where(_rating.c.pool == bindparam("of_pool"), _rating.c.item == bindparam("of_item"))
    .values({name: bindparam(name) for name in _RECORD})
)
_FEW = select(_rating).where(
    _rating.c.pool == bindparam("of_pool"), _rating.c.item.in_(bindparam("items", expanding=True))
)


def add(connection: Connection, pool: str, ratings: Iterable[Rating]) -> None:
    """Begin the record of items that have none."""
    rows = [{"pool": pool, "item": rating.item, **_values(rating)} for rating in ratings]
    if rows:
        connection.execute(insert(_rating), rows)


def put(connection: Connection, dialect: Dialect, pool: str, ratings: Iterable[Rating]) -> None:
    """Begin the record of very many items that have none."""
    rows = [(pool, Words().process_bind_param(rating.item, None), *_values(rating).values()) for rating in ratings]
    if rows:
        dialect.insert_rows(connection, _rating, ["pool", "item", *_RECORD], rows)


def store(connection: Connection, pool: str, ratings: Iterable[Rating]) -> None:
    """Replace the records of items."""
    rows = [{"of_pool": pool, "of_item": rating.item, **_values(rating)} for rating in ratings]
    if rows:
        connection.execute(_SET, rows)


def ratings(connection: Connection, pool: str) -> dict[str, Rating]:
    """The rating of each item of a pool, by id."""
    rows = connection.execute(select(_rating).where(_rating.c.pool == pool))
    return {row.item: _of(row) for row in rows}


def pair(connection: Connection, pool: str, items: Sequence[str]) -> list[Rating]:
    """The ratings of a few items, in the order given.

    Raises:
        NotFound: If one of them is not in the pool.
    """
    rows = connection.execute(_FEW, {"of_pool": pool, "items": list(items)})
    found = {row.item: _of(row) for row in rows}
    for item in items:
        if item not in found:
            raise NotFound(f"there is no item {item!r} in pool {pool!r}; add it before it is compared")
    return [found[item] for item in items]


def drop(connection: Connection, pool: str) -> None:
    """Forget all records of a pool."""
    connection.execute(delete(_rating).where(_rating.c.pool == pool))


def _values(rating: Rating) -> dict[str, Any]:
    return {name: getattr(rating, name) for name in _RECORD}


def _of(row: Row[tuple[object, ...]]) -> Rating:
    return Rating(item=row.item, elo=row.elo, matches=row.matches, wins=row.wins, losses=row.losses, ties=row.ties)
