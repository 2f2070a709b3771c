"""From data to figures: plain JSON for plotly.js, shared by the report and the web. Pure; plotly is not imported."""

from paragone.analysis.figures.findings import View, against, patterns
from paragone.analysis.figures.judging import Estimate, calibration, position_bias, sharpness
from paragone.analysis.figures.labels import cut, visible
from paragone.analysis.figures.meetings import head_to_head, records
from paragone.analysis.figures.ratings import distribution, field, leaderboard
from paragone.analysis.figures.rounds import Course, Line, Settling, certainty, convergence, progression
from paragone.analysis.figures.spending import Expense, costs
from paragone.analysis.figures.theme import TEMPLATES, Figure

__all__ = [
    "TEMPLATES",
    "Course",
    "Estimate",
    "Expense",
    "Figure",
    "Line",
    "Settling",
    "View",
    "against",
    "calibration",
    "certainty",
    "convergence",
    "costs",
    "cut",
    "distribution",
    "field",
    "head_to_head",
    "leaderboard",
    "patterns",
    "position_bias",
    "progression",
    "records",
    "sharpness",
    "visible",
]
