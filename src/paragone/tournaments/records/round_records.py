"""Records of rounds in the specifications' form: results, resources, and every rating change."""

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
from paragone.tournaments.records.chronicle import Chronicle
from paragone.tournaments.state import match_id


@dataclass(frozen=True, kw_only=True, slots=True)
class DatedChange:
    """A rating change with its time, and the item's record after it.

    Attributes:
        change: The change.
        at: When it was recorded.
        round: The round of its match; 0 without a planned match.
        matches: Matches of the item that count after it.
        wins: Wins among these.
        error: Standard error of the rating after it, in Elo points.
    """

    change: RatingChange
    at: datetime
    round: int
    matches: int
    wins: int
    error: float


def elo_updates(chronicle: Chronicle, item: str) -> tuple[EloUpdate, ...]:
    """All changes of one item's rating (T, R), in the order of record."""
    return rating_progression(chronicle).get(item, ())


def rating_progression(chronicle: Chronicle) -> Mapping[str, tuple[EloUpdate, ...]]:
    """All rating changes by item, in the order of record."""
    reach = _reach(chronicle)
    updates_by_item: defaultdict[str, list[EloUpdate]] = defaultdict(list)
    for dated in dated_changes(chronicle):
        updates_by_item[dated.change.item].append(_update(dated, reach))
    return {item: tuple(updates) for item, updates in updates_by_item.items()}


def round_updates(chronicle: Chronicle, number: int) -> tuple[EloUpdate, ...]:
    """The rating changes by the matches of a round, in the order of record."""
    reach = _reach(chronicle)
    return tuple(_update(dated, reach) for dated in dated_changes(chronicle) if dated.round == number)


def _reach(chronicle: Chronicle) -> float:
    """Half the width of an interval, in standard errors."""
    return NormalDist().inv_cdf((1 + chronicle.state.settings.level) / 2)


def _update(dated: DatedChange, reach: float) -> EloUpdate:
    old, new = rounded(dated.change.old), rounded(dated.change.new)
    around = reach * dated.error
    return EloUpdate(
        hypothesis_id=dated.change.item,
        old_rating=old,
        new_rating=new,
        rating_change=new - old,
        match_id=dated.change.match,
        timestamp=dated.at,
        match_count=dated.matches,
        win_rate=share_won(dated.wins, dated.matches),
        confidence_interval=(rounded(dated.change.new - around), rounded(dated.change.new + around)),
    )


