"""What happens between two agents, under the names that document A's users know."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from paragone.agents import checks
from paragone.domain import Dealings, Relation
from paragone.errors import InvalidEvidence

if TYPE_CHECKING:
    from paragone.agents.agent_pool import AgentPool
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
"""Arguments of an update, and what they add to."""

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
"""Names of the sums, and what they are of."""

_ARGUMENTS = {"agent_a", "agent_b", "update_id", *_INCREMENTS}


def update(pool: "AgentPool", updates: Sequence[Mapping[str, Any]]) -> None:
    """Add to what happened between agents, all or nothing.

    Raises:
        InvalidEvidence: If an update names what there is not, or counts what cannot be.
    """
    relations = checks.each("update", updates, _relation)
    if relations:
        with pool.writing([agent for relation in relations for agent in (relation.a, relation.b)]) as ledger:
            ledger.agents.record_relations(pool.id, relations)


def metrics(pool: "AgentPool", agent_a: str, agent_b: str) -> dict[str, Any]:
    """What two agents are to each other, seen from the first."""
    from paragone.analysis.relationships import metrics as measured

    a, b = checks.pair(agent_a, agent_b)
    return _metric_values(measured(a, b, pool.ledger.agents.relation(pool.id, a, b)))


def rivals(pool: "AgentPool", agent: str, limit: int) -> list[dict[str, Any]]:
    """Those with whom an agent's rivalry is above .3, the highest first."""
    from paragone.analysis.relationships import rivals as highest

    name, count = checks.agent(agent), checks.limit(limit)
    return [_metric_values(rival) for rival in highest(name, pool.ledger.agents.relations(pool.id, name), count=count)]


def allies(pool: "AgentPool", agent: str, limit: int) -> list[dict[str, Any]]:
    """Those with whom an agent's alliance is above .3, the highest first."""
    from paragone.analysis.relationships import allies as highest

    name, count = checks.agent(agent), checks.limit(limit)
    return [_metric_values(ally) for ally in highest(name, pool.ledger.agents.relations(pool.id, name), count=count)]


def raw(pool: "AgentPool", agent_a: str, agent_b: str) -> dict[str, Any] | None:
    """The sums between two agents, seen from the first; None where there are none."""
    a, b = checks.pair(agent_a, agent_b)
    relation = pool.ledger.agents.relation(pool.id, a, b)
    return None if relation is None else _counted(relation)


def all_relations(pool: "AgentPool", agent: str, limit: int) -> list[dict[str, Any]]:
    """The sums between an agent and others, seen from it, those with the most debates first."""
    name, count = checks.agent(agent), checks.limit(limit)
    relations = [relation.seen_from(name) for relation in pool.ledger.agents.relations(pool.id, name)]
    return [
        _counted(relation) for relation in sorted(relations, key=lambda one: (-one.dealings.debates, one.b))[:count]
    ]


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
    return {
        "agent_a": measured.agent_a,
        "agent_b": measured.agent_b,
        "rivalry_score": measured.rivalry_score,
        "alliance_score": measured.alliance_score,
        "relationship": measured.relationship.value,
        "debate_count": measured.debate_count,
        "agreement_rate": measured.agreement_rate,
        "head_to_head": measured.head_to_head,
    }
