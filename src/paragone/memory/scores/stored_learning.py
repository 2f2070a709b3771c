"""What was learned, in the database of scores: a ``LearningStore`` with a cache that is written batch by batch."""

import json
import sqlite3
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import astuple, fields, replace
from typing import Any, Generic, TypeVar

from paragone.memory.scores.learned import (
    MAX_EPISODES,
    MAX_EVIDENCE_QUERIES,
    Episode,
    Key,
    LearnedSearches,
    Past,
    PastQueries,
    Queries,
    SessionVisit,
    merged_feedback,
    merged_past,
    path_of_key,
    renamed_key,
    with_query,
)
from paragone.ratings.usefulness import NOTHING, Endings, Feedback, Reporting

_MAX_CACHED = 50_000

LEARNED_TABLES = """
CREATE TABLE episode (id TEXT PRIMARY KEY, value TEXT NOT NULL, n INTEGER NOT NULL) WITHOUT ROWID;
CREATE INDEX episode_n ON episode (n);
CREATE TABLE visit (id TEXT PRIMARY KEY, value TEXT NOT NULL, n INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE reporting (id TEXT PRIMARY KEY, value TEXT NOT NULL, n INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE learned (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE feedback (
    kind TEXT NOT NULL, id TEXT NOT NULL, path TEXT NOT NULL, used REAL NOT NULL, wrong REAL NOT NULL,
    helped REAL NOT NULL, idle REAL NOT NULL, shown REAL NOT NULL, PRIMARY KEY (kind, id)
) WITHOUT ROWID;
CREATE INDEX feedback_path ON feedback (path);
CREATE TABLE feedback_query (
    kind TEXT NOT NULL, id TEXT NOT NULL, value TEXT NOT NULL, PRIMARY KEY (kind, id)
) WITHOUT ROWID;
CREATE TABLE past (
    n INTEGER PRIMARY KEY, path TEXT NOT NULL UNIQUE, session INTEGER NOT NULL, near REAL NOT NULL,
    middle REAL NOT NULL, far REAL NOT NULL, words INTEGER NOT NULL, time REAL NOT NULL
);
CREATE TABLE past_word (
    word TEXT NOT NULL, file INTEGER NOT NULL, times INTEGER NOT NULL, PRIMARY KEY (word, file)
) WITHOUT ROWID;
CREATE INDEX past_word_file ON past_word (file);
"""
LEARNED = ("episode", "visit", "reporting", "learned", "feedback", "feedback_query", "past", "past_word")

T = TypeVar("T", bound=Episode | SessionVisit | Reporting)


class _Rows(Generic[T]):
    """Values by id in a table, as JSON, with a cache."""

    def __init__(self, connection: sqlite3.Connection, table: str, kind: type[T]) -> None:
        self._connection, self._table, self._kind = connection, table, kind
        self._cache: dict[str, T | None] = {}
        self._changed: dict[str, None] = {}

    def get(self, id: str) -> T | None:
        if id not in self._cache:
            query = f"SELECT value FROM {self._table} WHERE id = ?"  # noqa: S608 - a name from below
            row = self._connection.execute(query, (id,)).fetchone()
            self._cache[id] = None if row is None else self._kind(**_fields(self._kind, row[0]))
        return self._cache[id]

    def keep(self, id: str, value: T) -> None:
        self._cache[id] = value
        self._changed[id] = None

    def write(self) -> None:
        self._connection.executemany(
            f"INSERT OR REPLACE INTO {self._table} VALUES (?, ?, ?)",  # noqa: S608 - a name from below
            [
                (id, json.dumps(astuple(value)), value.number if isinstance(value, Episode) else 0)
                for id in self._changed
                if (value := self._cache[id]) is not None
            ],
        )
        self._changed.clear()
        if len(self._cache) > _MAX_CACHED:
            self._cache.clear()

    def forget(self) -> None:
        self._cache.clear()
        self._changed.clear()


def _fields(kind: type[Any], text: str) -> dict[str, Any]:
    return dict(zip((own.name for own in fields(kind)), _tuples(json.loads(text)), strict=True))


def _tuples(value: Any) -> Any:  # noqa: ANN401 - JSON
    return tuple(map(_tuples, value)) if isinstance(value, list) else value


