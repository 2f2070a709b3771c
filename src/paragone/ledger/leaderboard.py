"""Pages of the leaderboard by running Elo, of pools with items by the million: read from the projection, no fit.

An index has the ratings in this order. A page that is asked for by the last rating of the one before is found at once;
one that is asked for by its number, after counting there.
"""

from sqlalchemy import Connection, select

from paragone.domain import Rating
from paragone.ledger import pools, schema

_rating = schema.rating


def page(
    connection: Connection, pool: str, *, after: int, count: int, below: Rating | None = None
) -> tuple[Rating, ...]:
    """So many ratings after the first so many below a given one, the highest first; equal ones in the order of ids.

    Raises:
        NotFound: If there is no such pool.
    """
    pools.config(connection, pool)
    wanted = select(_rating).where(_rating.c.pool == pool)
    order = (_rating.c.elo.desc(), _rating.c.item)
    if below is None:
        rows = connection.execute(wanted.order_by(*order).limit(count).offset(after)).all()
    else:  # in two parts, each of which the index has in one piece: many items may share a rating
        least = after + count
        equal = wanted.where(_rating.c.elo == below.elo, _rating.c.item > below.item).order_by(_rating.c.item)
        rows = list(connection.execute(equal.limit(least)))
        lower = wanted.where(_rating.c.elo < below.elo).order_by(*order)
        rows = [*rows, *connection.execute(lower.limit(least - len(rows)))][after:]
    return tuple(
        Rating(item=row.item, elo=row.elo, matches=row.matches, wins=row.wins, losses=row.losses, ties=row.ties)
        for row in rows
    )
