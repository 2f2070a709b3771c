"""The projections: the running Elo and record of each item, as the evidence has them."""

from collections.abc import Iterable, Sequence
from functools import cache
from typing import Any

from sqlalchemy import Connection, Row, Select, bindparam, delete, insert, select, update

from paragone.domain import Rating
from paragone.errors import NotFound
from paragone.ledger import schema
from paragone.ledger.columns import AT_ONCE, words
from paragone.ledger.dialects import Dialect
from paragone.ledger.prepared import Prepared

_rating = schema.rating
RECORD = ("elo", "matches", "wins", "losses", "ties")
"""Columns of a rating beside its item."""
SET = Prepared(
    update(_rating)
    .where(_rating.c.pool == bindparam("of_pool"), _rating.c.item == bindparam("of_item"))
    .values({name: bindparam(name) for name in RECORD})
)
"""Replaces the record of an item; ``settings`` makes its values."""


@cache
def _few(count: int) -> Select[tuple[Any, ...]]:
    """The ratings of so many items of a pool."""
    items = [bindparam(f"item_{place}", type_=_rating.c.item.type) for place in range(count)]
    wanted = select(*_rating.c["item", *RECORD])
    return wanted.where(_rating.c.pool == bindparam("of_pool"), _rating.c.item.in_(items))


def add(connection: Connection, pool: str, ratings: Iterable[Rating]) -> None:
    """Begin the record of items that have none."""
    rows = [{"pool": pool, "item": rating.item, **_values(rating)} for rating in ratings]
    if rows:
        connection.execute(insert(_rating), rows)


def put(connection: Connection, dialect: Dialect, pool: str, ratings: Iterable[Rating]) -> None:
    """Begin the record of very many items that have none."""
    rows = [(pool, words(rating.item), *_values(rating).values()) for rating in ratings]
    if rows:
        dialect.insert_rows(connection, _rating, ["pool", "item", *RECORD], rows)


def store(connection: Connection, pool: str, ratings: Iterable[Rating]) -> None:
    """Replace the records of items."""
    rows = settings(pool, ratings)
    if rows:
        SET.run(connection, rows)


def settings(pool: str, ratings: Iterable[Rating]) -> list[dict[str, Any]]:
    """What ``SET`` needs to replace the records of items."""
    own = {"of_pool": words(pool)}
    return [{**own, "of_item": words(rating.item), **_values(rating)} for rating in ratings]


def ratings(connection: Connection, pool: str) -> dict[str, Rating]:
    """The rating of each item of a pool, by id."""
    rows = connection.execute(select(_rating).where(_rating.c.pool == pool))
    return {row.item: _of(row) for row in rows}


def pair(connection: Connection, pool: str, items: Sequence[str]) -> list[Rating]:
    """The ratings of a few items, in the order given.

    Raises:
        NotFound: If one of them is not in the pool.
    """
    wanted = {f"item_{place}": item for place, item in enumerate(items)}
    return list(in_order(pool, connection.execute(_few(len(items)), {"of_pool": pool, **wanted}), items))


def some(connection: Connection, pool: str, items: Iterable[str]) -> dict[str, Rating]:
    """The ratings of any number of items, by id.

    Raises:
        NotFound: If one of them is not in the pool.
    """
    wanted = sorted(set(items))
    found: dict[str, Rating] = {}
    for start in range(0, len(wanted), AT_ONCE):
        part = wanted[start : start + AT_ONCE]
        rows = connection.execute(select(_rating).where(_rating.c.pool == pool, _rating.c.item.in_(part)))
        found.update((rating.item, rating) for rating in in_order(pool, rows, part))
    return found


def in_order(pool: str, rows: Iterable[Row[tuple[Any, ...]]], items: Sequence[str]) -> tuple[Rating, ...]:
    """Ratings that were read, in the order of some items.

    Raises:
        NotFound: If one of them is not there.
    """
    found = {row.item: _of(row) for row in rows}
    for item in items:
        if item not in found:
            raise NotFound(f"there is no item {item!r} in pool {pool!r}; add it first")
    return tuple([found[item] for item in items])


def drop(connection: Connection, pool: str) -> None:
    """Forget all records of a pool."""
    connection.execute(delete(_rating).where(_rating.c.pool == pool))


def _values(rating: Rating) -> dict[str, Any]:
    return {name: getattr(rating, name) for name in RECORD}


def _of(row: Row[tuple[object, ...]]) -> Rating:
    return Rating(item=row.item, elo=row.elo, matches=row.matches, wins=row.wins, losses=row.losses, ties=row.ties)
