"""Voiding matches and other evidence: it stays in the ledger, and no longer counts."""

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import Connection, select

from paragone.domain import GLOBAL, EvidenceKind, RatingChange
from paragone.ledger import chain, replays, running_ratings, schema
from paragone.ledger.chain import Page
from paragone.ledger.evidence import agent_evidence, rating_changes, relations, tallies
from paragone.ledger.records import RecordedEvidence
from paragone.wire.evidence import Evidence, VoidedEvidence


def put(connection: Connection, page: Page, id: str, reason: str) -> tuple[RatingChange, ...]:
    """Put the void of a match that stands on a page, with the compensating changes, which are returned."""
    changes = moved_to(connection, page, replays.standings(connection, page.head.pool, without_matches=(id,)), id)
    page.add(schema.rollback, match=id, reason=reason)
    rating_changes.add(page, changes, compensates=True)
    return changes


def moved_to(connection: Connection, page: Page, after: replays.Standings, cause: str) -> tuple[RatingChange, ...]:
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
    before, tracks = running_ratings.ratings(connection, pool), running_ratings.tracks(connection, pool)
    ratings, tracks_after = after
    running_ratings.put(page, before, ratings)
    running_ratings.put_tracks(page, tracks, tracks_after)
    return replays.compensations((before, tracks), after, cause)


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
) -> VoidedEvidence:
    """Void the piece of evidence that an id means, or that is recorded under one of the other ids.

    Raises:
        NotFound: If there is no such pool, or no such evidence.
        Conflict: If the id matches several pieces of evidence.
    """
    with chain.appending(connection, pool, at) as page:
        meant = agent_evidence.find(connection, pool, ids, kind)
        if meant.void is not None:
            return _voided(meant, _made_then(connection, pool, meant), new=False)
        changes = _put(connection, page, meant, reason)
    return _voided(agent_evidence.find(connection, pool, (meant.reference,)), changes, new=True)


def _voided(evidence: RecordedEvidence, changes: Sequence[RatingChange], *, new: bool) -> VoidedEvidence:
    moved = {change.item: change.change for change in changes if change.track == GLOBAL}
    return VoidedEvidence(evidence=Evidence.like(evidence), changes=moved, new=new)


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
        rightful = replays.counted_again(connection, pool, without=meant.sequence)
        tallies.put(page, tallies.every(connection, pool), rightful)
    return ()


def _put_back(connection: Connection, page: Page, test: RecordedEvidence) -> tuple[RatingChange, ...]:
    """Move every rating to where a replay without a test ends."""
    after = replays.standings(connection, page.head.pool, without_tests=(test.sequence,))
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
