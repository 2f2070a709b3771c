"""What happened between agents, as values: who is whose rival or ally, what two have with each other, who beat whom."""

from typing import Literal

import numpy as np

from paragone.analysis.head_to_head import Record, met_by_scores
from paragone.analysis.relationships import LISTED, Relationship, RelationshipMetrics, metrics
from paragone.domain import Dealings
from paragone.domain import Relation as Told
from paragone.errors import InvalidEvidence
from paragone.web.readers.ledger_reader import Library
from paragone.web.views.agents.roster import Roster, pairs, require_agents, roster_with
from paragone.web.views.cursors import cursor, place_of
from paragone.web.views.values import View, Words

Kind = Literal["all", "rivals", "allies"]
NAMED = 5
"""Rivals and allies that are named of an agent, as ``get_rivals`` has it."""


class RelationLine(View):
    """Two agents in numbers, seen from the first.

    Attributes:
        a: The first.
        b: The other.
        relationship: ``rival``, ``ally``, ``neutral``, ``acquaintance``, ``no_history`` or ``unknown``.
        rivalry: From 0 to 1.
        alliance: From 0 to 1.
        debates: Debates in which both took part, as they were told of.
        agreement: Share of these in which they agreed.
        wins: Debates that the first won against the other.
        losses: Debates that the other won.
    """

    a: Words
    b: Words
    relationship: str
    rivalry: float
    alliance: float
    debates: int
    agreement: float
    wins: int
    losses: int


class Relation(RelationLine):
    """All that two agents have with each other, seen from the first.

    Attributes:
        agreements: Debates in which they agreed.
        critiques_a_to_b: Critiques that ``a`` made of ``b``.
        critiques_b_to_a: The other way round.
        accepted_a_to_b: Of the critiques of ``a`` those that ``b`` accepted.
        accepted_b_to_a: The other way round.
        changes_a_after_b: Times that ``a`` changed its position after what ``b`` said.
        changes_b_after_a: The other way round.
        met: Recorded debates of both that stand.
        ahead: Those of them in which ``a`` scored more.
        behind: Those in which ``b`` did.
        level: Those in which both scored the same.
    """

    agreements: int
    critiques_a_to_b: int
    critiques_b_to_a: int
    accepted_a_to_b: int
    accepted_b_to_a: int
    changes_a_after_b: int
    changes_b_after_a: int
    met: int
    ahead: int
    behind: int
    level: int


class RelationPage(View):
    """Pairs of agents.

    Attributes:
        relations: The pairs of this page.
        total: How many there are in all.
        rivals: Pairs of rivals among all of the pool.
        allies: Pairs of allies.
        next: Cursor of the next page; None on the last.
    """

    relations: list[RelationLine]
    total: int
    rivals: int
    allies: int
    next: str | None = None


class AgentRelations(View):
    """What an agent has with others.

    Attributes:
        agent: Its name.
        rivals: Those with whom its rivalry is above .3, the highest first; five at the most.
        allies: Those with whom its alliance is, the highest first; five at the most.
        relations: Those of whom something is known, with the most debates first; of these the page.
        total: How many they are.
        next: Cursor of the next page; None on the last.
    """

    agent: Words
    rivals: list[RelationLine]
    allies: list[RelationLine]
    relations: list[Relation]
    total: int
    next: str | None = None


def relations(
    library: Library, pool: str, kind: Kind = "all", *, limit: int = 50, after: str | None = None
) -> RelationPage:
    """Pairs of agents: all, those with the most debates first; or rivals or allies, the highest score first.

    Raises:
        NotFound: If there is no such pool of agents.
        InvalidConfig: If the cursor belongs to another listing.
    """
    require_agents(library, pool)
    every = pairs(library, pool)
    listing = ("agent relations", pool, kind)
    last = place_of(after, listing)
    keyed = sorted((_key(one, kind), place) for place, one in enumerate(every) if _is(one, kind))
    left = keyed if last is None else [one for one in keyed if list(one[0]) > last]  # type: ignore[operator]
    shown = left[:limit]
    kinds = [one.relationship for one in every]
    return RelationPage(
        relations=[_line(every[place]) for _, place in shown],
        total=len(keyed),
        rivals=kinds.count(Relationship.RIVAL),
        allies=kinds.count(Relationship.ALLY),
        next=cursor(listing, list(shown[-1][0])) if len(left) > limit else None,
    )


