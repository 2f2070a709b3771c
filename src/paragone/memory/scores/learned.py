"""What is remembered of searches and commits: evidence about content, and which files answered which queries.

Learning reads and writes a ``LearningStore``. That of a memory is in the database of scores (``StoredLearning``); a
``PlainLearning`` is not stored, and serves evaluations and the tests of the other.
"""

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol

from paragone.domain.content import Content, ContentKind
from paragone.memory.store.lines import path_of
from paragone.ratings import usefulness
from paragone.ratings.usefulness import NOTHING, Endings, Feedback, Reporting

Key = tuple[str, str]
"""Kind and id of content."""

MAX_EPISODES = 20_000
"""Searches that are remembered: an act may refer to one of the last."""
MAX_EVIDENCE_QUERIES = 8
"""Queries that are remembered with the evidence about a piece of content."""
HALF_LIVES = (15.0, 100.0, 600.0)
"""Sessions after which half of a use is forgotten, for the three sums of ``Past``."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Past:
    """A file's answers: sessions and commits that used it.

    Attributes:
        session: Number of the last one.
        sums: Uses at that time, each decayed by one of ``HALF_LIVES``.
        words: Number of words in the queries that it answered.
        time: When it was last used, in seconds since 1970.
    """

    session: int
    sums: tuple[float, ...] = (0.0, 0.0, 0.0)
    words: int = 0
    time: float = 0.0

    def at(self, session: int) -> tuple[float, ...]:
        """The sums at a later session."""
        age = max(session - self.session, 0)
        return tuple(
            total * math.pow(2.0, -age / half_life) for total, half_life in zip(self.sums, HALF_LIVES, strict=True)
        )


Queries = tuple[tuple[tuple[str, ...], float], ...]
"""The words of queries for which there was evidence about content, and how much, the latest last."""


def with_query(queries: Queries, words: Sequence[str], amount: float) -> Queries:
    """The queries with one more; the same words are one query, and the last ``MAX_EVIDENCE_QUERIES`` are kept."""
    before = dict(queries)
    total = before.pop(tuple(words), 0.0) + amount
    return (*before.items(), (tuple(words), total))[-MAX_EVIDENCE_QUERIES:]


@dataclass(frozen=True, kw_only=True, slots=True)
class Episode:
    """A search and what followed it.

    Attributes:
        id: Of the search.
        number: The how manieth search it is.
        session: In which it was made.
        agent: Who searched.
        time: Of the last act, in seconds since 1970.
        words: Distinct words of its query.
        shown: Content that it showed, with its rank among content of its kind.
        opened: What was opened, in the order of the last openings.
        used: What was reported as used.
        wrong: What was reported as wrong.
    """

    id: str
    number: int = 0
    session: str
    agent: str = ""
    time: float = 0.0
    words: tuple[str, ...] = ()
    shown: tuple[tuple[str, str, int], ...] = ()
    opened: tuple[Key, ...] = ()
    used: tuple[Key, ...] = ()
    wrong: tuple[Key, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class SessionVisit:
    """What a session has counted so far: an act counts once a session and content.

    Attributes:
        used: Reported as used.
        wrong: Reported as wrong.
        settled: Openings that were settled, with the probability that each was useful.
        answered: Files that answered queries, with how many.
        reports: Number of reported uses.
        has_ended: Whether its end is in the logs.
    """

    used: tuple[Key, ...] = ()
    wrong: tuple[Key, ...] = ()
    settled: tuple[tuple[str, str, float], ...] = ()
    answered: tuple[tuple[str, int], ...] = ()
    reports: int = 0
    has_ended: bool = False


@dataclass(frozen=True, kw_only=True, slots=True)
class LearnedSearches:
    """What is known of all searches together.

    Attributes:
        sessions: Sessions and commits in which something was used.
        searches: Searches so far.
        endings: How searches end.
        open: Ids of the searches that have not ended, oldest first.
    """

    sessions: int = 0
    searches: int = 0
    endings: Endings = field(default_factory=Endings)
    open: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class PastQueries:
    """What is remembered of past queries, for the words of one.

    Attributes:
        sessions: Sessions and commits so far.
        pasts: Of files, by path.
        words: By word, how many past queries with it a file answered, by path.
    """

    sessions: int = 0
    pasts: Mapping[str, Past] = field(default_factory=dict)
    words: Mapping[str, Mapping[str, int]] = field(default_factory=dict)


class LearningStore(Protocol):
    """What is remembered between lines."""

    learned: LearnedSearches

    def feedback(self, key: Key) -> Feedback:
        """The evidence about content; ``NOTHING`` if there is none."""
        ...

    def keep_feedback(self, key: Key, feedback: Feedback) -> None: ...

    def add_query(self, key: Key, words: Sequence[str], amount: float) -> None:
        """Remember for which query there was evidence about content, and how much of it."""
        ...

    def episode(self, id: str) -> Episode | None:
        """A search; those before the last ``MAX_EPISODES`` may be gone."""
        ...

    def keep_episode(self, episode: Episode) -> None: ...

    def visit(self, id: str) -> SessionVisit:
        """What a session has counted."""
        ...

    def keep_visit(self, id: str, visit: SessionVisit) -> None: ...

    def reporting(self, agent: str) -> Reporting: ...

    def keep_reporting(self, agent: str, reporting: Reporting) -> None: ...

    def past(self, path: str) -> Past | None:
        """The answers of a file; None if it never answered."""
        ...

    def keep_past(self, path: str, past: Past) -> None: ...

    def add_words(self, path: str, words: Sequence[str]) -> None:
        """Add the words of a query to those that a file answered; the file has a past."""
        ...

    def rename(self, old: str, new: str) -> None:
        """Move everything about a file to another path, merged with what that has."""
        ...

    def remove(self, path: str) -> None:
        """Forget a deleted file: another one of its name starts afresh."""
        ...


def merged_past(first: Past, other: Past) -> Past:
    """The past of a file that was renamed to a path with a past of its own."""
    session = max(first.session, other.session)
    sums = tuple(a + b for a, b in zip(first.at(session), other.at(session), strict=True))
    return Past(session=session, sums=sums, words=first.words + other.words, time=max(first.time, other.time))


def merged_feedback(first: Feedback, second: Feedback) -> Feedback:
    """The evidence about a file that was renamed to a path with evidence of its own."""
    return usefulness.bounded(
        Feedback(
            used=first.used + second.used,
            wrong=first.wrong + second.wrong,
            helped=first.helped + second.helped,
            idle=first.idle + second.idle,
            shown=first.shown + second.shown,
        )
    )


class PlainLearning:
    """What was learned, in dicts."""

    def __init__(self) -> None:
        self.learned = LearnedSearches()
        self.feedbacks: dict[Key, Feedback] = {}
        self.queries: dict[Key, Queries] = {}
        self.pasts: dict[str, Past] = {}
        self.words: dict[str, Counter[str]] = {}
        self._episodes: dict[str, Episode] = {}
        self._visits: dict[str, SessionVisit] = {}
        self._reporting: dict[str, Reporting] = {}

    def answers(self, words: Iterable[str]) -> PastQueries:
        """What is remembered of past queries and of the use of files, for some words."""
        by_word = {
            word: {path: times[word] for path, times in self.words.items() if times[word]} for word in set(words)
        }
        return PastQueries(sessions=self.learned.sessions, pasts=self.pasts, words=by_word)

    def feedback(self, key: Key) -> Feedback:
        return self.feedbacks.get(key, NOTHING)

    def keep_feedback(self, key: Key, feedback: Feedback) -> None:
        self.feedbacks[key] = feedback

    def add_query(self, key: Key, words: Sequence[str], amount: float) -> None:
        self.queries[key] = with_query(self.queries.get(key, ()), words, amount)

    def episode(self, id: str) -> Episode | None:
        return self._episodes.get(id)

    def keep_episode(self, episode: Episode) -> None:
        self._episodes[episode.id] = episode

    def visit(self, id: str) -> SessionVisit:
        return self._visits.get(id, SessionVisit())

    def keep_visit(self, id: str, visit: SessionVisit) -> None:
        self._visits[id] = visit

    def reporting(self, agent: str) -> Reporting:
        return self._reporting.get(agent, Reporting())

    def keep_reporting(self, agent: str, reporting: Reporting) -> None:
        self._reporting[agent] = reporting

    def past(self, path: str) -> Past | None:
        return self.pasts.get(path)

    def keep_past(self, path: str, past: Past) -> None:
        self.pasts[path] = past

    def add_words(self, path: str, words: Sequence[str]) -> None:
        self.words.setdefault(path, Counter()).update(words)
        self.pasts[path] = replace(self.pasts[path], words=self.pasts[path].words + len(words))

    def rename(self, old: str, new: str) -> None:
        past, words = self.pasts.pop(old, None), self.words.pop(old, Counter())
        if past is not None:
            own = self.pasts.get(new)
            self.pasts[new] = past if own is None else merged_past(own, past)
            self.words[new] = self.words.get(new, Counter()) + words
        for key in [key for key in self.feedbacks if path_of_key(key) == old]:
            feedback, target = self.feedbacks.pop(key), renamed_key(key, old, new)
            own_feedback = self.feedbacks.get(target)
            self.feedbacks[target] = feedback if own_feedback is None else merged_feedback(own_feedback, feedback)
            self.queries[target] = (*self.queries.pop(key, ()), *self.queries.get(target, ()))[-MAX_EVIDENCE_QUERIES:]

    def remove(self, path: str) -> None:
        self.pasts.pop(path, None)
        self.words.pop(path, None)
        for key in [key for key in self.feedbacks if path_of_key(key) == path]:
            del self.feedbacks[key]
            self.queries.pop(key, None)


def key_of(content: Content) -> Key:
    """The kind and id of content."""
    return str(content.kind), content.id


def path_of_key(key: Key) -> str:
    """The file that a file or a definition lies in; empty for decision records, which keep their id."""
    return path_of(ContentKind(key[0]), key[1])


def renamed_key(key: Key, old: str, new: str) -> Key:
    """The key of content after its file was renamed."""
    return key_of(Content(kind=ContentKind(key[0]), id=key[1]).moved(old, new))
