"""The scores: ratings of content at a point in time, from states that are counted from the logs.

New lines of the logs are counted batch by batch, by one process at a time. The lines of the update log are written
before the transaction that they belong to; after a kill in between, the same lines are counted again and the log skips
those it has. The file of the states can be deleted at any time: it is made again from the logs.
"""

import hashlib
import json
import sqlite3
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import asdict, dataclass
from itertools import islice

from paragone.closing import Closing
from paragone.domain.content import (
    Content,
    ContentKind,
    ContentState,
    ContentTier,
    TruthSource,
    UsageMove,
    content_tier,
)
from paragone.memory.scores import database
from paragone.memory.scores.counting import WorkingSet, count
from paragone.memory.scores.database import PoolSums, ScoresDatabase
from paragone.memory.scores.learned import Key, PastQueries, Queries
from paragone.memory.scores.learning import learn
from paragone.memory.scores.stored_learning import StoredLearning, read_answers, read_feedback, read_queries
from paragone.memory.store.config import INITIAL, MemoryConfig, is_pinned
from paragone.memory.store.lines import LogLine, UpdateLine, path_of
from paragone.memory.store.store import Store
from paragone.ratings.activation import decayed, need
from paragone.ratings.elo import NATS_PER_POINT
from paragone.ratings.usage import gate, holding, is_high
from paragone.ratings.usefulness import NOTHING, Feedback, doubted, log_odds, probability
from paragone.wire.prune import Rebuild


@dataclass(frozen=True, kw_only=True, slots=True)
class ContentRating:
    """The rating of content at some time. Ratings are Elo points.

    Attributes:
        content: The content.
        rating: The one that counts, by the configuration's ``rank_by``.
        elo: The running rating, decayed to that time.
        stored: The running rating after its last change.
        need: How likely it is to be used next.
        tier: Of ``rating``.
        initial: Its initial rating.
        updates: How often its rating changed.
        uses: How often it was used.
        last_use: Seconds since 1970; None before the first use.
        r: R, by the source with priority; content without its own has that of its file. None if unknown.
        r_source: Where R comes from.
        is_high: Whether R lies above its source's threshold; None if R is unknown.
        gate: The share of a change that R lets through.
        pinned: Whether its path is initially high.
        feedback: The evidence about its usefulness, or that about its file.
    """

    content: Content
    rating: float
    elo: float
    stored: float
    need: float
    tier: ContentTier
    initial: float
    updates: int
    uses: int
    last_use: float | None
    r: float | None
    r_source: TruthSource | None
    is_high: bool | None
    gate: float
    pinned: bool
    feedback: Feedback = NOTHING

    @property
    def elo_tier(self) -> ContentTier:
        """That of the running rating, by which the memory specification packs, and sorts what it shows."""
        return content_tier(self.elo)

    @property
    def evidence(self) -> Feedback:
        """The evidence that counts: low R is one more contradiction."""
        return doubted(self.feedback) if self.is_high is False else self.feedback

    @property
    def usefulness(self) -> float:
        """P(useful), from reports, readings and R."""
        return probability(self.evidence)

    @property
    def is_known(self) -> bool:
        """Whether there are reports about it; otherwise usefulness is a guess."""
        return self.feedback.is_known


def rate(
    states: Iterable[ContentState],
    files: Mapping[str, ContentState],
    config: MemoryConfig,
    *,
    feedback: Mapping[Key, Feedback],
    as_of: float,
    since: Mapping[str, float],
) -> dict[Content, ContentRating]:
    """The ratings of some states.

    Args:
        states: The states.
        files: The states of the files that contain them, by path, for R.
        config: Constants, tiers, and which rating counts.
        feedback: The evidence about the usefulness of them and their files, as far as there is any.
        as_of: The time, in seconds since 1970.
        since: When the decay of content begins that was never used, by path.
    """
    return {state.content: _rating(state, files, config, feedback, as_of, since) for state in states}


def file_of(content: Content) -> Content | None:
    """The file that contains content; None for a file, or if unknown."""
    path = "" if content.kind is ContentKind.FILE else _path(content)
    return Content.file(path) if path else None


def _path(content: Content) -> str:
    return path_of(content.kind, content.id, content.path)


