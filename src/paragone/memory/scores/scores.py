"""The scores: standings of content, counted from the logs and kept in a file that can be deleted at any time.

New lines are counted batch by batch, by one process at a time. The lines of the update log are written before the
transaction that they belong to; after a kill in between, the same lines are counted again and the log skips those it
has.
"""

import hashlib
import json
import sqlite3
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from itertools import islice
from typing import Self

from paragone.domain.content import (
    Content,
    ContentKind,
    Event,
    Pooled,
    Renamed,
    Showing,
    Standing,
    TruthFound,
    TruthSource,
    UsageConfig,
    UsageMove,
    Use,
)
from paragone.memory.scores import database
from paragone.memory.scores.content_rating import INITIAL, ContentRating, file_of, rate
from paragone.memory.scores.database import Database
from paragone.memory.scores.working_set import WorkingSet, read_pools
from paragone.memory.store.config import MemoryConfig
from paragone.memory.store.lines import Line, UpdateLine
from paragone.memory.store.store import Store
from paragone.ratings.usage import show, touched, use
from paragone.wire.prune import Rebuild


def count(event: Event, working_set: WorkingSet, config: UsageConfig) -> list[UsageMove]:
    """Apply one event to the working set; returns the changes of ratings."""
    match event:
        case Showing() | Use():
            return _step(event, working_set, config)
        case TruthFound():
            _find_truth(event, working_set)
        case Pooled():
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
    for standing in step.standings.values():
        working_set.keep(standing)
    working_set.record(step.moves)
    if step.search is not None:
        working_set.keep_search(step.search)
    return step.moves


def _find_truth(event: TruthFound, working_set: WorkingSet) -> None:
    before = working_set.standing(event.content)
    truth = {source: r for source, r in before.truth if source != event.source}
    if event.r is not None:
        truth[event.source] = event.r
    if tuple(truth.items()) != before.truth:
        ordered = tuple((source, truth[source]) for source in TruthSource if source in truth)
        working_set.keep(replace(before, truth=ordered))


_BATCH = 500
"""Lines of evidence in one transaction."""
_PATIENCE = 300.0
"""Seconds to wait for another process that counts: a full count may take minutes."""
_RULES = 1
"""Version of the rules of counting: new rules give other scores for the same logs."""


@dataclass(frozen=True, kw_only=True, slots=True)
class ScoreUpdate:
    """The result of an update.

    Attributes:
        lines: Lines of evidence that were counted.
        moves: Rating changes that followed.
        because: Why everything was counted again; empty if it was not.
    """

    lines: int = 0
    moves: int = 0
    because: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class _Counted:
    """How far the scores have counted.

    Attributes:
        basis: The constants; empty before the first time.
        seq: Of the last line.
        id: Of the last line.
        moved: ``seq`` of the last line that changed a rating.
    """

    basis: str = ""
    seq: int = 0
    id: str = ""
    moved: int = 0


def basis_of(config: MemoryConfig) -> str:
    """A name for everything that decides the scores besides the logs: constants, tiers and rules."""
    constants = json.dumps([_RULES, asdict(config.ratings), asdict(config.tiers)], sort_keys=True)
    return hashlib.sha256(constants.encode()).hexdigest()[:16]


def is_current(store: Store, database: Database) -> bool:
    """Whether there is nothing to count."""
    counted = _counted(database)
    return counted.basis == basis_of(store.config) and counted.seq == store.logs.last_seq


def catch_up(
    store: Store, database: Database, working_set: WorkingSet, *, anew: bool = False, check: bool = True
) -> ScoreUpdate:
    """Count what is not counted yet.

    Args:
        store: Whose logs.
        database: Where the scores are kept.
        working_set: The standings in it.
        anew: Whether to count everything again.
        check: Whether to check that what was counted is still in the logs; once per process is enough.

    Raises:
        Busy: If another process counts for minutes.
        Unwritable: If the disk is full.
    """
    with store.locked("scores", patience=_PATIENCE):
        basis = basis_of(store.config)
        before = _counted(database)
        because = "it was asked for" if anew else _why_anew(store, before, basis, check=check)
        if because or not before.basis:
            before = _Counted(basis=basis)
            _batch(store, database, working_set, before, [], clear=True)
        lines = moves = 0
        for batch in _batches(store.logs.after(before.seq)):
            before, batch_moves = _batch(store, database, working_set, before, batch)
            lines, moves = lines + len(batch), moves + batch_moves
        return ScoreUpdate(lines=lines, moves=moves, because=because)


def _why_anew(store: Store, before: _Counted, basis: str, *, check: bool) -> str:
    """Why counting cannot continue from where it stopped."""
    if not before.basis:
        return ""
    if before.basis != basis:
        return "the configuration of ratings or tiers has changed"
    if not check and before.seq <= store.logs.last_seq:
        return ""
    last = next(store.logs.after(before.seq - 1), None) if before.seq else None
    if before.seq and (last is None or (last.seq, last.id) != (before.seq, before.id)):
        return "the logs are others than those that were counted"
    if before.moved and next(store.logs.updates(after=before.moved - 1), None) is None:
        return "the update log lacks moves that were counted"
    return ""


