"""Counting: what one event of the logs does to the states and open searches, held in memory during a batch."""

import json
import sqlite3
from collections.abc import Iterable, Sequence
from dataclasses import replace

from paragone.domain.content import (
    Content,
    ContentEvent,
    ContentKind,
    ContentState,
    OpenSearch,
    PooledContent,
    PoolSize,
    Renamed,
    Showing,
    Shown,
    TruthFound,
    TruthSource,
    UsageConfig,
    UsageMove,
    Use,
    moved_symbol,
)
from paragone.memory.scores import database
from paragone.memory.store.config import INITIAL, MemoryConfig, initial_rating
from paragone.memory.store.lines import path_of
from paragone.ratings.usage import show, touched, use

MAX_OPEN_SEARCHES = 20_000
"""Number of searches kept: a use may refer to one of the last."""


class OpenSearches:
    """The searches that may still lead to uses, cached during a batch and written at its end."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._at_hand: dict[str, tuple[int, OpenSearch]] = {}
        self._changed: set[str] = set()
        self._last = self._renames = 0

    def begin(self) -> None:
        """Forget the cache and read the counters."""
        self._at_hand.clear()
        self._changed.clear()
        self._last = int(self._connection.execute("SELECT coalesce(max(n), 0) FROM search").fetchone()[0])
        renames = self._connection.execute("SELECT seq FROM sqlite_sequence WHERE name = 'rename'").fetchone()
        self._renames = int(renames[0]) if renames else 0

    def get(self, id: str) -> OpenSearch | None:
        """A search by its id, if it is one of the last."""
        entry = self._at_hand.get(id) or self._read(id)
        if entry is None or entry[0] <= self._last - MAX_OPEN_SEARCHES:
            return None
        self._at_hand[id] = entry
        return entry[1]

    def keep(self, search: OpenSearch) -> None:
        """Store a search that is new or has counted something."""
        entry = self._at_hand.get(search.id) or self._read(search.id)
        if entry is None:
            self._last += 1
        self._at_hand[search.id] = (self._last if entry is None else entry[0], search)
        self._changed.add(search.id)

    def rename(self, event: Renamed) -> None:
        """From now on, earlier searches mean the new path by the old one."""
        added = self._connection.execute(
            "INSERT INTO rename (searches, time, old, new) VALUES (?,?,?,?)",
            (self._last, event.time, event.old, event.new),
        )
        self._renames = added.lastrowid or 0
        for id, (n, search) in self._at_hand.items():
            if search.time <= event.time:
                self._at_hand[id] = (n, renamed(search, event.old, event.new))

    def write(self) -> None:
        """Write what changed, and delete what is too old."""
        if not self._changed:
            return
        self._connection.executemany(
            "INSERT INTO search (n, id, time, tool, results, counted, paid, renames) VALUES (?,?,?,?,?,?,?,?)"
            " ON CONFLICT (n) DO UPDATE SET results = excluded.results, counted = excluded.counted,"
            " paid = excluded.paid, renames = excluded.renames",
            [(*_row(*self._at_hand[id]), self._renames) for id in self._changed],
        )
        self._changed.clear()
        self._connection.execute("DELETE FROM search WHERE n <= ?", (self._last - MAX_OPEN_SEARCHES,))
        self._connection.execute("DELETE FROM rename WHERE searches <= ?", (self._last - MAX_OPEN_SEARCHES,))
        if len(self._at_hand) > MAX_OPEN_SEARCHES:
            self._at_hand.clear()

    def _read(self, id: str) -> tuple[int, OpenSearch] | None:
        row = self._connection.execute(
            "SELECT n, renames, id, time, tool, results, counted, paid FROM search WHERE id = ?", (id,)
        ).fetchone()
        if row is None:
            return None
        search = _search_of(row[2:])
        for old, new in self._connection.execute(
            "SELECT old, new FROM rename WHERE n > ? AND time >= ? ORDER BY n", (row[1], search.time)
        ):
            search = renamed(search, old, new)
        return row[0], search


def renamed(search: OpenSearch, old: str, new: str) -> OpenSearch:
    """The search as if a file had had its new path already."""
    if all(row.path != old for row in search.results):
        return search
    return replace(
        search,
        results=tuple(
            replace(row, path=new, symbol=moved_symbol(row.symbol, old, new)) if row.path == old else row
            for row in search.results
        ),
        counted=frozenset((content.moved(old, new), how) for content, how in search.counted),
        paid={content.moved(old, new): points for content, points in search.paid.items()},
    )


def _row(n: int, search: OpenSearch) -> tuple[object, ...]:
    results = [(row.rank, row.path, row.hash, row.symbol, row.adr) for row in search.results]
    counted = [(*_names(content), how) for content, how in search.counted]
    paid = [(*_names(content), points) for content, points in search.paid.items()]
    return n, search.id, search.time, search.tool, json.dumps(results), json.dumps(counted), json.dumps(paid)


def _search_of(row: Sequence[str]) -> OpenSearch:
    id, time, tool, results, counted, paid = row
    return OpenSearch(
        id=id,
        time=float(time),
        tool=tool,
        results=tuple(
            Shown(rank=rank, path=path, hash=hash, symbol=symbol, adr=adr)
            for rank, path, hash, symbol, adr in json.loads(results)
        ),
        counted=frozenset((_content(*names), how) for *names, how in json.loads(counted)),
        paid={_content(*names): points for *names, points in json.loads(paid)},
    )


def _names(content: Content) -> tuple[str, str, str]:
    return str(content.kind), content.id, content.path


def _content(kind: str, id: str, path: str) -> Content:
    return Content(kind=ContentKind(kind), id=id, path=path)


def merged(moving: ContentState, target: ContentState, config: UsageConfig) -> ContentState:
    """One state of two: the rating of the busier one, the uses of both.

    If both had as many updates, that of the new path counts as the busier. R is that of the new path, else of the
    other.
    """
    busier = moving if moving.updates > target.updates else target
    truth = dict((*moving.truth, *target.truth))
    return ContentState(
        content=target.content,
        elo=busier.elo,
        initial=busier.initial,
        updates=moving.updates + target.updates,
        uses=moving.uses + target.uses,
        first_use=min(_known(moving.first_use, target.first_use), default=None),
        last_use=max(_known(moving.last_use, target.last_use), default=None),
        recent=tuple(sorted((*moving.recent, *target.recent)))[-config.need_recent :],
        truth=tuple((source, truth[source]) for source in TruthSource if source in truth),
    )


def _known(*times: float | None) -> list[float]:
    return [time for time in times if time is not None]


_MAX_CACHED = 100_000
"""States cached between two batches."""


class WorkingSet:
    """A ``ratings.usage.UsageLookup`` in the database, within one transaction at a time.

    Args:
        connection: To the scores.
        config: Constants and tiers.
    """

    def __init__(self, connection: sqlite3.Connection, config: MemoryConfig) -> None:
        self._connection, self._config = connection, config
        self._states: dict[Content, ContentState] = {}
        self._absent: set[Content] = set()
        self._numbers: dict[Content, int] = {}
        self._changed: dict[Content, None] = {}
        self._added: dict[Content, None] = {}
        self._moves: list[tuple[UsageMove, int]] = []
        self._pools: dict[ContentKind, database.PoolSums] = {}
        self._searches = OpenSearches(connection)
        self._last = 0
        self.forget()

    def forget(self) -> None:
        """Drop the cache: another process has written, or a transaction failed."""
        for collection in (self._states, self._absent, self._numbers, self._changed, self._added, self._moves):
            collection.clear()
        self._pools = database.read_pools(self._connection, INITIAL[self._config.tiers.default])
        self._searches.begin()
        self._last = int(self._connection.execute("SELECT coalesce(max(n), 0) FROM standing").fetchone()[0])

    # what events ask for

    def state(self, content: Content) -> ContentState:
        """The state of content; at its initial rating if it was never used."""
        state = self._states.get(content)
        if state is None and content not in self._absent:
            self.fetch((content,))
            state = self._states.get(content)
        if state is not None:
            return state
        bounds = self._config.ratings
        initial = min(max(initial_rating(content, self._config.tiers), bounds.floor), bounds.ceiling)
        placed = content if content.path else replace(content, path=path_of(content.kind, content.id))
        return ContentState(content=placed, elo=initial, initial=initial)

    def mean(self, kind: ContentKind) -> float:
        """The mean rating of all content of a kind, in Elo points."""
        return self._pools[kind].mean

    def search(self, id: str) -> OpenSearch | None:
        """A search that was counted, and may still lead to uses."""
        return self._searches.get(id)

    def fetch(self, contents: Iterable[Content]) -> None:
        """Read the states of some content at once."""
        missing = {content for content in contents if content not in self._states and content not in self._absent}
        if missing:
            for n, state in database.read(self._connection, missing):
                self._states[state.content] = state
                self._numbers[state.content] = n
            self._absent.update(content for content in missing if content not in self._states)

    # what events leave

    def keep(self, after: ContentState) -> None:
        """Store a state."""
        content, pool = after.content, self._pools[after.content.kind]
        before = self.state(content)
        if content not in self._numbers:
            self._last += 1
            self._numbers[content] = self._last
            self._added[content] = None
            self._absent.discard(content)
            pool.rated += 1
            pool.initials += after.initial
        elif content not in self._added:
            self._changed[content] = None
        pool.net += after.elo - before.elo
        self._states[content] = after

    def keep_search(self, search: OpenSearch) -> None:
        self._searches.keep(search)

    def record(self, moves: Iterable[UsageMove]) -> None:
        """Add to the history."""
        self._moves.extend((move, self._numbers[move.content]) for move in moves)

    def resize(self, kind: ContentKind, size: PoolSize) -> None:
        """Store the number of contents of a kind in the index."""
        self._pools[kind].count, self._pools[kind].mean_initial = size.count, size.mean_initial

    def rename(self, event: Renamed) -> None:
        """Move the states of a file and its content to another path.

        Not if the old path was used after the file was renamed: then there is another file of that name.
        """
        self.write()
        file = self.state(Content.file(event.old))
        if event.old == event.new or (file.last_use is not None and file.last_use > event.time):
            return
        for n, state in database.read_path(self._connection, event.old):
            self._move(n, state, state.content.moved(event.old, event.new))
        self._searches.rename(event)

    def write(self) -> None:
        """Write what changed."""
        database.insert(self._connection, [(self._numbers[content], self._states[content]) for content in self._added])
        database.update(
            self._connection, [(self._numbers[content], self._states[content]) for content in self._changed]
        )
        database.insert_moves(self._connection, self._moves)
        database.write_pools(self._connection, self._pools)
        self._searches.write()
        self._added.clear()
        self._changed.clear()
        self._moves.clear()
        self.trim()

    def trim(self) -> None:
        """Limit the cache; everything in it must have been written."""
        if len(self._states) > _MAX_CACHED or len(self._absent) > _MAX_CACHED:
            self._states.clear()
            self._numbers.clear()
            self._absent.clear()

    def _move(self, n: int, state: ContentState, target: Content) -> None:
        target_entry = next(database.read(self._connection, (target,)), None) if target != state.content else None
        for content in (state.content, target):
            self._states.pop(content, None)
            self._numbers.pop(content, None)
            self._absent.discard(content)
        if target_entry is None:
            self._connection.execute("UPDATE standing SET id = ?, path = ? WHERE n = ?", (target.id, target.path, n))
            return
        merged_standing = merged(state, target_entry[1], self._config.ratings)
        database.update(self._connection, [(target_entry[0], merged_standing)])
        self._connection.execute("DELETE FROM standing WHERE n = ?", (n,))
        self._connection.execute("UPDATE move SET content = ? WHERE content = ?", (target_entry[0], n))
        pool = self._pools[target.kind]  # one state remains of two: only its own gain stays in the sums
        pool.rated -= 1
        pool.initials += merged_standing.initial - state.initial - target_entry[1].initial
        pool.net += (
            (merged_standing.elo - merged_standing.initial)
            - (state.elo - state.initial)
            - (target_entry[1].elo - target_entry[1].initial)
        )


def count(event: ContentEvent, working_set: WorkingSet, config: UsageConfig) -> list[UsageMove]:
    """Apply one event to the working set; returns the changes of ratings."""
    match event:
        case Showing() | Use():
            return _step(event, working_set, config)
        case TruthFound():
            _find_truth(event, working_set)
        case PooledContent():
            for kind, size in event.pools.items():
                working_set.resize(kind, size)
        case Renamed():
            working_set.rename(event)
    return []


def _step(event: Showing | Use, working_set: WorkingSet, config: UsageConfig) -> list[UsageMove]:
    if isinstance(event, Use):
        working_set.fetch(touched(event, working_set.search(event.search) if event.search else None))
        step = use(event, working_set, config)
    else:
        if not config.zero_sum:
            working_set.fetch(touched(event, None))
        step = show(event, working_set, config)
    for state in step.states.values():
        working_set.keep(state)
    working_set.record(step.moves)
    if step.search is not None:
        working_set.keep_search(step.search)
    return step.moves


def _find_truth(event: TruthFound, working_set: WorkingSet) -> None:
    before = working_set.state(event.content)
    truth = {source: r for source, r in before.truth if source != event.source}
    if event.r is not None:
        truth[event.source] = event.r
    if tuple(truth.items()) != before.truth:
        ordered = tuple((source, truth[source]) for source in TruthSource if source in truth)
        working_set.keep(replace(before, truth=ordered))
