"""Evidence of every kind by id: list, void and audit it."""

from collections.abc import Collection, Iterable
from typing import TYPE_CHECKING, Any

from paragone.agents import checks
from paragone.agents.agent_pool import PoolMethods
from paragone.agents.strength_tests import verification_test_id
from paragone.domain import EvidenceKind
from paragone.errors import InvalidEvidence

if TYPE_CHECKING:
    from paragone.ledger import RecordedEvidence
    from paragone.wire.agent_evidence import VoidedEvidence
    from paragone.wire.audit import Audit


class Evidence(PoolMethods):
    """Evidence of every kind by id: list, void and audit it."""

    def evidence(
        self, agent_name: str | None = None, *, kind: str | None = None, limit: int = 50
    ) -> list[dict[str, Any]]:
        """All evidence, newest first, void evidence too, each with its id.

        Args:
            agent_name: Only about this agent.
            kind: ``debate``, ``prediction``, ``resolution``, ``domain-prediction``, ``critique``, ``relation``,
                ``redteam``, ``verification``, ``registration`` or ``adjustment``; all kinds if None.
            limit: How many at most.

        Returns:
            ``id`` (the id it was recorded with; for a resolution its tournament; else its reference), ``reference``
            (such as ``critique#17``), ``kind``, ``agents``, ``content``, ``created_at`` and ``void``: why it was
            voided, None while it counts.
        """
        agent = None if agent_name is None else checks.agent(agent_name)
        return _values_of(
            self._pool.ledger.agents.evidence(
                self._pool.id, kind=_kind_of(kind), agent=agent, count=checks.limit(limit)
            )
        )

    def void(self, id: str, reason: str, *, kind: str | None = None) -> "VoidedEvidence":
        """Void evidence: counts and ratings become what they would be without it; it stays on record.

        Void evidence cannot be restored: record it again under another id. A tournament whose resolution is void can be
        predicted and resolved again. Agents that the evidence added stay.

        Args:
            id: The id or the reference of the evidence, as ``evidence`` lists them; for a resolution its tournament.
            reason: Why.
            kind: Its kind, as for ``evidence``; any if None.

        Returns:
            The evidence; ``changes``, the change of each global rating in Elo points, by agent; and ``new``, which is
            False if the evidence was void already and nothing changed.

        Raises:
            NotFound: If there is no such evidence; suggests near ids.
            Conflict: If several pieces of evidence have the id; names the reference of each.
        """
        name, why = checks.identifier(id, "the id of evidence"), checks.words(reason, "a reason")
        named_kind = _kind_of(kind)
        with self._pool.writing() as ledger:
            return ledger.agents.void(self._pool.id, name, why, kind=named_kind, also=(verification_test_id(name),))

    def audit(self, *, expect: Collection[str] = ()) -> "Audit":
        """Recompute the hash chain and every rating of the pool from the evidence, and compare."""
        return self._pool.ledger.audit(self._pool.id, expect=expect)


def _kind_of(kind: str | None) -> EvidenceKind | None:
    """The kind of evidence of a name; None for all kinds.

    Raises:
        InvalidEvidence: If there is no such kind.
    """
    if kind is None:
        return None
    try:
        return EvidenceKind(kind)
    except ValueError:
        kinds = ", ".join(EvidenceKind)
        raise InvalidEvidence(f"evidence is of one of the kinds {kinds}, not {kind!r}") from None


def _values_of(evidence: "Iterable[RecordedEvidence]") -> list[dict[str, Any]]:
    return [
        {
            "id": recorded.id,
            "reference": recorded.reference,
            "kind": recorded.kind.value,
            "agents": list(recorded.agents),
            "content": dict(recorded.content),
            "created_at": recorded.at.isoformat(),
            "void": recorded.void,
        }
        for recorded in evidence
    ]
