"""The projections: the running Elo and record of each item, as the evidence has them."""

import itertools
from collections.abc import Container, Iterable, Mapping, Sequence
from typing import Any

from sqlalchemy import Connection, bindparam, delete, insert, select, update

from paragone.domain import GLOBAL, Rating
from paragone.errors import Corrupted, NotFound
from paragone.ledger import schema
from paragone.ledger.columns import stored
from paragone.ledger.databases.dialects import Dialect
from paragone.ledger.statements import Statement, StatementForNames

_rating = schema.rating
RECORD = ("elo", "matches", "wins", "losses", "ties")
"""Columns of a rating beside its item."""
SET = Statement(
    update(_rating)
    .where(_rating.c.pool == bindparam("of_pool"), _rating.c.item == bindparam("of_item"))
    .values({name: bindparam(name) for name in RECORD})
)
"""Replaces the record of an item; ``settings`` makes its values."""
BEGIN = Statement(insert(_rating).inline(), columns=["pool", "item", *RECORD])
"""Begins the record of an item; ``beginnings`` makes its values."""


_OF_POOL = select(*_rating.c["item", *RECORD]).where(_rating.c.pool == bindparam("of_pool"))
_ALL = Statement(_OF_POOL)
_SOME = StatementForNames(lambda items: _OF_POOL.where(_rating.c.item.in_(items)))


def add(connection: Connection, pool: str, ratings: Iterable[Rating]) -> None:
    """Begin the record of items that have none."""
    rows = [{"pool": pool, "item": rating.item, **_values(rating)} for rating in ratings]
    if rows:
        connection.execute(insert(_rating), rows)


def put(connection: Connection, dialect: Dialect, pool: str, ratings: Iterable[Rating]) -> None:
    """Begin the record of very many items that have none."""
    rows = [tuple(stored(_rating, row).values()) for row in beginnings(pool, ratings)]
    if rows:
        dialect.insert_rows(connection, _rating, _rating.c.keys(), rows)


def store(connection: Connection, pool: str, ratings: Iterable[Rating]) -> None:
    """Replace the records of items."""
    rows = settings(pool, ratings)
    if rows:
        SET.run(connection, rows)


def settings(pool: str, ratings: Iterable[Rating]) -> list[dict[str, Any]]:
    """What ``SET`` needs to replace the records of items."""
    return [{"of_pool": pool, "of_item": rating.item, **_values(rating)} for rating in ratings]


def beginnings(pool: str, ratings: Iterable[Rating]) -> list[dict[str, Any]]:
    """What ``BEGIN`` needs to begin the records of items."""
    return [{"pool": pool, "item": rating.item, **_values(rating)} for rating in ratings]


def ratings(connection: Connection, pool: str) -> dict[str, Rating]:
    """The rating of each item of a pool, by id."""
    rows = _ALL.rows(connection, {"of_pool": pool})
    return {rating.item: rating for rating in itertools.starmap(rating_of, rows)}


def pair(connection: Connection, pool: str, items: Sequence[str]) -> list[Rating]:
    """The ratings of a few items, in the order given.

    Raises:
        NotFound: If one of them is not in the pool.
    """
    return list(in_order(pool, present(connection, pool, items), items))


def some(connection: Connection, pool: str, items: Iterable[str]) -> dict[str, Rating]:
    """The ratings of any number of items, by id.

    Raises:
        NotFound: If one of them is not in the pool.
    """
    unique = sorted(set(items))
    ratings = present(connection, pool, unique)
    _require_all(pool, ratings, unique)
    return ratings


def present(connection: Connection, pool: str, items: Sequence[str]) -> dict[str, Rating]:
    """The ratings of those of some items that are in the pool, by id."""
    rows = _SOME.rows(connection, items, {"of_pool": pool})
    return {rating.item: rating for rating in itertools.starmap(rating_of, rows)}


def in_order(pool: str, ratings: Mapping[str, Rating], items: Sequence[str]) -> tuple[Rating, ...]:
    """Ratings that were read, in the order of some items.

    Raises:
        NotFound: If one of them is not there.
    """
    _require_all(pool, ratings, items)
    return tuple([ratings[item] for item in items])


def _require_all(pool: str, existing: Container[str], items: Iterable[str]) -> None:
    for item in items:
        if item not in existing:
            raise NotFound(f"there is no item {item!r} in pool {pool!r}; add it first")


def drop(connection: Connection, pool: str) -> None:
    """Forget all records of a pool."""
    connection.execute(delete(_rating).where(_rating.c.pool == pool))


def _values(rating: Rating) -> dict[str, Any]:
    return {name: getattr(rating, name) for name in RECORD}


def rating_of(item: str, elo: float, matches: int, wins: int, losses: int, ties: int, track: str = GLOBAL) -> Rating:
    """A rating from the values of its row.

    Raises:
        Corrupted: If they cannot be one.
    """
    try:
        return Rating(item=item, elo=elo, matches=matches, wins=wins, losses=losses, ties=ties, track=track)
    except (TypeError, ValueError) as error:  # nothing of ours writes such a value
        raise Corrupted(f"the rating of {item!r} cannot be read ({error}); rebuild the projections") from error
