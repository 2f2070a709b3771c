"""What is remembered: truth and use at a glance, the board, one piece of content, and the search."""

from typing import Annotated

from fastapi import APIRouter, Query, Request
from starlette.responses import HTMLResponse

from paragone.domain.content import ContentKind, ContentTier, Quadrant
from paragone.errors import Busy, MissingExtra, UsageError
from paragone.web.dependencies import MemoryDep
from paragone.web.middleware.authentication import Reader
from paragone.web.pages.memory_charts import charts_of, ratings_over_time
from paragone.web.pages.rendering import page, query
from paragone.web.readers.memory_reader import MemoryReader
from paragone.web.views.links import ContentId
from paragone.web.views.memory import board as boards
from paragone.web.views.memory import content as contents
from paragone.web.views.memory import measures, quadrants, searching, summary
from paragone.web.views.memory.board import ContentBoardQuery
from paragone.web.views.memory.searching import SearchQuery
from paragone.wire.address import API, api_url, memory_url
from paragone.wire.content import ContentOrder
from paragone.wire.memory import Memory
from paragone.wire.search import Search, SearchMethod, SearchTarget

router = APIRouter()
EVENTS = f"{API}/memory/events"
PLURALS = {
    ContentKind.FILE: "Files",
    ContentKind.SYMBOL: "Symbols",
    ContentKind.ADR: "Decision records",
    ContentKind.VECTOR: "Chunks",
}
ORDERS: dict[ContentOrder, str] = {
    "rating": "rating",
    "elo": "Elo",
    "need": "need",
    "r": "R",
    "uses": "uses",
    "last_use": "last use",
    "id": "name",
}
MOST = 50
"""Rows of a page."""
MOVES = 40
"""Moves of a rating that a page lists; the API has more."""
CHAMBERS = 6
"""Echo chambers of the first page."""


@router.get("/memory")
def memory(request: Request, who: Reader) -> HTMLResponse:
    """Truth and use at a glance; where no memory is shown, how to begin."""
    reader: MemoryReader | None = request.app.state.memory
    if reader is None:
        return page("memory/none.html", section="memory", who=who)
    try:
        overview = summary.summary(reader)
    except Busy:
        return page("memory/busy.html", status=503, section="memory", part="", who=who)
    return page(
        "memory/summary.html",
        section="memory",
        part="",
        who=who,
        live=EVENTS,
        charts=tuple(charts_of(overview, quadrants.quadrants_of(reader, ContentKind.FILE), measures.histories(reader)))
        if overview.files
        else (),
        overview=overview,
        tiles=_tiles(overview),
        echoes=quadrants.echoes_of(reader, ContentKind.FILE),
        most=CHAMBERS,
        unknown=Quadrant.UNKNOWN,
    )


@router.get("/memory/board")
def memory_board(
    memory: MemoryDep,
    who: Reader,
    kind: Annotated[ContentKind, Query()] = ContentKind.FILE,
    by: Annotated[ContentOrder, Query()] = "rating",
    tier: Annotated[ContentTier | None, Query()] = None,
    quadrant: Annotated[Quadrant | None, Query()] = None,
    q: Annotated[str, Query(max_length=200)] = "",
    cursor: Annotated[str | None, Query(max_length=2_000)] = None,
) -> HTMLResponse:
    """Content by a rating."""
    request = ContentBoardQuery(
        kind=kind, by=by, tier=tier, quadrant=quadrant, search=q.strip(), limit=MOST, cursor=cursor
    )
    board = boards.board(memory, request)
    url = memory_url("board")
    parameters = {"kind": kind, "by": by, "tier": tier, "quadrant": quadrant, "q": request.search}
    return page(
        "memory/board.html",
        section="memory",
        part="board",
        who=who,
        live=EVENTS,
        board=board,
        kept=parameters,
        kinds=PLURALS,
        orders=ORDERS,
        tiers=list(ContentTier),
        quadrants=list(Quadrant),
        first=f"{url}?{query(parameters)}",
        next=f"{url}?{query(parameters, cursor=board.next)}" if board.next else None,
        is_first=cursor is None,
    )


@router.get("/memory/files/{content}")
def memory_content(
    content: ContentId, memory: MemoryDep, who: Reader, start: Annotated[int | None, Query(ge=1, le=10_000_000)] = None
) -> HTMLResponse:
    """One piece of content: where it stands and why, who used it, what it says."""
    detail = contents.content(memory, content, start=start)
    return page(
        "memory/content.html",
        section="memory",
        part="content",
        who=who,
        live=EVENTS,
        charts=(ratings_over_time(detail),) if len(detail.moves) > 1 else (),
        detail=detail,
        moves=detail.moves[::-1][:MOVES],
        kinds=PLURALS,
        truth=api_url(memory_url("truth")),
    )


@router.get("/memory/search")
def memory_search(
    memory: MemoryDep,
    who: Reader,
    q: Annotated[str, Query(max_length=4_000)] = "",
    how: Annotated[SearchMethod, Query()] = "hybrid",
    what: Annotated[SearchTarget, Query()] = "chunk",
    offset: Annotated[int, Query(ge=0, le=10_000)] = 0,
) -> HTMLResponse:
    """What a search would find, and why in that order. Nothing is logged."""
    results, why = _found(memory, SearchQuery(query=q, how=how, what=what, offset=offset)) if q.strip() else (None, "")
    url, parameters = memory_url("search"), {"q": q.strip(), "how": how, "what": what}
    more = None if results is None else results.next_offset
    return page(
        "memory/search.html",
        section="memory",
        part="search",
        who=who,
        results=results,
        why=why,
        kept=parameters,
        first=f"{url}?{query(parameters)}",
        next=f"{url}?{query(parameters, offset=more)}" if more else None,
        is_first=not offset,
    )


def _found(memory: MemoryReader, request: SearchQuery) -> tuple[Search | None, str]:
    """What a search found; where it cannot be done, why."""
    try:
        return searching.search(memory, request), ""
    except (UsageError, MissingExtra) as reason:
        return None, str(reason)


def _tiles(overview: Memory) -> list[tuple[str, str]]:
    counts = {
        counted_kind.kind: counted_kind.count
        for counted_kind in overview.kinds
        if counted_kind.kind is not ContentKind.FILE and counted_kind.count
    }
    return [
        ("Files", f"{overview.files:,}"),
        ("Used", f"{overview.used:,}"),
        ("R known", f"{overview.files - overview.unknown:,}"),
        ("Echo chambers", f"{overview.echo_chambers:,}"),
        *((PLURALS[kind], f"{count:,}") for kind, count in counts.items()),
        ("In the archive", f"{overview.archived:,}"),
    ]