def relations_of(
    library: Library, pool: str, agent: str, *, limit: int = 50, after: str | None = None
) -> AgentRelations:
    """What an agent has with others, seen from it.

    Raises:
        NotFound: If there is no such pool, or no such agent in it.
        InvalidConfig: If the cursor belongs to another listing.
    """
    known = roster_with(library, pool, agent)
    listing = ("agent relations of", pool, agent)
    last = place_of(after, listing)
    told = {
        one.b: one.dealings for one in (one.seen_from(agent) for one in library.ledger.agents.relations(pool, agent))
    }
    met = _met(known, agent)
    seen = {other: _relation(agent, other, told.get(other), met.get(other)) for other in {*told, *met}}
    keyed = sorted((-one.debates, -one.met, other) for other, one in seen.items())
    left = keyed if last is None else [one for one in keyed if list(one) > last]  # type: ignore[operator]
    shown = [seen[one[2]] for one in left[:limit]]
    return AgentRelations(
        agent=agent,
        rivals=_highest(list(seen.values()), "rivalry"),
        allies=_highest(list(seen.values()), "alliance"),
        relations=shown,
        total=len(keyed),
        next=cursor(listing, list(left[limit - 1])) if len(left) > limit else None,
    )


def relation(library: Library, pool: str, a: str, b: str) -> Relation:
    """What two agents have with each other, seen from the first.

    Raises:
        NotFound: If there is no such pool, or one of them is not in it.
        InvalidEvidence: If they are the same.
    """
    known = roster_with(library, pool, a, b)
    if a == b:
        raise InvalidEvidence(f"two different agents are asked for, not {a!r} and itself")
    told = library.ledger.agents.relation(pool, a, b)
    return _relation(a, b, None if told is None else told.dealings, _met(known, a).get(b))


def _is(one: RelationshipMetrics, kind: Kind) -> bool:
    wanted = {"rivals": Relationship.RIVAL, "allies": Relationship.ALLY}.get(kind)
    return wanted is None or one.relationship is wanted


def _key(one: RelationshipMetrics, kind: Kind) -> tuple[float, str, str]:
    first = {"rivals": one.rivalry_score, "allies": one.alliance_score}.get(kind, one.debate_count)
    return (-first, one.agent_a, one.agent_b)


def _line(one: RelationshipMetrics) -> RelationLine:
    wins, _, losses = one.head_to_head.partition("-")
    return RelationLine(
        a=one.agent_a,
        b=one.agent_b,
        relationship=one.relationship.value,
        rivalry=one.rivalry_score,
        alliance=one.alliance_score,
        debates=one.debate_count,
        agreement=one.agreement_rate,
        wins=int(wins),
        losses=int(losses),
    )


def _relation(a: str, b: str, told: Dealings | None, met: Record | None) -> Relation:
    dealings, record = told or Dealings(), met or Record()
    known = None if told is None else Told(a=a, b=b, dealings=dealings)
    return Relation(
        **_line(metrics(a, b, known)).model_dump(),
        agreements=dealings.agreements,
        critiques_a_to_b=dealings.critiques_a_to_b,
        critiques_b_to_a=dealings.critiques_b_to_a,
        accepted_a_to_b=dealings.accepted_a_to_b,
        accepted_b_to_a=dealings.accepted_b_to_a,
        changes_a_after_b=dealings.changes_a_after_b,
        changes_b_after_a=dealings.changes_b_after_a,
        met=record.matches,
        ahead=record.wins,
        behind=record.losses,
        level=record.draws,
    )


def _highest(seen: list[Relation], score: Literal["rivalry", "alliance"]) -> list[RelationLine]:
    """Those above the threshold, the highest first, equal ones by name."""
    listed = [one for one in seen if getattr(one, score) > LISTED]
    listed.sort(key=lambda one: (-getattr(one, score), one.b))
    return [RelationLine(**{name: getattr(one, name) for name in RelationLine.model_fields}) for one in listed[:NAMED]]


def _met(known: Roster, agent: str) -> dict[str, Record]:
    """Against whom an agent scored more, and how often, in the debates that stand."""
    columns = known.columns
    if agent not in columns.agents:
        return {}
    own = np.unique(columns.match[columns.agent == columns.agents.index(agent)])
    kept = np.isin(columns.match, own)
    every = met_by_scores(columns.agents, columns.match[kept], columns.agent[kept], columns.score[kept])
    return {other: record for (one, other), record in every.items() if one == agent}
