"""Undoing a match: it stays in the ledger, and no longer counts."""

from collections.abc import Mapping
from datetime import datetime

from sqlalchemy import Connection

from paragone.domain import Rating, RatingChange
from paragone.ledger import chain, match_changes, matches, projections, schema, track_ratings
from paragone.ledger.chain import Page
from paragone.ledger.replays import whatif
from paragone.ratings.domain_ratings import Tracks, new_track


def record(connection: Connection, pool: str, id: str, reason: str, at: datetime) -> tuple[RatingChange, ...]:
    """Void a match and move every rating to where a replay without it ends.

    Returns:
        The compensating changes; for a match that is rolled back already, those that were made then.

    Raises:
        NotFound: If there is no such pool, or no such match in it.
    """
    with chain.appending(connection, pool, at) as page:
        if matches.one(connection, pool, id).rolled_back:
            return match_changes.of_match(connection, pool, id, compensates=True)
        return put(connection, page, id, reason)


def put(connection: Connection, page: Page, id: str, reason: str) -> tuple[RatingChange, ...]:
    """Put the void of a match that stands on a page, with the compensating changes, which are returned."""
    made = moved_to(connection, page, whatif.standings(connection, page.head.pool, without_matches=(id,)), id)
    page.add(schema.rollback, match=id, reason=reason)
    match_changes.add(page, made, compensates=True)
    return made


def moved_to(connection: Connection, page: Page, after: "Standings", cause: str) -> tuple[RatingChange, ...]:
    """Have the ratings of a pool written as they are after a void.

    Args:
        connection: A transaction.
        page: What they are written with.
        after: Where they have to stand.
        cause: Id of the match or the test that is voided.

    Returns:
        The compensating changes.
    """
    pool = page.head.pool
    before, tracks = projections.ratings(connection, pool), track_ratings.every(connection, pool)
    ratings, tracks_after = after
    moved = [rating for rating in ratings.values() if rating != before[rating.item]]
    page.after.append((projections.SET, projections.settings(pool, moved)))
    track_ratings.put(page, tracks, tracks_after)
    return compensations((before, tracks), after, cause)


Standings = tuple[Mapping[str, Rating], Tracks]
"""The global ratings by item, and those of domains."""


def compensations(before: Standings, after: Standings, cause: str) -> tuple[RatingChange, ...]:
    """The moves from one set of ratings to another, one for each that differs: in the order of items, then of domains.

    They name the match or the test that is voided, and have a K, an expectation and a score of zero: no contest made
    them. A rating in a domain where nothing is left of an item goes back to where it would begin again: at the global
    one.
    """
    (ratings, tracks), (now, tracks_now) = before, after
    moves = [(ratings[item], rating) for item, rating in now.items()]
    for key, old in sorted(tracks.items()):
        item, domain = key
        moves.append((old, tracks_now.get(key) or new_track(now[item], domain)))
    return tuple(
        RatingChange(
            item=old.item, match=cause, old=old.elo, new=new.elo, k=0.0, expected=0.0, score=0.0, track=old.track
        )
        for old, new in moves
        if new.elo != old.elo
    )
