"""The standings that a batch of events touches: loaded from the database, changed in memory, written back."""

import sqlite3
from collections.abc import Iterable
from dataclasses import dataclass, replace

from paragone.domain.content import (
    Content,
    ContentKind,
    OpenSearch,
    PoolSize,
    Renamed,
    Standing,
    TruthSource,
    UsageConfig,
    UsageMove,
)
from paragone.memory.scores import database
from paragone.memory.scores.content_rating import INITIAL, initial_rating, path_of
from paragone.memory.scores.searches import OpenSearches, moved
from paragone.memory.store.config import MemoryConfig


def merged(moving: Standing, there: Standing, config: UsageConfig) -> Standing:
    """One standing of two: the rating of the busier, the uses of both.

    Where both had as many updates, the one that is there already counts as the busier. R is that of the one that is
    there, and of the other one where it has none.
    """
    busier = moving if moving.updates > there.updates else there
    truth = dict((*moving.truth, *there.truth))
    return Standing(
        content=there.content,
        elo=busier.elo,
        initial=busier.initial,
        updates=moving.updates + there.updates,
        uses=moving.uses + there.uses,
        first_use=min(_known(moving.first_use, there.first_use), default=None),
        last_use=max(_known(moving.last_use, there.last_use), default=None),
        recent=tuple(sorted((*moving.recent, *there.recent)))[-config.need_recent :],
        truth=tuple((source, truth[source]) for source in TruthSource if source in truth),
    )


def _known(*times: float | None) -> list[float]:
    return [time for time in times if time is not None]


_MOST = 100_000
"""Standings that are kept at hand between two batches."""


@dataclass(kw_only=True, slots=True)
class PoolSums:
    """What the mean of a pool is computed from.

    Attributes:
        count: How many the index holds; 0 where it has said nothing.
        mean_initial: The mean of their initial ratings.
        rated: How many have a standing.
        initials: The sum of the initial ratings of those.
        net: The sum of what they have won and lost.
    """

    count: int = 0
    mean_initial: float = 0.0
    rated: int = 0
    initials: float = 0.0
    net: float = 0.0

    def mean(self, default: float) -> float:
        """The mean rating of the pool: what nothing has happened to counts as well. ``default`` if it is empty."""
        if self.count:
            return self.mean_initial + self.net / max(self.count, self.rated)
        return (self.initials + self.net) / self.rated if self.rated else default


