"""The projections: the running Elo and record of each item, as the evidence has them."""

from collections.abc import Iterable, Sequence
from dataclasses import asdict

from sqlalchemy import Connection, Row, bindparam, delete, insert, select, update

from paragone.domain import Rating
from paragone.errors import NotFound
from paragone.ledger import schema

_rating = schema.rating
_SET = (
    update(_rating)
    .where(_rating.c.pool == bindparam("of_pool"), _rating.c.item == bindparam("of_item"))
    .values({name: bindparam(name) for name in ("elo", "matches", "wins", "losses", "ties")})
)


def add(connection: Connection, pool: str, ratings: Iterable[Rating]) -> None:
    """Begin the record of items that have none."""
    rows = [{"pool": pool, **asdict(rating)} for rating in ratings]
    if rows:
        connection.execute(insert(_rating), rows)


def store(connection: Connection, pool: str, ratings: Iterable[Rating]) -> None:
    """Replace the records of items."""
    rows = [{"of_pool": pool, "of_item": rating.item, **asdict(rating)} for rating in ratings]
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
    rows = connection.execute(select(_rating).where(_rating.c.pool == pool, _rating.c.item.in_(items)))
    found = {row.item: _of(row) for row in rows}
    for item in items:
        if item not in found:
            raise NotFound(f"there is no item {item!r} in pool {pool!r}; add it before it is compared")
    return [found[item] for item in items]


def drop(connection: Connection, pool: str) -> None:
    """Forget all records of a pool."""
    connection.execute(delete(_rating).where(_rating.c.pool == pool))


def _of(row: Row[tuple[object, ...]]) -> Rating:
    return Rating(item=row.item, elo=row.elo, matches=row.matches, wins=row.wins, losses=row.losses, ties=row.ties)
