"""An open pool of agents, on which the modules of this package work, and its caches."""

import threading
from collections.abc import Callable, Hashable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Generic, TypeVar

from paragone.agents.formula_warnings import FormulaWarnings
from paragone.agents.snapshot import Snapshot
from paragone.domain import Counting, Normalization, RatingConfig
from paragone.domain.suggestions import close_names, instead
from paragone.errors import NotFound

if TYPE_CHECKING:
    from paragone.ledger import AgentRows, AgentStatistics, Ledger, ScoredMatch
MOST = 64
"""Answers that a cache keeps at most; the oldest are dropped first."""

MOST_CERTAIN = 512
"""The same of answers that hold for one version of a pool."""

T = TypeVar("T")


@dataclass(frozen=True, kw_only=True, slots=True)
class Lifetimes:
    """How long answers are cached, in seconds; 0 turns a cache off.

    Attributes:
        leaderboard: Leaderboards, global and by domain.
        recent_matches: Recent debates.
        statistics: Statistics.
        calibration: Leaderboards by calibration.

    Source: Aragora's specification, "Leaderboard Caching".
    """

    leaderboard: float = 300.0
    recent_matches: float = 60.0
    statistics: float = 600.0
    calibration: float = 300.0


AS_DOCUMENTED: Final = Lifetimes()
"""The lifetimes that Aragora's specification names."""


