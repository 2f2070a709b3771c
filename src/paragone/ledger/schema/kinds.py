"""Which tables are evidence and which are not."""

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
from paragone.ledger.schema.foundations import commit
from paragone.ledger.schema.projections import agent_tally, head, rating, relationship, track_rating

EVIDENCE = (
    pool,
    item,
    tournament,
    tournament_event,
    planned_round,
    comparison,
    ranking,
    debate_turn,
    match,
    match_comparison,
    match_ranking,
    rating_change,
    rollback,
    adjustment,
    review,
    scorecard,
    track_change,
    test,
    prediction,
    resolution,
    domain_prediction,
    critique,
    relation,
    registration,
    void,
    void_change,
)
"""Tables whose rows are covered by the chain."""

APPEND_ONLY = (commit, *EVIDENCE)
"""Tables that refuse UPDATE and DELETE."""

PROJECTIONS = (head, rating, track_rating, agent_tally, relationship)
"""Tables that can be dropped and made again."""
