"""All evidence about agents as values, with its ids; and voiding it."""

from paragone.agents.agent_pool import AgentPool
from paragone.agents.evidence import Evidence as AgentEvidence
from paragone.domain import GLOBAL, EvidenceKind
from paragone.ledger import RecordedEvidence
from paragone.web.readers.ledger_reader import LedgerReader
from paragone.web.views.agents.roster import require_agents, roster_with
from paragone.web.views.cursors import cursor, place_of
from paragone.wire.evidence import Evidence, EvidencePage, VoidedEvidence


def listed(
    reader: LedgerReader,
    pool: str,
    *,
    agent: str = "",
    kind: EvidenceKind | None = None,
    limit: int = 50,
    after: str | None = None,
) -> EvidencePage:
    """The evidence of a pool, or about one agent, of all kinds or of one, the newest first.

    Raises:
        NotFound: If there is no such pool of agents, or no such agent in it.
        InvalidConfig: If the cursor belongs to another listing.
    """
    require_agents(reader, pool)
    if agent:
        roster_with(reader, pool, agent)
    listing = ("agent evidence", pool, agent, "" if kind is None else kind.value)
    last = place_of(after, listing)
    before = None if last is None else int(last[0] or 0)
    records = reader.ledger.agents.evidence(pool, kind=kind, agent=agent or None, count=limit + 1, before=before)
    page = records[:limit]
    more = len(records) > limit
    return EvidencePage(
        evidence=[_of(each) for each in page], next=cursor(listing, [page[-1].sequence]) if more else None
    )


def void(pool: AgentPool, id: str, reason: str, kind: EvidenceKind | None) -> VoidedEvidence:
    """Void a piece of evidence.

    Raises:
        NotFound: If there is none of that id; it names the nearest.
        Conflict: If the id means several; it names the reference of each.
    """
    done = AgentEvidence(pool).void(id, reason, kind=None if kind is None else kind.value)
    changes = {change.item: change.change for change in done.changes if change.track == GLOBAL}
    return VoidedEvidence(evidence=_of(done.evidence), changes=changes, new=done.new)


def _of(recorded: RecordedEvidence) -> Evidence:
    return Evidence(
        id=recorded.id,
        reference=recorded.reference,
        kind=recorded.kind,
        at=recorded.at,
        agents=list(recorded.agents),
        content=dict(recorded.content),
        void=recorded.void,
    )
