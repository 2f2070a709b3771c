"""Everything that follows from the evidence, made again from the beginning; and the projections made from that."""

from collections.abc import Iterable
from dataclasses import replace
from operator import itemgetter

from sqlalchemy import Connection, select

from paragone.domain import GLOBAL, Rating, RatingChange, RatingConfig
from paragone.errors import Corrupted
from paragone.ledger import chain, running_ratings, schema, track_ratings
from paragone.ledger.agents import recounting, strength_tests, voids
from paragone.ledger.databases.dialects import Dialect
from paragone.ledger.evidence import adjustments, matches, pools, rating_changes
from paragone.ledger.evidence.match_columns import is_paired, played, raw, rows_of, unstored
from paragone.ledger.replays.rollback import compensations
from paragone.ratings.replay import Entry, Replay, Tracks, advance, replay


def recomputed(connection: Connection, pool: str) -> Replay:
    """Every move that the matches, adjustments, tests and voids of a pool imply, in order, and where it ends.

    Raises:
        NotFound: If there is no such pool.
    """
    config = pools.record(connection, pool).config
    items = [item.id for item in pools.items(connection, pool)]
    now = replay((), config, items)
    counted: dict[int, Entry] = {}
    changes: list[RatingChange] = []
    for seq, entry in _history(connection, pool):
        if isinstance(entry, int):
            gone = counted.pop(entry)
            before, now = now, replay(counted.values(), config, items)
            changes.extend(compensations((before.ratings, before.tracks), (now.ratings, now.tracks), gone.id))
            continue
        counted[seq] = entry
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
    seqs = {recorded.match.id: recorded.sequence for recorded in played}
    table = schema.rollback
    rows = connection.execute(select(table.c.seq, table.c.match).where(table.c.pool == pool))
    entries.update((row.seq, seqs[row.match]) for row in rows)
    return sorted(entries.items(), key=itemgetter(0))


def current(recorded: Iterable[RatingChange], replayed: Replay) -> tuple[dict[str, Rating], Tracks]:
    """What the projections must hold: the records that were recomputed, and the rating after the last recorded change.

    That rating is taken from the record because the last bit of a recomputed one may differ from machine to machine.

    Args:
        recorded: All changes of the pool.
        replayed: What was recomputed.
    """
    last = {(change.item, change.track): change.new for change in recorded}
    ratings = {
        item: replace(rating, elo=last.get((item, GLOBAL), rating.elo)) for item, rating in replayed.ratings.items()
    }
    return ratings, {key: replace(rating, elo=last.get(key, rating.elo)) for key, rating in replayed.tracks.items()}


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
        ratings, tracks = current(rating_changes.every(connection, pool), recomputed(connection, pool))
    running_ratings.drop(connection, pool)
    running_ratings.put(connection, dialect, pool, ratings.values())
    track_ratings.replace(connection, pool, tracks)
    recounting.rebuild(connection, pool)
    chain.mend_head(connection, pool)


def _by_columns(connection: Connection, pool: str, config: RatingConfig) -> dict[str, Rating]:
    """``current``, without the nouns of all matches."""
    counted = played(connection, pool)
    parts = [(table, select(*raw(table, "seq", "item", "new"))) for table in (schema.rating_change, schema.adjustment)]
    rows = rows_of(connection, rating_changes.merged(pool, parts))
    elo = {item: new for _, item, new in rows}  # of an item's moves the last one stays
    last = dict(zip(unstored(elo), elo.values(), strict=True))
    return {
        item: replace(rating, elo=last.get(item, config.initial)) for item, rating in counted.ratings(config).items()
    }
