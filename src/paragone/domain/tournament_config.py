"""The parameters of a tournament of hypotheses, under the specifications' names and with their defaults."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import pairwise
from typing import Literal

from paragone.domain.parameter import Count, Positive, Share, Turns, Weight, settle
from paragone.domain.rating import RatingConfig
from paragone.domain.record import FrozenDict, Record
from paragone.errors import InvalidConfig


class Tier(StrEnum):
    """Where an item stands, by its rating; an item with few matches is new, whatever its rating.

    Source: the Ranking Agent specification, "Rating Brackets"; lower bounds are inclusive.
    """

    ELITE = "elite"
    STRONG = "strong"
    AVERAGE = "average"
    DEVELOPING = "developing"
    NEW = "new"


DEBATE_ROUNDS: Mapping[Tier, int] = FrozenDict({Tier.ELITE: 5, Tier.STRONG: 4, Tier.AVERAGE: 3, Tier.DEVELOPING: 3})
BUDGET_SHARES: Mapping[Tier, float] = FrozenDict(
    {Tier.ELITE: 0.4, Tier.STRONG: 0.3, Tier.AVERAGE: 0.2, Tier.DEVELOPING: 0.1}
)
CRITERIA_WEIGHTS: Mapping[str, float] = FrozenDict(
    {"novelty": 1.0, "correctness": 1.0, "testability": 1.0, "impact": 1.0, "clarity": 1.0}
)


@dataclass(frozen=True, kw_only=True, slots=True)
class TournamentConfig(Record):
    """Ratings and pairing. Source: the tournament specification, "Tournament Configuration".

    Attributes:
        initial_elo_rating: Rating of a hypothesis that has not played.
        k_factor: How far one match moves a rating.
        multi_turn_threshold: Both ratings above this: the match is a debate.
        match_batch_size: Matches in flight together before their ratings are written.
        similarity_weight: Weight of similarity in the choice of opponents.
        recency_weight: Weight of newer hypotheses.
        rating_proximity_weight: Weight of opponents with ratings alike.
    """

    initial_elo_rating: Positive = 1200.0
    k_factor: Positive = 32.0
    multi_turn_threshold: Positive = 1400.0
    match_batch_size: Count = 10
    similarity_weight: Share = 0.3
    recency_weight: Share = 0.2
    rating_proximity_weight: Share = 0.5

    def __post_init__(self) -> None:
        settle(self, "tournament_parameters")
        if not any((self.similarity_weight, self.recency_weight, self.rating_proximity_weight)):
            raise InvalidConfig(
                "tournament_parameters: similarity_weight, recency_weight and rating_proximity_weight are all 0, so "
                "nothing says who should meet whom",
                key="tournament_parameters.rating_proximity_weight",
            )


@dataclass(frozen=True, kw_only=True, slots=True)
class SchedulingConfig(Record):
    """How much is played. Source: the tournament specification, "Configuration Parameters".

    Attributes:
        rounds_per_session: Rounds that one run plays at the most.
        matches_per_round: Matches that one round plans at the most.
        timeout_per_match: Seconds that a match may take.
    """

    rounds_per_session: Count = 10
    matches_per_round: Count = 50
    timeout_per_match: Positive = 300.0

    def __post_init__(self) -> None:
        settle(self, "scheduling")


@dataclass(frozen=True, kw_only=True, slots=True)
class OptimizationConfig(Record):
    """When to stop. Source: the tournament specification, "Configuration Parameters".

    Attributes:
        min_matches_for_confidence: Matches before a rating is trusted at all.
        rating_stability_threshold: Correlation of the ranks of successive rounds from which they are stable.
        resource_budget_per_round: Compute units a round may take; without it there is no limit.
    """

    min_matches_for_confidence: Count = 5
    rating_stability_threshold: Share = 0.95
    resource_budget_per_round: Positive | None = None

    def __post_init__(self) -> None:
        settle(self, "optimization")


@dataclass(frozen=True, kw_only=True, slots=True)
class PatternConfig(Record):
    """When patterns of winning are looked for. Source: the tournament specification, "Configuration Parameters".

    Attributes:
        min_matches_for_analysis: Matches before there is an analysis.
        pattern_confidence_threshold: Held-out accuracy from which a pattern is reported.
    """

    min_matches_for_analysis: Count = 100
    pattern_confidence_threshold: Share = 0.7

    def __post_init__(self) -> None:
        settle(self, "pattern_analysis")


@dataclass(frozen=True, kw_only=True, slots=True)
class PolicyConfig(Record):
    """What the Ranking Agent specification adds, and what both leave open.

    A table that says nothing about a tier or a criterion leaves it its default.

    Attributes:
        elite_threshold: Rating from which a hypothesis is Elite.
        strong_threshold: Rating from which it is Strong.
        average_threshold: Rating from which it is Average; below, it is Developing.
        debate_rounds: Turns a side in a debate, by the lower of the two tiers. A new hypothesis debates as its rating
            has it. Fewer turns are what a failed or unaffordable debate falls back to, never what is asked for.
        budget_shares: Share of a round's budget for each tier, 1 in all; what one leaves flows to the next one down.
        criteria_weights: Weight of each criterion, 0 to leave it out; ``merit`` is another name of ``impact``.
        activity_weight: Weight of those who have played less than others.
        exploration_share: Share of a round's matches kept for new hypotheses.
        min_matches_for_stability: Matches from which a rating counts as stable.
        high_confidence_matches: Matches from which confidence is high.
        enable_fast_track: Whether a new hypothesis that wins 5 of its first 6 matches meets a Strong challenger next.
        clear_winner_gap: Rating lead of the first over the second that ends the tournament, once both are trusted.
        rest_after_losses: Losses in a row after which a hypothesis rests.
        stagnant_after: Matches without a change of rank after which it is marked stagnant.
        rating_floor: No rating falls below this.
        rating_ceiling: No rating rises above this.
        on_timeout: ``later`` leaves a match that timed out for a later round, ``draw`` declares a draw.
        decay_days: Days of inactivity for a rating to lose all but 1/e of its distance to the initial one; without it
            nothing decays.
        tournament_batch_size: Matches that the Ranking Agent asks for in one task.
        debate_rule: Which matches are debated: ``rating`` those of high ratings, as the documents have it; ``worth``
            those whose outcome matters to the top, as far as a deeper protocol is worth its tokens; ``either`` both;
            ``always`` all.
        protocol: What ``worth`` and ``always`` may choose besides direct comparisons: ``panel``, a debate of experts in
            one answer; ``debate``, one in turns; ``auto``, whichever is worth more; ``direct``, neither.
        tiers_by: What decides the tiers: the running ``elo``, or ``strength``, the posterior mean on the same scale.
        panel_sharpness: How many times sharper than a direct verdict that of a panel debate is, as ``paragone judges
            test --protocols`` measures it; at 1, not known to be sharper, none is held for its worth.
        debate_sharpness: The same for a debate in turns.
        expert_sharpness: The same for each further judge of a cascade.
        debate_margin: How many times as much as its tokens would bring in direct comparisons a deeper protocol must be
            worth.
    """

    elite_threshold: Positive = 1600.0
    strong_threshold: Positive = 1400.0
    average_threshold: Positive = 1100.0
    debate_rounds: Mapping[Tier, Turns] = DEBATE_ROUNDS
    budget_shares: Mapping[Tier, Share] = BUDGET_SHARES
    criteria_weights: Mapping[str, Weight] = CRITERIA_WEIGHTS
    activity_weight: Share = 0.1
    exploration_share: Share = 0.3
    min_matches_for_stability: Count = 10
    high_confidence_matches: Count = 20
    enable_fast_track: bool = True
    clear_winner_gap: Positive = 400.0
    rest_after_losses: Count = 5
    stagnant_after: Count = 10
    rating_floor: float = 100.0
    rating_ceiling: float = 4000.0
    on_timeout: Literal["later", "draw"] = "later"
    decay_days: Positive | None = None
    tournament_batch_size: Count = 20
    debate_rule: Literal["rating", "worth", "either", "always"] = "either"
    protocol: Literal["direct", "panel", "debate", "auto"] = "auto"
    tiers_by: Literal["elo", "strength"] = "elo"
    panel_sharpness: Positive = 1.0
    debate_sharpness: Positive = 1.0
    expert_sharpness: Positive = 1.5
    debate_margin: Positive = 1.0

    def __post_init__(self) -> None:
        settle(self, "policy")
        require_order(
            {name: getattr(self, name.partition(".")[2]) for name in _THRESHOLDS},
            strictly=True,
            key="policy.elite_threshold",
        )
        if not math.isclose(sum(self.budget_shares.values()), 1.0, abs_tol=1e-9):
            raise InvalidConfig(
                f"policy.budget_shares must add up to 1, not {sum(self.budget_shares.values()):g}; tiers that are not "
                "named keep their default",
                key="policy.budget_shares",
            )
        if not any(self.criteria_weights.values()):
            raise InvalidConfig("policy.criteria_weights are all 0: nothing is judged", key="policy.criteria_weights")


_THRESHOLDS = ("policy.average_threshold", "policy.strong_threshold", "policy.elite_threshold")


@dataclass(frozen=True, kw_only=True, slots=True)
class TournamentSystemConfig(Record):
    """All parameters of a tournament of hypotheses. Source: the tournament specification, "Configuration Parameters".

    Attributes:
        tournament_parameters: Ratings and pairing.
        scheduling: How much is played.
        optimization: When enough is enough.
        pattern_analysis: When patterns are looked for.
        policy: What the Ranking Agent specification adds, and what both leave open.
    """

    tournament_parameters: TournamentConfig = field(default_factory=TournamentConfig)
    scheduling: SchedulingConfig = field(default_factory=SchedulingConfig)
    optimization: OptimizationConfig = field(default_factory=OptimizationConfig)
    pattern_analysis: PatternConfig = field(default_factory=PatternConfig)
    policy: PolicyConfig = field(default_factory=PolicyConfig)

    def __post_init__(self) -> None:
        policy = self.policy
        ratings = {
            "policy.rating_floor": policy.rating_floor,
            "tournament_parameters.initial_elo_rating": self.tournament_parameters.initial_elo_rating,
            "policy.rating_ceiling": policy.rating_ceiling,
        }
        require_order(ratings, key="tournament_parameters.initial_elo_rating")
        matches = {
            "optimization.min_matches_for_confidence": self.optimization.min_matches_for_confidence,
            "policy.min_matches_for_stability": policy.min_matches_for_stability,
            "policy.high_confidence_matches": policy.high_confidence_matches,
        }
        require_order(matches, key="policy.min_matches_for_stability")

    @property
    def rating(self) -> RatingConfig:
        """How the running Elo of the pool moves."""
        tournament, policy = self.tournament_parameters, self.policy
        return RatingConfig(
            initial=tournament.initial_elo_rating,
            k=tournament.k_factor,
            floor=policy.rating_floor,
            ceiling=policy.rating_ceiling,
        )


@dataclass(frozen=True, kw_only=True, slots=True)
class RankingConfig(Record):
    """The parameters of a Ranking Agent. Source: the Ranking Agent specification, "Configuration Parameters".

    Attributes:
        initial_elo: Rating of a hypothesis that has not played.
        k_factor: How far one match moves a rating.
        debate_rounds: Turns a side in a debate, by tier.
        min_matches_for_stability: Matches from which a rating counts as stable.
        similarity_weight: Weight of similarity in the choice of opponents.
        recency_weight: Weight of newer hypotheses.
        elite_threshold: Rating from which a hypothesis is Elite.
        tournament_batch_size: Matches that it asks for in one task.
        enable_fast_track: Whether promising newcomers are promoted.
    """

    initial_elo: Positive = 1200.0
    k_factor: Positive = 32.0
    debate_rounds: Mapping[Tier, Turns] = DEBATE_ROUNDS
    min_matches_for_stability: Count = 10
    similarity_weight: Share = 0.3
    recency_weight: Share = 0.2
    elite_threshold: Positive = 1600.0
    tournament_batch_size: Count = 20
    enable_fast_track: bool = True

    def __post_init__(self) -> None:
        settle(self, "ranking")

    def system(self) -> TournamentSystemConfig:
        """The tournament that such an agent runs; what this says nothing about keeps its default.

        Raises:
            InvalidConfig: If it does not go with these defaults, such as an Elite that begins below Strong.
        """
        return TournamentSystemConfig(
            tournament_parameters=TournamentConfig(
                initial_elo_rating=self.initial_elo,
                k_factor=self.k_factor,
                similarity_weight=self.similarity_weight,
                recency_weight=self.recency_weight,
            ),
            policy=PolicyConfig(
                debate_rounds=self.debate_rounds,
                min_matches_for_stability=self.min_matches_for_stability,
                elite_threshold=self.elite_threshold,
                tournament_batch_size=self.tournament_batch_size,
                enable_fast_track=self.enable_fast_track,
            ),
        )


def require_order(values_by_name: Mapping[str, float], *, key: str, strictly: bool = False) -> None:
    """Refuse parameters that do not rise in the order in which they are named.

    Raises:
        InvalidConfig: With all names and values.
    """
    values = list(values_by_name.values())
    if not all(low < high or (low == high and not strictly) for low, high in pairwise(values)):
        sign = " < " if strictly else " <= "
        raise InvalidConfig(
            f"{sign.join(values_by_name)} must hold: {', '.join(f'{value:g}' for value in values)}", key=key
        )
