"""Everything that follows from the evidence, made again from the beginning; and the projections made from that."""

from dataclasses import replace

from sqlalchemy import Connection, select

from paragone.domain import Adjustment, Match, Rating, RatingChange, RatingConfig
from paragone.errors import Corrupted
from paragone.ledger import adjustments, chain, matches, moves, pools, projections, schema
from paragone.ledger.dialects import Dialect
from paragone.ledger.played import is_paired, played, raw, rows_of, unstored
from paragone.ledger.rollback import compensations
from paragone.ratings.replay import Replay, adjust, replay, step


def recomputed(connection: Connection, pool: str) -> Replay:
    """Every move that the matches, adjustments and rollbacks of a pool imply, in order, and where the ratings end.

    Raises:
        NotFound: If there is no such pool.
    """
    config = pools.record(connection, pool).config
    items = [item.id for item in pools.items(connection, pool)]
    ratings = replay((), config, items).ratings
    standing: dict[int, Match | Adjustment] = {}
    places: dict[str, int] = {}
    changes: list[RatingChange] = []
    for place, entry in _history(connection, pool):
        if isinstance(entry, str):
            del standing[places[entry]]
            after = replay(standing.values(), config, items).ratings
            ratings, made = after, compensations(ratings, after, entry)
        else:
            standing[place] = entry
            try:
                made = _play(ratings, entry, config)
            except KeyError as error:  # nothing of ours names an item that is not there
                raise Corrupted(f"{entry.id!r} of pool {pool!r} is about {error}, which is not in it") from error
            if isinstance(entry, Match):
                places[entry.id] = place
        changes.extend(made)
    return Replay(ratings=ratings, changes=tuple(changes))


def _play(ratings: dict[str, Rating], entry: Match | Adjustment, config: RatingConfig) -> tuple[RatingChange, ...]:
    """Move the ratings as one entry says."""
    if isinstance(entry, Adjustment):
        ratings[entry.item], change = adjust(ratings[entry.item], entry, config)
        return (change,)
    after, made = step(tuple(ratings[item] for item in entry.items), entry, config)
    ratings.update({rating.item: rating for rating in after})
    return made


def _history(connection: Connection, pool: str) -> list[tuple[int, Match | Adjustment | str]]:
    """Matches, adjustments, and the ids of matches where they were rolled back, by their places in the record."""
    entries: dict[int, Match | Adjustment | str] = {
        **{recorded.sequence: recorded.match for recorded in matches.recorded(connection, pool)},
        **{recorded.sequence: recorded.adjustment for recorded in adjustments.recorded(connection, pool)},
    }
    table = schema.rollback
    rows = connection.execute(select(table.c.seq, table.c.match).where(table.c.pool == pool))
    entries.update((row.seq, row.match) for row in rows)
    return sorted(entries.items())


def current(connection: Connection, pool: str, made: Replay) -> dict[str, Rating]:
    """What the projection must hold: the record that was recomputed, and the rating after the last recorded change.

    That rating is taken from the record because the last bit of a recomputed one may differ from machine to machine.
    """
    last = {change.item: change.new for change in moves.every(connection, pool)}
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
    by_matches, by_adjustments = (
        select(*raw(table, "seq", "item", "new")) for table in (schema.rating_change, schema.adjustment)
    )
    moved = rows_of(connection, moves.merged(pool, by_matches, by_adjustments))
    elo = {item: new for _, item, new in moved}  # of an item's moves the last one stays
    last = dict(zip(unstored(elo), elo.values(), strict=True))
    return {
        item: replace(rating, elo=last.get(item, config.initial)) for item, rating in standing.ratings(config).items()
    }
