"""All evidence by its ids: listed, voided, audited."""

from collections.abc import Collection, Iterable
from typing import TYPE_CHECKING, Any

from paragone.agents import checks
from paragone.agents.agent_pool import PoolMethods
from paragone.agents.strength_tests import verification_test_id
from paragone.domain import EvidenceKind
from paragone.errors import InvalidEvidence

if TYPE_CHECKING:
    from paragone.ledger import RecordedEvidence
    from paragone.wire.audit import Audit
    from paragone.wire.evidence import VoidedEvidence


class Evidence(PoolMethods):
    """All evidence by its ids: listed, voided and audited."""

    def evidence(
        self, agent_name: str | None = None, *, kind: str | None = None, limit: int = 50
    ) -> list[dict[str, Any]]:
        """All that was recorded, the void too, newest first: here is the id of each piece of evidence.

        Args:
            agent_name: About this agent; about all where None.
            kind: ``debate``, ``prediction``, ``resolution``, ``domain-prediction``, ``critique``, ``relation``,
                ``redteam``, ``verification`` or ``registration``; all where None.
            limit: How many at most.

        Returns:
            ``id`` (the one it was recorded under, of a resolution its tournament, else its reference), ``reference``
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
        """Void any evidence: counts and ratings become what the rest says, and it stays on record.

        What is void cannot be made to count again: record it anew under another id. A tournament whose resolution is
        void can be predicted and resolved again. Agents that the evidence added stay.

        Args:
            id: The id or the reference of the evidence, as ``evidence`` lists them; of a resolution its tournament.
            reason: Why.
            kind: Its kind, as in ``evidence``; any where None.

        Returns:
            The evidence; ``changes``, the Elo points by which global ratings moved, by agent; and ``new``, which is
            False if the evidence was void already and nothing changed.

        Raises:
            NotFound: If there is no such evidence; it names the nearest ids.
            Conflict: If the id means several pieces of evidence; it names the reference of each.
        """
        name, why = checks.identifier(id, "the id of evidence"), checks.words(reason, "a reason")
        named_kind = _kind_of(kind)
        with self._pool.writing() as ledger:
            return ledger.agents.void(self._pool.id, name, why, kind=named_kind, also=(verification_test_id(name),))

    def audit(self, *, expect: Collection[str] = ()) -> "Audit":
        """Recompute the hash chain and every rating of the pool from the evidence, and compare."""
        return self._pool.ledger.audit(self._pool.id, expect=expect)


def _kind_of(kind: str | None) -> EvidenceKind | None:
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
