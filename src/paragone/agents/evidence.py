"""All evidence by its ids: listed, and voided."""

from typing import TYPE_CHECKING, Any

from paragone.agents import checks
from paragone.agents.strength_tests import verification_id
from paragone.domain import EvidenceKind
from paragone.errors import InvalidEvidence

if TYPE_CHECKING:
    from paragone.agents.agent_pool import AgentPool
    from paragone.ledger import RecordedEvidence, Voided


def newest(pool: "AgentPool", agent: str | None, kind: str | None, limit: int) -> list[dict[str, Any]]:
    """The evidence about one agent or about all, of one kind or of all, the void too, newest first."""
    name = None if agent is None else checks.agent(agent)
    evidence = pool.ledger.agents.evidence(pool.id, kind=kind_of(kind), agent=name, count=checks.limit(limit))
    return [as_values(each) for each in evidence]


def void(pool: "AgentPool", id: str, reason: str, kind: str | None = None) -> "Voided":
    """Void a piece of evidence."""
    name, why, of_kind = checks.identifier(id, "the id of evidence"), checks.words(reason, "a reason"), kind_of(kind)
    with pool.writing() as ledger:
        return ledger.agents.void(pool.id, name, why, kind=of_kind, also=(verification_id(name),))


def kind_of(kind: str | None) -> EvidenceKind | None:
    """The kind of evidence that is called so; None for all.

    Raises:
        InvalidEvidence: If no kind is.
    """
    if kind is None:
        return None
    try:
        return EvidenceKind(kind)
    except ValueError:
        kinds = ", ".join(EvidenceKind)
        raise InvalidEvidence(f"evidence is of one of the kinds {kinds}, not {kind!r}") from None


def as_values(evidence: "RecordedEvidence") -> dict[str, Any]:
    """A piece of evidence as plain values."""
    return {
        "id": evidence.id,
        "reference": evidence.reference,
        "kind": evidence.kind.value,
        "agents": list(evidence.agents),
        "content": dict(evidence.content),
        "created_at": evidence.at.isoformat(),
        "void": evidence.void,
    }
