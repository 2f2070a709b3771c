"""What happened between agents, as values: who is whose rival or ally, what two have with each other, who beat whom."""

from typing import Literal

import numpy as np

from paragone.analysis.head_to_head import Record, met_by_scores
from paragone.analysis.relationships import LISTED, Relationship, RelationshipMetrics, metrics
from paragone.domain import Dealings
from paragone.domain import Relation as Told
from paragone.errors import InvalidEvidence
from paragone.web.books.library import Library
from paragone.web.views.agents.roster import Roster, pairs, require_agents, roster_with
from paragone.web.views.cursors import cursor, place_of
from paragone.wire.relation import AgentRelations, Relation, RelationKind, RelationPage, RelationRow
from paragone.wire.value import shallow

NAMED = 5
"""Rivals and allies that are named of an agent, as ``get_rivals`` has it."""


def relations(
    library: Library, pool: str, kind: RelationKind = "all", *, limit: int = 50, after: str | None = None
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
    told = {one.b: one.dealings for one in (one.seen_from(agent) for one in library.ledger.relations(pool, agent))}
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
    told = library.ledger.relation(pool, a, b)
    return _relation(a, b, None if told is None else told.dealings, _met(known, a).get(b))


def _is(one: RelationshipMetrics, kind: RelationKind) -> bool:
    wanted = {"rivals": Relationship.RIVAL, "allies": Relationship.ALLY}.get(kind)
    return wanted is None or one.relationship is wanted


def _key(one: RelationshipMetrics, kind: RelationKind) -> tuple[float, str, str]:
    first = {"rivals": one.rivalry_score, "allies": one.alliance_score}.get(kind, one.debate_count)
    return (-first, one.agent_a, one.agent_b)


def _line(one: RelationshipMetrics) -> RelationRow:
    wins, _, losses = one.head_to_head.partition("-")
    return RelationRow(
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
        **shallow(_line(metrics(a, b, known))),
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


def _highest(seen: list[Relation], score: Literal["rivalry", "alliance"]) -> list[RelationRow]:
    """Those above the threshold, the highest first, equal ones by name."""
    listed = [one for one in seen if getattr(one, score) > LISTED]
    listed.sort(key=lambda one: (-getattr(one, score), one.b))
    return [RelationRow.like(relation) for relation in listed[:NAMED]]


def _met(known: Roster, agent: str) -> dict[str, Record]:
    """Against whom an agent scored more, and how often, in the debates that stand."""
    columns = known.columns
    if agent not in columns.agents:
        return {}
    own = np.unique(columns.match[columns.agent == columns.agents.index(agent)])
    kept = np.isin(columns.match, own)
    every = met_by_scores(columns.agents, columns.match[kept], columns.agent[kept], columns.score[kept])
    return {other: record for (one, other), record in every.items() if one == agent}
