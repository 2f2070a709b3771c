"""The memory of a server: what stands where, searches, packs, pruning. To look at it moves no rating."""

from collections.abc import Iterator, Sequence
from typing import Literal

from paragone.client.addresses import API, segment
from paragone.client.events import Event, listen
from paragone.client.methods.asking import Asking, there
from paragone.client.values.memory import (
    ContentBoard,
    ContentRating,
    Courses,
    Echoes,
    Memory,
    MemoryMeasures,
    Quadrants,
)
from paragone.client.values.memory_content import Content
from paragone.client.values.memory_keeping import Act, Acts, Archive, Archived, Pack, Prune, Rebuilt, Search

AT = f"{API}/memory"
Kind = Literal["file", "symbol", "adr", "vector"]
Order = Literal["rating", "elo", "need", "r", "uses", "last_use", "id"]


class MemoryMethods(Asking):
    """What is asked of a memory. Where the server shows none, each raises ``NotFound``."""

    def memory(self) -> Memory:
        """The memory at a glance: how much there is of what, tiers, quadrants, measures."""
        return self._at.get(Memory, AT)

    def memory_board(
        self,
        kind: Kind = "file",
        *,
        by: Order = "rating",
        tier: str | None = None,
        quadrant: str | None = None,
        search: str = "",
        limit: int = 50,
        cursor: str | None = None,
    ) -> ContentBoard:
        """A page of content by a rating; ``next`` of it is the cursor of the one after.

        Args:
            kind: Of which kind; ``adr`` are decision records, ``vector`` chunks of text.
            by: What it is ordered by, the highest first; by ``id`` from A to Z.
            tier: Only of this tier: ``high``, ``medium``, ``low`` or ``very low``.
            quadrant: Only what is this by R and Elo, such as ``echo chamber``.
            search: Only with this in the id.
            limit: Rows.
            cursor: ``next`` of the page before.
        """
        narrowed = {"tier": tier, "quadrant": quadrant, "search": search or None}
        return self._at.get(ContentBoard, f"{AT}/board", kind=kind, by=by, limit=limit, cursor=cursor, **narrowed)

    def memory_rows(self, kind: Kind = "file", *, by: Order = "rating") -> Iterator[ContentRating]:
        """All content of a kind, the highest first, fetched page by page."""
        return self._every(ContentBoard, f"{AT}/board", "rows", kind=kind, by=by)

    def remembered(self, content: str, *, start: int | None = None) -> Content:
        """One piece of content: where it stands and why, who used it, what it says.

        Args:
            content: A path, a symbol's id, a decision record's, or a chunk's hash.
            start: The first line of the text.
        """
        return self._at.get(Content, f"{AT}/files/{segment(content)}", start=start)

    def quadrants(self, kind: Kind = "file") -> Quadrants:
        """R against Elo: how much there is of each quadrant, and what is drawn."""
        return self._at.get(Quadrants, f"{AT}/quadrants", kind=kind)

    def echo_chambers(self, kind: Kind = "file") -> Echoes:
        """Content of a low R that is rated high and used, and why it is."""
        return self._at.get(Echoes, f"{AT}/echo", kind=kind)

    def memory_measures(self) -> MemoryMeasures:
        """The measures of success, each with its target, its evidence and its course."""
        return self._at.get(MemoryMeasures, f"{AT}/metrics")

    def memory_courses(self) -> Courses:
        """How those used files that are rated highest came to be so."""
        return self._at.get(Courses, f"{AT}/courses")

    def search_memory(
        self,
        query: str,
        *,
        how: Literal["semantic", "keyword", "hybrid"] = "hybrid",
        what: Literal["chunk", "file", "symbol", "decision"] = "chunk",
        mode: Literal["relevance", "bounded", "document"] | None = None,
        glob: str | None = None,
        limit: int = 10,
        offset: int = 0,
    ) -> Search:
        """What answers a query best, with what each score is made of. It is not logged as a search by an agent."""
        options = {"how": how, "what": what, "mode": mode, "glob": glob, "limit": limit, "offset": offset}
        return self._at.get(Search, f"{AT}/search", q=query, **options)

    def pack(
        self,
        budget: int | None = None,
        *,
        task: str = "",
        mode: Literal["budget", "tiers"] | None = None,
        text: bool = False,
        limit: int = 100,
        cursor: str | None = None,
    ) -> Pack:
        """What would go into a context window: a page of files with their forms, tokens and reasons.

        Args:
            budget: Tokens; as the store is configured where None.
            task: What it is for.
            mode: How forms are chosen; as the store is configured where None.
            text: Whether the pack itself is wanted.
            limit: Files of the page.
            cursor: ``next`` of the page before.
        """
        options = {"task": task or None, "mode": mode, "text": text, "limit": limit, "cursor": cursor}
        return self._at.get(Pack, f"{AT}/pack", budget=budget, **options)

    def prune_plan(self, scope: Sequence[str] | None = None, *, limit: int = 100, cursor: str | None = None) -> Prune:
        """What pruning would archive, what it would keep, and why; nothing is touched.

        Args:
            scope: Patterns of what is short-term memory; as the store is configured where None.
            limit: Files of the page.
            cursor: ``next`` of the page before.
        """
        patterns = None if scope is None else list(scope)
        return self._at.get(Prune, f"{AT}/prune", scope=patterns, limit=limit, cursor=cursor)

    def prune(self, confirm: str, scope: Sequence[str] | None = None) -> Prune:
        """Archive what a plan for the same scope said; a ``Conflict`` where something else would be archived by now."""
        body = {"confirm": confirm, "scope": None if scope is None else list(scope)}
        return there(self._at.post(Prune, f"{AT}/prune", body, again=False))

    def archive(self) -> Iterator[Archived]:
        """What was pruned and can be brought back, the newest first."""
        return self._every(Archive, f"{AT}/archive", "files")

    def restore(self, path: str, *, force: bool = False) -> Archived:
        """Bring a file back from the archive; with ``force`` another one that lies there goes into it first."""
        return there(self._at.post(Archived, f"{AT}/restore", {"path": path, "force": force}, again=False))

    def supply_truth(self, content: str, r: float | None, *, note: str = "") -> Content:
        """Write down R that somebody knows; None takes back what was supplied before."""
        body = {"content": content, "r": r, "withdraw": r is None, "note": note}
        return there(self._at.post(Content, f"{AT}/truth", body, again=False))

    def rebuild_memory(self) -> Rebuilt:
        """Count all logs anew, and say whether the standings are the same to the last bit."""
        return there(self._at.post(Rebuilt, f"{AT}/rebuild", {}))

    def memory_events(self, *, last: str | None = None) -> Iterator[Event]:
        """What is written to the store, as it is, by whichever process; without end, and of no pool."""
        return listen(self._at, None, last, path=f"{AT}/events")

    def memory_acts(self) -> Iterator[Act]:
        """What admins did to the store over HTTP, the newest first."""
        return self._every(Acts, f"{AT}/acts", "acts")
