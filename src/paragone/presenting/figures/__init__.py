"""From data to figures: plain JSON for plotly.js, shared by the report and the web. Pure; plotly is not imported."""

from typing import TYPE_CHECKING

from paragone.on_demand import names

if TYPE_CHECKING:
    from paragone.presenting.figures.agents import (
        AgentTestMoves,
        DomainRating,
        bias_board,
        calibration_board,
        domain_ratings,
        moved_by_tests,
        reliability,
    )
    from paragone.presenting.figures.content import (
        PackPart,
        need_against_elo,
        sampled,
        tier_sizes,
        truth_against_use,
        where_tokens_go,
    )
    from paragone.presenting.figures.judging import (
        ComparedItem,
        against,
        calibration,
        forest,
        patterns,
        position_bias,
        sharpness,
    )
    from paragone.presenting.figures.ratings import (
        RatingSeries,
        Series,
        distribution,
        field,
        leaderboard,
        over_time,
        rating_history,
    )
    from paragone.presenting.figures.relations import head_to_head, records, relationships
    from paragone.presenting.figures.rounds import Course, Line, certainty, convergence, costs, progression
    from paragone.presenting.figures.theme import TEMPLATES, Figure
else:
    __getattr__ = names(
        __name__,
        {
            ".agents": (
                "AgentTestMoves DomainRating bias_board calibration_board domain_ratings moved_by_tests reliability"
            ),
            ".content": "PackPart need_against_elo sampled tier_sizes truth_against_use where_tokens_go",
            ".judging": "ComparedItem against calibration forest patterns position_bias sharpness",
            ".ratings": "RatingSeries Series distribution field leaderboard over_time rating_history",
            ".relations": "head_to_head records relationships",
            ".rounds": "Course Line certainty convergence costs progression",
            ".theme": "TEMPLATES Figure",
        },
    )

__all__ = [
    "TEMPLATES",
    "AgentTestMoves",
    "ComparedItem",
    "Course",
    "DomainRating",
    "Figure",
    "Line",
    "PackPart",
    "RatingSeries",
    "Series",
    "against",
    "bias_board",
    "calibration",
    "calibration_board",
    "certainty",
    "convergence",
    "costs",
    "distribution",
    "domain_ratings",
    "field",
    "forest",
    "head_to_head",
    "leaderboard",
    "moved_by_tests",
    "need_against_elo",
    "over_time",
    "patterns",
    "position_bias",
    "progression",
    "rating_history",
    "records",
    "relationships",
    "reliability",
    "sampled",
    "sharpness",
    "tier_sizes",
    "truth_against_use",
    "where_tokens_go",
]
