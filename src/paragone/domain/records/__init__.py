"""The documents' records, under their field names: what goes out to other agents, and comes in from them.

Frozen dataclasses of the standard library; ``wire`` turns them into JSON and back.
"""

from typing import TYPE_CHECKING

from paragone.on_demand import names

if TYPE_CHECKING:
    from paragone.domain.records.match import (
        Comparison,
        CriterionScore,
        DebateOutcome,
        DebateTurn,
        MatchRequest,
        MatchResult,
        Priority,
        Speaker,
    )
    from paragone.domain.records.rating import Confidence, EloRating, EloUpdate, HypothesisRanking, WinLossRecord
    from paragone.domain.records.task import (
        Hypothesis,
        HypothesisCluster,
        HypothesisSet,
        RankingTask,
        ReviewScore,
        SimilarityGraph,
        TaskType,
    )
    from paragone.domain.records.tournament import (
        EffectivenessMetrics,
        PatternAnalysis,
        RankedHypothesis,
        RankingReport,
        ResourceMetrics,
        RoundStats,
        SystemHealth,
        TournamentHistory,
        TournamentRoundResults,
        TournamentState,
    )
    from paragone.domain.records.wire import RECORDS, as_values, from_json, from_values, to_json
else:
    __getattr__ = names(
        __name__,
        {
            ".match": ("Comparison CriterionScore DebateOutcome DebateTurn MatchRequest MatchResult Priority Speaker"),
            ".rating": "Confidence EloRating EloUpdate HypothesisRanking WinLossRecord",
            ".task": ("Hypothesis HypothesisCluster HypothesisSet RankingTask ReviewScore SimilarityGraph TaskType"),
            ".tournament": (
                "EffectivenessMetrics PatternAnalysis RankedHypothesis RankingReport "
                "ResourceMetrics RoundStats SystemHealth TournamentHistory "
                "TournamentRoundResults TournamentState"
            ),
            ".wire": "RECORDS as_values from_json from_values to_json",
        },
    )

__all__ = [
    "RECORDS",
    "Comparison",
    "Confidence",
    "CriterionScore",
    "DebateOutcome",
    "DebateTurn",
    "EffectivenessMetrics",
    "EloRating",
    "EloUpdate",
    "Hypothesis",
    "HypothesisCluster",
    "HypothesisRanking",
    "HypothesisSet",
    "MatchRequest",
    "MatchResult",
    "PatternAnalysis",
    "Priority",
    "RankedHypothesis",
    "RankingReport",
    "RankingTask",
    "ResourceMetrics",
    "ReviewScore",
    "RoundStats",
    "SimilarityGraph",
    "Speaker",
    "SystemHealth",
    "TaskType",
    "TournamentHistory",
    "TournamentRoundResults",
    "TournamentState",
    "WinLossRecord",
    "as_values",
    "from_json",
    "from_values",
    "to_json",
]
