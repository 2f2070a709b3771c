"""The memory of a server: ratings of content, searches, packs, pruning. Reading it moves no rating."""

from collections.abc import Iterator, Sequence
from typing import Literal

from paragone.client.connection import Namespace
from paragone.client.events import listen
from paragone.wire import memory as values
from paragone.wire.address import content_url, memory_url
from paragone.wire.content import Content, ContentBoard, ContentOrder, ContentRating
from paragone.wire.event import Event
from paragone.wire.memory import EchoChambers, MemoryMeasures, Quadrants, RatingHistories
from paragone.wire.pack import Pack, PackMode
from paragone.wire.prune import Act, Acts, Archive, ArchivedFile, PrunePlan, Rebuild
from paragone.wire.search import Search, SearchMethod, SearchMode, SearchTarget

Kind = Literal["file", "symbol", "adr", "vector"]


class Memory(Namespace):
    """The memory of a server. Where it shows none, every method raises ``NotFound``."""

    def summary(self) -> values.Memory:
        """How much there is of what, tiers, quadrants, measures of success."""
        return self._connection.get(values.Memory, memory_url())

    def board(
        self,
        kind: Kind = "file",
        *,
        by: ContentOrder = "rating",
        tier: str | None = None,
        quadrant: str | None = None,
        search: str = "",
        limit: int = 50,
        cursor: str | None = None,
    ) -> ContentBoard:
        """A page of content by a rating; its ``next`` is the cursor of the page after.

        Args:
            kind: Of which kind; ``adr`` are decision records, ``vector`` chunks of text.
            by: What it is ordered by, the highest first; by ``id`` from A to Z.
            tier: Only of this tier: ``high``, ``medium``, ``low`` or ``very low``.
            quadrant: Only of this quadrant of R and Elo, such as ``echo chamber``.
            search: Only with this in the id.
            limit: Rows.
            cursor: ``next`` of the page before.
        """
        return self._connection.get(
            ContentBoard,
            memory_url("board"),
            kind=kind,
            by=by,
            tier=tier,
            quadrant=quadrant,
            search=search or None,
            limit=limit,
            cursor=cursor,
        )

    def rows(self, kind: Kind = "file", *, by: ContentOrder = "rating") -> Iterator[ContentRating]:
        """All content of a kind, the highest first, fetched page by page."""
        return self._connection.every(ContentBoard, memory_url("board"), "rows", kind=kind, by=by)

    def get(self, content: str, *, start: int | None = None) -> Content:
        """One piece of content: its ratings and their reasons, its users and its text.

        Args:
            content: A path, a symbol's id, a decision record's, or a chunk's hash.
            start: The first line of the text.
        """
        return self._connection.get(Content, content_url(content), start=start)

    def quadrants(self, kind: Kind = "file") -> Quadrants:
        """R against Elo: how much there is of each quadrant, and the points of its chart."""
        return self._connection.get(Quadrants, memory_url("quadrants"), kind=kind)

    def echo_chambers(self, kind: Kind = "file") -> EchoChambers:
        """Content of a low R that is rated high and used, and why it is."""
        return self._connection.get(EchoChambers, memory_url("echo"), kind=kind)

    def measures(self) -> MemoryMeasures:
        """The measures of success, each with its target, its evidence and its values over time."""
        return self._connection.get(MemoryMeasures, memory_url("metrics"))

    def histories(self) -> RatingHistories:
        """How the highest ratings of used files came about."""
        return self._connection.get(RatingHistories, memory_url("histories"))

    def search(
        self,
        query: str,
        *,
        how: SearchMethod = "hybrid",
        what: SearchTarget = "chunk",
        mode: SearchMode | None = None,
        glob: str | None = None,
        limit: int = 10,
        offset: int = 0,
    ) -> Search:
        """The best results for a query, with the parts of each score. It is not logged as a search by an agent."""
        return self._connection.get(
            Search,
            memory_url("search"),
            q=query,
            how=how,
            what=what,
            mode=mode,
            glob=glob,
            limit=limit,
            offset=offset,
        )

    def pack(
        self,
        budget: int | None = None,
        *,
        task: str = "",
        mode: PackMode | None = None,
        text: bool = False,
        limit: int = 100,
        cursor: str | None = None,
    ) -> Pack:
        """What goes into a context window, in which form, and why.

        Args:
            budget: Tokens; the configuration's if None.
            task: What the pack is for: results of a search for it weigh more.
            mode: By budget or by tiers; as configured if None.
            text: Whether to include the pack itself.
            limit: Files of the page.
            cursor: ``next`` of the page before.
        """
        return self._connection.get(
            Pack,
            memory_url("pack"),
            budget=budget,
            task=task or None,
            mode=mode,
            text=text,
            limit=limit,
            cursor=cursor,
        )

    def plan_prune(
        self, scope: Sequence[str] | None = None, *, limit: int = 100, cursor: str | None = None
    ) -> PrunePlan:
        """What pruning would archive, what it would keep, and why; nothing is changed.

        Args:
            scope: Patterns of short-term memory; the configuration's if None.
            limit: Files of the page.
            cursor: ``next`` of the page before.
        """
        patterns = None if scope is None else list(scope)
        return self._connection.get(PrunePlan, memory_url("prune"), scope=patterns, limit=limit, cursor=cursor)

    def prune(self, confirm: str, scope: Sequence[str] | None = None) -> PrunePlan:
        """Archive what a plan for the same scope listed; a ``Conflict`` where it would archive something else now."""
        body = {"confirm": confirm, "scope": None if scope is None else list(scope)}
        return self._connection.post(PrunePlan, memory_url("prune"), body, again=False)

    def archive(self) -> Iterator[ArchivedFile]:
        """Pruned files that can be restored, the newest first."""
        return self._connection.every(Archive, memory_url("archive"), "files")

    def restore(self, path: str, *, force: bool = False) -> ArchivedFile:
        """Bring a file back from the archive; with ``force`` another file at its path is archived first."""
        body = {"path": path, "force": force}
        return self._connection.post(ArchivedFile, memory_url("restore"), body, again=False)

    def supply_truth(self, content: str, r: float | None, *, note: str = "") -> Content:
        """Supply R of content; None withdraws what was supplied before."""
        body = {"content": content, "r": r, "withdraw": r is None, "note": note}
        return self._connection.post(Content, memory_url("truth"), body, again=False)

    def rebuild(self) -> Rebuild:
        """Recompute all ratings from the logs, and say whether they are the same to the last bit."""
        return self._connection.post(Rebuild, memory_url("rebuild"), {})

    def events(self, *, last: int | None = None) -> Iterator[Event]:
        """Writes to the store as they happen, by whichever process, without end."""
        return listen(self._connection, None, last, path=memory_url("events"))

    def acts(self) -> Iterator[Act]:
        """What admins did to the store over HTTP, the newest first."""
        return self._connection.every(Acts, memory_url("acts"), "acts")