def dated_changes(chronicle: Chronicle) -> Iterator[DatedChange]:
    """All rating changes, in the order of record.

    The compensating changes of a rollback carry the id of the match that they undo and a K of 0, and no time of their
    own: they get that of the last match or adjustment before them. A rollback also takes the match out of the records
    of its items.
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
        yield DatedChange(change=change, at=at, round=round, matches=matches, wins=wins, error=errors.of(change.item))


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
    """The resources that a tournament or one of its rounds took, open matches included.

    Args:
        chronicle: The tournament.
        number: The round; None for all of them.
    """
    rounds = chronicle.spending_by_round
    spending = total(rounds.values()) if number is None else rounds.get(number, NOTHING)
    return as_metrics(spending, running_time(chronicle, number).total_seconds(), float(spending.units))


def as_metrics(spending: Spending, seconds: float, units: float) -> ResourceMetrics:
    """Spending in the specifications' form.

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
    """The time between the plan of a round, or of the first, and its last match.

    A gap that ends when the tournament was resumed does not count: nobody was running it.
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
    """When a round was planned; without a record of that, when the one before it was over."""
    first = 1 if number is None else number
    if first in chronicle.round_notes:
        return chronicle.round_notes[first].at
    before = chronicle.by_round.get(first - 1, ())
    return before[-1].at if before else chronicle.event_log[0].at


TOP = 10
"""Top performers in the results of a round."""


def round_results(chronicle: Chronicle, number: int) -> TournamentRoundResults:
    """The results of a round (T), so far if it is not over.

    Args:
        chronicle: The tournament.
        number: Its number, from 1.
    """
    plan = next(plan for plan in chronicle.state.rounds if plan.number == number)
    return _results(chronicle, [plan])[0]


def completed_rounds(chronicle: Chronicle) -> tuple[TournamentRoundResults, ...]:
    """The results of all rounds but the last, and of the last too if none of its matches is left to play."""
    rounds, cancelled = list(chronicle.state.rounds), chronicle.state.event_state.cancelled
    is_open = bool(rounds) and len(matches_of(chronicle, rounds[-1].number)) < len(rounds[-1].pairings)
    if is_open and rounds[-1].number != cancelled:
        rounds = rounds[:-1]
    return tuple(_results(chronicle, rounds))


def matches_of(chronicle: Chronicle, number: int) -> tuple[RecordedMatch, ...]:
    """The recorded matches of a round, also those that were rolled back later."""
    return chronicle.by_round.get(number, ())


def deferred(chronicle: Chronicle, number: int) -> tuple[tuple[str, str], ...]:
    """Pairs that the plan of a round deferred to a later one."""
    return _pairs(chronicle, number, "deferred")


def degraded(chronicle: Chronicle, number: int) -> tuple[str, ...]:
    """Ids of a round's matches that the budget left without a debate, or with a shorter one."""
    plan = next(plan for plan in chronicle.state.rounds if plan.number == number)
    matches = ((match_id(number, position), pairing) for position, pairing in enumerate(plan.pairings, start=1))
    return tuple(id for id, pairing in matches if isinstance(pairing, Pairing) and pairing.degraded)


def average_change(changes: Iterable[DatedChange]) -> float:
    """Mean size of some rating changes, in Elo points; 0 without any."""
    sizes = [abs(dated.change.change) for dated in changes]
    return fmean(sizes) if sizes else 0.0


def _results(chronicle: Chronicle, plans: Iterable[PlannedRound]) -> list[TournamentRoundResults]:
    plan_by_number = {plan.number: plan for plan in plans}
    changes = list(dated_changes(chronicle))
    changes_by_round: dict[int, list[DatedChange]] = {number: [] for number in plan_by_number}
    for dated in changes:
        if dated.round in changes_by_round:
            changes_by_round[dated.round].append(dated)
    best = _best(chronicle, sorted(plan_by_number), changes)
    return [
        _result(chronicle, plan, changes_by_round[number], best[number])
        for number, plan in sorted(plan_by_number.items())
    ]


def _result(
    chronicle: Chronicle, plan: PlannedRound, changes: list[DatedChange], best: tuple[HypothesisRanking, ...]
) -> TournamentRoundResults:
    return TournamentRoundResults(
        round_id=str(plan.number),
        matches_completed=len(matches_of(chronicle, plan.number)),
        average_rating_change=average_change(changes),
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
    chronicle: Chronicle, numbers: Iterable[int], changes: Iterable[DatedChange]
) -> dict[int, tuple[HypothesisRanking, ...]]:
    """The best by running Elo at the end of each of some rounds, given in ascending order; ties by id."""
    state, following = chronicle.state, deque(changes)
    latest = dict.fromkeys(state.ids, (state.config.initial, 0, 0))
    best_by_round = {}
    for number in numbers:
        while following and following[0].round <= number:
            dated = following.popleft()
            latest[dated.change.item] = (dated.change.new, dated.matches, dated.wins)
        entered = (item for item in latest if state.entered.get(item, 1) <= number)
        first = heapq.nsmallest(TOP, entered, key=lambda item: (-latest[item][0], item))
        best_by_round[number] = tuple(_line(item, *latest[item]) for item in first)
    return best_by_round


def _line(item: str, elo: float, matches: int, wins: int) -> HypothesisRanking:
    return HypothesisRanking(
        hypothesis_id=item, current_elo=rounded(elo), matches_played=matches, win_rate=share_won(wins, matches)
    )