class StoredLearning:
    """A ``LearningStore`` in the database, within one transaction at a time."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._episodes = _Rows(connection, "episode", Episode)
        self._visits = _Rows(connection, "visit", SessionVisit)
        self._reporting = _Rows(connection, "reporting", Reporting)
        self._feedback: dict[Key, Feedback] = {}
        self._pasts: dict[str, Past | None] = {}
        self._queries: dict[Key, Queries] = {}
        self._changed_feedback: set[Key] = set()
        self._changed_queries: set[Key] = set()
        self._changed_pasts: dict[str, None] = {}
        self._words: Counter[tuple[str, str]] = Counter()
        self.forget()

    def forget(self) -> None:
        """Drop the cache: another process has written, or a transaction failed."""
        for rows in (self._episodes, self._visits, self._reporting):
            rows.forget()
        for cache in (self._feedback, self._queries, self._pasts, self._words):
            cache.clear()
        for changed in (self._changed_feedback, self._changed_queries, self._changed_pasts):
            changed.clear()
        row = self._connection.execute("SELECT value FROM learned WHERE name = 'all'").fetchone()
        self.learned = LearnedSearches() if row is None else _learned(row[0])

    def write(self) -> None:
        """Write what changed."""
        for rows in (self._episodes, self._visits, self._reporting):
            rows.write()
        self._connection.execute("DELETE FROM episode WHERE n <= (SELECT max(n) FROM episode) - ?", (MAX_EPISODES,))
        self._connection.executemany(
            "INSERT OR REPLACE INTO feedback VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            [(*key, path_of_key(key), *astuple(self._feedback[key])) for key in sorted(self._changed_feedback)],
        )
        self._connection.executemany(
            "INSERT OR REPLACE INTO feedback_query VALUES (?, ?, ?)",
            [(*key, json.dumps(self._queries[key])) for key in sorted(self._changed_queries)],
        )
        self._write_pasts()
        self._connection.execute(
            "INSERT OR REPLACE INTO learned VALUES ('all', ?)", (json.dumps(astuple(self.learned)),)
        )
        self._changed_feedback.clear()
        self._changed_queries.clear()
        if len(self._feedback) > _MAX_CACHED or len(self._pasts) > _MAX_CACHED:
            self._feedback.clear()
            self._queries.clear()
            self._pasts.clear()

    def _write_pasts(self) -> None:
        rows = [
            (path, past.session, *past.sums, past.words, past.time)
            for path in self._changed_pasts
            if (past := self._pasts[path]) is not None
        ]
        self._connection.executemany(
            "INSERT INTO past (path, session, near, middle, far, words, time) VALUES (?, ?, ?, ?, ?, ?, ?) "
            "ON CONFLICT (path) DO UPDATE SET session = excluded.session, near = excluded.near, "
            "middle = excluded.middle, far = excluded.far, words = excluded.words, time = excluded.time",
            rows,
        )
        self._connection.executemany(
            "INSERT INTO past_word SELECT ?, n, ? FROM past WHERE path = ? "
            "ON CONFLICT (word, file) DO UPDATE SET times = times + excluded.times",
            [(word, times, path) for (path, word), times in self._words.items()],
        )
        self._changed_pasts.clear()
        self._words.clear()

    # what learning asks for

    def feedback(self, key: Key) -> Feedback:
        if key not in self._feedback:
            row = self._connection.execute(
                "SELECT used, wrong, helped, idle, shown FROM feedback WHERE kind = ? AND id = ?", key
            ).fetchone()
            self._feedback[key] = NOTHING if row is None else _feedback_of(row)
        return self._feedback[key]

    def keep_feedback(self, key: Key, feedback: Feedback) -> None:
        self._feedback[key] = feedback
        self._changed_feedback.add(key)

    def add_query(self, key: Key, words: Sequence[str], amount: float) -> None:
        self._keep_queries(key, with_query(self._queries_of(key), words, amount))

    def _queries_of(self, key: Key) -> Queries:
        if key not in self._queries:
            row = self._connection.execute("SELECT value FROM feedback_query WHERE kind = ? AND id = ?", key).fetchone()
            self._queries[key] = () if row is None else _tuples(json.loads(row[0]))
        return self._queries[key]

    def _keep_queries(self, key: Key, queries: Queries) -> None:
        self._queries[key] = queries
        self._changed_queries.add(key)

    def episode(self, id: str) -> Episode | None:
        return self._episodes.get(id)

    def keep_episode(self, episode: Episode) -> None:
        self._episodes.keep(episode.id, episode)

    def visit(self, id: str) -> SessionVisit:
        return self._visits.get(id) or SessionVisit()

    def keep_visit(self, id: str, visit: SessionVisit) -> None:
        self._visits.keep(id, visit)

    def reporting(self, agent: str) -> Reporting:
        return self._reporting.get(agent) or Reporting()

    def keep_reporting(self, agent: str, reporting: Reporting) -> None:
        self._reporting.keep(agent, reporting)

    def past(self, path: str) -> Past | None:
        if path not in self._pasts:
            row = self._connection.execute(
                "SELECT session, near, middle, far, words, time FROM past WHERE path = ?", (path,)
            ).fetchone()
            self._pasts[path] = None if row is None else _past_of(row)
        return self._pasts[path]

    def keep_past(self, path: str, past: Past) -> None:
        self._pasts[path] = past
        self._changed_pasts[path] = None

    def add_words(self, path: str, words: Sequence[str]) -> None:
        past = self.past(path)
        if past is not None:
            self.keep_past(path, replace(past, words=past.words + len(words)))
            self._words.update((path, word) for word in words)

    def rename(self, old: str, new: str) -> None:
        self.write()
        self._rename_past(old, new)
        rows = self._connection.execute("SELECT kind, id FROM feedback WHERE path = ?", (old,)).fetchall()
        for kind, id in rows:
            key = (kind, id)
            feedback, target = self.feedback(key), renamed_key(key, old, new)
            own = self.feedback(target)
            self.keep_feedback(target, feedback if own == NOTHING else merged_feedback(own, feedback))
            queries = (*self._queries_of(key), *self._queries_of(target))
            self._keep_queries(target, queries[-MAX_EVIDENCE_QUERIES:])
            self._drop_feedback(key)

    def _rename_past(self, old: str, new: str) -> None:
        past, own = self.past(old), self.past(new)
        if past is None:
            return
        execute = self._connection.execute
        if own is None:
            execute("UPDATE past SET path = ? WHERE path = ?", (new, old))
        else:
            execute(
                "INSERT INTO past_word SELECT word, (SELECT n FROM past WHERE path = ?2), times FROM past_word "
                "WHERE file = (SELECT n FROM past WHERE path = ?1) "
                "ON CONFLICT (word, file) DO UPDATE SET times = times + excluded.times",
                (old, new),
            )
            self._drop_past(old)
        self._pasts[old] = None
        self.keep_past(new, past if own is None else merged_past(own, past))

    def remove(self, path: str) -> None:
        self.write()
        self._drop_past(path)
        for key in self._connection.execute("SELECT kind, id FROM feedback WHERE path = ?", (path,)).fetchall():
            self._drop_feedback(key)

    def _drop_past(self, path: str) -> None:
        self._connection.execute("DELETE FROM past_word WHERE file = (SELECT n FROM past WHERE path = ?)", (path,))
        self._connection.execute("DELETE FROM past WHERE path = ?", (path,))
        self._pasts[path] = None

    def _drop_feedback(self, key: Key) -> None:
        for table in ("feedback", "feedback_query"):
            self._connection.execute(f"DELETE FROM {table} WHERE kind = ? AND id = ?", key)  # noqa: S608 - from above
        self._feedback.pop(key, None)
        self._queries.pop(key, None)
        self._changed_feedback.discard(key)
        self._changed_queries.discard(key)


def _learned(text: str) -> LearnedSearches:
    sessions, searches, endings, open_ids = json.loads(text)
    ended = Endings(**_fields(Endings, json.dumps(endings)))
    return LearnedSearches(sessions=sessions, searches=searches, endings=ended, open=tuple(open_ids))


def _feedback_of(row: Sequence[float]) -> Feedback:
    used, wrong, helped, idle, shown = row
    return Feedback(used=used, wrong=wrong, helped=helped, idle=idle, shown=shown)


def _past_of(row: Sequence[Any]) -> Past:
    session, near, middle, far, words, time = row
    return Past(session=session, sums=(near, middle, far), words=words, time=time)


_BATCH_SIZE = 500


def read_queries(connection: sqlite3.Connection, keys: Iterable[Key]) -> dict[Key, Queries]:
    """The queries for which there was evidence about some content."""
    rows = _rows_of(connection, "feedback_query", "value", keys)
    return {key: _tuples(json.loads(value)) for key, (value,) in rows}


def read_feedback(connection: sqlite3.Connection, keys: Iterable[Key]) -> dict[Key, Feedback]:
    """The evidence about some content, as far as there is any."""
    rows = _rows_of(connection, "feedback", "used, wrong, helped, idle, shown", keys)
    return {key: _feedback_of(row) for key, row in rows}


def _rows_of(
    connection: sqlite3.Connection, table: str, columns: str, keys: Iterable[Key]
) -> Iterator[tuple[Key, Sequence[Any]]]:
    by_kind: dict[str, list[str]] = {}
    for kind, id in keys:
        by_kind.setdefault(kind, []).append(id)
    for kind, ids in by_kind.items():
        for start in range(0, len(ids), _BATCH_SIZE):
            some = ids[start : start + _BATCH_SIZE]
            rows = connection.execute(
                f"SELECT id, {columns} FROM {table} "  # noqa: S608 - names from above, and marks
                f"WHERE kind = ? AND id IN ({','.join('?' * len(some))})",
                (kind, *some),
            )
            for id, *row in rows:
                yield (kind, id), row


def read_answers(connection: sqlite3.Connection, words: Iterable[str]) -> PastQueries:
    """What is remembered of past queries and of the use of files, for some words."""
    learned = connection.execute("SELECT value FROM learned WHERE name = 'all'").fetchone()
    rows = connection.execute("SELECT n, path, session, near, middle, far, words, time FROM past")
    pasts = {n: (path, _past_of(past)) for n, path, *past in rows}
    by_word = {word: connection.execute("SELECT file, times FROM past_word WHERE word = ?", (word,)) for word in words}
    return PastQueries(
        sessions=0 if learned is None else _learned(learned[0]).sessions,
        pasts=dict(pasts.values()),
        words={word: {pasts[file][0]: times for file, times in answered} for word, answered in by_word.items()},
    )
