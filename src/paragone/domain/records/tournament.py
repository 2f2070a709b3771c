"""Rounds, and a tournament as a whole: what it took, where it is, what it was."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from paragone.domain.frozen_dict import FrozenDict
from paragone.domain.record import Record
from paragone.domain.records.match import DebateOutcome, MatchRequest
from paragone.domain.records.pattern import PatternAnalysis
from paragone.domain.records.rating import EloRating, EloUpdate, HypothesisRanking


@dataclass(frozen=True, kw_only=True, slots=True)
class ResourceMetrics(Record):
    """What something took. Source: document T, "Tournament Round Results".

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
    """What a round brought. Source: document T, "Tournament Round Results".

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
    """How a round is going. Source: document T, "Active Tournament State".

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
    """Where a tournament is. Source: document T, "Active Tournament State".

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
    """What a tournament was. Source: document T, "Historical Tournament Data".

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
