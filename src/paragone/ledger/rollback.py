"""Undoing a match: it stays in the ledger, and no longer counts."""

from collections.abc import Mapping
from datetime import datetime

from sqlalchemy import Connection

from paragone.domain import Rating, RatingChange
from paragone.ledger import chain, matches, projections, schema, whatif


def record(connection: Connection, pool: str, id: str, reason: str, at: datetime) -> tuple[RatingChange, ...]:
    """Void a match and move every rating to where a replay without it ends.

    Returns:
        The compensating changes; for a match that is rolled back already, those that were made then.

    Raises:
        NotFound: If there is no such pool, or no such match in it.
    """
    with chain.appending(connection, pool, at) as page:
        if matches.one(connection, pool, id).rolled_back:
            change = schema.rating_change
            return matches.changes(connection, pool, change.c.match == id, change.c.compensates == 1)
        before = projections.ratings(connection, pool)
        after = whatif.ratings(connection, pool, without_matches=(id,))
        made = compensations(before, after, id)
        page.add(schema.rollback, match=id, reason=reason)
        matches.add_changes(page, made, compensates=True)
        moved = [rating for rating in after.values() if rating != before[rating.item]]
        page.after.append((projections.SET, projections.settings(pool, moved)))
        return made


def compensations(before: Mapping[str, Rating], after: Mapping[str, Rating], match: str) -> tuple[RatingChange, ...]:
    """The moves from one set of ratings to another, one for each item whose rating differs.

    They name the match that is voided, and have a K, an expectation and a score of zero: no contest made them.
    """
    return tuple(
        RatingChange(item=item, match=match, old=before[item].elo, new=rating.elo, k=0.0, expected=0.0, score=0.0)
        for item, rating in after.items()
        if rating.elo != before[item].elo
    )
