"""The records that documents T and R prescribe, made from the ledger."""

from paragone.tournaments.documents.chronicle import Chronicle
from paragone.tournaments.documents.match_records import (
    debate_outcome,
    match_result,
    match_results,
    pending_requests,
    requests,
)
from paragone.tournaments.documents.round_records import (
    completed_rounds,
    elo_updates,
    rating_progression,
    resources,
    round_results,
    round_updates,
)
from paragone.tournaments.documents.tournament_records import (
    analysis_of,
    hypothesis_set,
    pattern_analyses,
    similarity_record,
    tournament_history,
    tournament_state,
)

__all__ = [
    "Chronicle",
    "analysis_of",
    "completed_rounds",
    "debate_outcome",
    "elo_updates",
    "hypothesis_set",
    "match_result",
    "match_results",
    "pattern_analyses",
    "pending_requests",
    "rating_progression",
    "requests",
    "resources",
    "round_results",
    "round_updates",
    "similarity_record",
    "tournament_history",
    "tournament_state",
]
