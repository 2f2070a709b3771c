"""Answers that are kept for a while: leaderboards, recent debates, statistics."""

import threading
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Generic, TypeVar

if TYPE_CHECKING:
    from paragone.ledger import AgentRows, AgentStatistics, ScoredMatch

MOST = 64
"""Answers that one cache keeps; the oldest go first."""

T = TypeVar("T")


@dataclass(frozen=True, kw_only=True, slots=True)
class Lifetimes:
    """For how long answers are kept, in seconds; 0 for not at all.

    Attributes:
        leaderboard: Leaderboards, global and by domain.
        recent_matches: Recent debates.
        statistics: Statistics.
        calibration: Leaderboards by calibration.

    Source: document A, "Leaderboard Caching".
    """

    leaderboard: float = 300.0
    recent_matches: float = 60.0
    statistics: float = 600.0
    calibration: float = 300.0


AS_DOCUMENTED: Final = Lifetimes()
"""The lifetimes that document A names."""


class Cache(Generic[T]):
    """Answers by what was asked. They are handed out as they are: keep only what cannot be changed.

    An answer that was begun before a write is not kept after it: it may be from before.
    """

    def __init__(self, lifetime: float, clock: Callable[[], float]) -> None:
        self._lifetime = lifetime
        self._clock = clock
        self._kept: dict[Hashable, tuple[float, T]] = {}
        self._writes = 0
        self._guard = threading.Lock()

    def get(self, key: Hashable, make: Callable[[], T], *, use: bool = True) -> T:
        """The answer that is kept, or else a new one, which is kept from now on.

        Args:
            key: What was asked.
            make: Answers it.
            use: Whether one that is kept will do.
        """
        with self._guard:
            began, writes = self._clock(), self._writes
            entry = self._kept.get(key)
        if use and entry is not None and began < entry[0]:
            return entry[1]
        answer = make()
        with self._guard:
            if writes == self._writes:
                self._keep(key, began + self._lifetime, answer)
        return answer

    def clear(self) -> int:
        """Forget all answers, those that are being made too; how many there were."""
        with self._guard:
            self._writes += 1
            count = len(self._kept)
            self._kept.clear()
        return count

    def _keep(self, key: Hashable, until: float, answer: T) -> None:
        self._kept.pop(key, None)
        while len(self._kept) >= MOST:
            del self._kept[next(iter(self._kept))]
        self._kept[key] = (until, answer)


class Caches:
    """The caches of one system; another system has its own."""

    def __init__(self, lifetimes: Lifetimes, clock: Callable[[], float]) -> None:
        self.boards: Cache[AgentRows] = Cache(lifetimes.leaderboard, clock)
        self.debates: Cache[tuple[ScoredMatch, ...]] = Cache(lifetimes.recent_matches, clock)
        self.statistics: Cache[AgentStatistics] = Cache(lifetimes.statistics, clock)
        self.calibration: Cache[AgentRows] = Cache(lifetimes.calibration, clock)

    def clear(self) -> int:
        """Forget all answers; how many leaderboards there were among them."""
        self.debates.clear()
        self.statistics.clear()
        return self.boards.clear() + self.calibration.clear()
