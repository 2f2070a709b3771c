"""Rivals, allies, and what happened between two agents."""

from collections.abc import Mapping, Sequence
from typing import Any

from paragone.agents import relationships
from paragone.agents.system.opened import OpenSystem


class Relationships(OpenSystem):
    """The part of a system's methods that is about pairs of agents; all is seen from the one that is named first."""

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
            critique_a_to_b: Critiques that ``agent_a`` made of ``agent_b``.
            critique_b_to_a: The other way round.
            critique_accepted_a_to_b: Of the critiques of ``agent_a`` those that were accepted.
            critique_accepted_b_to_a: The other way round.
            position_change_a_after_b: Times that ``agent_a`` changed its position after what ``agent_b`` said.
            position_change_b_after_a: The other way round.
            a_win: Debates that ``agent_a`` won against ``agent_b``.
            b_win: The other way round.
            update_id: Has it count once, however often it is recorded.

        Raises:
            InvalidEvidence: If both are the same, or a count is not a whole number from 0 upwards.
            Conflict: If that id is there with other content.
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
        relationships.update(self._pool, [update])

    def update_relationships_batch(self, updates: Sequence[Mapping[str, Any]]) -> None:
        """Do many updates in one transaction, all or none.

        Args:
            updates: The arguments of ``update_relationship`` for each, by name.
        """
        relationships.update(self._pool, updates)

    def compute_relationship_metrics(self, agent_a: str, agent_b: str) -> dict[str, Any]:
        """What two agents are to each other.

        Returns:
            ``agent_a``, ``agent_b``, ``rivalry_score`` and ``alliance_score`` from 0 to 1, ``relationship`` (``rival``,
            ``ally``, ``neutral``, ``acquaintance``, ``no_history`` or ``unknown``), ``debate_count``,
            ``agreement_rate``, and ``head_to_head``: wins and losses of the first, as ``3-1``.
        """
        return relationships.metrics(self._pool, agent_a, agent_b)

    def get_rivals(self, agent_name: str, limit: int = 5) -> list[dict[str, Any]]:
        """Those whose rivalry with an agent is above .3, the highest first, as ``compute_relationship_metrics``."""
        return relationships.rivals(self._pool, agent_name, limit)

    def get_allies(self, agent_name: str, limit: int = 5) -> list[dict[str, Any]]:
        """Those whose alliance with an agent is above .3, the highest first, as ``compute_relationship_metrics``."""
        return relationships.allies(self._pool, agent_name, limit)

    def get_relationship_raw(self, agent_a: str, agent_b: str) -> dict[str, Any] | None:
        """The counts between two agents; None where nothing is known of them.

        Returns:
            ``agent_a``, ``agent_b``, ``debate_count``, ``agreement_count``, and from a to b and from b to a:
            ``critique_count_a_to_b``, ``critique_accepted_a_to_b``, ``position_changes_a_after_b``, ``a_wins_over_b``.
        """
        return relationships.raw(self._pool, agent_a, agent_b)

    def get_all_relationships_for_agent(self, agent_name: str, limit: int = 100) -> list[dict[str, Any]]:
        """The counts between an agent and each other, seen from it, those with the most debates first."""
        return relationships.all_relations(self._pool, agent_name, limit)
