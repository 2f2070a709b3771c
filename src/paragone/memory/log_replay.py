"""The logs as a sequence of steps about files, and ratings replayed from them in memory."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from paragone.domain.content import (
    Action,
    Content,
    ContentEvent,
    ContentKind,
    ContentState,
    OpenSearch,
    Renamed,
    Showing,
    Shown,
    TruthFound,
    UsageConfig,
    Use,
)
from paragone.memory.store.lines import LogLine, SessionLine
from paragone.ratings.usage import show, use


@dataclass(frozen=True, kw_only=True, slots=True)
class SessionStart:
    """The beginning of a session.

    Attributes:
        id: Of the session.
        time: Seconds since 1970.
        used: Paths of all files that it used until its end.
    """

    id: str
    time: float
    used: frozenset[str]


@dataclass(frozen=True, kw_only=True, slots=True)
class Present:
    """Files that exist from now on; known ones stay as they are."""

    time: float
    paths: tuple[str, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class Gone:
    """Files that no longer exist."""

    paths: tuple[str, ...]


TraceEvent = SessionStart | Present | Gone | Showing | Use | TruthFound | Renamed


def trace(lines: Iterable[LogLine]) -> Iterator[TraceEvent]:
    """The logs as steps about files.

    A session is measured at its first line, with what was known then, however sessions interleave; a file renamed by
    this line has its new name. A file exists from the first line that names it until one deletes it.
    """
    log_lines = list(lines)
    used = _used_by_session(log_lines)
    started: set[str] = set()
    for line in log_lines:
        events = [event for line_event in line.events() for event in _of_files(line_event)]
        yield from (event for event in events if isinstance(event, Renamed))
        session = session_of(line)
        uses = [event for event in events if isinstance(event, Use | Showing)]
        if uses and session not in started:
            started.add(session)
            yield SessionStart(id=session, time=uses[0].time, used=frozenset(used[session]))
        for event in events:
            if isinstance(event, Use | Showing):
                yield Present(time=event.time, paths=_paths(event))
            if not isinstance(event, Renamed):
                yield event
        if isinstance(line, SessionLine) and line.removed:
            yield Gone(paths=line.removed)


def session_of(line: LogLine) -> str:
    """The session of a line; a line without one is its own."""
    return line.session_id or line.id


def _used_by_session(lines: Sequence[LogLine]) -> dict[str, set[str]]:
    used: defaultdict[str, set[str]] = defaultdict(set)
    for line in lines:
        for event in line.events():
            if isinstance(event, Use) and event.action is not Action.CONTRADICTED:
                used[session_of(line)] |= {content.id for content in event.contents if content.kind is ContentKind.FILE}
    return used


def _paths(event: Use | Showing) -> tuple[str, ...]:
    if isinstance(event, Use):
        return tuple(content.id for content in event.contents)
    return tuple(dict.fromkeys(row.path for row in event.results))


def _of_files(event: ContentEvent) -> Iterator[Showing | Use | TruthFound | Renamed]:
    """An event reduced to files, on which alone the ratings of files depend."""
    match event:
        case Showing():
            yield replace(event, results=tuple(Shown(rank=row.rank, path=row.path) for row in event.results))
        case Use():
            files = tuple(content for content in event.contents if content.kind is ContentKind.FILE)
            if files:
                yield replace(event, contents=files)
        case Renamed():
            yield event
        case TruthFound() if event.content.kind is ContentKind.FILE:
            yield event


Initial = Callable[[str], float]
"""The initial rating of a path, in Elo points."""


class TraceReplay:
    """The state of every file, event by event. The pool is the files that exist."""

    def __init__(self, config: UsageConfig, initial: Initial) -> None:
        self.config = config
        self._initial = initial
        self._states: dict[str, ContentState] = {}
        self._searches: dict[str, OpenSearch] = {}
        self._present: set[str] = set()
        self._total = 0.0  # of the ratings of files that exist: their mean is the opponent of a read without a search

    def state(self, content: Content) -> ContentState:
        """The state of a file; at its initial rating if it was never used."""
        state = self._states.get(content.id)
        if state is None:
            elo = self._initial(content.id)
            state = ContentState(content=content, elo=elo, initial=elo)
        return state

    def mean(self, kind: ContentKind) -> float:  # noqa: ARG002 - all are files
        """The mean rating of the files that exist."""
        return self._total / len(self._present) if self._present else self._initial("")

    def search(self, id: str) -> OpenSearch | None:
        """A search that was replayed."""
        return self._searches.get(id)

    def present(self, path: str) -> ContentState:
        """Add a file."""
        state = self.state(Content.file(path))
        if path not in self._present:
            self._present.add(path)
            self._total += state.elo
        return state

    def gone(self, path: str) -> None:
        """Remove a file; another one of its name starts afresh."""
        if path in self._present:
            self._present.remove(path)
            self._total -= self.state(Content.file(path)).elo
        self._states.pop(path, None)

    def take(self, step: TraceEvent) -> dict[str, ContentState]:
        """Take any step; returns the states of files that are new or that it changed, by path."""
        match step:
            case SessionStart():
                return {}
            case Present():
                return {path: self.present(path) for path in step.paths}
            case Gone():
                for path in step.paths:
                    self.gone(path)
                return {}
            case _:
                return self.count(step)

    def count(self, event: Showing | Use | TruthFound | Renamed) -> dict[str, ContentState]:
        """Count an event; returns the states that it changed, by path."""
        match event:
            case Renamed():
                return self._rename(event)
            case TruthFound():
                before = self.state(event.content)
                other_sources = [finding for finding in before.truth if finding[0] is not event.source]
                own = [] if event.r is None else [(event.source, event.r)]
                return self._keep([replace(before, truth=(*other_sources, *own))])
            case Showing():
                step = show(event, self, self.config)
            case Use():
                step = use(event, self, self.config)
        if step.search is not None:
            self._searches[step.search.id] = step.search
        return self._keep([state for content, state in step.states.items() if content.kind is ContentKind.FILE])

    def _keep(self, changed: list[ContentState]) -> dict[str, ContentState]:
        for state in changed:
            path = state.content.id
            if path in self._present:
                self._total += state.elo - self.state(state.content).elo
            self._states[path] = state
        return {state.content.id: state for state in changed}

    def _rename(self, event: Renamed) -> dict[str, ContentState]:
        if event.old not in self._present:
            return {}
        renamed = replace(self.state(Content.file(event.old)), content=Content.file(event.new))
        self.gone(event.old)
        self.gone(event.new)
        self._states[event.new] = renamed
        self.present(event.new)
        return {event.new: renamed}
