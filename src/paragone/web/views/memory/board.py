"""Boards of content: by any rating, of a tier or a quadrant, searched, page by page."""

import bisect
from dataclasses import dataclass

from paragone.domain.content import ContentKind, ContentTier, Quadrant
from paragone.memory.boards import ORDERS, rating_value
from paragone.memory.scores import ContentRating
from paragone.memory.store.lines import instant
from paragone.web.readers.memory_reader import MemoryReader
from paragone.web.views.cursors import Place, cursor, place_of
from paragone.web.views.memory.census import Census, census
from paragone.wire.content import ContentBoard, ContentOrder

Key = tuple[float, str]
Rows = list[tuple[Key, ContentRating, Quadrant]]


@dataclass(frozen=True, kw_only=True, slots=True)
class ContentBoardQuery:
    """Which page of which board.

    Attributes:
        kind: Of which kind.
        by: What it is ordered by.
        tier: Only of this tier.
        quadrant: Only of this quadrant.
        search: Only with this in its id, whatever the case.
        limit: Rows of a page.
        cursor: ``next`` of the page before.
    """

    kind: ContentKind = ContentKind.FILE
    by: ContentOrder = "rating"
    tier: ContentTier | None = None
    quadrant: Quadrant | None = None
    search: str = ""
    limit: int = 50
    cursor: str | None = None

    @property
    def listing(self) -> tuple[str, ...]:
        """What a cursor of it belongs to."""
        return "memory", self.kind, self.by, self.tier or "", self.quadrant or "", self.search


def board(memory: MemoryReader, query: ContentBoardQuery) -> ContentBoard:
    """A page of the board.

    Raises:
        InvalidConfig: If the cursor is of another listing.
        Busy: If it is being read for the first time, which takes long.
    """
    snapshot = census(memory, query.kind)
    rows = _rows(snapshot.value, query)
    start = _start(rows, place_of(query.cursor, query.listing))
    page = rows[start : start + query.limit]
    return ContentBoard(
        version=snapshot.version,
        at=instant(snapshot.value.at),
        kind=query.kind,
        by=query.by,
        total=len(rows),
        rows=[rating_value(rating, often=snapshot.value.often) for _, rating, _ in page],
        next=cursor(query.listing, list(page[-1][0])) if start + query.limit < len(rows) else None,
    )


def _rows(content: Census, query: ContentBoardQuery) -> Rows:
    """The selected rows, sorted by value, then by id."""
    pattern, value = query.search.casefold(), ORDERS[query.by]
    rows = [
        (_key(value(rating), rating.content.id), rating, where)
        for rating, where in zip(content.pool.ratings, content.pool.quadrants, strict=True)
        if query.tier in (None, rating.tier)
        and query.quadrant in (None, where)
        and (not pattern or pattern in rating.content.id.casefold())
    ]
    rows.sort(key=_first)
    return rows


def _key(value: float | None, id: str) -> Key:
    return float("inf") if value is None else -value, id


def _first(row: tuple[Key, ContentRating, Quadrant]) -> Key:
    return row[0]


def _start(rows: Rows, last: Place | None) -> int:
    """Index of the first row after a position, whose row may be gone."""
    if last is None:
        return 0
    value, id = last
    return bisect.bisect_right(rows, (float(value or 0.0), str(id)), key=_first)
