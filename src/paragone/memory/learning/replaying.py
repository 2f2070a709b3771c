"""Ratings of files from the beginning, in memory: the events of a trace through the one definition of usage."""

from collections.abc import Callable
from dataclasses import replace

from paragone.domain.content import (
    Content,
    ContentKind,
    OpenSearch,
    Renamed,
    Showing,
    Standing,
    TruthFound,
    UsageConfig,
    Use,
)
from paragone.ratings.usage import show, use

Initial = Callable[[str], float]
"""The initial rating of a path, in Elo points."""


def file(path: str) -> Content:
    """A file as content."""
    return Content(kind=ContentKind.FILE, id=path, path=path)


class Replay:
    """Where every file stands, event by event. The pool is the files that are there."""

    def __init__(self, config: UsageConfig, initial: Initial) -> None:
        self.config = config
        self._initial = initial
        self._standings: dict[str, Standing] = {}
        self._searches: dict[str, OpenSearch] = {}
        self._present: set[str] = set()
        self._total = 0.0

    def standing(self, content: Content) -> Standing:
        """Where a file stands; at its initial rating where nothing has happened to it."""
        known = self._standings.get(content.id)
        if known is None:
            elo = self._initial(content.id)
            known = Standing(content=content, elo=elo, initial=elo)
        return known

    def mean(self, kind: ContentKind) -> float:  # noqa: ARG002 - all are files
        """The mean rating of the files that are there."""
        return self._total / len(self._present) if self._present else self._initial("")

    def search(self, id: str) -> OpenSearch | None:
        """A search that was replayed."""
        return self._searches.get(id)

    def present(self, path: str) -> Standing:
        """A file is there."""
        standing = self.standing(file(path))
        if path not in self._present:
            self._present.add(path)
            self._total += standing.elo
        return standing

    def gone(self, path: str) -> None:
        """A file is there no more; what comes back under its name begins anew."""
        if path in self._present:
            self._present.remove(path)
            self._total -= self.standing(file(path)).elo
        self._standings.pop(path, None)

    def count(self, event: Showing | Use | TruthFound | Renamed) -> dict[str, Standing]:
        """Counts an event; returns the standings that it changed, by path."""
        match event:
            case Renamed():
                return self._rename(event)
            case TruthFound():
                before = self.standing(event.content)
                others = [one for one in before.truth if one[0] is not event.source]
                own = [] if event.r is None else [(event.source, event.r)]
                return self._keep([replace(before, truth=(*others, *own))])
            case Showing():
                step = show(event, self, self.config)
            case Use():
                step = use(event, self, self.config)
        if step.search is not None:
            self._searches[step.search.id] = step.search
        return self._keep([one for content, one in step.standings.items() if content.kind is ContentKind.FILE])

    def _keep(self, changed: list[Standing]) -> dict[str, Standing]:
        for standing in changed:
            path = standing.content.id
            if path in self._present:
                self._total += standing.elo - self.standing(standing.content).elo
            self._standings[path] = standing
        return {standing.content.id: standing for standing in changed}

    def _rename(self, event: Renamed) -> dict[str, Standing]:
        if event.old not in self._present:
            return {}
        moved = replace(self.standing(file(event.old)), content=file(event.new))
        self.gone(event.old)
        self.gone(event.new)
        self._standings[event.new] = moved
        self.present(event.new)
        return {event.new: moved}
