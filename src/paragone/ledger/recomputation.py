"""Everything that follows from the evidence, made again from the beginning; and the projections made from that."""

from dataclasses import replace

from sqlalchemy import Connection, select

from paragone.domain import Match, Rating, RatingChange, RatingConfig
from paragone.ledger import chain, matches, pools, projections, schema
from paragone.ledger.dialects import Dialect
from paragone.ledger.played import is_paired, played, raw, rows_of, unstored
from paragone.ledger.rollback import compensations
from paragone.ratings.replay import Replay, replay, step


def recomputed(connection: Connection, pool: str) -> Replay:
    """Every rating change that the matches and rollbacks of a pool imply, in order, and where the ratings end.

    Raises:
        NotFound: If there is no such pool.
    """
    config = pools.record(connection, pool).config
    items = [item.id for item in pools.items(connection, pool)]
    ratings = replay((), config, items).ratings
    standing: dict[str, Match] = {}
    changes: list[RatingChange] = []
    for entry in _history(connection, pool):
        if isinstance(entry, Match):
            standing[entry.id] = entry
            moved, made = step(tuple(ratings[item] for item in entry.items), entry, config)
            ratings.update({rating.item: rating for rating in moved})
        else:
            del standing[entry]
            after = replay(standing.values(), config, items).ratings
            ratings, made = after, compensations(ratings, after, entry)
        changes.extend(made)
    return Replay(ratings=ratings, changes=tuple(changes))


def _history(connection: Connection, pool: str) -> list[Match | str]:
    """Matches, and the ids of matches where they were rolled back, in the order of record."""
    entries: list[tuple[int, Match | str]] = [
        (entry.sequence, entry.match) for entry in matches.recorded(connection, pool)
    ]
    table = schema.rollback
    rows = connection.execute(select(table.c.seq, table.c.match).where(table.c.pool == pool))
    entries.extend((row.seq, row.match) for row in rows)
    return [entry for _, entry in sorted(entries, key=lambda pair: pair[0])]


def current(connection: Connection, pool: str, made: Replay) -> dict[str, Rating]:
    """What the projection must hold: the record that was recomputed, and the rating after the last recorded change.

    That rating is taken from the record because the last bit of a recomputed one may differ from machine to machine.
    """
    last = {change.item: change.new for change in matches.changes(connection, pool)}
    return {item: replace(rating, elo=last.get(item, rating.elo)) for item, rating in made.ratings.items()}


def rebuild(connection: Connection, dialect: Dialect, pool: str) -> None:
    """Drop the projections of a pool and make them again.

    Raises:
        NotFound: If there is no such pool.
    """
    chain.hold(connection, pool)  # as every writer does first: evidence added meanwhile would be missed
    config = pools.config(connection, pool)
    if is_paired(connection, pool):
        ratings = _by_columns(connection, pool, config)
    else:
        ratings = current(connection, pool, recomputed(connection, pool))
    projections.drop(connection, pool)
    projections.put(connection, dialect, pool, ratings.values())
    chain.mend_head(connection, pool)


def _by_columns(connection: Connection, pool: str, config: RatingConfig) -> dict[str, Rating]:
    """``current``, without the nouns of all matches."""
    standing = played(connection, pool)
    change = schema.rating_change
    moved = select(*raw(change, "item", "new")).where(change.c.pool == pool).order_by(change.c.seq)
    elo = dict(map(tuple, rows_of(connection, moved)))  # of an item's changes the last one stays
    last = dict(zip(unstored(elo), elo.values(), strict=True))
    return {
        item: replace(rating, elo=last.get(item, config.initial)) for item, rating in standing.ratings(config).items()
    }
