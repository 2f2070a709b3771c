"""The scores: where content stands, counted from the logs and kept in a file that may be deleted at any time."""

import sqlite3
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Self

from paragone.domain.content import Content, ContentKind, Standing, UsageMove
from paragone.memory.scores import database
from paragone.memory.scores.content_rating import INITIAL, ContentRating, file_of, rate
from paragone.memory.scores.database import Database
from paragone.memory.scores.projection import ScoreUpdate, catch_up, is_current
from paragone.memory.scores.working_set import WorkingSet, read_pools
from paragone.memory.store.store import Store


@dataclass(frozen=True, kw_only=True, slots=True)
class PoolSummary:
    """How a pool stands.

    Attributes:
        count: How many of the kind the index holds; 0 where it has said nothing.
        mean_initial: The mean of their initial ratings, in Elo points.
        rated: How many have a standing.
        net: Elo points that those have won and lost, together.
        mean: The mean rating of the pool, before decay.
    """

    count: int
    mean_initial: float
    rated: int
    net: float
    mean: float


class Scores:
    """Where content stands. Every question first counts what the logs have gained; threads may share one.

    Attributes:
        rebuild_reason: Why all scores were rebuilt unasked since this was opened; empty if they were not.

    Args:
        store: Whose logs, and whose constants and tiers.

    Raises:
        Unwritable: If the file of the scores cannot be made.
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self._lock = threading.RLock()
        self._path = store.path / "elo_scores.db"
        self._was_checked = False
        self.rebuild_reason = ""
        self._open()

    def catch_up(self) -> int:
        """Count the lines that the logs have gained; returns how many. Cheap where there are none.

        Safe beside other processes that do the same, and after a kill. Where the configuration of ratings or tiers
        has changed, or the logs are others than those that were counted, all is rebuilt; ``rebuild_reason`` says why.
        """
        return self.update().lines

    def update(self, *, anew: bool = False) -> ScoreUpdate:
        """Count, and say what was done.

        Args:
            anew: Whether to begin from nothing.
        """
        with self._lock:
            if self._database.is_gone:
                self._reopen()
            try:
                if not anew and self._was_checked and is_current(self._store, self._database):
                    return ScoreUpdate()
                done = self._count(anew=anew, check=not self._was_checked)
            except sqlite3.OperationalError as error:
                raise database.translated(self._path, error) from error
            except sqlite3.DatabaseError:
                self._replace()
                done = self._count(anew=False, check=True)
            self._was_checked = True
            self.rebuild_reason = self.rebuild_reason if anew else done.because or self.rebuild_reason
            return done

    def rebuild(self) -> int:
        """Count everything anew, from nothing; returns how many lines there were. The standings are the same bits."""
        return self.update(anew=True).lines

    def ratings(
        self, contents: Sequence[Content], *, as_of: float, since: Mapping[str, float] | None = None
    ) -> dict[Content, ContentRating]:
        """Where content stands.

        Args:
            contents: What; at its initial rating where nothing has happened to it.
            as_of: At which time, in seconds since 1970: ratings decay until then.
            since: By path, from when on content decays that was never used; without it that does not.
        """
        with self._current() as working_set:
            files = {content for content in map(file_of, contents) if content is not None}
            working_set.fetch((*contents, *files))
            return rate(
                (working_set.standing(content) for content in dict.fromkeys(contents)),
                {content.id: working_set.standing(content) for content in files},
                self._store.config,
                as_of=as_of,
                since=since or {},
            )

    def rated(self, kind: ContentKind | None = None) -> Iterator[Standing]:
        """All that something has happened to, in the order in which it was first touched."""
        with self._current():
            standings = list(database.read_all(self._database.connection, kind))
        return iter(standings)

    def counted(self) -> list[Standing]:
        """All standings as they were when something was counted last: what the logs have gained since is not there."""
        with self._lock:
            if self._database.is_gone:
                self._reopen()
            return list(database.read_all(self._database.connection))

    def known(self, id: str) -> list[Content]:
        """Content of that id that something has happened to, of whatever kind."""
        with self._current():
            text = [Content(kind=kind, id=id) for kind in ContentKind]
            return [standing.content for _, standing in database.read(self._database.connection, text)]

    def moves(self, content: Content, *, limit: int = 50) -> list[UsageMove]:
        """The last moves of a rating, the newest last."""
        with self._current():
            return database.read_moves(self._database.connection, content, limit)

    def pools(self) -> dict[ContentKind, PoolSummary]:
        """How the pools stand."""
        default = INITIAL[self._store.config.tiers.default]
        with self._current():
            sums = dict(read_pools(self._database.connection))
        return {
            kind: PoolSummary(
                count=pool.count,
                mean_initial=pool.mean_initial,
                rated=pool.rated,
                net=pool.net,
                mean=pool.mean(default),
            )
            for kind, pool in sums.items()
        }

    def close(self) -> None:
        """Give the file back."""
        with self._lock:
            self._database.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @contextmanager
    def _current(self) -> Iterator[WorkingSet]:
        with self._lock:
            self.catch_up()
            try:
                if self._database.was_changed():
                    self._working_set.forget()
                yield self._working_set
            except sqlite3.Error as error:
                if not isinstance(error, sqlite3.OperationalError):
                    self._replace()
                raise database.translated(self._path, error) from error
            self._working_set.trim()

    def _count(self, *, anew: bool, check: bool) -> ScoreUpdate:
        return catch_up(self._store, self._database, self._working_set, anew=anew, check=check)

    def _open(self) -> None:
        self._database = Database(self._path)
        self._working_set = WorkingSet(self._database.connection, self._store.config)

    def _reopen(self) -> None:
        self._database.close()
        self._open()

    def _replace(self) -> None:
        """The file is damaged."""
        self._database.close()
        database.delete(self._path)
        self._open()