def _rating(
    state: ContentState,
    files: Mapping[str, ContentState],
    config: MemoryConfig,
    feedback: Mapping[Key, Feedback],
    as_of: float,
    since: Mapping[str, float],
) -> ContentRating:
    path = _path(state.content)
    truth = state.truth or (files[path].truth if path in files else ())
    source, r = holding(truth) or (None, None)
    last = state.last_use if state.last_use is not None else since.get(path)
    elo = decayed(state.elo, last, as_of, config.ratings)
    high = is_high(truth, config.ratings)
    own = feedback.get((str(state.content.kind), state.content.id))
    reported = own or feedback.get((str(ContentKind.FILE), path)) or NOTHING
    evidence = doubted(reported) if high is False else reported
    need_points = need(state, as_of, config.ratings) + log_odds(evidence) / NATS_PER_POINT
    rating = elo if config.ranking.rank_by == "elo" else need_points
    return ContentRating(
        content=state.content,
        rating=rating,
        elo=elo,
        stored=state.elo,
        need=need_points,
        tier=content_tier(rating),
        initial=state.initial,
        updates=state.updates,
        uses=state.uses,
        last_use=state.last_use,
        r=r,
        r_source=source,
        is_high=high,
        gate=gate(truth, config.ratings),
        pinned=bool(path) and is_pinned(path, config.tiers),
        feedback=reported,
    )


_BATCH = 500
"""Lines of evidence in one transaction."""
_LOCK_SECONDS = 300.0
"""Seconds to wait for another process that counts: a full count may take minutes."""
_RULES_VERSION = 1
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
    constants = json.dumps([_RULES_VERSION, asdict(config.ratings), asdict(config.tiers)], sort_keys=True)
    return hashlib.sha256(constants.encode()).hexdigest()[:16]


class _Counter:
    """Counts the lines of a store's logs into an open database of scores."""

    def __init__(self, store: Store, file: ScoresDatabase) -> None:
        self._store, self._file = store, file
        self.working_set = WorkingSet(file.connection, store.config)
        self.learning = StoredLearning(file.connection)

    @property
    def is_current(self) -> bool:
        """Whether there is nothing to count."""
        counted = self._counted()
        return counted.basis == basis_of(self._store.config) and counted.seq == self._store.logs.last_seq

    def catch_up(self, *, anew: bool, check: bool) -> ScoreUpdate:
        """Count what is not counted yet.

        Args:
            anew: Whether to count everything again.
            check: Whether to check that what was counted is still in the logs; once per process is enough.

        Raises:
            Busy: If another process counts for minutes.
            Unwritable: If the disk is full.
        """
        alone = nullcontext() if self._file.is_copy else self._store.locked("scores", patience=_LOCK_SECONDS)
        with alone:
            basis, counted = basis_of(self._store.config), self._counted()
            because = "it was asked for" if anew else self._why_anew(counted, basis, check=check)
            if because or not counted.basis:
                counted = _Counted(basis=basis)
                self._batch(counted, [], clear=True)
            lines = moves = 0
            unread = self._store.logs.after(counted.seq)
            while batch := list(islice(unread, _BATCH)):
                counted, batch_moves = self._batch(counted, batch)
                lines, moves = lines + len(batch), moves + batch_moves
            return ScoreUpdate(lines=lines, moves=moves, because=because)

    def _why_anew(self, counted: _Counted, basis: str, *, check: bool) -> str:
        """Why counting cannot continue from where it stopped."""
        logs = self._store.logs
        if not counted.basis:
            return ""
        if counted.basis != basis:
            return "the configuration of ratings or tiers has changed"
        if not check and counted.seq <= logs.last_seq:
            return ""
        last = next(logs.after(counted.seq - 1), None) if counted.seq else None
        if counted.seq and (last is None or (last.seq, last.id) != (counted.seq, counted.id)):
            return "the logs are not those that were counted"
        if counted.moved and next(logs.updates(after=counted.moved - 1), None) is None:
            return "the update log lacks moves that were counted"
        return ""

    def _batch(self, before: _Counted, lines: list[LogLine], *, clear: bool = False) -> tuple[_Counted, int]:
        """Count some lines: all of them, or none."""
        try:
            with self._file.writing() as connection:
                if clear:
                    self._file.clear()
                if self._file.was_changed() or clear:
                    self.forget()
                updates = [update for line in lines for update in self._updates(line, before.basis)]
                self.working_set.write()
                for line in lines:
                    learn(line, self.learning)
                self.learning.write()
                counted = _Counted(
                    basis=before.basis,
                    seq=lines[-1].seq if lines else before.seq,
                    id=lines[-1].id if lines else before.id,
                    moved=updates[-1].seq if updates else before.moved,
                )
                connection.executemany("INSERT OR REPLACE INTO meta VALUES (?, ?)", list(asdict(counted).items()))
                if updates and not self._file.is_copy:
                    self._store.logs.append_updates(updates)
        except BaseException:  # an interrupt as well: the caches hold what was not written
            self.forget()
            raise
        return counted, len(updates)

    def forget(self) -> None:
        """Drop the caches: another process has written, or a transaction failed."""
        self.working_set.forget()
        self.learning.forget()

    def _updates(self, line: LogLine, basis: str) -> Iterator[UpdateLine]:
        for event in line.events():
            for move in count(event, self.working_set, self._store.config.ratings):
                yield UpdateLine.of(move, seq=line.seq, basis=basis, session=line.session_id)

    def _counted(self) -> _Counted:
        return _Counted(**dict(self._file.connection.execute("SELECT name, value FROM meta")))


