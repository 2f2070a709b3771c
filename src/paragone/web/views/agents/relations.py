"""Relations of agents: rivals, allies, and the shared history of two agents."""

from typing import Literal

import numpy as np

from paragone.analysis.relationships import LISTED, Relationship, RelationshipMetrics, met_by_scores, metrics
from paragone.domain import Dealings
from paragone.domain import Relation as RecordedRelation
from paragone.domain.records import WinLossRecord
from paragone.errors import InvalidEvidence
from paragone.web.readers.ledger_reader import LedgerReader
from paragone.web.views.agents.roster import Roster, pairs, require_agents, roster_with
from paragone.web.views.cursors import After, page_of
from paragone.wire.relation import AgentRelations, Relation, RelationKind, RelationPage, RelationRow
from paragone.wire.value import shallow

NAMED = 5
"""Maximum rivals and allies listed for an agent, as in ``get_rivals``."""


def relations(
    reader: LedgerReader, pool: str, kind: RelationKind = "all", *, limit: int = 50, after: After = None
) -> RelationPage:
    """Pairs of agents: all, most debates first; or rivals or allies, highest score first.

    Raises:
        NotFound: If there is no such pool of agents.
        InvalidConfig: If the cursor belongs to another listing.
    """
    require_agents(reader, pool)
    every = pairs(reader, pool)
    listing = ("agent relations", pool, kind)
    keyed = sorted((_key(pair, kind), index) for index, pair in enumerate(every) if _is(pair, kind))
    page, following = page_of(keyed, listing, limit, after)
    kinds = [pair.relationship for pair in every]
    return RelationPage(
        relations=[_line(every[index]) for index in page],
        total=len(keyed),
        rivals=kinds.count(Relationship.RIVAL),
        allies=kinds.count(Relationship.ALLY),
        next=following,
    )


def relations_of(
    reader: LedgerReader, pool: str, agent: str, *, limit: int = 50, after: After = None
) -> AgentRelations:
    """The relations of an agent with others, seen from it.

    Raises:
        NotFound: If there is no such pool, or no such agent in it.
        InvalidConfig: If the cursor belongs to another listing.
    """
    agents = roster_with(reader, pool, agent)
    listing = ("agent relations of", pool, agent)
    dealings = {
        relation.b: relation.dealings
        for relation in (relation.seen_from(agent) for relation in reader.ledger.agents.relations(pool, agent))
    }
    records = _met(agents, agent)
    relations = {
        other: _relation(agent, other, dealings.get(other), records.get(other)) for other in {*dealings, *records}
    }
    keyed = sorted(((-relation.debates, -relation.matches, other), other) for other, relation in relations.items())
    page, following = page_of(keyed, listing, limit, after)
    return AgentRelations(
        agent=agent,
        rivals=_highest(list(relations.values()), "rivalry"),
        allies=_highest(list(relations.values()), "alliance"),
        relations=[relations[other] for other in page],
        total=len(keyed),
        next=following,
    )


def relation(reader: LedgerReader, pool: str, a: str, b: str) -> Relation:
    """The relation of two agents, seen from the first.

    Raises:
        NotFound: If there is no such pool, or one of them is not in it.
        InvalidEvidence: If they are the same.
    """
    agents = roster_with(reader, pool, a, b)
    if a == b:
        raise InvalidEvidence(f"expected two different agents, not {a!r} and itself")
    recorded = reader.ledger.agents.relation(pool, a, b)
    return _relation(a, b, None if recorded is None else recorded.dealings, _met(agents, a).get(b))


def _is(pair: RelationshipMetrics, kind: RelationKind) -> bool:
    relationship = {"rivals": Relationship.RIVAL, "allies": Relationship.ALLY}.get(kind)
    return relationship is None or pair.relationship is relationship


def _key(pair: RelationshipMetrics, kind: RelationKind) -> tuple[float, str, str]:
    first = {"rivals": pair.rivalry_score, "allies": pair.alliance_score}.get(kind, pair.debate_count)
    return (-first, pair.agent_a, pair.agent_b)


def _line(pair: RelationshipMetrics) -> RelationRow:
    wins, _, losses = pair.head_to_head.partition("-")
    return RelationRow(
        a=pair.agent_a,
        b=pair.agent_b,
        relationship=pair.relationship.value,
        rivalry=pair.rivalry_score,
        alliance=pair.alliance_score,
        debates=pair.debate_count,
        agreement=pair.agreement_rate,
        wins=int(wins),
        losses=int(losses),
    )


def _relation(a: str, b: str, dealings_between: Dealings | None, debates: WinLossRecord | None) -> Relation:
    dealings, record = dealings_between or Dealings(), debates or WinLossRecord(wins=0, losses=0, draws=0)
    recorded = None if dealings_between is None else RecordedRelation(a=a, b=b, dealings=dealings)
    return Relation.like(
        dealings,
        **shallow(_line(metrics(a, b, recorded))),
        matches=record.matches,
        ahead=record.wins,
        behind=record.losses,
        level=record.draws,
    )


def _highest(relations: list[Relation], score: Literal["rivalry", "alliance"]) -> list[RelationRow]:
    """Relations above the threshold, highest first, equal ones by name."""
    listed = [relation for relation in relations if getattr(relation, score) > LISTED]
    listed.sort(key=lambda relation: (-getattr(relation, score), relation.b))
    return [RelationRow.like(relation) for relation in listed[:NAMED]]


def _met(agents: Roster, agent: str) -> dict[str, WinLossRecord]:
    """Records of an agent against others, by scores, in the debates that stand."""
    columns = agents.columns
    if agent not in columns.agents:
        return {}
    own = np.unique(columns.match[columns.agent == columns.agents.index(agent)])
    in_own_debates = np.isin(columns.match, own)
    every = met_by_scores(
        columns.agents, columns.match[in_own_debates], columns.agent[in_own_debates], columns.score[in_own_debates]
    )
    return {other: record for (first, other), record in every.items() if first == agent}
