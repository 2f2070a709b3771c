"""The documents' records, made from what the ledger has of a tournament."""

from paragone.tournaments.documents.alike import similarity_record
from paragone.tournaments.documents.chronicle import Chronicle
from paragone.tournaments.documents.matches import debate_outcome, match_result, match_results
from paragone.tournaments.documents.overview import (
    analysis_of,
    hypothesis_set,
    pattern_analyses,
    tournament_history,
    tournament_state,
)
from paragone.tournaments.documents.requests import pending_requests, requests
from paragone.tournaments.documents.resources import resources
from paragone.tournaments.documents.rounds import completed_rounds, round_results
from paragone.tournaments.documents.updates import elo_updates, rating_progression, round_updates

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
