"""Whether ratings of content have settled: how far each moved over the last sessions.

Source: document M, "Success Metrics": after 100 sessions scores stabilise. Settled reading: the share of active items
whose rating's spread over the last 20 sessions is under 10 % of a tier, which is 400 points wide.
"""

from collections import defaultdict
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass

WINDOW = 20
"""Sessions over which a rating's spread is taken."""
SETTLED = 40.0
"""Elo points: a spread below this is settled."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Moved:
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
class Settled:
    """How many of the active items have settled.

    Attributes:
        session: The last session of the window.
        active: Items that moved in the window.
        settled: Those of them whose ratings stayed within ``SETTLED`` points.
    """

    session: int
    active: int
    settled: int


def convergence(moves: Iterable[Moved], sessions: Sequence[int], *, window: int = WINDOW) -> list[Settled]:
    """How settled ratings were at the end of some sessions.

    The spread of an item counts what it stood at before the window, so that one large jump is not settled. Sessions
    before the first whole window are left out.

    Args:
        moves: In order.
        sessions: At the end of which sessions, ascending.
        window: Over how many sessions.
    """
    by_session: defaultdict[int, list[Moved]] = defaultdict(list)
    for move in moves:
        by_session[move.session].append(move)
    return [_settled(by_session, last, window) for last in sessions if last >= window - 1]


def _settled(by_session: defaultdict[int, list[Moved]], last: int, window: int) -> Settled:
    lowest: dict[Hashable, float] = {}
    highest: dict[Hashable, float] = {}
    for session in range(last - window + 1, last + 1):
        for move in by_session.get(session, ()):
            lowest[move.item] = min(move.old, move.new, lowest.get(move.item, move.old))
            highest[move.item] = max(move.old, move.new, highest.get(move.item, move.old))
    settled = sum(highest[item] - lowest[item] < SETTLED for item in lowest)
    return Settled(session=last, active=len(lowest), settled=settled)
