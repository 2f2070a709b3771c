"""The records that the tournament and Ranking Agent specifications prescribe, made from the ledger."""

from typing import TYPE_CHECKING

from paragone.on_demand import names

if TYPE_CHECKING:
    from paragone.tournaments.records.chronicle import Chronicle
    from paragone.tournaments.records.match_records import (
        debate_outcome,
        match_result,
        match_results,
        pending_requests,
        requests,
    )
    from paragone.tournaments.records.round_records import (
        completed_rounds,
        elo_updates,
        rating_progression,
        resources,
        round_results,
        round_updates,
    )
    from paragone.tournaments.records.tournament_records import (
        analysis_of,
        hypothesis_set,
        pattern_analyses,
        similarity_record,
        tournament_history,
        tournament_state,
    )
else:
    __getattr__ = names(
        __name__,
        {
            ".chronicle": "Chronicle",
            ".match_records": "debate_outcome match_result match_results pending_requests requests",
            ".round_records": ("completed_rounds elo_updates rating_progression resources round_results round_updates"),
            ".tournament_records": (
                "analysis_of hypothesis_set pattern_analyses similarity_record tournament_history tournament_state"
            ),
        },
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