@dataclass(frozen=True, kw_only=True, slots=True)
class ContentChange:
    """A rating before and after an update, in Elo points."""

    content: Content
    old: float
    new: float

    @property
    def delta(self) -> float:
        return self.new - self.old


def rating_changes(before: Iterable[ContentState], after: Iterable[ContentState]) -> list[ContentChange]:
    """The ratings that changed, the largest change first."""
    old = {state.content: state.elo for state in before}
    changes = [
        ContentChange(content=now.content, old=old.get(now.content, now.initial), new=now.elo)
        for now in after
        if old.get(now.content, now.initial) != now.elo
    ]
    return sorted(changes, key=lambda change: (-abs(change.delta), change.content.kind, change.content.id))


class Scores(Closing):
    """Ratings of content. Every call first counts new lines of the logs; threads may share one instance.

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
                if not anew and self._was_checked and self._counter.is_current:
                    return ScoreUpdate()
                done = self._counter.catch_up(anew=anew, check=not self._was_checked)
            except sqlite3.OperationalError as error:
                raise database.translated(self._path, error) from error
            except sqlite3.DatabaseError:
                self._replace()
                done = self._counter.catch_up(anew=False, check=True)
            self._was_checked = True
            self.rebuild_reason = self.rebuild_reason if anew else done.because or self.rebuild_reason
            return done

    def rebuild(self) -> Rebuild:
        """Count all logs again from the beginning; says whether the result is the same, to the last bit."""
        before = {state.content: state for state in self.rated()}
        update = self.update(anew=True)
        same = {state.content: state for state in self.rated()} == before
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
                (working_set.state(content) for content in dict.fromkeys(contents)),
                {content.id: working_set.state(content) for content in files},
                self._store.config,
                feedback=read_feedback(
                    self._database.connection, ((str(content.kind), content.id) for content in {*contents, *files})
                ),
                as_of=as_of,
                since=since or {},
            )

    def answers(self, words: Iterable[str]) -> PastQueries:
        """What is remembered of past queries and of the use of files, for some words."""
        with self._current():
            return read_answers(self._database.connection, words)

    def evidence_queries(self, contents: Iterable[Content]) -> dict[Content, Queries]:
        """The queries for which there was evidence about content, as far as there was any."""
        by_key = {(str(content.kind), content.id): content for content in contents}
        with self._current():
            return {by_key[key]: queries for key, queries in read_queries(self._database.connection, by_key).items()}

    def rated(self, kind: ContentKind | None = None) -> Iterator[ContentState]:
        """All states, in the order in which they were created."""
        with self._current():
            states = list(database.read_all(self._database.connection, kind))
        return iter(states)

    def counted(self) -> list[ContentState]:
        """All states as last counted, without new lines of the logs."""
        with self._lock:
            if self._database.is_gone:
                self._reopen()
            return list(database.read_all(self._database.connection))

    def known(self, id: str) -> list[Content]:
        """Content with a state and this id, of any kind."""
        with self._current():
            text = [Content(kind=kind, id=id) for kind in ContentKind]
            return [state.content for _, state in database.read(self._database.connection, text)]

    def moves(self, content: Content, *, limit: int = 50) -> list[UsageMove]:
        """The last changes of a rating, newest last."""
        with self._current():
            return database.read_moves(self._database.connection, content, limit)

    def pools(self) -> dict[ContentKind, PoolSums]:
        """The state of each pool."""
        with self._current():
            return database.read_pools(self._database.connection, INITIAL[self._store.config.tiers.default])

    def close(self) -> None:
        with self._lock:
            self._database.close()

    @contextmanager
    def _current(self) -> Iterator[WorkingSet]:
        with self._lock:
            self.catch_up()
            try:
                if self._database.was_changed():
                    self._counter.forget()
                yield self._counter.working_set
            except sqlite3.Error as error:
                if not isinstance(error, sqlite3.OperationalError):
                    self._replace()
                raise database.translated(self._path, error) from error
            self._counter.working_set.trim()

    def _open(self) -> None:
        self._database = ScoresDatabase(self._path)
        self._counter = _Counter(self._store, self._database)

    def _reopen(self) -> None:
        self._database.close()
        self._open()

    def _replace(self) -> None:
        """Replace the damaged file."""
        self._database.close()
        database.delete(self._path)
        self._open()
