"""What a round brought."""

import heapq
from collections import deque
from collections.abc import Iterable
from statistics import fmean

from paragone.domain import Pairing
from paragone.domain.records import HypothesisRanking, TournamentRoundResults
from paragone.domain.records.rating import rounded, share_won
from paragone.ledger import PlannedRound, RecordedMatch
from paragone.tournaments.documents.chronicle import Chronicle
from paragone.tournaments.documents.resources import resources
from paragone.tournaments.documents.updates import Move, moves
from paragone.tournaments.state import match_id

TOP = 10
"""How many of the best a round's result names."""


def round_results(chronicle: Chronicle, number: int) -> TournamentRoundResults:
    """What a round brought (T), so far where it is not over.

    Args:
        chronicle: The tournament.
        number: Its number, from 1.
    """
    plan = next(plan for plan in chronicle.state.rounds if plan.number == number)
    return _results(chronicle, [plan])[0]


def completed_rounds(chronicle: Chronicle) -> tuple[TournamentRoundResults, ...]:
    """What each round brought of which every match was recorded, or that a later one followed."""
    rounds = chronicle.state.rounds
    if rounds and len(matches_of(chronicle, rounds[-1].number)) < len(rounds[-1].pairings):
        rounds = rounds[:-1]
    return tuple(_results(chronicle, rounds))


def matches_of(chronicle: Chronicle, number: int) -> tuple[RecordedMatch, ...]:
    """Matches of a round that were recorded, those that were rolled back later too."""
    return chronicle.by_round.get(number, ())


def deferred(chronicle: Chronicle, number: int) -> tuple[tuple[str, str], ...]:
    """Pairs that a round's plan left for a later one."""
    return _pairs(chronicle, number, "deferred")


def degraded(chronicle: Chronicle, number: int) -> tuple[str, ...]:
    """Ids of a round's matches that would have been debates, or longer ones, had there been the means."""
    plan = next(plan for plan in chronicle.state.rounds if plan.number == number)
    named = ((match_id(number, place), pairing) for place, pairing in enumerate(plan.pairings, start=1))
    return tuple(id for id, pairing in named if isinstance(pairing, Pairing) and pairing.degraded)


def average_change(made: Iterable[Move]) -> float:
    """Mean size of some moves, in Elo points; 0 where there are none."""
    sizes = [abs(move.change.change) for move in made]
    return fmean(sizes) if sizes else 0.0


def _results(chronicle: Chronicle, plans: Iterable[PlannedRound]) -> list[TournamentRoundResults]:
    wanted = {plan.number: plan for plan in plans}
    every = list(moves(chronicle))
    made: dict[int, list[Move]] = {number: [] for number in wanted}
    for move in every:
        if move.round in made:
            made[move.round].append(move)
    best = _best(chronicle, sorted(wanted), every)
    return [_result(chronicle, plan, made[number], best[number]) for number, plan in sorted(wanted.items())]


def _result(
    chronicle: Chronicle, plan: PlannedRound, made: list[Move], best: tuple[HypothesisRanking, ...]
) -> TournamentRoundResults:
    return TournamentRoundResults(
        round_id=str(plan.number),
        matches_completed=len(matches_of(chronicle, plan.number)),
        average_rating_change=average_change(made),
        top_performers=best,
        computational_cost=resources(chronicle, plan.number),
        matches_planned=len(plan.pairings),
        forecast_units=chronicle.note(plan.number, "forecast_units"),
        budget=chronicle.note(plan.number, "budget"),
        degraded=degraded(chronicle, plan.number),
        deferred=deferred(chronicle, plan.number),
        left_out=_pairs(chronicle, plan.number, "left_out"),
    )


def _pairs(chronicle: Chronicle, number: int, name: str) -> tuple[tuple[str, str], ...]:
    return tuple((str(a), str(b)) for a, b in chronicle.note(number, name) or ())


def _best(
    chronicle: Chronicle, numbers: Iterable[int], every: Iterable[Move]
) -> dict[int, tuple[HypothesisRanking, ...]]:
    """The best by running Elo at the end of each of some rounds, ties by id; rounds rise."""
    state, coming = chronicle.state, deque(every)
    stand = dict.fromkeys(state.ids, (state.config.initial, 0, 0))
    found = {}
    for number in numbers:
        while coming and coming[0].round <= number:
            move = coming.popleft()
            stand[move.change.item] = (move.change.new, move.matches, move.wins)
        there = (item for item in stand if state.entered.get(item, 1) <= number)
        first = heapq.nsmallest(TOP, there, key=lambda item: (-stand[item][0], item))
        found[number] = tuple(_line(item, *stand[item]) for item in first)
    return found


def _line(item: str, elo: float, matches: int, wins: int) -> HypothesisRanking:
    return HypothesisRanking(
        hypothesis_id=item, current_elo=rounded(elo), matches_played=matches, win_rate=share_won(wins, matches)
    )
