"""Read access to the server's ledger, with a cache per pool that lasts until the next write to the pool."""

import threading
import time
from collections import OrderedDict, defaultdict
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, Self, TypeVar

from paragone.domain.refusals import quoted
from paragone.domain.suggestions import did_you_mean
from paragone.errors import Busy, InvalidConfig, NotFound
from paragone.ledger import Ledger, PoolRecord
from paragone.ledger.evidence.tournaments import ADMIN
from paragone.web.readers.background import BackgroundExecutor
from paragone.web.readers.followed_pool import PoolFollower

if TYPE_CHECKING:
    from paragone.domain import Board
    from paragone.tournaments.state import TournamentState

T = TypeVar("T")
LARGE = 8
"""Cached values of a kind that may be as large as a pool; the least recently used is dropped first."""
MANY = 500
"""Cached values of any other kind."""
CHEAP = 0.25
"""Seconds up to which a value is cheap: it is computed anew after every write, on request."""
REST = 3.0
"""Others rest this many times as long as they took before they are computed again: a quarter of a core at most."""
MOST_ITEMS = 20_000
MOST_MATCHES = 200_000
"""Up to which a tournament is read whole for a page."""
PATIENCE = 10.0
"""Seconds to wait for something made from a whole tournament, if there is no older one."""
TOP = "top of the board by Elo"
_SMALL = frozenset(
    {"items", "matches", "tournament", "is tournament", "has texts", "title", "lifecycle", "agent calibration", TOP}
)
"""Small values, which lists of pools need for every pool."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Computed(Generic[T]):
    """A value computed from a pool.

    Attributes:
        version: The pool's version that it describes, or a newer one.
        value: The value.
        started: When the computation started, by a monotonic clock.
        seconds: How long it took.
    """

    version: int
    value: T
    started: float = 0.0
    seconds: float = 0.0

    def rests(self, now: float) -> bool:
        """Whether it took so long that it must not be computed again yet."""
        return self.seconds > CHEAP and now < self.started + (1.0 + REST) * self.seconds


@dataclass(frozen=True, kw_only=True, slots=True)
class RankedBoard:
    """A board by strength.

    Attributes:
        board: The board.
        positions: The position of each item among its rows, from 0.
    """

    board: "Board"
    positions: "Mapping[str, int]"


class LedgerReader:
    """The ledger of a server with cached values. Thread-safe.

    Attributes:
        ledger: The ledger; many threads may read and write it.
        clock: A monotonic clock, in seconds.
    """

    def __init__(self, ledger: Ledger, *, clock: Callable[[], float] = time.monotonic) -> None:
        self.ledger = ledger
        self.clock = clock
        self._kept: dict[str, OrderedDict[str, tuple[int, Future[Any]]]] = defaultdict(OrderedDict)
        self._newest: dict[str, OrderedDict[str, Computed[Any]]] = defaultdict(OrderedDict)
        self._counts: dict[tuple[str, str], tuple[int, int]] = {}
        self._followed: OrderedDict[str, PoolFollower] = OrderedDict()
        self._lock = threading.Lock()
        self._background = BackgroundExecutor(2, "views")

    @classmethod
    def open(cls, db: str) -> Self:
        """Open a ledger, which is created if it does not exist."""
        return cls(Ledger.open(db))

    def version(self, pool: str) -> int:
        """A number that grows with every write to a pool.

        Raises:
            NotFound: If there is no such pool.
        """
        version = self.ledger.pools.version(pool)
        if version is None:
            raise NotFound(f"there is no pool {pool!r}")
        return version

    def pools(self) -> tuple[PoolRecord, ...]:
        """All pools, oldest first."""
        return self.ledger.pools.all()

    def state(self, pool: str) -> "TournamentState":
        """The state of a tournament. It is shared: do not change it.

        Raises:
            NotFound: If there is no such tournament.
        """
        return self.kept("state", pool, lambda: self._following(pool).state())

    def board(self, pool: str) -> "Board":
        """The current board by strength, however long it takes.

        Raises:
            NotFound: If there is no such tournament.
        """
        return self.now("board", pool, lambda: self._board(pool)).board

    def newest_board(self, pool: str, patience: float) -> "tuple[Computed[RankedBoard] | None, bool]":
        """The newest board by strength, and whether a newer one is being made; see ``newest``."""
        return self.newest("board", pool, lambda: self._board(pool), patience)

    def items(self, pool: str) -> int:
        """Number of items of a pool.

        Raises:
            NotFound: If there is no such pool.
        """
        return self.kept("items", pool, lambda: self._counted("items", pool, self.ledger.items.count_after))

    def matches(self, pool: str) -> int:
        """Number of matches of a pool, including those that were rolled back.

        Raises:
            NotFound: If there is no such pool.
        """
        return self.kept("matches", pool, lambda: self._counted("matches", pool, self.ledger.matches.count_after))

    def is_tournament(self, pool: str) -> bool:
        """Whether a pool is a tournament, and so has a board by strength."""
        return self.kept("is tournament", pool, lambda: _is_tournament(self.ledger, pool))

    def log_act(self, pool: str, by: str, act: str, **about: object) -> None:
        """Record an act of an admin as an event of the tournament. A pool that is no tournament has no events.

        Raises:
            NotFound: If there is no such pool.
        """
        if self.is_tournament(pool):
            self.ledger.tournaments.add_event(pool, ADMIN, {"by": by, "act": act, **about})

    def is_small(self, pool: str) -> bool:
        """Whether a pool is a tournament that may be read whole for a page."""
        return self.is_tournament(pool) and self.items(pool) <= MOST_ITEMS and self.matches(pool) <= MOST_MATCHES

    def no_item(self, pool: str, id: str) -> NotFound:
        """The error for an item that a pool does not have; it suggests near ids unless the pool is large."""
        ids = self.state(pool).ids if self.is_small(pool) else ()
        return NotFound(f"there is no item {quoted(id)} in pool {pool!r}{did_you_mean(id, ids)}")

    def require_small(self, pool: str) -> None:
        """Refuse a tournament that is too large to be read whole for a page.

        Raises:
            NotFound: If there is no such pool, or it is no tournament.
            InvalidConfig: If it is too large.
        """
        if not self.is_tournament(pool):
            raise NotFound(f"pool {pool!r} is not a tournament: nothing of that kind is known about it")
        if not self.is_small(pool):
            size = f"{self.items(pool):,} items and {self.matches(pool):,} matches"
            raise InvalidConfig(
                f"{pool} has {size}: here this is made for up to {MOST_ITEMS:,} and {MOST_MATCHES:,}; "
                "`paragone report` and `paragone consistency` take any"
            )

    def whole(self, what: str, pool: str, make: Callable[[], T]) -> T:
        """Something made from a whole tournament: as things stand, or if that takes long, an older one.

        Raises:
            NotFound: If there is no such pool, or it is no tournament.
            InvalidConfig: If it is too large.
            Busy: If it is still being made, and there is no older one.
        """
        self.require_small(pool)
        snapshot, _ = self.newest(what, pool, make, PATIENCE)
        if snapshot is None:
            raise Busy(f"{what} of {pool} is being made: ask again in a moment")
        return snapshot.value

    def newest(self, what: str, pool: str, make: Callable[[], T], patience: float) -> "tuple[Computed[T] | None, bool]":
        """The newest value of something slow to compute, and whether a newer one is being computed.

        It is computed in the background, one at a time, however the pool changes meanwhile. A slow computation is not
        repeated at once: else a pool that is voted on would keep a processor busy for as long as somebody looks.

        Args:
            what: Name of the value.
            pool: The pool.
            make: Computes it. It must not wait for another background computation: only two run at a time.
            patience: Seconds to wait for a current value; after these the previous one is returned, or None. There
                is no wait if the previous one took longer than that.
        """
        version, before = self.version(pool), self._newest[what].get(pool)
        if before is not None and before.version < version and before.rests(self.clock()):
            return before, True
        future = self._making(what, pool, make)
        try:
            latest = future.result(timeout=patience if before is None or before.seconds <= patience else 0.0)
        except TimeoutError:
            return self._newest[what].get(pool), True
        return latest, latest.version < version  # there was a write after it began

    def current(self, what: str, pool: str, make: Callable[[], T], *, at_least: int = 0) -> tuple[T, bool]:
        """A value read from a pool, normally not older than this call; and whether it is older after all.

        The caller computes it, once for all who call meanwhile: in the background it might wait for slow fits. It is
        older if it took long to compute and must not be repeated yet; see ``newest``.

        Args:
            what: Name of the value.
            pool: The pool.
            make: Computes it, from one version of the ledger.
            at_least: Oldest version that will do.
        """
        version = self.version(pool)
        with self._lock:
            before = self._newest[what].get(pool)
        if before is not None and at_least <= before.version < version and before.rests(self.clock()):
            return before.value, True
        return self.kept(f"current {what}", pool, lambda: self._timed(what, pool, make)).value, False

    def now(self, what: str, pool: str, make: Callable[[], T]) -> T:
        """A current value, however long it takes to compute."""
        version = self.version(pool)
        while True:
            latest = self._making(what, pool, make).result()
            if latest.version >= version:
                return latest.value

    def kept(self, what: str, pool: str, make: Callable[[], T], *, stamp: int | None = None) -> T:
        """A cached value of a pool as it is now; computed once, however many call meanwhile.

        Args:
            what: Name of the value, unique for the pool.
            pool: The pool.
            make: Computes it.
            stamp: Number with which it changes; None for the pool's version.
        """
        return self._future(what, pool, make, background=False, stamp=stamp).result()

    def begin_to_end(self) -> None:
        """Stop the background work; callers that wait for it get ``Busy``."""
        self._background.shutdown()

    def close(self) -> None:
        """Close files and connections."""
        self.begin_to_end()
        self.ledger.close()

    def _following(self, pool: str) -> PoolFollower:
        with self._lock:
            followed = self._followed.setdefault(pool, PoolFollower(self.ledger, pool))
            self._followed.move_to_end(pool)
            _shorten(self._followed, LARGE)
            return followed

    def _counted(self, what: str, pool: str, since: Callable[[str, int], tuple[int, int]]) -> int:
        """The count so far plus what was added since."""
        before, sequence = self._counts.get((what, pool), (0, 0))
        more, sequence = since(pool, sequence)
        self._counts[what, pool] = (before + more, sequence)
        return before + more

    def _board(self, pool: str) -> "RankedBoard":
        from paragone.tournaments.results.tournament_board import board_of

        state = self.state(pool)
        board = board_of(self.ledger, state, ratings=state.ratings)  # the ledger may have changed meanwhile
        return RankedBoard(board=board, positions={row.id: position for position, row in enumerate(board.items)})

    def _making(self, what: str, pool: str, make: Callable[[], T]) -> "Future[Computed[T]]":
        return self._future(f"made {what}", pool, lambda: self._timed(what, pool, make), background=True)

    def _timed(self, what: str, pool: str, make: Callable[[], T]) -> Computed[T]:
        """Compute a value, and keep it as the newest of its kind."""
        version, started = self.version(pool), self.clock()
        value = make()
        done = Computed(version=version, value=value, started=started, seconds=self.clock() - started)
        with self._lock:
            newest = self._newest[what]
            newest[pool] = done
            newest.move_to_end(pool)
            _shorten(newest, LARGE)
        return done

    def _future(
        self, what: str, pool: str, make: Callable[[], T], *, background: bool, stamp: int | None = None
    ) -> "Future[T]":
        version = self.version(pool) if stamp is None else stamp
        with self._lock:
            views = self._kept[what]
            cached = views.get(pool)
            if (
                cached is not None
                and not _failed(cached[1])
                and (cached[0] == version or (background and not cached[1].done()))
            ):
                views.move_to_end(pool)
                return cached[1]
            future: Future[T] = self._background.submit(make) if background else Future()
            views[pool] = (version, future)
            _shorten(views, MANY if what in _SMALL else LARGE)
        if not background:
            _fill(future, make)
        return future


def _shorten(views: OrderedDict[str, Any], most: int) -> None:
    while len(views) > most:
        views.popitem(last=False)


def _fill(future: "Future[T]", make: Callable[[], T]) -> None:
    try:
        future.set_result(make())
    except BaseException as error:  # callers that wait get it too, and the next call tries again
        future.set_exception(error)
        raise


def _failed(future: "Future[Any]") -> bool:
    return future.done() and (future.cancelled() or future.exception() is not None)


def _is_tournament(ledger: Ledger, pool: str) -> bool:
    try:
        return ledger.tournaments.get(pool).pool == pool
    except NotFound:
        return False