class WorkingSet:
    """A ``ratings.usage.Ground`` in the database, within one transaction at a time.

    Args:
        connection: To the scores.
        config: Constants and tiers.
    """

    def __init__(self, connection: sqlite3.Connection, config: MemoryConfig) -> None:
        self._connection, self._config = connection, config
        self._standings: dict[Content, Standing] = {}
        self._absent: set[Content] = set()
        self._numbers: dict[Content, int] = {}
        self._changed: dict[Content, None] = {}
        self._added: dict[Content, None] = {}
        self._moves: list[tuple[UsageMove, int]] = []
        self._pools: dict[ContentKind, PoolSums] = {}
        self._searches = OpenSearches(connection)
        self._last = 0
        self.forget()

    def forget(self) -> None:
        """Drop what is at hand: somebody else has written, or a transaction came to nothing."""
        for kept in (self._standings, self._absent, self._numbers, self._changed, self._added, self._moves):
            kept.clear()
        self._pools = dict(read_pools(self._connection))
        self._searches.begin()
        self._last = int(self._connection.execute("SELECT coalesce(max(n), 0) FROM standing").fetchone()[0])

    # what events ask for

    def standing(self, content: Content) -> Standing:
        """Where content stands; at its initial rating where nothing has happened to it yet."""
        found = self._standings.get(content)
        if found is None and content not in self._absent:
            self.fetch((content,))
            found = self._standings.get(content)
        if found is not None:
            return found
        bounds = self._config.ratings
        initial = min(max(initial_rating(content, self._config.tiers), bounds.floor), bounds.ceiling)
        placed = content if content.path else replace(content, path=path_of(content))
        return Standing(content=placed, elo=initial, initial=initial)

    def mean(self, kind: ContentKind) -> float:
        """The mean rating of all content of a kind, in Elo points."""
        return self._pools[kind].mean(INITIAL[self._config.tiers.default])

    def search(self, id: str) -> OpenSearch | None:
        """A search that was counted, and may still be used."""
        return self._searches.get(id)

    def fetch(self, contents: Iterable[Content]) -> None:
        """Read the standings of some content at once."""
        missing = {one for one in contents if one not in self._standings and one not in self._absent}
        if missing:
            for n, found in database.read(self._connection, missing):
                self._standings[found.content] = found
                self._numbers[found.content] = n
            self._absent.update(one for one in missing if one not in self._standings)

    # what events leave

    def keep(self, after: Standing) -> None:
        """Where content stands now."""
        content, pool = after.content, self._pools[after.content.kind]
        before = self.standing(content)
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
        self._standings[content] = after

    def keep_search(self, search: OpenSearch) -> None:
        """What a search has shown and is owed by now."""
        self._searches.keep(search)

    def record(self, moves: Iterable[UsageMove]) -> None:
        """Add to the history."""
        self._moves.extend((move, self._numbers[move.content]) for move in moves)

    def resize(self, kind: ContentKind, size: PoolSize) -> None:
        """How many of a kind the index holds now."""
        self._pools[kind].count, self._pools[kind].mean_initial = size.count, size.mean_initial

    def rename(self, event: Renamed) -> None:
        """A file's standing, and those of what lies in it, go to another path.

        Not where the old path was used after the file was renamed: then there is another file of that name.
        """
        self.write()
        file = self.standing(Content.file(event.old))
        if event.old == event.new or (file.last_use is not None and file.last_use > event.time):
            return
        for n, one in database.read_path(self._connection, event.old):
            self._move(n, one, moved(one.content, event.old, event.new))
        self._searches.rename(event)

    def write(self) -> None:
        """Write what changed."""
        database.insert(
            self._connection, [(self._numbers[standing], self._standings[standing]) for standing in self._added]
        )
        database.update(
            self._connection, [(self._numbers[standing], self._standings[standing]) for standing in self._changed]
        )
        database.insert_moves(self._connection, self._moves)
        self._connection.executemany(
            "INSERT OR REPLACE INTO pool (kind, count, mean_initial, rated, initials, net) VALUES (?,?,?,?,?,?)",
            [(str(k), p.count, p.mean_initial, p.rated, p.initials, p.net) for k, p in self._pools.items()],
        )
        self._searches.write()
        self._added.clear()
        self._changed.clear()
        self._moves.clear()
        self.trim()

    def trim(self) -> None:
        """Keep no more at hand than is good; nothing of it may be unwritten."""
        if len(self._standings) > _MOST or len(self._absent) > _MOST:
            self._standings.clear()
            self._numbers.clear()
            self._absent.clear()

    def _move(self, n: int, one: Standing, target: Content) -> None:
        there = next(database.read(self._connection, (target,)), None) if target != one.content else None
        for content in (one.content, target):
            self._standings.pop(content, None)
            self._numbers.pop(content, None)
            self._absent.discard(content)
        if there is None:
            self._connection.execute("UPDATE standing SET id = ?, path = ? WHERE n = ?", (target.id, target.path, n))
            return
        whole = merged(one, there[1], self._config.ratings)
        database.update(self._connection, [(there[0], whole)])
        self._connection.execute("DELETE FROM standing WHERE n = ?", (n,))
        self._connection.execute("UPDATE move SET content = ? WHERE content = ?", (there[0], n))
        pool = self._pools[target.kind]
        pool.rated -= 1
        pool.initials += whole.initial - one.initial - there[1].initial
        pool.net += (whole.elo - whole.initial) - (one.elo - one.initial) - (there[1].elo - there[1].initial)


def read_pools(connection: sqlite3.Connection) -> Iterable[tuple[ContentKind, PoolSums]]:
    """The sums of each pool."""
    rows = connection.execute("SELECT kind, count, mean_initial, rated, initials, net FROM pool")
    found = {
        row[0]: PoolSums(count=row[1], mean_initial=row[2], rated=row[3], initials=row[4], net=row[5]) for row in rows
    }
    return [(kind, found.get(kind) or PoolSums()) for kind in ContentKind]
