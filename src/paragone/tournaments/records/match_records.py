"""Records of matches and match requests in the specifications' form."""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from datetime import datetime
from statistics import fmean
from typing import Any

from paragone.domain import Choice, Comparison, DebateTurn, Match, MatchProtocol, Outcome, Speaker
from paragone.domain import records as documents
from paragone.domain.records import MatchRequest, Priority
from paragone.domain.records.match import DebateType
from paragone.domain.records.rating import rounded
from paragone.domain.text import whole
from paragone.ledger import Event, RecordedMatch
from paragone.tournaments.records.chronicle import Chronicle

TurnsByMatch = Mapping[str, tuple[DebateTurn, ...]]


def debate_outcome(match: Match) -> documents.DebateOutcome:
    """The outcome of a match (T); the match must have its rationales and scores."""
    return documents.DebateOutcome(
        match_id=match.id,
        hypothesis_a_id=match.a,
        hypothesis_b_id=match.b,
        winner_id=winner(match),
        debate_type=debate_type(match.protocol),
        debate_summary=rationale(match),
        evaluation_criteria=tuple(
            documents.CriterionScore(criterion=criterion, score_a=a, score_b=b)
            for criterion, (a, b) in criteria(match).items()
        ),
        outcome=match.outcome,
    )


def match_result(recorded: RecordedMatch, turns: TurnsByMatch, *, degraded: bool = False) -> documents.MatchResult:
    """A match with its transcript (R).

    Args:
        recorded: The match.
        turns: The turns that each of its verdicts rests on, by call.
        degraded: Whether the budget left it without a debate, or with a shorter one.
    """
    match = recorded.match
    return documents.MatchResult(
        id=match.id,
        hypothesis_a_id=match.a,
        hypothesis_b_id=match.b,
        winner_id=winner(match),
        debate_type=debate_type(match.protocol),
        debate_transcript=tuple(_transcript(match, turns)),
        decision_rationale=rationale(match),
        criteria_scores={
            criterion: documents.Comparison(score_a=a, score_b=b) for criterion, (a, b) in criteria(match).items()
        },
        timestamp=recorded.at,
        outcome=match.outcome,
        degraded=degraded,
    )


def match_results(chronicle: Chronicle) -> tuple[documents.MatchResult, ...]:
    """All matches that were not rolled back, in the order of record."""
    return tuple(_result(chronicle, recorded) for recorded in chronicle.valid_matches)


def _result(chronicle: Chronicle, recorded: RecordedMatch) -> documents.MatchResult:
    planned = chronicle.planned.get(recorded.match.id)
    turns = {answer.call: chronicle.judged_turns(answer.call) for answer in recorded.match.comparisons}
    return match_result(recorded, turns, degraded=planned is not None and planned.degraded)


def debate_type(protocol: MatchProtocol) -> DebateType:
    """The specifications' word for a protocol: they know two, and in a panel debate both sides are argued."""
    return MatchProtocol.MULTI_TURN if protocol.is_debate else MatchProtocol.SINGLE_TURN


def winner(match: Match) -> str | None:
    """Id of the winner; None for a draw and for a void match."""
    return {Outcome.A: match.a, Outcome.B: match.b}.get(match.outcome)


def rationale(match: Match) -> str:
    """The rationale of the first verdict that agrees with the outcome, else the first rationale."""
    rationales = [answer.verdict.rationale for answer in match.answers if answer.verdict.rationale]
    agreeing = [
        comparison.verdict.rationale
        for comparison in match.comparisons
        if comparison.verdict.rationale and _agrees(match, comparison)
    ]
    return whole(next(iter(agreeing or rationales), ""))


def _agrees(match: Match, comparison: Comparison) -> bool:
    if match.outcome is Outcome.VOID:
        return comparison.verdict.choice is Choice.ABSTAIN
    return comparison.score_of(match.a) == match.outcome.score


def criteria(match: Match) -> dict[str, tuple[float, float]]:
    """The scores of side a and side b by criterion, averaged over the comparisons in either order."""
    scores: defaultdict[str, list[tuple[float, float]]] = defaultdict(list)
    for comparison in match.comparisons:
        for score in comparison.verdict.scores:
            pair = (score.first, score.second) if comparison.first == match.a else (score.second, score.first)
            scores[whole(score.criterion)].append(pair)
    return {name: (fmean(a for a, _ in pairs), fmean(b for _, b in pairs)) for name, pairs in scores.items()}


def _transcript(match: Match, turns: TurnsByMatch) -> Iterator[documents.DebateTurn]:
    for comparison in match.comparisons:
        for turn in turns.get(comparison.call, ()):
            yield _turn(turn, first_is_a=comparison.first == match.a)
        if comparison.verdict.rationale:
            yield documents.DebateTurn(speaker=documents.Speaker.JUDGE, content=whole(comparison.verdict.rationale))


def _turn(turn: DebateTurn, *, first_is_a: bool) -> documents.DebateTurn:
    is_a = (turn.speaker is Speaker.FIRST) == first_is_a
    return documents.DebateTurn(
        speaker=documents.Speaker.HYPOTHESIS_A if is_a else documents.Speaker.HYPOTHESIS_B,
        content=whole(turn.content),
        claims=tuple(map(whole, turn.claims)),
        rebuttals=tuple(map(whole, turn.rebuttals)),
        evidence_cited=tuple(map(whole, turn.evidence)),
    )


def requests(chronicle: Chronicle) -> tuple[MatchRequest, ...]:
    """All match requests, in the order of record."""
    return tuple(_request(event) for event in chronicle.events("request"))


def pending_requests(chronicle: Chronicle) -> tuple[MatchRequest, ...]:
    """Match requests that were neither granted nor refused, the most urgent first, among those the oldest."""
    rounds = chronicle.events("round")
    done = {str(id) for event in rounds for id in event.detail.get("served") or ()}
    done |= {str(refused["id"]) for event in rounds for refused in event.detail.get("refused") or ()}
    urgency = list(Priority)
    waiting = (request for request in requests(chronicle) if request.id not in done)
    return tuple(sorted(waiting, key=lambda request: urgency.index(request.priority)))


def _request(event: Event) -> MatchRequest:
    detail: Mapping[str, Any] = event.detail
    created, elo = detail.get("creation_timestamp"), detail.get("current_elo")
    return MatchRequest(
        id=str(detail["id"]),
        hypothesis_id=str(detail["hypothesis_id"]),
        priority=Priority(detail.get("priority") or Priority.MEDIUM),
        opponent_id=detail.get("opponent_id"),
        current_elo=None if elo is None else rounded(elo),
        creation_timestamp=event.at if created is None else datetime.fromisoformat(created),
        similarity_graph_id=detail.get("similarity_graph_id") or "",
    )