class Cache(Generic[T]):
    """Answers by key. They are not copied, so cache only what is immutable.

    An answer whose computation began before a write is not kept after it: it may be out of date.
    """

    def __init__(self, lifetime: float, clock: Callable[[], float]) -> None:
        self._lifetime = lifetime
        self._clock = clock
        self._kept: dict[Hashable, tuple[float, T]] = {}
        self._writes = 0
        self._guard = threading.Lock()

    def get(self, key: Hashable, make: Callable[[], T], *, use: bool = True) -> T:
        """The cached answer, or else a new one, which is cached.

        Args:
            key: The key.
            make: Computes the answer.
            use: Whether a cached answer may be returned.
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
        """Drop all answers, also those being computed; returns how many there were."""
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


class Certain:
    """Answers by key, each with the version of the pool that it was read from; it is returned for that version alone.

    So they are never out of date, whoever writes to the pool. They are not copied: keep only what nobody changes.
    """

    def __init__(self) -> None:
        self._kept: dict[Hashable, tuple[int | None, Any]] = {}
        self._guard = threading.Lock()

    def get(self, version: int | None, key: Hashable, make: Callable[[], T]) -> T:
        """The answer of a version, or else a new one, which is kept.

        Args:
            version: The pool's, looked up before this call. What was written since is in the answer, which is not
                returned again, since versions only grow.
            key: The key.
            make: Computes the answer.
        """
        entry = self._kept.get(key)
        if entry is not None and entry[0] == version:
            answer: T = entry[1]
            return answer
        answer = make()
        with self._guard:
            self._kept.pop(key, None)
            while len(self._kept) >= MOST_CERTAIN:
                del self._kept[next(iter(self._kept))]
            self._kept[key] = (version, answer)
        return answer


class Caches:
    """The caches of one system; another system has its own."""

    def __init__(self, lifetimes: Lifetimes, clock: Callable[[], float]) -> None:
        self.boards: Cache[AgentRows] = Cache(lifetimes.leaderboard, clock)
        self.debates: Cache[tuple[ScoredMatch, ...]] = Cache(lifetimes.recent_matches, clock)
        self.statistics: Cache[AgentStatistics] = Cache(lifetimes.statistics, clock)
        self.calibration: Cache[AgentRows] = Cache(lifetimes.calibration, clock)
        self.certain = Certain()

    def clear(self) -> int:
        """Drop all answers; returns how many of them were leaderboards."""
        self.debates.clear()
        self.statistics.clear()
        return self.boards.clear() + self.calibration.clear()


SHOWN = 5
"""New agents that a note names."""


def require_registered(ledger: "Ledger", pool: str, agents: Iterable[str]) -> None:
    """Refuse agents that are not in a pool.

    Raises:
        NotFound: Naming the first, and suggesting near names.
    """
    unknown = unregistered(ledger, pool, agents)
    if unknown:
        names = [row[0] for row in ledger.agents.rows(pool).standings]
        more = f" (nor are {len(unknown) - 1} more)" if len(unknown) > 1 else ""
        raise NotFound(
            f"agent {unknown[0]!r} is not registered in pool {pool!r}{more}, and strict names were asked for; "
            f"{instead(unknown[0], names)}"
        )


def unregistered(ledger: "Ledger", pool: str, agents: Iterable[str]) -> list[str]:
    """Those of the agents that are not in a pool, in their order."""
    names = list(dict.fromkeys(agents))
    registered = {row[0] for row in ledger.agents.rows(pool, names).standings} if names else set()
    return [name for name in names if name not in registered]


def new_agent_notes(new: Iterable[str], before: Iterable[str]) -> list[str]:
    """Notes on the agents that a call added: which they are, and which may be misspelt.

    Args:
        new: The agents that were added.
        before: The agents that were there before.
    """
    added, registered = list(new)[: 20 * SHOWN], list(before)
    nearest = {name: close_names(name, registered, 1) for name in added}
    lines = [f"{name!r} is a new agent; did you mean {meant[0]!r}?" for name, meant in nearest.items() if meant]
    unlike = [name for name, meant in nearest.items() if not meant]
    if unlike:
        more = f" and {len(unlike) - SHOWN} more" if len(unlike) > SHOWN else ""
        verb = "is a new agent" if len(unlike) == 1 else "are new agents"
        lines.append(f"{', '.join(map(repr, unlike[:SHOWN]))}{more} {verb}")
    return lines[: 2 * SHOWN]


@dataclass(frozen=True, kw_only=True, slots=True)
class AgentPool:
    """A pool of agents in an open ledger, with its caches and its snapshot.

    Attributes:
        ledger: The ledger.
        id: Id of the pool.
        config: How its ratings change.
        counting: How scores become points.
        normalization: How the points against several opponents add up.
        caches: Answers that are cached for a while.
        snapshot: The file beside the database.
        formula_warnings: Warns where a literal formula misleads.
        new_id: Makes ids for evidence recorded without one.
        strict: Whether evidence may name only registered agents.
    """

    ledger: "Ledger"
    id: str
    config: RatingConfig
    counting: Counting
    normalization: Normalization
    caches: Caches
    snapshot: Snapshot
    formula_warnings: FormulaWarnings
    new_id: Callable[[], str]
    strict: bool = False

    @contextmanager
    def writing(self, agents: Iterable[str] = ()) -> Iterator["Ledger"]:
        """The ledger, to record something; caches and snapshot are then out of date, even if that failed.

        Args:
            agents: The agents that the evidence names.

        Raises:
            NotFound: If the pool is strict and one of them is not registered; suggests near names.
        """
        if self.strict:
            require_registered(self.ledger, self.id, agents)
        try:
            yield self.ledger
        finally:
            self.snapshot.fall_behind()
            self.caches.clear()
        self.snapshot.keep_up()

    def known(self, make: Callable[[], T], *key: Hashable) -> T:
        """What a read of the pool returns: as it was last read, if nobody has written to the pool since.

        Args:
            make: Reads the pool; what it returns is kept, and must not be changed.
            key: Names what is read, with all arguments.
        """
        return self.caches.certain.get(self.ledger.pools.version(self.id), key, make)

    def close(self) -> None:
        """Bring the snapshot up to date and close the ledger."""
        try:
            self.snapshot.catch_up()
        finally:
            self.ledger.close()


class PoolMethods:
    """Methods on an open pool of agents; each subclass has the methods of one theme.

    Args:
        pool: The pool.
    """

    def __init__(self, pool: AgentPool) -> None:
        self._pool = pool
