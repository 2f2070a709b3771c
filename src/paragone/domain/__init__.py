"""Nouns: frozen values that every package uses. Standard library only."""

from typing import TYPE_CHECKING

from paragone.on_demand import names

if TYPE_CHECKING:
    from paragone.domain.agent_evidence import (
        DEALINGS,
        Critique,
        Dealings,
        DomainPrediction,
        EvidenceKind,
        Prediction,
        RedTeamResult,
        Relation,
        Resolution,
        StrengthTest,
        VerificationResult,
    )
    from paragone.domain.arena import Slice, SliceReport, SliceRow, WinRates
    from paragone.domain.board import (
        UNORDERED,
        Board,
        BoardRow,
        Bootstrap,
        BootstrapRow,
        Forecast,
        JudgeReport,
        ListChoice,
        ListReport,
        TableRow,
    )
    from paragone.domain.dossier import Criterion, Dossier, ItemNotes, Rubric
    from paragone.domain.goal import Aim, Goal
    from paragone.domain.gold import Direction, GoldPair, GoldSuggestion, PairVerdict, PriorAgreement
    from paragone.domain.item import Item, ItemKind, Review
    from paragone.domain.match import Comparison, DebateTurn, Match, Question, Ranking, Speaker, Stage, stages
    from paragone.domain.outcome import Choice, CriterionScore, Outcome, Usage, Verdict, decide
    from paragone.domain.paired_comparison import PAIRED, PairedDesign, PairedLook, PairedResult, PairedVerdict
    from paragone.domain.pairing import Draws, Lineup, MatchProtocol, Order, Pairing, PairingPolicy, Planned
    from paragone.domain.rating import Adjustment, AdjustmentKind, Rating, RatingChange, RatingConfig
    from paragone.domain.scorecard import GLOBAL, Counting, Normalization, Scorecard
    from paragone.domain.side_column import ColumnReport, PlainRow, SideColumn, SideInformation, SideReport
    from paragone.domain.spending import Spending
    from paragone.domain.tournament_config import (
        OptimizationConfig,
        PatternConfig,
        PolicyConfig,
        RankingConfig,
        SchedulingConfig,
        Tier,
        TournamentConfig,
        TournamentSystemConfig,
    )
else:
    __getattr__ = names(
        __name__,
        {
            ".agent_evidence": (
                "DEALINGS Critique Dealings DomainPrediction EvidenceKind Prediction "
                "RedTeamResult Relation Resolution StrengthTest VerificationResult"
            ),
            ".arena": "Slice SliceReport SliceRow WinRates",
            ".board": (
                "UNORDERED Board BoardRow Bootstrap BootstrapRow Forecast JudgeReport ListChoice ListReport TableRow"
            ),
            ".dossier": "Criterion Dossier ItemNotes Rubric",
            ".goal": "Aim Goal",
            ".gold": "Direction GoldPair GoldSuggestion PairVerdict PriorAgreement",
            ".item": "Item ItemKind Review",
            ".match": "Comparison DebateTurn Match Question Ranking Speaker Stage stages",
            ".pairing": "Draws Lineup MatchProtocol Order Pairing PairingPolicy Planned",
            ".paired_comparison": "PAIRED PairedDesign PairedLook PairedResult PairedVerdict",
            ".outcome": "Choice CriterionScore Outcome Usage Verdict decide",
            ".rating": "Adjustment AdjustmentKind Rating RatingChange RatingConfig",
            ".scorecard": "GLOBAL Counting Normalization Scorecard",
            ".side_column": "ColumnReport PlainRow SideColumn SideInformation SideReport",
            ".spending": "Spending",
            ".tournament_config": (
                "OptimizationConfig PatternConfig PolicyConfig RankingConfig "
                "SchedulingConfig Tier TournamentConfig TournamentSystemConfig"
            ),
        },
    )

__all__ = [
    "DEALINGS",
    "GLOBAL",
    "PAIRED",
    "UNORDERED",
    "Adjustment",
    "AdjustmentKind",
    "Aim",
    "Board",
    "BoardRow",
    "Bootstrap",
    "BootstrapRow",
    "Choice",
    "ColumnReport",
    "Comparison",
    "Counting",
    "Criterion",
    "CriterionScore",
    "Critique",
    "Dealings",
    "DebateTurn",
    "Direction",
    "DomainPrediction",
    "Dossier",
    "Draws",
    "EvidenceKind",
    "Forecast",
    "Goal",
    "GoldPair",
    "GoldSuggestion",
    "Item",
    "ItemKind",
    "ItemNotes",
    "JudgeReport",
    "Lineup",
    "ListChoice",
    "ListReport",
    "Match",
    "MatchProtocol",
    "Normalization",
    "OptimizationConfig",
    "Order",
    "Outcome",
    "PairVerdict",
    "PairedDesign",
    "PairedLook",
    "PairedResult",
    "PairedVerdict",
    "Pairing",
    "PairingPolicy",
    "PatternConfig",
    "PlainRow",
    "Planned",
    "PolicyConfig",
    "Prediction",
    "PriorAgreement",
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
    "Rubric",
    "SchedulingConfig",
    "Scorecard",
    "SideColumn",
    "SideInformation",
    "SideReport",
    "Slice",
    "SliceReport",
    "SliceRow",
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
    "WinRates",
    "decide",
    "stages",
]
