"""From data to figures: plain JSON for plotly.js, shared by the report and the web. Pure; plotly is not imported."""

from paragone.analysis.figures.content import need_against_elo, sampled, tier_sizes, truth_against_use
from paragone.analysis.figures.domains import DomainRating, domain_ratings
from paragone.analysis.figures.findings import View, against, patterns
from paragone.analysis.figures.histories import History, rating_history
from paragone.analysis.figures.judging import Estimate, calibration, forest, position_bias, sharpness
from paragone.analysis.figures.labels import cut
from paragone.analysis.figures.meetings import head_to_head, records
from paragone.analysis.figures.packing import Piece, where_tokens_go
from paragone.analysis.figures.ratings import distribution, field, leaderboard
from paragone.analysis.figures.relations import relationships
from paragone.analysis.figures.reliability import bias_board, calibration_board, reliability
from paragone.analysis.figures.rounds import Course, Line, certainty, convergence, progression
from paragone.analysis.figures.spending import Expense, costs
from paragone.analysis.figures.tested import Moved, moved_by_tests
from paragone.analysis.figures.theme import TEMPLATES, Figure
from paragone.analysis.figures.timelines import Series, over_time

__all__ = [
    "TEMPLATES",
    "Course",
    "DomainRating",
    "Estimate",
    "Expense",
    "Figure",
    "History",
    "Line",
    "Moved",
    "Piece",
    "Series",
    "View",
    "against",
    "bias_board",
    "calibration",
    "calibration_board",
    "certainty",
    "convergence",
    "costs",
    "cut",
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
