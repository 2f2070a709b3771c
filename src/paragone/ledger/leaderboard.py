"""Pages of the leaderboard by running Elo, of pools with items by the million: read from the projection, no fit."""

from sqlalchemy import Connection, select

from paragone.domain import Rating
from paragone.ledger import pools, schema

_rating = schema.rating


def page(connection: Connection, pool: str, *, after: int, count: int) -> tuple[Rating, ...]:
    """So many ratings after the first so many, the highest first; equal ones in the order of their ids.

    Raises:
        NotFound: If there is no such pool.
    """
    pools.config(connection, pool)
    rows = connection.execute(
        select(_rating)
        .where(_rating.c.pool == pool)
        .order_by(_rating.c.elo.desc(), _rating.c.item)
        .limit(count)
        .offset(after)
    )
    return tuple(
        Rating(item=row.item, elo=row.elo, matches=row.matches, wins=row.wins, losses=row.losses, ties=row.ties)
        for row in rows
    )
