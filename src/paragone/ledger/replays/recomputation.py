"""Everything that follows from the evidence, made again from the beginning; and the projections made from that."""

from collections.abc import Iterable
from dataclasses import replace
from operator import itemgetter

from sqlalchemy import Connection, select

from paragone.domain import GLOBAL, Rating, RatingChange, RatingConfig
from paragone.errors import Corrupted
from paragone.ledger import (
    adjustments,
    chain,
    matches,
    moves,
    pools,
    projections,
    schema,
    strength_tests,
    track_ratings,
    voids,
)
from paragone.ledger.agents import recount
from paragone.ledger.databases.dialects import Dialect
from paragone.ledger.played import is_paired, played, raw, rows_of, unstored
from paragone.ledger.replays.rollback import compensations
from paragone.ratings.domain_ratings import Tracks
from paragone.ratings.replay import Entry, Replay, advance, replay


def recomputed(connection: Connection, pool: str) -> Replay:
    """Every move that the matches, adjustments, tests and voids of a pool imply, in order, and where it ends.

    Raises:
        NotFound: If there is no such pool.
    """
    config = pools.record(connection, pool).config
    items = [item.id for item in pools.items(connection, pool)]
    now = replay((), config, items)
    standing: dict[int, Entry] = {}
    changes: list[RatingChange] = []
    for place, entry in _history(connection, pool):
        if isinstance(entry, int):
            gone = standing.pop(entry)
            before, now = now, replay(standing.values(), config, items)
            changes.extend(compensations((before.ratings, before.tracks), (now.ratings, now.tracks), gone.id))
            continue
        standing[place] = entry
        try:
            changes.extend(advance(now.ratings, now.tracks, entry, config))
        except KeyError as error:  # nothing of ours names an item that is not there
            raise Corrupted(f"{entry.id!r} of pool {pool!r} is about {error}, which is not in it") from error
    return replace(now, changes=tuple(changes))


def _history(connection: Connection, pool: str) -> list[tuple[int, Entry | int]]:
    """What moves ratings, by its place in the record; a void of a match or a test is the place of that."""
    played = matches.recorded(connection, pool)
    entries: dict[int, Entry | int] = {
        **{recorded.sequence: recorded.match for recorded in played},
        **{recorded.sequence: recorded.adjustment for recorded in adjustments.recorded(connection, pool)},
        **strength_tests.by_place(connection, pool),
        **voids.voided_tests(connection, pool),
    }
    places = {recorded.match.id: recorded.sequence for recorded in played}
    table = schema.rollback
    rows = connection.execute(select(table.c.seq, table.c.match).where(table.c.pool == pool))
    entries.update((row.seq, places[row.match]) for row in rows)
    return sorted(entries.items(), key=itemgetter(0))


def current(recorded: Iterable[RatingChange], made: Replay) -> tuple[dict[str, Rating], Tracks]:
    """What the projections must hold: the records that were recomputed, and the rating after the last recorded change.

    That rating is taken from the record because the last bit of a recomputed one may differ from machine to machine.

    Args:
        recorded: All changes of the pool.
        made: What was recomputed.
    """
    last = {(change.item, change.track): change.new for change in recorded}
    ratings = {item: replace(rating, elo=last.get((item, GLOBAL), rating.elo)) for item, rating in made.ratings.items()}
    return ratings, {key: replace(rating, elo=last.get(key, rating.elo)) for key, rating in made.tracks.items()}


def rebuild(connection: Connection, dialect: Dialect, pool: str) -> None:
    """Drop the projections of a pool and make them again.

    Raises:
        NotFound: If there is no such pool.
    """
    chain.hold(connection, pool)  # as every writer does first: evidence added meanwhile would be missed
    config = pools.config(connection, pool)
    if is_paired(connection, pool):
        ratings, tracks = _by_columns(connection, pool, config), Tracks()
    else:
        ratings, tracks = current(moves.every(connection, pool), recomputed(connection, pool))
    projections.drop(connection, pool)
    projections.put(connection, dialect, pool, ratings.values())
    track_ratings.replace(connection, pool, tracks)
    recount.rebuild(connection, pool)
    chain.mend_head(connection, pool)


def _by_columns(connection: Connection, pool: str, config: RatingConfig) -> dict[str, Rating]:
    """``current``, without the nouns of all matches."""
    standing = played(connection, pool)
    parts = [(table, select(*raw(table, "seq", "item", "new"))) for table in (schema.rating_change, schema.adjustment)]
    moved = rows_of(connection, moves.merged(pool, parts))
    elo = {item: new for _, item, new in moved}  # of an item's moves the last one stays
    last = dict(zip(unstored(elo), elo.values(), strict=True))
    return {
        item: replace(rating, elo=last.get(item, config.initial)) for item, rating in standing.ratings(config).items()
    }
