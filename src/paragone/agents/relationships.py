"""Rivals, allies, and what happened between two agents, under Aragora's names."""

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from paragone.agents import checks
from paragone.agents.agent_pool import AgentPool, PoolMethods
from paragone.domain import Dealings, Relation
from paragone.errors import InvalidEvidence
from paragone.wire.value import shallow

if TYPE_CHECKING:
    from paragone.analysis.relationships import RelationshipMetrics

_INCREMENTS = {
    "debate_increment": "debates",
    "agreement_increment": "agreements",
    "critique_a_to_b": "critiques_a_to_b",
    "critique_b_to_a": "critiques_b_to_a",
    "critique_accepted_a_to_b": "accepted_a_to_b",
    "critique_accepted_b_to_a": "accepted_b_to_a",
    "position_change_a_after_b": "changes_a_after_b",
    "position_change_b_after_a": "changes_b_after_a",
    "a_win": "a_wins",
    "b_win": "b_wins",
}
"""Arguments of an update, and the counts that they add to."""

_COUNTERS = {
    "debate_count": "debates",
    "agreement_count": "agreements",
    "critique_count_a_to_b": "critiques_a_to_b",
    "critique_count_b_to_a": "critiques_b_to_a",
    "critique_accepted_a_to_b": "accepted_a_to_b",
    "critique_accepted_b_to_a": "accepted_b_to_a",
    "position_changes_a_after_b": "changes_a_after_b",
    "position_changes_b_after_a": "changes_b_after_a",
    "a_wins_over_b": "a_wins",
    "b_wins_over_a": "b_wins",
}
"""Names of the totals, and the counts that they are of."""

_ARGUMENTS = {"agent_a", "agent_b", "update_id", *_INCREMENTS}


class Relationships(PoolMethods):
    """Rivals, allies, and what happened between two agents, seen from the one named first."""

    def update_relationship(
        self,
        agent_a: str,
        agent_b: str,
        debate_increment: int = 0,
        agreement_increment: int = 0,
        critique_a_to_b: int = 0,
        critique_b_to_a: int = 0,
        critique_accepted_a_to_b: int = 0,
        critique_accepted_b_to_a: int = 0,
        position_change_a_after_b: int = 0,
        position_change_b_after_a: int = 0,
        a_win: int = 0,
        b_win: int = 0,
        *,
        update_id: str | None = None,
    ) -> None:
        """Add to what happened between two agents.

        Args:
            agent_a: One agent.
            agent_b: The other.
            debate_increment: Debates in which both took part.
            agreement_increment: Debates in which they agreed.
            critique_a_to_b: Critiques by ``agent_a`` of ``agent_b``.
            critique_b_to_a: The other way round.
            critique_accepted_a_to_b: Critiques by ``agent_a`` that were accepted.
            critique_accepted_b_to_a: The other way round.
            position_change_a_after_b: Times that ``agent_a`` changed its position after ``agent_b`` spoke.
            position_change_b_after_a: The other way round.
            a_win: Debates that ``agent_a`` won against ``agent_b``.
            b_win: The other way round.
            update_id: Recording it again under the same id changes nothing.

        Raises:
            InvalidEvidence: If both are the same, or a count is not a whole number from 0 upwards.
            Conflict: If the id is on record with other content.
        """
        update = {
            "agent_a": agent_a,
            "agent_b": agent_b,
            "debate_increment": debate_increment,
            "agreement_increment": agreement_increment,
            "critique_a_to_b": critique_a_to_b,
            "critique_b_to_a": critique_b_to_a,
            "critique_accepted_a_to_b": critique_accepted_a_to_b,
            "critique_accepted_b_to_a": critique_accepted_b_to_a,
            "position_change_a_after_b": position_change_a_after_b,
            "position_change_b_after_a": position_change_b_after_a,
            "a_win": a_win,
            "b_win": b_win,
            "update_id": update_id,
        }
        self.update_relationships_batch([update])

    def update_relationships_batch(self, updates: Sequence[Mapping[str, Any]]) -> None:
        """Record many updates in one transaction.

        Args:
            updates: The arguments of ``update_relationship`` for each, by name.
        """
        relations = checks.each("update", updates, _relation)
        if relations:
            with self._pool.writing(_agents_of(relations)) as ledger:
                ledger.agents.record_relations(self._pool.id, relations)

    def recorded_relationships(self, update_ids: Iterable[str]) -> set[str]:
        """Those of some updates of relationships that are on record already."""
        ids = checks.identifiers(update_ids, "the id of an update")
        return set(self._pool.ledger.agents.existing_ids(self._pool.id, "relation", ids))

    def compute_relationship_metrics(self, agent_a: str, agent_b: str) -> dict[str, Any]:
        """The relationship of two agents.

        Returns:
            ``agent_a``, ``agent_b``, ``rivalry_score`` and ``alliance_score`` from 0 to 1, ``relationship`` (``rival``,
            ``ally``, ``neutral``, ``acquaintance``, ``no_history`` or ``unknown``), ``debate_count``,
            ``agreement_rate``, and ``head_to_head``: wins and losses of the first, as ``3-1``.
        """
        from paragone.analysis.relationships import metrics

        a, b = checks.pair(agent_a, agent_b)
        return _metric_values(metrics(a, b, _between(self._pool, a, b)))

    def get_rivals(self, agent_name: str, limit: int = 5) -> list[dict[str, Any]]:
        """The agents whose rivalry with an agent is above .3, highest first, as ``compute_relationship_metrics``."""
        from paragone.analysis.relationships import rivals

        name, count = checks.agent(agent_name), checks.limit(limit)
        return list(map(_metric_values, rivals(name, _of(self._pool, name), count=count)))

    def get_allies(self, agent_name: str, limit: int = 5) -> list[dict[str, Any]]:
        """The agents whose alliance with an agent is above .3, highest first, as ``compute_relationship_metrics``."""
        from paragone.analysis.relationships import allies

        name, count = checks.agent(agent_name), checks.limit(limit)
        return list(map(_metric_values, allies(name, _of(self._pool, name), count=count)))

    def get_relationship_raw(self, agent_a: str, agent_b: str) -> dict[str, Any] | None:
        """The counts between two agents; None if nothing was recorded.

        Returns:
            ``agent_a``, ``agent_b``, ``debate_count``, ``agreement_count``, and from a to b and from b to a:
            ``critique_count_a_to_b``, ``critique_accepted_a_to_b``, ``position_changes_a_after_b``, ``a_wins_over_b``.
        """
        a, b = checks.pair(agent_a, agent_b)
        relation = _between(self._pool, a, b)
        return None if relation is None else _counted(relation)

    def get_all_relationships_for_agent(self, agent_name: str, limit: int = 100) -> list[dict[str, Any]]:
        """The counts between an agent and each other agent, most debates first."""
        name, count = checks.agent(agent_name), checks.limit(limit)
        return _most_debated(name, _of(self._pool, name))[:count]


