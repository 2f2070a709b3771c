"""What searches and commits teach: which content helped, and which files answered which queries.

Pure steps over a ``LearningStore``: a line of the logs goes in, and what is remembered changes.

A search is a unit of evidence. It is open from its line until the next search of its session, the end of its session,
or an hour without an act. What was reported counts at once; what was opened is settled when the search ends, by
``paragone.ratings.usefulness``. Commands are sessions of one act each, so what they open belongs to the session of the
search that showed it, and the agent's next search ends it.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace

from paragone.domain.content import Action, ContentKind, Use
from paragone.memory.scores.learned import MAX_EPISODES, Episode, Key, LearningStore, Past, SessionVisit, key_of
from paragone.memory.store.lines import AccessLine, IndexLine, LogLine, SearchLine, SessionLine
from paragone.memory.words import query_terms
from paragone.ratings import usefulness
from paragone.ratings.usefulness import Endings

IDLE_SECONDS = 3600.0
"""Time without an act after which a search has ended."""
MAX_OPEN = 256
"""Searches open at the same time; the oldest one ends."""
MAX_WORDS = 64
"""Distinct words of a query that are remembered."""
MAX_QUERIES = 5
"""Queries of a session that a file can be remembered to have answered."""
MAX_FILES = 50
"""A session that used more files says nothing about which of them answered its query."""

_READING = frozenset({Action.READ, Action.OPENED, Action.EXPANDED})


def learn(line: LogLine, learning: LearningStore) -> None:
    """Learn from one line of the logs, in the order of writing."""
    match line:
        case SearchLine():
            _end_idle(line.timestamp, learning)
            _search(line, learning)
        case AccessLine():
            _end_idle(line.timestamp, learning)
            for event in line.events():
                if isinstance(event, Use):
                    _access(event, learning)
        case SessionLine():
            _rename(line.renamed, line.end_time, learning)
            for path in line.removed:
                learning.remove(path)
            if line.source == "git":
                _commit(line, learning)
            else:
                _end_session(line, learning)
        case IndexLine():
            _rename(line.renamed, line.timestamp, learning)


def _rename(renamed: Iterable[tuple[str, str]], time: float, learning: LearningStore) -> None:
    for old, new in renamed:
        past = learning.past(old)
        if old != new and (past is None or past.time <= time):  # used since then: there is another file of that name
            learning.rename(old, new)


# Searches


def _search(line: SearchLine, learning: LearningStore) -> None:
    for episode in list(_open(learning)):
        is_over = learning.visit(episode.session).has_ended and episode.agent == line.agent_id
        if is_over or episode.session == line.session_id:
            _settle(episode, learning)
    for episode in list(_open(learning))[: -MAX_OPEN + 1]:
        _settle(episode, learning)
    learned = learning.learned
    learning.learned = replace(learned, searches=learned.searches + 1, open=(*learned.open, line.id))
    learning.keep_episode(
        Episode(
            id=line.id,
            number=learning.learned.searches,
            session=line.session_id or line.id,
            agent=line.agent_id,
            time=line.timestamp,
            words=remembered_words(line.query) if line.tool != "grep_search" else (),
            shown=tuple(_shown(line)),
        )
    )


def remembered_words(query: str) -> tuple[str, ...]:
    """The distinct words of a query by which it is remembered, sorted."""
    return tuple(sorted(dict.fromkeys(query_terms(query)[:MAX_WORDS])))


def _shown(line: SearchLine) -> Iterator[tuple[str, str, int]]:
    """Content that a search showed, each once, with its rank among content of its kind."""
    columns: tuple[tuple[ContentKind, str], ...] = (
        (ContentKind.FILE, "file_path"),
        (ContentKind.SYMBOL, "symbol"),
        (ContentKind.ADR, "adr"),
    )
    rows = sorted(line.results, key=lambda row: row.rank)
    for kind, column in columns:
        ids = dict.fromkeys(id for row in rows if (id := getattr(row, column)))
        yield from ((str(kind), id, rank) for rank, id in enumerate(ids, 1))


def _open(learning: LearningStore) -> Iterator[Episode]:
    return (episode for id in learning.learned.open if (episode := learning.episode(id)) is not None)


def _end_idle(time: float, learning: LearningStore) -> None:
    for episode in list(_open(learning)):
        if episode.time < time - IDLE_SECONDS:
            _settle(episode, learning)


def _settle(episode: Episode, learning: LearningStore) -> None:
    """End a search: what was opened without a report is evidence by its place."""
    learned = learning.learned
    learning.learned = replace(learned, open=tuple(id for id in learned.open if id != episode.id))
    if not episode.opened:
        return
    _count_shown(episode, learning)
    last = _last_opened(episode)
    visit, reporting = learning.visit(episode.session), learning.reporting(episode.agent)
    endings = learning.learned.endings
    settled = list(visit.settled)
    counted = {(kind, id) for kind, id, _ in settled} | set(visit.used) | set(visit.wrong)
    for key in episode.opened:
        if key in counted:
            continue
        feedback = learning.feedback(key)
        y, weight = usefulness.was_useful(feedback, is_last=key in last, endings=endings, reporting=reporting)
        learning.keep_feedback(key, usefulness.settled(feedback, y, weight))
        learning.add_query(key, episode.words, weight)
        settled.append((*key, y))
    learning.keep_visit(episode.session, replace(visit, settled=tuple(settled)))
    learning.keep_reporting(episode.agent, usefulness.searched(reporting, reported=bool(episode.used)))
    learning.learned = replace(learning.learned, endings=_learned_endings(episode, last, endings))


def _count_shown(episode: Episode, learning: LearningStore) -> None:
    """Being shown in a search that somebody read; one in which nothing was opened says nothing of what was seen."""
    for kind, id, rank in episode.shown:
        learning.keep_feedback((kind, id), usefulness.shown_at(learning.feedback((kind, id)), rank))
        learning.add_query((kind, id), episode.words, usefulness.SHOWING * usefulness.looked_at(rank))


def _last_opened(episode: Episode) -> set[Key]:
    """What was opened last: a file, or a definition or record with its file."""
    last: set[Key] = set()
    for kind, id in reversed(episode.opened):
        if any(kind == own for own, _ in last):
            break
        last.add((kind, id))
    return last


def _learned_endings(episode: Episode, last: Collection[Key], endings: Endings) -> Endings:
    for key in episode.opened:
        if key[0] != ContentKind.FILE:
            continue
        if key in episode.used and key not in episode.wrong:
            endings = usefulness.ended(endings, is_useful=True, is_last=key in last)
        elif key in episode.wrong or episode.used:
            endings = usefulness.ended(endings, is_useful=False, is_last=key in last)
    return endings


# Acts


def _access(event: Use, learning: LearningStore) -> None:
    keys = tuple(key_of(content) for content in event.contents if content.kind is not ContentKind.VECTOR)
    episode = _known(event.search, learning)
    session = episode.session if episode is not None else event.session or event.id
    if event.action in _READING:
        _opened(keys, episode, session, event, learning)
        return
    visit = learning.visit(session)
    if event.action is Action.CONTRADICTED:
        learning.keep_visit(session, _report_wrong(keys, visit, learning))
    else:
        is_new = episode is not None and any(key not in episode.used for key in keys)
        words = episode.words if episode is not None and is_new else ()
        learning.keep_visit(session, _report_used(keys, visit, words, event.time, learning))
    if episode is not None:
        used, wrong = (
            (episode.used, (*episode.wrong, *keys))
            if event.action is Action.CONTRADICTED
            else ((*episode.used, *keys), episode.wrong)
        )
        learning.keep_episode(replace(episode, time=event.time, used=_distinct(used), wrong=_distinct(wrong)))


def _known(search: str, learning: LearningStore) -> Episode | None:
    """A search by its id, if it is one of the last."""
    episode = learning.episode(search) if search else None
    return None if episode is None or episode.number <= learning.learned.searches - MAX_EPISODES else episode


def _distinct(keys: Iterable[Key]) -> tuple[Key, ...]:
    return tuple(dict.fromkeys(keys))


def _opened(keys: Sequence[Key], episode: Episode | None, session: str, event: Use, learning: LearningStore) -> None:
    """An opening is settled at the end of its search; without a search it counts if its session succeeds."""
    if episode is None:
        visit = learning.visit(session)
        fresh = [key for key in keys if key not in {(kind, id) for kind, id, _ in visit.settled}]
        opened = tuple((*key, usefulness.probability(learning.feedback(key))) for key in fresh)
        learning.keep_visit(session, replace(visit, settled=(*visit.settled, *opened)))
    elif episode.id in learning.learned.open:
        keys_before = (key for key in episode.opened if key not in keys)
        learning.keep_episode(replace(episode, time=event.time, opened=(*keys_before, *keys)))


def _report_wrong(keys: Sequence[Key], visit: SessionVisit, learning: LearningStore) -> SessionVisit:
    fresh = [key for key in keys if key not in visit.wrong]
    for key in fresh:
        learning.keep_feedback(key, usefulness.reported_wrong(learning.feedback(key)))
    return replace(visit, wrong=(*visit.wrong, *fresh))


def _report_used(
    keys: Sequence[Key], visit: SessionVisit, words: Sequence[str], time: float, learning: LearningStore
) -> SessionVisit:
    """What was wrong in a session is no part of its success."""
    served = [key for key in keys if key not in visit.wrong]
    fresh = [key for key in served if key not in visit.used]
    reports = visit.reports + bool(fresh)
    for key in fresh:
        learning.keep_feedback(key, usefulness.reported_used(learning.feedback(key), number=reports))
        learning.add_query(key, words, 1.0)
    visit = replace(visit, used=(*visit.used, *fresh), reports=reports)
    return _answer([id for kind, id in served if kind == ContentKind.FILE], visit, words, time, learning)


def _answer(
    paths: Sequence[str], visit: SessionVisit, words: Sequence[str], time: float, learning: LearningStore
) -> SessionVisit:
    """Files answered a query: they were used in this session, and are remembered by its words."""
    answered = dict(visit.answered)
    if paths and not answered:
        learning.learned = replace(learning.learned, sessions=learning.learned.sessions + 1)
    for path in paths:
        if path not in answered:
            learning.keep_past(path, _used_again(learning.past(path), learning.learned.sessions, time))
        queries = answered.get(path, 0)
        if words and queries < MAX_QUERIES:
            learning.add_words(path, words)
        answered[path] = queries + bool(words)
    return replace(visit, answered=tuple(answered.items()))


def _used_again(past: Past | None, session: int, time: float) -> Past:
    if past is None:
        return Past(session=session, sums=(1.0, 1.0, 1.0), time=time)
    sums = tuple(total + 1.0 for total in past.at(session))
    return replace(past, session=session, sums=sums, time=max(past.time, time))


# Sessions


def _commit(line: SessionLine, learning: LearningStore) -> None:
    """Git knows what a change touched, not what was looked at: it feeds the past, never usefulness."""
    if 0 < len(line.files_accessed) <= MAX_FILES:
        _answer(
            list(dict.fromkeys(line.files_accessed)),
            SessionVisit(),
            remembered_words(line.query),
            line.end_time,
            learning,
        )


def _end_session(line: SessionLine, learning: LearningStore) -> None:
    session = line.session_id or line.id
    if not line.accesses_logged:
        _foreign(line, session, learning)
        return
    opened = [episode for episode in _open(learning) if episode.session == session and episode.opened]
    for episode in opened:
        _settle(episode, learning)
    visit = learning.visit(session)
    if line.outcome == "success" and not visit.used:
        words = opened[-1].words if opened else ()
        visit = _share_success(visit, words, line.end_time, learning)
    learning.keep_visit(session, replace(visit, has_ended=True))


def _share_success(visit: SessionVisit, words: Sequence[str], time: float, learning: LearningStore) -> SessionVisit:
    """A success without reports: something that was opened helped, most likely what the searches ended with."""
    helpers = [(kind, id, y) for kind, id, y in visit.settled if (kind, id) not in visit.wrong]
    totals: defaultdict[str, float] = defaultdict(float)
    for kind, _, y in helpers:
        totals[kind] += y
    shares = {(kind, id): y / totals[kind] for kind, id, y in helpers}
    for key, share in shares.items():
        learning.keep_feedback(key, usefulness.succeeded(learning.feedback(key), share))
        learning.add_query(key, words, share)
    likely = [id for (kind, id), share in shares.items() if kind == ContentKind.FILE and share >= 0.5]
    return _answer(likely, visit, words, time, learning)


def _foreign(line: SessionLine, session: str, learning: LearningStore) -> None:
    """A session that was logged elsewhere, as one line: what it read says nothing, unless it succeeded."""
    visit = learning.visit(session)
    contents = [content for event in line.events() if isinstance(event, Use) for content in event.contents]
    wrong = tuple(dict.fromkeys(key_of(content) for content in contents if content.id in line.contradicted))
    visit = _report_wrong(wrong, visit, learning)
    if line.outcome == "success" and len(line.files_accessed) <= MAX_FILES:
        for key in dict.fromkeys(map(key_of, contents)):
            visit = _report_used([key], visit, remembered_words(line.query), line.end_time, learning)
    learning.keep_visit(session, replace(visit, has_ended=True))
