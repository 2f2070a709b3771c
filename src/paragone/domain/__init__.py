"""Nouns: frozen values that every package uses. Standard library only."""

from paragone.domain.board import Board, BoardRow, Forecast, JudgeReport, ListReport, TableRow
from paragone.domain.config import RatingConfig
from paragone.domain.critique import Critique
from paragone.domain.debate import DebateTurn, Speaker, Stage, stages
from paragone.domain.evidence import EvidenceKind
from paragone.domain.goal import Aim, Goal
from paragone.domain.item import Item, ItemKind
from paragone.domain.lineup import Lineup, Ranking
from paragone.domain.match import Comparison, Match, Order, Pairing, Planned, Protocol, Question
from paragone.domain.outcome import Choice, CriterionScore, Outcome, Usage, Verdict, decide
from paragone.domain.pairing_policy import Draws, PairingPolicy
from paragone.domain.prediction import DomainPrediction, Prediction, Resolution, brier
from paragone.domain.rating import Rating, RatingChange
from paragone.domain.relation import DEALINGS, Dealings, Relation
from paragone.domain.review import Adjustment, AdjustmentKind, Review
from paragone.domain.scorecard import GLOBAL, Counting, Normalization, Scorecard
from paragone.domain.spending import Spending
from paragone.domain.strength_tests import RedTeamResult, StrengthTest, VerificationResult
from paragone.domain.tier import Tier
from paragone.domain.tournament_config import (
    OptimizationConfig,
    PatternConfig,
    PolicyConfig,
    RankingConfig,
    SchedulingConfig,
    TournamentConfig,
    TournamentSystemConfig,
)

__all__ = [
    "DEALINGS",
    "GLOBAL",
    "Adjustment",
    "AdjustmentKind",
    "Aim",
    "Board",
    "BoardRow",
    "Choice",
    "Comparison",
    "Counting",
    "CriterionScore",
    "Critique",
    "Dealings",
    "DebateTurn",
    "DomainPrediction",
    "Draws",
    "EvidenceKind",
    "Forecast",
    "Goal",
    "Item",
    "ItemKind",
    "JudgeReport",
    "Lineup",
    "ListReport",
    "Match",
    "Normalization",
    "OptimizationConfig",
    "Order",
    "Outcome",
    "Pairing",
    "PairingPolicy",
    "PatternConfig",
    "Planned",
    "PolicyConfig",
    "Prediction",
    "Protocol",
    "Question",
    "Ranking",
    "RankingConfig",
    "Rating",
    "RatingChange",
    "RatingConfig",
    "RedTeamResult",
    "Relation",
    "Resolution",
    "Review",
    "SchedulingConfig",
    "Scorecard",
    "Speaker",
    "Spending",
    "Stage",
    "StrengthTest",
    "TableRow",
    "Tier",
    "TournamentConfig",
    "TournamentSystemConfig",
    "Usage",
    "Verdict",
    "VerificationResult",
    "brier",
    "decide",
    "stages",
]
