"""Undoing a match: it stays in the ledger, and no longer counts."""

from collections.abc import Mapping
from datetime import datetime

from sqlalchemy import Connection, select

from paragone.domain import EvidenceKind, Rating, RatingChange
from paragone.ledger import chain, running_ratings, schema, track_ratings
from paragone.ledger.agent_records import RecordedEvidence, Voided
from paragone.ledger.agents import evidence, recounting, relations, tallies
from paragone.ledger.chain import Page
from paragone.ledger.evidence import matches, rating_changes
from paragone.ledger.replays import whatif
from paragone.ratings.replay import Tracks, new_track


def record(connection: Connection, pool: str, id: str, reason: str, at: datetime) -> tuple[RatingChange, ...]:
    """Void a match and move every rating to where a replay without it ends.

    Returns:
        The compensating changes; for a match that is rolled back already, those that were made then.

    Raises:
        NotFound: If there is no such pool, or no such match in it.
    """
    with chain.appending(connection, pool, at) as page:
        if matches.one(connection, pool, id).rolled_back:
            return rating_changes.of_match(connection, pool, id, compensates=True)
        return put(connection, page, id, reason)


def put(connection: Connection, page: Page, id: str, reason: str) -> tuple[RatingChange, ...]:
    """Put the void of a match that stands on a page, with the compensating changes, which are returned."""
    changes = moved_to(connection, page, whatif.standings(connection, page.head.pool, without_matches=(id,)), id)
    page.add(schema.rollback, match=id, reason=reason)
    rating_changes.add(page, changes, compensates=True)
    return changes


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
    before, tracks = running_ratings.ratings(connection, pool), track_ratings.every(connection, pool)
    ratings, tracks_after = after
    changed = [rating for rating in ratings.values() if rating != before[rating.item]]
    page.after.append((running_ratings.SET, running_ratings.settings(pool, changed)))
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


_TABLES = {
    EvidenceKind.PREDICTION: schema.prediction,
    EvidenceKind.RESOLUTION: schema.resolution,
    EvidenceKind.DOMAIN_PREDICTION: schema.domain_prediction,
    EvidenceKind.CRITIQUE: schema.critique,
    EvidenceKind.RELATION: schema.relation,
    EvidenceKind.RED_TEAM: schema.test,
    EvidenceKind.VERIFICATION: schema.test,
    EvidenceKind.REGISTRATION: schema.registration,
}
_TESTS = (EvidenceKind.RED_TEAM, EvidenceKind.VERIFICATION)
_NOT_COUNTED = (EvidenceKind.REGISTRATION,)
"""Kinds of which no projection is kept: whoever reads them leaves out what is void."""


def record_void(
    connection: Connection, pool: str, ids: tuple[str, ...], reason: str, at: datetime, kind: EvidenceKind | None
) -> Voided:
    """Void a piece of evidence: what is counted and rated becomes what the rest of the evidence says.

    Args:
        connection: A transaction that writes.
        pool: The pool.
        ids: The id or reference of the evidence, and what else it may be kept under.
        reason: Why.
        at: When.
        kind: Its kind; any where None.

    Raises:
        NotFound: If there is no such pool, or no such evidence in it.
        Conflict: If the id means several pieces of evidence.
    """
    with chain.appending(connection, pool, at) as page:
        meant = evidence.find(connection, pool, ids, kind)
        if meant.void is not None:
            return Voided(evidence=meant, changes=_made_then(connection, pool, meant), new=False)
        changes = _put(connection, page, meant, reason)
    return Voided(evidence=evidence.find(connection, pool, (meant.reference,)), changes=changes, new=True)


def _put(connection: Connection, page: Page, meant: RecordedEvidence, reason: str) -> tuple[RatingChange, ...]:
    if meant.kind is EvidenceKind.DEBATE:
        return put(connection, page, meant.id, reason)
    page.add(schema.void, kind=_TABLES[meant.kind].name, target=meant.sequence, reason=reason)
    if meant.kind in _TESTS:
        return _put_back(connection, page, meant)
    if meant.kind is EvidenceKind.RELATION:
        a, b = meant.agents
        relations.lower(connection, page, (a, b), meant.sequence)
    elif meant.kind not in _NOT_COUNTED:
        pool = page.head.pool
        rightful = recounting.counted_again(connection, pool, without=meant.sequence)
        tallies.lower(page, tallies.every(connection, pool), rightful)
    return ()


def _put_back(connection: Connection, page: Page, test: RecordedEvidence) -> tuple[RatingChange, ...]:
    """Move every rating to where a replay without a test ends."""
    after = whatif.standings(connection, page.head.pool, without_tests=(test.sequence,))
    changes = moved_to(connection, page, after, test.id)
    for change in changes:
        page.add(schema.void_change, item=change.item, track=change.track, test=test.id, old=change.old, new=change.new)
    return changes


def _made_then(connection: Connection, pool: str, meant: RecordedEvidence) -> tuple[RatingChange, ...]:
    """How ratings moved when evidence was voided."""
    if meant.kind is EvidenceKind.DEBATE:
        return rating_changes.of_match(connection, pool, meant.id, compensates=True)
    if meant.kind not in _TESTS:
        return ()
    change = schema.void_change
    rows = connection.execute(
        select(change).where(change.c.pool == pool, change.c.test == meant.id).order_by(change.c.seq)
    )
    return tuple(
        RatingChange(
            item=row.item, match=row.test, old=row.old, new=row.new, k=0.0, expected=0.0, score=0.0, track=row.track
        )
        for row in rows
    )
