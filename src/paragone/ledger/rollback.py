"""Voids of matches and other evidence, which stay on record but no longer count."""

from collections.abc import Sequence
from dataclasses import replace

from sqlalchemy import Connection, select

from paragone.domain import GLOBAL, AdjustmentKind, EvidenceKind, RatingChange
from paragone.errors import Conflict
from paragone.ledger import replays, running_ratings, schema
from paragone.ledger.chain import LedgerPage
from paragone.ledger.evidence import agent_evidence, rating_changes, relations, tallies
from paragone.ledger.records import RecordedEvidence
from paragone.wire.agent_evidence import Evidence, VoidedEvidence


def put(connection: Connection, page: LedgerPage, id: str, reason: str) -> tuple[RatingChange, ...]:
    """Put the rollback of a match on a page, with its compensating changes, which are returned."""
    after = replays.ratings_without(connection, page.head.pool, without_matches=(id,))
    changes = move_ratings(connection, page, after, id)
    page.add(schema.rollback, match=id, reason=reason)
    rating_changes.add(page, changes, compensates=True)
    return changes


def move_ratings(
    connection: Connection, page: LedgerPage, after: replays.RatingSet, cause: str
) -> tuple[RatingChange, ...]:
    """Have the ratings of a pool replaced with a page.

    Args:
        connection: A transaction.
        page: A page of the pool.
        after: The ratings after the void.
        cause: Id of the voided match or test.

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
    EvidenceKind.ADJUSTMENT: schema.adjustment,
}
_TESTS = (EvidenceKind.RED_TEAM, EvidenceKind.VERIFICATION)
_NOT_COUNTED = (EvidenceKind.REGISTRATION, EvidenceKind.ADJUSTMENT)
"""Kinds without a projection: queries leave out what is void."""


def void(
    connection: Connection,
    page: LedgerPage,
    id: str,
    reason: str,
    *,
    kind: EvidenceKind | None = None,
    also: Sequence[str] = (),
) -> VoidedEvidence:
    """Void a piece of evidence: it stays on record, and ratings and counts become what the rest implies.

    Voided evidence cannot be restored; record it again under another id. Voiding it again changes nothing.

    Args:
        connection: A transaction.
        page: A page of the pool.
        id: Its id or its reference, as ``evidence`` returns them; for a resolution, its tournament.
        reason: Why it is voided.
        kind: Its kind; None for any.
        also: Other ids under which it may be recorded.

    Raises:
        NotFound: If there is no such pool, or no such evidence; the message names the nearest ids.
        Conflict: If the id matches several pieces of evidence, the message naming the reference of each; or it is a
            starting rating or a season, from which ratings moved on.
    """
    pool = page.head.pool
    evidence = agent_evidence.find(connection, pool, (id, *also), kind)
    _require_voidable(evidence)
    if evidence.void is not None:
        return _voided(evidence, _earlier_changes(connection, pool, evidence), new=False)
    changes = _put(connection, page, evidence, reason)
    return _voided(replace(evidence, void=reason), changes, new=True)


def _require_voidable(evidence: RecordedEvidence) -> None:
    if evidence.kind is EvidenceKind.ADJUSTMENT and evidence.content["cause"] != AdjustmentKind.REVISION.value:
        raise Conflict(
            f"{evidence.id!r} moved the rating of {evidence.agents[0]!r} without a debate, and later changes "
            "began from there, so it stays; the only adjustment that can be voided is a new version"
        )


def _voided(evidence: RecordedEvidence, changes: Sequence[RatingChange], *, new: bool) -> VoidedEvidence:
    by_item = {change.item: change.change for change in changes if change.track == GLOBAL}
    return VoidedEvidence(evidence=Evidence.like(evidence), changes=by_item, new=new)


def _put(connection: Connection, page: LedgerPage, evidence: RecordedEvidence, reason: str) -> tuple[RatingChange, ...]:
    if evidence.kind is EvidenceKind.DEBATE:
        return put(connection, page, evidence.id, reason)
    page.add(schema.void, kind=_TABLES[evidence.kind].name, target=evidence.sequence, reason=reason)
    if evidence.kind in _TESTS:
        return _void_test(connection, page, evidence)
    if evidence.kind is EvidenceKind.RELATION:
        a, b = evidence.agents
        relations.lower(connection, page, (a, b), evidence.sequence)
    elif evidence.kind not in _NOT_COUNTED:
        pool = page.head.pool
        expected = replays.counted_again(connection, pool, without=evidence.sequence)
        tallies.put(page, tallies.every(connection, pool), expected)
    return ()


def _void_test(connection: Connection, page: LedgerPage, test: RecordedEvidence) -> tuple[RatingChange, ...]:
    """Move every rating to where a replay without the test ends."""
    after = replays.ratings_without(connection, page.head.pool, without_tests=(test.sequence,))
    changes = move_ratings(connection, page, after, test.id)
    for change in changes:
        page.add(schema.void_change, item=change.item, track=change.track, test=test.id, old=change.old, new=change.new)
    return changes


def _earlier_changes(connection: Connection, pool: str, evidence: RecordedEvidence) -> tuple[RatingChange, ...]:
    """The changes of ratings when evidence was voided earlier."""
    if evidence.kind is EvidenceKind.DEBATE:
        return rating_changes.of_match(connection, pool, evidence.id, compensates=True)
    if evidence.kind not in _TESTS:
        return ()
    change = schema.void_change
    rows = connection.execute(
        select(change).where(change.c.pool == pool, change.c.test == evidence.id).order_by(change.c.seq)
    )
    return tuple(rating_changes.uncontested(row.item, row.test, row.old, row.new, track=row.track) for row in rows)
