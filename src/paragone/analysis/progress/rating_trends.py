"""Where ratings go: the running Elo round by round, recent form, who rises and falls, and who is emerging.

An item rises where it lately won more than its ratings predicted. Over its last matches the running Elo moved by the
sum of K (S - E); were the ratings right all along, that sum would have mean 0 and variance sum K^2 E (1 - E). So a move
is called a rise or a fall from 1.64 standard deviations on, which chance alone does to one steady item in ten.
"""

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from paragone.domain import BoardRow, Match, Outcome, RatingChange

Floats = NDArray[np.float64]

RECENT = 5
"""Matches that are recent."""
SURE = 1.64
"""Standard deviations from which a move is more than chance: one in ten in either direction."""
FEW = 10
"""Matches below which an item may be emerging: the Ranking Agent specification's minimum for a stable rating."""


@dataclass(frozen=True, kw_only=True, eq=False, slots=True)
class Progression:
    """The running Elo of all items, round by round.

    Attributes:
        ids: The items; columns are in this order.
        rounds: Numbers of the rounds, from 0, which is before the first.
        elo: Running Elo after each round, shape (rounds, items); NaN before an item joined.
        moves: Mean absolute change of a rating by a match of each round but the first entry, in Elo points; NaN for a
            round without any.
    """

    ids: tuple[str, ...]
    rounds: tuple[int, ...]
    elo: Floats
    moves: Floats


def progression(
    ids: Sequence[str],
    changes: Iterable[RatingChange],
    round_of: Mapping[str, int],
    *,
    initial: float,
    entered: Mapping[str, int] | None = None,
) -> Progression:
    """The running Elo after each round.

    Args:
        ids: All items.
        changes: Every move of a rating, in the order of record. One that no match made, such as a seed, and the moves
            that undo a match count with the round they were recorded in.
        round_of: The round of each match, by its id.
        initial: Rating of an item that has not played.
        entered: First round of an item that joined later, by id.
    """
    last, joined = max(round_of.values(), default=0), entered or {}
    column = {id: index for index, id in enumerate(ids)}
    elo = np.full((last + 1, len(ids)), np.nan)
    now = np.full(len(ids), float(initial))
    sums, counts, at = np.zeros(last + 1), np.zeros(last + 1), 0
    for change in changes:
        number = round_of.get(change.match)
        if number is not None and number > at:
            elo[at:number] = now
            at = number
        now[column[change.item]] = change.new
        if number is not None and change.k > 0:  # what undoes a match has no K
            sums[number] += abs(change.change)
            counts[number] += 1
    elo[at:] = now
    for id, first in joined.items():
        if id in column:
            elo[: min(first, last), column[id]] = np.nan
    moves = np.divide(sums[1:], counts[1:], out=np.full(last, np.nan), where=counts[1:] > 0)
    return Progression(ids=tuple(ids), rounds=tuple(range(last + 1)), elo=elo, moves=moves)


class TrendDirection(StrEnum):
    """Where a rating goes."""

    RISING = "rising"
    STEADY = "steady"
    FALLING = "falling"


@dataclass(frozen=True, kw_only=True, slots=True)
class RatingTrend:
    """Where one item's rating went over its last matches.

    Attributes:
        item: Id of the item.
        matches: Matches that it has played in all.
        change: Elo points that its last matches brought.
        noise: Standard deviation of that change if the ratings before were right.
        form: Results of its last matches, the newest last: 1, 0.5 or 0.
    """

    item: str
    matches: int = 0
    change: float = 0.0
    noise: float = 0.0
    form: tuple[float, ...] = ()

    @property
    def direction(self) -> TrendDirection:
        """Rising or falling where the change is more than chance."""
        if not self.noise or abs(self.change) < SURE * self.noise:
            return TrendDirection.STEADY
        return TrendDirection.RISING if self.change > 0 else TrendDirection.FALLING


@dataclass(kw_only=True, slots=True)
class _Run:
    """The moves of one item so far."""

    count: int = 0
    moves: list[tuple[float, float, float]] = field(default_factory=list)

    def add(self, change: RatingChange) -> None:
        self.count += 1
        # Var(K (S - E)) = K^2 E (1 - E) for a result that is won with probability E.
        variance = change.k**2 * change.expected * (1 - change.expected)
        self.moves.append((change.change, variance, change.score))
        del self.moves[:-RECENT]

    def trend(self, id: str) -> RatingTrend:
        change, noise = sum(move[0] for move in self.moves), math.sqrt(sum(move[1] for move in self.moves))
        form = tuple(move[2] for move in self.moves)
        return RatingTrend(item=id, matches=self.count, change=change, noise=noise, form=form)


def trends(ids: Sequence[str], changes: Iterable[RatingChange], counted: Iterable[str]) -> dict[str, RatingTrend]:
    """Where each item's rating goes, by id.

    Args:
        ids: All items.
        changes: Every move of a rating, in the order of record.
        counted: Ids of the matches that stand; moves that come from anything else say nothing about form.
    """
    runs: defaultdict[str, _Run] = defaultdict(_Run)
    counted_matches = set(counted)
    for change in changes:
        if change.match in counted_matches:
            runs[change.item].add(change)
    return {id: runs[id].trend(id) for id in ids}


def emerging(
    rows: Sequence[BoardRow], trends_by_id: Mapping[str, RatingTrend], *, top: int, most: int = 10
) -> tuple[str, ...]:
    """Items that may soon be on top: little known yet, winning, and possibly good enough.

    That is: fewer than ``FEW`` matches, or fewer than half the median; more points won in the last matches than the
    ratings predicted; and the best rank of its interval within the top, in which it is not yet.

    Args:
        rows: The board, best first.
        trends_by_id: Trends by id.
        top: How many the top is.
        most: How many to name at the most.

    Returns:
        Ids, best first.
    """
    few = max(FEW, float(np.median([row.matches for row in rows])) / 2) if rows else FEW
    candidates = (
        row.id
        for row in rows
        if row.rank > top and row.rank_low <= top and 0 < row.matches < few and trends_by_id[row.id].change > 0
    )
    return tuple(id for id, _ in zip(candidates, range(most), strict=False))


def last_matches(matches: Sequence[Match], ids: Iterable[str], count: int = RECENT) -> dict[str, tuple[Match, ...]]:
    """The last matches of each of these items that counted, the newest last, by id.

    Args:
        matches: Matches that stand, in the order of record.
        ids: The items.
        count: How many at the most.
    """
    recent: dict[str, list[Match]] = {id: [] for id in ids}
    missing = len(recent)
    for match in reversed(matches):
        if not missing:
            break
        if match.outcome is Outcome.VOID:
            continue
        for id in match.items:
            mine = recent.get(id)
            if mine is not None and len(mine) < count:
                mine.append(match)
                missing -= len(mine) == count
    return {id: tuple(reversed(mine)) for id, mine in recent.items()}
