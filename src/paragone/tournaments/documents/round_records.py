"""Records of rounds in the documents' form: results, resources, and every rating change."""

import heapq
from collections import defaultdict, deque
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import pairwise
from statistics import NormalDist, fmean

from paragone.analysis.progress.accuracy import EloErrors
from paragone.domain import Match, Pairing, RatingChange, Spending
from paragone.domain.records import EloUpdate, HypothesisRanking, ResourceMetrics, TournamentRoundResults
from paragone.domain.records.rating import rounded, share_won
from paragone.domain.spending import NOTHING, total
from paragone.ledger import PlannedRound, RecordedMatch
from paragone.tournaments.documents.chronicle import Chronicle
from paragone.tournaments.state import match_id


@dataclass(frozen=True, kw_only=True, slots=True)
class Move:
    """One move of a rating, with the item's record after it.

    Attributes:
        change: The move.
        at: When.
        round: The round of the match that made it; 0 where no planned match did.
        matches: Matches of the item that counted by then.
        wins: Those that it won.
        error: How far the rating may be from the truth after it, in Elo points (standard deviation).
    """

    change: RatingChange
    at: datetime
    round: int
    matches: int
    wins: int
    error: float


def elo_updates(chronicle: Chronicle, item: str) -> tuple[EloUpdate, ...]:
    """Every move of one rating (T, R), in the order of record."""
    return rating_progression(chronicle).get(item, ())


def rating_progression(chronicle: Chronicle) -> Mapping[str, tuple[EloUpdate, ...]]:
    """Every move of each rating that moved, by item, in the order of record."""
    reach = _reach(chronicle)
    updates_by_item: defaultdict[str, list[EloUpdate]] = defaultdict(list)
    for move in moves(chronicle):
        updates_by_item[move.change.item].append(_update(move, reach))
    return {item: tuple(updates) for item, updates in updates_by_item.items()}


def round_updates(chronicle: Chronicle, number: int) -> tuple[EloUpdate, ...]:
    """Every move that a round's matches made, in the order of record."""
    reach = _reach(chronicle)
    return tuple(_update(move, reach) for move in moves(chronicle) if move.round == number)


def _reach(chronicle: Chronicle) -> float:
    """Standard deviations to either side that an interval takes."""
    return NormalDist().inv_cdf((1 + chronicle.state.settings.level) / 2)


def _update(move: Move, reach: float) -> EloUpdate:
    old, new = rounded(move.change.old), rounded(move.change.new)
    around = reach * move.error
    return EloUpdate(
        hypothesis_id=move.change.item,
        old_rating=old,
        new_rating=new,
        rating_change=new - old,
        match_id=move.change.match,
        timestamp=move.at,
        match_count=move.matches,
        win_rate=share_won(move.wins, move.matches),
        confidence_interval=(rounded(move.change.new - around), rounded(move.change.new + around)),
    )


def moves(chronicle: Chronicle) -> Iterator[Move]:
    """Every move of every rating, in the order of record.

    A rollback moves ratings at a time that the moves themselves do not say: theirs is that of the last thing recorded
    before it. It takes the match out of the records of those who played it.
    """
    counted: defaultdict[str, list[int]] = defaultdict(lambda: [0, 0])
    errors, undone = EloErrors(len(chronicle.state.items)), set[str]()
    at = None
    for change in chronicle.changes:
        recorded, adjusted = chronicle.by_id.get(change.match), chronicle.adjustments.get(change.match)
        compensates = recorded is not None and change.k == 0.0
        round = 0
        if recorded is not None and not compensates:
            at, round = recorded.at, recorded.match.round
            _count(counted[change.item], recorded.match, change.item, 1)
            errors.take(change, recorded.match)
        elif recorded is not None and change.match not in undone:
            undone.add(change.match)
            for item in recorded.match.items:
                _count(counted[item], recorded.match, item, -1)
        elif adjusted is not None:
            at = adjusted.at
        at = at or chronicle.matches[0].at
        matches, wins = counted[change.item]
        yield Move(change=change, at=at, round=round, matches=matches, wins=wins, error=errors.of(change.item))


def _count(record: list[int], match: Match, item: str, sign: int) -> None:
    """Add a match to an item's record: one against each opponent, as ratings count it."""
    opponents = len(match.items) - 1
    if match.ranking is not None:
        won = opponents - match.items.index(item)
    else:
        won = int(match.outcome.score == (1.0 if item == match.a else 0.0))
    record[0] += sign * opponents
    record[1] += sign * won


