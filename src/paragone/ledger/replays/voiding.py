"""Voiding any evidence about agents: it stays in the ledger, and no longer counts."""

from datetime import datetime

from sqlalchemy import Connection, select

from paragone.domain import EvidenceKind, RatingChange
from paragone.ledger import chain, match_changes, schema
from paragone.ledger.agent_records import RecordedEvidence, Voided
from paragone.ledger.agents import evidence, recount, relations, tallies
from paragone.ledger.chain import Page
from paragone.ledger.replays import rollback, whatif

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


def record(
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
        meant = evidence.named(connection, pool, ids, kind)
        if meant.void is not None:
            return Voided(evidence=meant, changes=_made_then(connection, pool, meant), new=False)
        made = _put(connection, page, meant, reason)
    return Voided(evidence=evidence.named(connection, pool, (meant.reference,)), changes=made, new=True)


def _put(connection: Connection, page: Page, meant: RecordedEvidence, reason: str) -> tuple[RatingChange, ...]:
    if meant.kind is EvidenceKind.DEBATE:
        return rollback.put(connection, page, meant.id, reason)
    page.add(schema.void, kind=_TABLES[meant.kind].name, target=meant.sequence, reason=reason)
    if meant.kind in _TESTS:
        return _put_back(connection, page, meant)
    if meant.kind is EvidenceKind.RELATION:
        a, b = meant.agents
        relations.lower(connection, page, (a, b), meant.sequence)
    elif meant.kind not in _NOT_COUNTED:
        pool = page.head.pool
        rightful = recount.counted_again(connection, pool, without=meant.sequence)
        tallies.lower(page, tallies.every(connection, pool), rightful)
    return ()


def _put_back(connection: Connection, page: Page, test: RecordedEvidence) -> tuple[RatingChange, ...]:
    """Move every rating to where a replay without a test ends."""
    after = whatif.standings(connection, page.head.pool, without_tests=(test.sequence,))
    made = rollback.moved_to(connection, page, after, test.id)
    for change in made:
        page.add(schema.void_change, item=change.item, track=change.track, test=test.id, old=change.old, new=change.new)
    return made


def _made_then(connection: Connection, pool: str, meant: RecordedEvidence) -> tuple[RatingChange, ...]:
    """How ratings moved when evidence was voided."""
    if meant.kind is EvidenceKind.DEBATE:
        return match_changes.of_match(connection, pool, meant.id, compensates=True)
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
