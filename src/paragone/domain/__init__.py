"""Nouns: frozen values that every room speaks in. Standard library only."""

from paragone.domain.board import Board, BoardRow, Forecast, JudgeReport, ListReport, TableRow
from paragone.domain.config import RatingConfig
from paragone.domain.goal import Aim, Goal
from paragone.domain.item import Item, ItemKind
from paragone.domain.lineup import Lineup, Ranking
from paragone.domain.match import Comparison, Match, Order, Pairing, Planned, Protocol, Question
from paragone.domain.outcome import Choice, CriterionScore, Outcome, Usage, Verdict, decide
from paragone.domain.rating import Rating, RatingChange

__all__ = [
    "Aim",
    "Board",
    "BoardRow",
    "Choice",
    "Comparison",
    "CriterionScore",
    "Forecast",
    "Goal",
    "Item",
    "ItemKind",
    "JudgeReport",
    "Lineup",
    "ListReport",
    "Match",
    "Order",
    "Outcome",
    "Pairing",
    "Planned",
    "Protocol",
    "Question",
    "Ranking",
    "Rating",
    "RatingChange",
    "RatingConfig",
    "TableRow",
    "Usage",
    "Verdict",
    "decide",
]