def _between(pool: AgentPool, a: str, b: str) -> Relation | None:
    return pool.known(lambda: pool.ledger.agents.relation(pool.id, a, b), "relation", a, b)


def _of(pool: AgentPool, agent: str) -> tuple[Relation, ...]:
    return pool.known(lambda: pool.ledger.agents.relations(pool.id, agent), "relations", agent)


def _agents_of(relations: Iterable[Relation]) -> list[str]:
    return [agent for relation in relations for agent in (relation.a, relation.b)]


def _most_debated(agent: str, relations: Iterable[Relation]) -> list[dict[str, Any]]:
    """The counts between an agent and others, most debates first."""
    by_debates = sorted(
        (relation.seen_from(agent) for relation in relations),
        key=lambda relation: (-relation.dealings.debates, relation.b),
    )
    return [_counted(relation) for relation in by_debates]


def _relation(update: Mapping[str, Any]) -> Relation:
    unknown = sorted(set(update) - _ARGUMENTS)
    if unknown:
        raise InvalidEvidence(f"{unknown[0]!r} is unknown; there are {', '.join(sorted(_ARGUMENTS))}")
    a, b = checks.pair(update.get("agent_a"), update.get("agent_b"))
    counts = {field: checks.count(update.get(name, 0), name) for name, field in _INCREMENTS.items()}
    id = checks.optional_identifier(update.get("update_id"), "the id of an update")
    return Relation(id=id, a=a, b=b, dealings=Dealings(**counts))


def _counted(relation: Relation) -> dict[str, Any]:
    counts = {name: getattr(relation.dealings, field) for name, field in _COUNTERS.items()}
    return {"agent_a": relation.a, "agent_b": relation.b, **counts}


def _metric_values(measured: "RelationshipMetrics") -> dict[str, Any]:
    return {**shallow(measured), "relationship": measured.relationship.value}
