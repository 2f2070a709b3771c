"""How ratings moved: one record a move, with what was known of the item then."""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from statistics import NormalDist

from paragone.analysis.progress.accuracy import EloErrors
from paragone.domain import Match, RatingChange
from paragone.domain.records import EloUpdate
from paragone.domain.records.rating import rounded, share_won
from paragone.tournaments.documents.chronicle import Chronicle


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
    found: defaultdict[str, list[EloUpdate]] = defaultdict(list)
    for move in moves(chronicle):
        found[move.change.item].append(_update(move, reach))
    return {item: tuple(updates) for item, updates in found.items()}


def round_updates(chronicle: Chronicle, number: int) -> tuple[EloUpdate, ...]:
    """Every move that a round's matches made, in the order of record."""
    reach = _reach(chronicle)
    return tuple(_update(move, reach) for move in moves(chronicle) if move.round == number)


def _reach(chronicle: Chronicle) -> float:
    """Standard deviations to either side that an interval takes."""
    return NormalDist().inv_cdf((1 + chronicle.state.brief.level) / 2)


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
    others = len(match.items) - 1
    if match.ranking is not None:
        won = others - match.items.index(item)
    else:
        won = int(match.outcome.score == (1.0 if item == match.a else 0.0))
    record[0] += sign * others
    record[1] += sign * won
