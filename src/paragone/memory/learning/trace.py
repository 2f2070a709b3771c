"""What happened, in order, with a mark where each session begins: what is foretold is what the session then used."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from paragone.domain.content import Action, ContentKind, Event, Renamed, Showing, Shown, TruthFound, Use
from paragone.memory.store.lines import Line, SessionLine


@dataclass(frozen=True, kw_only=True, slots=True)
class Visit:
    """A session begins here.

    Attributes:
        id: Of the session.
        time: Seconds since 1970.
        used: Paths of all files that it used, at any time until it ended.
    """

    id: str
    time: float
    used: frozenset[str]


@dataclass(frozen=True, kw_only=True, slots=True)
class Present:
    """Files that are there from now on; those known already stay as they are."""

    time: float
    paths: tuple[str, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class Gone:
    """Files that are there no more."""

    paths: tuple[str, ...]


Step = Visit | Present | Gone | Showing | Use | TruthFound | Renamed


def trace(lines: Iterable[Line]) -> Iterator[Step]:
    """The logs as steps, as far as they are about files.

    A session is measured at its first line, with what was known then, however sessions interleave; a file that this
    line renamed has its new name by then. A file is there from the first line that names it until one says that it is
    gone.
    """
    known = list(lines)
    used = _used_by_session(known)
    begun: set[str] = set()
    for line in known:
        events = [event for whole in line.events() for event in _of_files(whole)]
        yield from (event for event in events if isinstance(event, Renamed))
        session = session_of(line)
        uses = [event for event in events if isinstance(event, Use | Showing)]
        if uses and session not in begun:
            begun.add(session)
            yield Visit(id=session, time=uses[0].time, used=frozenset(used[session]))
        for event in events:
            if isinstance(event, Use | Showing):
                yield Present(time=event.time, paths=_paths(event))
            if not isinstance(event, Renamed):
                yield event
        if isinstance(line, SessionLine) and line.removed:
            yield Gone(paths=line.removed)


def session_of(line: Line) -> str:
    """The session that a line belongs to; a line that names none is one by itself."""
    return line.session_id or line.id


def _used_by_session(lines: Sequence[Line]) -> dict[str, set[str]]:
    used: defaultdict[str, set[str]] = defaultdict(set)
    for line in lines:
        for event in line.events():
            if isinstance(event, Use) and event.action is not Action.CONTRADICTED:
                used[session_of(line)] |= {one.id for one in event.contents if one.kind is ContentKind.FILE}
    return used


def _paths(event: Use | Showing) -> tuple[str, ...]:
    if isinstance(event, Use):
        return tuple(one.id for one in event.contents)
    return tuple(dict.fromkeys(row.path for row in event.results))


def _of_files(event: Event) -> Iterator[Showing | Use | TruthFound | Renamed]:
    """An event without what is no file: ratings of files do not depend on that."""
    match event:
        case Showing():
            yield replace(event, results=tuple(Shown(rank=row.rank, path=row.path) for row in event.results))
        case Use():
            files = tuple(one for one in event.contents if one.kind is ContentKind.FILE)
            if files:
                yield replace(event, contents=files)
        case Renamed():
            yield event
        case TruthFound() if event.content.kind is ContentKind.FILE:
            yield event