def _batch(
    store: Store,
    database: Database,
    working_set: WorkingSet,
    before: _Counted,
    lines: list[Line],
    *,
    clear: bool = False,
) -> tuple[_Counted, int]:
    """Count some lines: all of them, or none."""
    try:
        with database.writing():
            if clear:
                database.clear()
            if database.was_changed() or clear:
                working_set.forget()
            updates = [
                update for line in lines for update in _counted_line(line, working_set, store.config, before.basis)
            ]
            working_set.write()
            after = _after(before, lines, updates)
            _keep(database, after)
            if updates:
                store.logs.append_updates(updates)
    except BaseException:
        working_set.forget()
        raise
    return after, len(updates)


def _counted_line(line: Line, working_set: WorkingSet, config: MemoryConfig, basis: str) -> Iterator[UpdateLine]:
    for event in line.events():
        for move in count(event, working_set, config.ratings):
            yield UpdateLine.of(move, seq=line.seq, basis=basis, session=line.session_id)


def _after(before: _Counted, lines: list[Line], updates: list[UpdateLine]) -> _Counted:
    return _Counted(
        basis=before.basis,
        seq=lines[-1].seq if lines else before.seq,
        id=lines[-1].id if lines else before.id,
        moved=updates[-1].seq if updates else before.moved,
    )


def _batches(lines: Iterator[Line]) -> Iterator[list[Line]]:
    while batch := list(islice(lines, _BATCH)):
        yield batch


def _counted(database: Database) -> _Counted:
    return _Counted(**dict(database.connection.execute("SELECT name, value FROM meta")))


def _keep(database: Database, counted: _Counted) -> None:
    database.connection.executemany("INSERT OR REPLACE INTO meta VALUES (?, ?)", list(asdict(counted).items()))


@dataclass(frozen=True, kw_only=True, slots=True)
class PoolSummary:
    """The state of a pool.

    Attributes:
        count: Content of the kind in the index; 0 if nothing was indexed.
        mean_initial: The mean of its initial ratings, in Elo points.
        rated: Content with a standing.
        net: Elo points that it won and lost together.
        mean: The mean rating of the pool, before decay.
    """

    count: int
    mean_initial: float
    rated: int
    net: float
    mean: float


@dataclass(frozen=True, kw_only=True, slots=True)
class ContentChange:
    """A rating before and after an update, in Elo points."""

    content: Content
    old: float
    new: float

    @property
    def delta(self) -> float:
        return self.new - self.old


def rating_changes(before: Iterable[Standing], after: Iterable[Standing]) -> list[ContentChange]:
    """The ratings that changed, the largest change first."""
    old = {standing.content: standing.elo for standing in before}
    changes = [
        ContentChange(content=now.content, old=old.get(now.content, now.initial), new=now.elo)
        for now in after
        if old.get(now.content, now.initial) != now.elo
    ]
    return sorted(changes, key=lambda change: (-abs(change.delta), change.content.kind, change.content.id))


class Scores:
    """Standings of content. Every call first counts new lines of the logs; threads may share one instance.

    Attributes:
        rebuild_reason: Why all scores were rebuilt unasked since this was opened; empty if they were not.

    Args:
        store: Whose logs, constants and tiers.

    Raises:
        Unwritable: If the file of the scores cannot be created.
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self._lock = threading.RLock()
        self._path = store.path / "elo_scores.db"
        self._was_checked = False
        self.rebuild_reason = ""
        self._open()

    def catch_up(self) -> int:
        """Count new lines of the logs; returns how many. Cheap if there are none.

        Safe beside other processes that do the same, and after a kill. If the configuration of ratings or tiers has
        changed, or the logs are not those that were counted, everything is rebuilt; ``rebuild_reason`` says why.
        """
        return self.update().lines

    def update(self, *, anew: bool = False) -> ScoreUpdate:
        """Count new lines; with ``anew``, count everything again."""
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

    def rebuild(self) -> Rebuild:
        """Count all logs again from the beginning; says whether the result is the same, to the last bit."""
        before = {standing.content: standing for standing in self.rated()}
        update = self.update(anew=True)
        same = {standing.content: standing for standing in self.rated()} == before
        return Rebuild(lines=update.lines, moves=update.moves, same=same)

    def ratings(
        self, contents: Sequence[Content], *, as_of: float, since: Mapping[str, float] | None = None
    ) -> dict[Content, ContentRating]:
        """Ratings of content.

        Args:
            contents: The content; at its initial rating if it was never used.
            as_of: Ratings decay until this time, in seconds since 1970.
            since: When the decay of content begins that was never used, by path; it does not decay if missing.
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
        """All standings, in the order in which they were created."""
        with self._current():
            standings = list(database.read_all(self._database.connection, kind))
        return iter(standings)

    def counted(self) -> list[Standing]:
        """All standings as last counted, without new lines of the logs."""
        with self._lock:
            if self._database.is_gone:
                self._reopen()
            return list(database.read_all(self._database.connection))

    def known(self, id: str) -> list[Content]:
        """Content with a standing and this id, of any kind."""
        with self._current():
            text = [Content(kind=kind, id=id) for kind in ContentKind]
            return [standing.content for _, standing in database.read(self._database.connection, text)]

    def moves(self, content: Content, *, limit: int = 50) -> list[UsageMove]:
        """The last changes of a rating, newest last."""
        with self._current():
            return database.read_moves(self._database.connection, content, limit)

    def pools(self) -> dict[ContentKind, PoolSummary]:
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
        """Replace the damaged file."""
        self._database.close()
        database.delete(self._path)
        self._open()
