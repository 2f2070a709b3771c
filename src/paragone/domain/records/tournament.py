"""Rounds, and a tournament as a whole: what it took, where it is, its ranking, patterns of winning, and its health."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from paragone.domain.record import FrozenDict, Record
from paragone.domain.records.match import DebateOutcome, MatchRequest, MatchResult
from paragone.domain.records.rating import Confidence, EloRating, EloUpdate, HypothesisRanking, WinLossRecord
from paragone.domain.tournament_config import Tier


@dataclass(frozen=True, kw_only=True, slots=True)
class PatternAnalysis(Record):
    """What winners have in common, and losers. Source: the tournament specification, "Win-Loss Pattern Analysis".

    Attributes:
        winning_characteristics: What goes with winning, in words, the strongest first.
        losing_characteristics: What goes with losing, in words, the strongest first.
        debate_topic_trends: How topics gain or lose over the rounds, in words.
        recommendation_for_generation: What to generate more of; empty where nothing was found.
        confidence: Held-out predictive accuracy, from 0 to 1.
        matches_analyzed: Matches that it rests on.
    """

    winning_characteristics: tuple[str, ...] = ()
    losing_characteristics: tuple[str, ...] = ()
    debate_topic_trends: tuple[str, ...] = ()
    recommendation_for_generation: str = ""
    confidence: float
    matches_analyzed: int = 0


@dataclass(frozen=True, kw_only=True, slots=True)
class ResourceMetrics(Record):
    """What a round or a tournament took. Source: the tournament specification, "Tournament Round Results".

    Attributes:
        calls: Requests that were sent to models: questions, turns of debates, retries and failures.
        cached_calls: Comparisons answered from earlier verdicts.
        input_tokens: Tokens sent, as far as they are known.
        output_tokens: Tokens received, as far as they are known.
        cost: Money in US dollars; None where the price of a request is not known.
        wall_seconds: Time that went by while the tournament ran.
        compute_units: What was used of the budget: a judge call is one, and so is each turn of a debate.
    """

    calls: int
    cached_calls: int
    input_tokens: int
    output_tokens: int
    cost: float | None
    wall_seconds: float
    compute_units: float


@dataclass(frozen=True, kw_only=True, slots=True)
class TournamentRoundResults(Record):
    """The results of a round. Source: the tournament specification, "Tournament Round Results".

    Attributes:
        round_id: Its number, from 1.
        matches_completed: Matches that were recorded, void ones included.
        average_rating_change: Mean size of the moves of ratings that its matches made, in Elo points.
        top_performers: The best by running Elo at its end, ten at the most.
        computational_cost: What it took.
        matches_planned: Matches of its plan.
        forecast_units: Compute units that it was planned to take; None where no forecast was made.
        budget: Compute units that it might take; None for no limit.
        degraded: Ids of matches that would have been debates, or longer ones, had there been the means.
        deferred: Pairs that were left for a later round, for the same reason.
        left_out: Pairs that the share of their tier did not pay for at all.
    """

    round_id: str
    matches_completed: int
    average_rating_change: float
    top_performers: tuple[HypothesisRanking, ...] = ()
    computational_cost: ResourceMetrics
    matches_planned: int
    forecast_units: float | None = None
    budget: float | None = None
    degraded: tuple[str, ...] = ()
    deferred: tuple[tuple[str, str], ...] = ()
    left_out: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class RoundStats(Record):
    """How a round is going. Source: the tournament specification, "Active Tournament State".

    Attributes:
        round: Its number, from 1.
        matches_planned: Matches of its plan.
        matches_completed: Those that were recorded.
        matches_open: Those that were not.
        draws: Matches that were drawn.
        average_rating_change: Mean size of the moves of ratings so far, in Elo points.
        compute_units: What was used so far.
        forecast_units: What it was planned to use; None where no forecast was made.
        budget: What it may use; None for no limit.
        degraded: Matches that would have been debates, or longer ones, had there been the means.
        deferred: Pairs that were left for a later round, for the same reason.
    """

    round: int
    matches_planned: int
    matches_completed: int
    matches_open: int
    draws: int
    average_rating_change: float
    compute_units: float
    forecast_units: float | None = None
    budget: float | None = None
    degraded: int = 0
    deferred: int = 0


@dataclass(frozen=True, kw_only=True, slots=True)
class TournamentState(Record):
    """How far a tournament is. Source: the tournament specification, "Active Tournament State".

    Attributes:
        current_round: The round that was planned last; 0 before the first.
        active_matches: Ids of its matches that have not been recorded, in the order of the plan.
        pending_matches: Matches that were asked for and not planned yet, the most urgent first.
        hypothesis_ratings: The ratings by hypothesis.
        round_statistics: How that round is going; None before the first.
    """

    current_round: int
    active_matches: tuple[str, ...] = ()
    pending_matches: tuple[MatchRequest, ...] = ()
    hypothesis_ratings: Mapping[str, EloRating] = field(default_factory=FrozenDict)
    round_statistics: RoundStats | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "hypothesis_ratings", FrozenDict(self.hypothesis_ratings))


@dataclass(frozen=True, kw_only=True, slots=True)
class TournamentHistory(Record):
    """The history of a tournament. Source: the tournament specification, "Historical Tournament Data".

    Attributes:
        completed_rounds: Rounds of which every match was recorded, and those that a later round followed.
        all_matches: All matches that stand, in the order of record.
        rating_progression: Every move of each rating, in the order of record.
        pattern_analyses: What was found out about winning and losing, oldest first.
    """

    completed_rounds: tuple[TournamentRoundResults, ...] = ()
    all_matches: tuple[DebateOutcome, ...] = ()
    rating_progression: Mapping[str, tuple[EloUpdate, ...]] = field(default_factory=FrozenDict)
    pattern_analyses: tuple[PatternAnalysis, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "rating_progression", FrozenDict(self.rating_progression))


@dataclass(frozen=True, kw_only=True, slots=True)
class RankedHypothesis(Record):
    """A line of the ranking. Source: the Ranking Agent specification, "Global Ranking".

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
    """The ranking with what stands out in it. Source: the Ranking Agent specification, "Global Ranking".

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
    """How well the tournament does its work. Source: the tournament specification, "Tournament Effectiveness".

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
    """How the tournament is doing. Source: the tournament specification, "System Health Indicators".

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
