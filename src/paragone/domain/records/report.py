"""The ranking as a whole, and how well the tournament does its work."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from paragone.domain.frozen_dict import FrozenDict
from paragone.domain.record import Record
from paragone.domain.records.match import MatchResult
from paragone.domain.records.rating import Confidence, WinLossRecord
from paragone.domain.tier import Tier


@dataclass(frozen=True, kw_only=True, slots=True)
class RankedHypothesis(Record):
    """A line of the ranking. Source: document R, "Global Ranking".

    Attributes:
        hypothesis_id: Which hypothesis.
        rank: Its rank, from 1.
        elo_rating: Its running Elo, rounded.
        match_record: Matches won, lost and drawn.
        recent_form: Its last matches, oldest first.
        strength: Its strength by the fit over all evidence, in Elo points; this is what ranks.
        interval: Where that strength lies, rounded.
        tier: Where it stands.
        confidence: How far its rating is to be trusted.
    """

    hypothesis_id: str
    rank: int
    elo_rating: int
    match_record: WinLossRecord
    recent_form: tuple[MatchResult, ...] = ()
    strength: float | None = None
    interval: tuple[int, int] | None = None
    tier: Tier | None = None
    confidence: Confidence | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class RankingReport(Record):
    """The ranking with what stands out in it. Source: document R, "Global Ranking".

    Attributes:
        ranked_hypotheses: All hypotheses, the best first.
        rating_distribution: How ratings are distributed, as plain JSON values.
        top_performers: Ids of the best, the best first.
        emerging_candidates: Ids of newcomers on the rise.
        performance_trends: Who rises and who falls, as plain JSON values.
    """

    ranked_hypotheses: tuple[RankedHypothesis, ...] = ()
    rating_distribution: Mapping[str, Any] = field(default_factory=FrozenDict)
    top_performers: tuple[str, ...] = ()
    emerging_candidates: tuple[str, ...] = ()
    performance_trends: Mapping[str, Any] = field(default_factory=FrozenDict)

    def __post_init__(self) -> None:
        object.__setattr__(self, "rating_distribution", FrozenDict(self.rating_distribution))
        object.__setattr__(self, "performance_trends", FrozenDict(self.performance_trends))


@dataclass(frozen=True, kw_only=True, slots=True)
class EffectivenessMetrics(Record):
    """How well the tournament does its work. Source: document T, "Tournament Effectiveness".

    Attributes:
        rating_convergence_rate: How fast ranks settle from round to round; None while too few rounds were played.
        top_10_stability: Share of the top ten that stays from round to round; None likewise.
        computational_efficiency: Decided matches a compute unit; None where none was used.
        correlation_with_ground_truth: Rank correlation with the truth; None where it is not given.
    """

    rating_convergence_rate: float | None = None
    top_10_stability: float | None = None
    computational_efficiency: float | None = None
    correlation_with_ground_truth: float | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class SystemHealth(Record):
    """How the tournament is doing. Source: document T, "System Health Indicators".

    Attributes:
        average_matches_per_hypothesis: Matches a hypothesis played in the mean.
        rating_distribution: Mean, spread and quantiles of the ratings, by name.
        debate_quality_scores: Quality of debates and verdicts, from 0 to 1, by name.
        pattern_identification_confidence: Confidence of the last analysis of patterns; None before the first.
    """

    average_matches_per_hypothesis: float
    rating_distribution: Mapping[str, float] = field(default_factory=FrozenDict)
    debate_quality_scores: Mapping[str, float] = field(default_factory=FrozenDict)
    pattern_identification_confidence: float | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "rating_distribution", FrozenDict(self.rating_distribution))
        object.__setattr__(self, "debate_quality_scores", FrozenDict(self.debate_quality_scores))
