"""What ratings of content do for searches: whether they have settled, and what they gain.

Source: the memory specification, "Success Metrics" (after 100 sessions scores stabilise; settled reading: the share of
active items whose rating's spread over the last 20 sessions is under 10 % of a tier, which is 400 points wide).
"""

from collections import defaultdict
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass

WINDOW = 20
"""Sessions over which a rating's spread is taken."""
SETTLED = 40.0
"""Elo points: a spread below this is settled."""


@dataclass(frozen=True, kw_only=True, slots=True)
class RatingMove:
    """One move of one rating.

    Attributes:
        session: Number of the session, from 0, in the order in which sessions began.
        item: What moved.
        old: Rating before, in Elo points.
        new: Rating after.
    """

    session: int
    item: Hashable
    old: float
    new: float


@dataclass(frozen=True, kw_only=True, slots=True)
class SettledCount:
    """How many of the active items have settled.

    Attributes:
        session: The last session of the window.
        active: Items that moved in the window.
        settled: Those of them whose ratings stayed within ``SETTLED`` points.
    """

    session: int
    active: int
    settled: int


def convergence(moves: Iterable[RatingMove], sessions: Sequence[int], *, window: int = WINDOW) -> list[SettledCount]:
    """How settled ratings were at the end of some sessions.

    The spread of an item counts what it stood at before the window, so that one large jump is not settled. Sessions
    before the first whole window are left out.

    Args:
        moves: In order.
        sessions: At the end of which sessions, ascending.
        window: Over how many sessions.
    """
    by_session: defaultdict[int, list[RatingMove]] = defaultdict(list)
    for move in moves:
        by_session[move.session].append(move)
    return [_settled(by_session, last, window) for last in sessions if last >= window - 1]


def _settled(by_session: defaultdict[int, list[RatingMove]], last: int, window: int) -> SettledCount:
    lowest: dict[Hashable, float] = {}
    highest: dict[Hashable, float] = {}
    for session in range(last - window + 1, last + 1):
        for move in by_session.get(session, ()):
            lowest[move.item] = min(move.old, move.new, lowest.get(move.item, move.old))
            highest[move.item] = max(move.old, move.new, highest.get(move.item, move.old))
    settled = sum(highest[item] - lowest[item] < SETTLED for item in lowest)
    return SettledCount(session=last, active=len(lowest), settled=settled)


TOP = 5


@dataclass(frozen=True, kw_only=True, slots=True)
class RankedFile:
    """One file that a search showed.

    Attributes:
        path: The file.
        similarity: How near it was to the query.
        score: What it would be ordered by if ratings counted.
        high: Whether its rating was in the tier HIGH at that time.
        used: Whether it was used afterwards, by way of this search.
    """

    path: str
    similarity: float
    score: float
    high: bool
    used: bool


@dataclass(frozen=True, kw_only=True, slots=True)
class Efficiency:
    """What one search was worth.

    Attributes:
        high: How many of its first five results were rated high.
        shown: How many results those first five were.
        used: How many of its results were used.
        used_off: How many of them are among the five most similar.
        used_on: How many of them are among the first five if ratings count.
    """

    high: int
    shown: int
    used: int
    used_off: int
    used_on: int


def efficiency(results: Sequence[RankedFile]) -> Efficiency:
    """The efficiency of one search.

    Args:
        results: Files in the order in which they were shown, each once.
    """
    first = results[:TOP]
    return Efficiency(
        high=sum(row.high for row in first),
        shown=len(first),
        used=sum(row.used for row in results),
        used_off=_used(sorted(results, key=lambda row: -row.similarity)),
        used_on=_used(sorted(results, key=lambda row: -row.score)),
    )


def _used(results: Iterable[RankedFile]) -> int:
    return sum(row.used for row in list(results)[:TOP])