def resources(chronicle: Chronicle, number: int | None = None) -> ResourceMetrics:
    """What a tournament or one of its rounds took (T8): all that was asked, of matches that are not over too.

    Args:
        chronicle: The tournament.
        number: Only this round; all of them where None.
    """
    rounds = chronicle.spending_by_round
    spending = total(rounds.values()) if number is None else rounds.get(number, NOTHING)
    return as_metrics(spending, running_time(chronicle, number).total_seconds(), float(spending.units))


def as_metrics(spending: Spending, seconds: float, units: float) -> ResourceMetrics:
    """Spending in the documents' form.

    Args:
        spending: Decisions, requests, tokens, dollars.
        seconds: Wall time.
        units: Compute units.
    """
    return ResourceMetrics(
        calls=spending.requests,
        cached_calls=spending.cached,
        input_tokens=spending.input_tokens,
        output_tokens=spending.output_tokens,
        cost=spending.cost,
        wall_seconds=seconds,
        compute_units=units,
    )


def running_time(chronicle: Chronicle, number: int | None = None) -> timedelta:
    """Time that went by between the plan of a round, or the first, and its last match.

    A gap that ends where the tournament was resumed is left out: nobody was running it.
    """
    own = [recorded.at for recorded in _matches(chronicle, number)]
    if not own:
        return timedelta()
    start, last = min([_begun(chronicle, number), *own]), max(own)
    resumed = {event.at for event in chronicle.events("resumed")}
    events = (event.at for event in chronicle.events("resumed", "stopped", "round", "fallback"))
    marks = sorted({start, *own, *(at for at in events if start < at < last)})
    return sum((after - before for before, after in pairwise(marks) if after not in resumed), timedelta())


def _matches(chronicle: Chronicle, number: int | None) -> tuple[RecordedMatch, ...]:
    return chronicle.matches if number is None else chronicle.by_round.get(number, ())


def _begun(chronicle: Chronicle, number: int | None) -> datetime:
    """When a round was planned; where that was not noted, when the one before it was over."""
    first = 1 if number is None else number
    if first in chronicle.round_notes:
        return chronicle.round_notes[first].at
    before = chronicle.by_round.get(first - 1, ())
    return before[-1].at if before else chronicle.event_log[0].at


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
    matches = ((match_id(number, position), pairing) for position, pairing in enumerate(plan.pairings, start=1))
    return tuple(id for id, pairing in matches if isinstance(pairing, Pairing) and pairing.degraded)


def average_change(moves: Iterable[Move]) -> float:
    """Mean size of some moves, in Elo points; 0 where there are none."""
    sizes = [abs(move.change.change) for move in moves]
    return fmean(sizes) if sizes else 0.0


def _results(chronicle: Chronicle, plans: Iterable[PlannedRound]) -> list[TournamentRoundResults]:
    plan_by_number = {plan.number: plan for plan in plans}
    every = list(moves(chronicle))
    moves_by_round: dict[int, list[Move]] = {number: [] for number in plan_by_number}
    for move in every:
        if move.round in moves_by_round:
            moves_by_round[move.round].append(move)
    best = _best(chronicle, sorted(plan_by_number), every)
    return [
        _result(chronicle, plan, moves_by_round[number], best[number])
        for number, plan in sorted(plan_by_number.items())
    ]


def _result(
    chronicle: Chronicle, plan: PlannedRound, moves: list[Move], best: tuple[HypothesisRanking, ...]
) -> TournamentRoundResults:
    return TournamentRoundResults(
        round_id=str(plan.number),
        matches_completed=len(matches_of(chronicle, plan.number)),
        average_rating_change=average_change(moves),
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
    best_by_round = {}
    for number in numbers:
        while coming and coming[0].round <= number:
            move = coming.popleft()
            stand[move.change.item] = (move.change.new, move.matches, move.wins)
        entered = (item for item in stand if state.entered.get(item, 1) <= number)
        first = heapq.nsmallest(TOP, entered, key=lambda item: (-stand[item][0], item))
        best_by_round[number] = tuple(_line(item, *stand[item]) for item in first)
    return best_by_round


def _line(item: str, elo: float, matches: int, wins: int) -> HypothesisRanking:
    return HypothesisRanking(
        hypothesis_id=item, current_elo=rounded(elo), matches_played=matches, win_rate=share_won(wins, matches)
    )
