"""The tables.

Evidence is only ever added: each of its rows has a place in its pool (``seq``, from 1, over all tables together) and
names the commit that added it. Projections are what follows from the evidence, kept so that reading is quick; they can
be dropped and made again.

Names are those of the documents and of ``paragone.domain``; ids are text, moments are text in UTC, floats are never
rounded.
"""

from paragone.ledger.schema.agents import (
    critique,
    domain_prediction,
    prediction,
    registration,
    relation,
    resolution,
    scorecard,
    test,
    track_change,
    void,
    void_change,
)
from paragone.ledger.schema.evidence import (
    adjustment,
    comparison,
    debate_turn,
    item,
    match,
    match_comparison,
    match_ranking,
    planned_round,
    pool,
    ranking,
    rating_change,
    review,
    rollback,
    tournament,
    tournament_event,
)
from paragone.ledger.schema.foundations import REVISIONS, commit, metadata, version
from paragone.ledger.schema.kinds import APPEND_ONLY, EVIDENCE, PROJECTIONS
from paragone.ledger.schema.projections import agent_tally, head, rating, relationship, track_rating

__all__ = [
    "APPEND_ONLY",
    "EVIDENCE",
    "PROJECTIONS",
    "REVISIONS",
    "adjustment",
    "agent_tally",
    "commit",
    "comparison",
    "critique",
    "debate_turn",
    "domain_prediction",
    "head",
    "item",
    "match",
    "match_comparison",
    "match_ranking",
    "metadata",
    "planned_round",
    "pool",
    "prediction",
    "ranking",
    "rating",
    "rating_change",
    "registration",
    "relation",
    "relationship",
    "resolution",
    "review",
    "rollback",
    "scorecard",
    "test",
    "tournament",
    "tournament_event",
    "track_change",
    "track_rating",
    "version",
    "void",
    "void_change",
]
