"""All content of a kind with its ratings, cached until a change; and boards of it, page by page.

Summary, quadrants and echo chambers are made from the same census.
"""

import bisect
from collections.abc import Mapping
from dataclasses import dataclass

from paragone.domain.content import Content, ContentKind, ContentTier, Quadrant, TruthSource, UsageMove
from paragone.memory.archive import Archive
from paragone.memory.components import Components
from paragone.memory.content_board import ORDERS, rating_value
from paragone.memory.dashboard import ContentPool, Trail, echoes, histories, pool, suspects, trails
from paragone.memory.scores import ContentRating
from paragone.memory.store.lines import instant
from paragone.web.readers.ledger_reader import Computed
from paragone.web.readers.memory_reader import MemoryReader
from paragone.web.views.cursors import After, Place, cursor, place_of
from paragone.wire.content import ContentBoard, ContentOrder

Key = tuple[float, str]
Rows = list[tuple[Key, ContentRating, Quadrant]]


@dataclass(frozen=True, kw_only=True, eq=False, slots=True)
class Census:
    """All content of a kind.

    Attributes:
        at: As of when, in seconds since 1970.
        pool: Ratings, the highest first, with their quadrants, and the echo chambers.
        often: Ratings above this are high in the quadrants.
        rank_by: Which rating counts, ``elo`` or ``need``.
        mode: What orders the results of a search.
        thresholds: R above which it is high, by its source.
        scope: Patterns of what may be pruned.
        histories: Of files: the moves of what is rated highest of all that was used.
        sizes: Number of pieces of each kind in the index.
        archived: How many files are in the archive.
        indexed: When the index was last updated; None before the first time.
    """

    at: float
    pool: ContentPool
    often: float
    rank_by: str
    mode: str
    thresholds: Mapping[TruthSource, float]
    scope: tuple[str, ...]
    histories: tuple[tuple[ContentRating, tuple[UsageMove, ...]], ...]
    sizes: Mapping[ContentKind, int]
    archived: int
    indexed: float | None


def census(memory: MemoryReader, kind: ContentKind) -> Computed[Census]:
    """All content of a kind, as it is now or was a moment ago.

    Raises:
        Busy: If it is being read for the first time, which takes long.
    """
    return memory.made(f"census {kind}", lambda parts: _census(parts, kind))


def newest_census(memory: MemoryReader, kind: ContentKind, patience: float) -> Computed[Census] | None:
    """The newest census within so many seconds; None if there is none yet."""
    return memory.newest(f"census {kind}", lambda parts: _census(parts, kind), patience)[0]


def all_trails(memory: MemoryReader, patience: float) -> Mapping[Content, Trail] | None:
    """Usage of each piece of content by the logs; None while they are being read."""
    snapshot, _ = memory.newest("trails", lambda parts: trails(parts.store.logs.after(), list(ContentKind)), patience)
    return None if snapshot is None else snapshot.value


def _census(parts: Components, kind: ContentKind) -> Census:
    store, now, since = parts.store, parts.store.clock(), parts.index.first_seen()
    config = store.config
    ranked = pool(kind, store, parts.index, parts.scores, as_of=now, since=since)
    if any(suspects(ranked.ratings, config.prune.below)):
        histories_of_use = trails(store.logs.after(), [kind])
        alarms = echoes(ranked, histories_of_use, parts.scores, often=config.prune.below)
        ranked = ContentPool(kind=kind, ratings=ranked.ratings, quadrants=ranked.quadrants, echoes=alarms)
    return Census(
        at=now,
        pool=ranked,
        often=config.prune.below,
        rank_by=config.ranking.rank_by,
        mode=config.ranking.mode,
        thresholds=config.ratings.thresholds,
        scope=config.prune.scope,
        histories=histories(ranked, parts.scores) if kind is ContentKind.FILE else (),
        sizes={content_kind: size.count for content_kind, size in parts.scores.pools().items()},
        archived=len(Archive(store).entries()),
        indexed=parts.index.updated(),
    )


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
        cursor: ``next`` of the page before, or how many rows come before this one.
    """

    kind: ContentKind = ContentKind.FILE
    by: ContentOrder = "rating"
    tier: ContentTier | None = None
    quadrant: Quadrant | None = None
    search: str = ""
    limit: int = 50
    cursor: After = None

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
    start = query.cursor if isinstance(query.cursor, int) else _start(rows, place_of(query.cursor, query.listing))
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
