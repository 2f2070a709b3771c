"""Relations between agents."""

from dataclasses import dataclass
from typing import Literal

from paragone.wire.value import Value

RelationKind = Literal["all", "rivals", "allies"]
"""Which pairs of agents are listed."""


@dataclass(frozen=True, kw_only=True, slots=True)
class RelationRow(Value):
    """Two agents in numbers, seen from the first.

    Attributes:
        a: The first.
        b: The other.
        relationship: ``rival``, ``ally``, ``neutral``, ``acquaintance``, ``no_history`` or ``unknown``.
        rivalry: From 0 to 1.
        alliance: From 0 to 1.
        debates: Debates in which both took part, as reported.
        agreement: Share of these in which they agreed.
        wins: Debates that the first won against the other.
        losses: Debates that the other won.
    """

    a: str
    b: str
    relationship: str
    rivalry: float
    alliance: float
    debates: int
    agreement: float
    wins: int
    losses: int


@dataclass(frozen=True, kw_only=True, slots=True)
class Relation(RelationRow):
    """All that two agents have with each other, seen from the first.

    Attributes:
        agreements: Debates in which they agreed.
        critiques_a_to_b: Critiques that ``a`` made of ``b``.
        critiques_b_to_a: The other way round.
        accepted_a_to_b: Of the critiques of ``a`` those that ``b`` accepted.
        accepted_b_to_a: The other way round.
        changes_a_after_b: Times that ``a`` changed its position after what ``b`` said.
        changes_b_after_a: The other way round.
        matches: Recorded debates of both that were not voided.
        ahead: Matches in which ``a`` scored more.
        behind: Matches in which ``b`` scored more.
        level: Matches in which both scored the same.
    """

    agreements: int
    critiques_a_to_b: int
    critiques_b_to_a: int
    accepted_a_to_b: int
    accepted_b_to_a: int
    changes_a_after_b: int
    changes_b_after_a: int
    matches: int
    ahead: int
    behind: int
    level: int


@dataclass(frozen=True, kw_only=True, slots=True)
class RelationPage(Value):
    """Pairs of agents.

    Attributes:
        relations: The pairs of this page.
        total: Number of them in all.
        rivals: Pairs of rivals among all of the pool.
        allies: Pairs of allies.
        next: Cursor of the next page; None on the last.
    """

    relations: list[RelationRow]
    total: int
    rivals: int
    allies: int
    next: str | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class AgentRelations(Value):
    """What an agent has with others.

    Attributes:
        agent: Its name.
        rivals: Agents with a rivalry above .3, highest first; at most five.
        allies: Agents with an alliance above .3, highest first; at most five.
        relations: A page of the agents with a shared history, most debates first.
        total: Number of them.
        next: Cursor of the next page; None on the last.
    """

    agent: str
    rivals: list[RelationRow]
    allies: list[RelationRow]
    relations: list[Relation]
    total: int
    next: str | None = None
