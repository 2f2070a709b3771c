"""Records of a whole tournament in the specifications' form: state, history, hypotheses, similarity."""

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping
from dataclasses import fields
from itertools import combinations
from statistics import fmean
from typing import TYPE_CHECKING, Any

from paragone.domain import Outcome, Rating, Review
from paragone.domain.records import (
    EloRating,
    Hypothesis,
    HypothesisCluster,
    HypothesisSet,
    PatternAnalysis,
    ReviewScore,
    RoundStats,
    SimilarityGraph,
    TournamentHistory,
    TournamentState,
    from_values,
)
from paragone.domain.records.rating import rounded
from paragone.tournaments.planning.tiers import tier_of
from paragone.tournaments.records.chronicle import Chronicle
from paragone.tournaments.records.match_records import debate_outcome, match_results, pending_requests
from paragone.tournaments.records.round_records import (
    average_change,
    completed_rounds,
    dated_changes,
    deferred,
    degraded,
    matches_of,
    rating_progression,
    resources,
)

if TYPE_CHECKING:
    from paragone.similarity.graph import SimilarityGraph as Graph


def tournament_state(chronicle: Chronicle) -> TournamentState:
    """The state of a tournament (T)."""
    state = chronicle.state
    return TournamentState(
        current_round=len(state.rounds),
        active_matches=tuple(id for id, _ in state.open_matches),
        pending_matches=pending_requests(chronicle),
        hypothesis_ratings=current_ratings(chronicle),
        round_statistics=_statistics(chronicle, state.rounds[-1].number) if state.rounds else None,
    )


def _statistics(chronicle: Chronicle, number: int) -> RoundStats:
    planned, recorded = len(chronicle.state.rounds[-1].pairings), matches_of(chronicle, number)
    return RoundStats(
        round=number,
        matches_planned=planned,
        matches_completed=len(recorded),
        matches_open=planned - len(recorded),
        draws=sum(entry.match.outcome is Outcome.DRAW for entry in recorded),
        average_rating_change=average_change(dated for dated in dated_changes(chronicle) if dated.round == number),
        compute_units=resources(chronicle, number).compute_units,
        forecast_units=chronicle.note(number, "forecast_units"),
        budget=chronicle.note(number, "budget"),
        degraded=len(degraded(chronicle, number)),
        deferred=len(deferred(chronicle, number)),
    )


def tournament_history(chronicle: Chronicle) -> TournamentHistory:
    """The history of a tournament (T)."""
    return TournamentHistory(
        completed_rounds=completed_rounds(chronicle),
        all_matches=tuple(debate_outcome(recorded.match) for recorded in chronicle.valid_matches),
        rating_progression=rating_progression(chronicle),
        pattern_analyses=pattern_analyses(chronicle),
    )


def hypothesis_set(chronicle: Chronicle) -> HypothesisSet:
    """The hypotheses with their ratings, matches and reviews, as the specified context memory holds them."""
    return HypothesisSet(
        hypotheses=tuple(Hypothesis(id=item.id, text=item.text) for item in chronicle.state.items),
        current_ratings=current_ratings(chronicle),
        tournament_history=match_results(chronicle),
        review_scores=review_scores(chronicle.reviews),
    )


def current_ratings(chronicle: Chronicle) -> Mapping[str, EloRating]:
    """The running Elo and the record of each item, with its tier if the tournament has tiers."""
    return {id: _rating(chronicle, rating) for id, rating in chronicle.state.ratings.items()}


def _rating(chronicle: Chronicle, rating: Rating) -> EloRating:
    system = chronicle.state.settings.system
    return EloRating(
        rating=rounded(rating.elo),
        matches=rating.matches,
        wins=rating.wins,
        losses=rating.losses,
        ties=rating.ties,
        tier=None if system is None else tier_of(rating.elo, rating.matches, system),
    )


def review_scores(reviews: Collection[Review]) -> Mapping[str, ReviewScore]:
    """The mean score of each item that was reviewed."""
    reviews_by_item: defaultdict[str, list[Review]] = defaultdict(list)
    for review in reviews:
        reviews_by_item[review.item].append(review)
    return {item: _review_score(item_reviews) for item, item_reviews in reviews_by_item.items()}


def _review_score(reviews: list[Review]) -> ReviewScore:
    criteria: defaultdict[str, list[float]] = defaultdict(list)
    for review in reviews:
        for criterion, score in review.scores.items():
            criteria[criterion].append(score)
    return ReviewScore(
        score=fmean(review.score for review in reviews),
        scores={criterion: fmean(scores) for criterion, scores in criteria.items()},
        reviews=len(reviews),
    )


def pattern_analyses(chronicle: Chronicle) -> tuple[PatternAnalysis, ...]:
    """All analyses of winning and losing, the oldest first."""
    return tuple(analysis_of(event.detail) for event in chronicle.events("patterns"))


def analysis_of(analysis: Mapping[str, Any]) -> PatternAnalysis:
    """An analysis as the specification's record, which has fewer fields."""
    names = {field.name for field in fields(PatternAnalysis)}
    return from_values(PatternAnalysis, {name: value for name, value in analysis.items() if name in names})


WHOLE = 300
"""Number of items up to which a record has the similarity of all pairs; above, of neighbours only."""


def similarity_record(
    graph: "Graph", *, count: int = 50, played_pairs: Collection[tuple[str, str]] = ()
) -> SimilarityGraph:
    """A similarity graph as a record (R).

    Args:
        graph: The graph.
        count: Maximum number of matches to recommend.
        played_pairs: Pairs not to recommend, in either order.
    """
    return SimilarityGraph(
        similarity_matrix={pair: graph.similarity(*pair) for pair in _pairs(graph)},
        clusters=tuple(HypothesisCluster(id=cluster.number, members=cluster.members) for cluster in graph.clusters),
        recommended_matches=graph.recommended(count, excluded=played_pairs),
    )


def _pairs(graph: "Graph") -> Iterator[tuple[str, str]]:
    if len(graph.ids) <= WHOLE:
        yield from combinations(graph.ids, 2)
        return
    listed: set[frozenset[str]] = set()
    for id in graph.ids:
        for other, _ in graph.neighbours(id):
            if frozenset((id, other)) not in listed:
                listed.add(frozenset((id, other)))
                yield id, other
