"""The memory over HTTP. To look at it, and to search it here, is no use: nothing is logged, and no rating moves."""

from typing import Annotated

from fastapi import APIRouter, Query

from paragone.domain.content import ContentKind, ContentTier, Quadrant
from paragone.web.api.answers import Cursor, Limit, refusals
from paragone.web.api.memory_acts import Patterns
from paragone.web.middleware.authentication import Admin, Reader
from paragone.web.parameters import ContentId, MemoryDep
from paragone.web.views.memory import board as boards
from paragone.web.views.memory import content as contents
from paragone.web.views.memory import packs, pruning, summary
from paragone.web.views.memory import summary as measuring
from paragone.web.views.memory.board import ContentBoardQuery
from paragone.web.views.memory.packs import PackQuery, SearchQuery
from paragone.wire.content import Content, ContentBoard, ContentOrder
from paragone.wire.memory import EchoChambers, Memory, MemoryMeasures, Quadrants, RatingHistories
from paragone.wire.pack import Pack, PackMode
from paragone.wire.prune import Acts, Archive, PrunePlan
from paragone.wire.search import Search, SearchMethod, SearchMode, SearchTarget

router = APIRouter(prefix="/memory", tags=["memory"], responses=refusals(404))

Kind = Annotated[
    ContentKind, Query(description="Of which kind of content; decision records are `adr`, chunks `vector`.")
]
Glob = Annotated[str | None, Query(max_length=500, description="Only in files that this pattern names.")]


@router.get("")
def get_memory(memory: MemoryDep, _: Reader) -> Memory:
    """The memory at a glance: how much there is of what, tiers, quadrants, measures."""
    return summary.summary(memory)


@router.get("/board")
def get_memory_board(
    memory: MemoryDep,
    _: Reader,
    kind: Kind = ContentKind.FILE,
    by: Annotated[
        ContentOrder, Query(description="What it is ordered by, the highest first; `id` from A to Z.")
    ] = "rating",
    tier: Annotated[ContentTier | None, Query(description="Only of this tier.")] = None,
    quadrant: Annotated[Quadrant | None, Query(description="Only what is this by R and Elo.")] = None,
    search: Annotated[str, Query(max_length=200, description="Only with this in the id.")] = "",
    limit: Limit = 50,
    cursor: Cursor = None,
) -> ContentBoard:
    """Content of a kind by a rating, page by page."""
    query = ContentBoardQuery(kind=kind, by=by, tier=tier, quadrant=quadrant, search=search, limit=limit, cursor=cursor)
    return boards.board(memory, query)


@router.get("/files/{content}")
def get_memory_content(
    content: ContentId,
    memory: MemoryDep,
    _: Reader,
    start: Annotated[int | None, Query(ge=1, le=10_000_000, description="The first line that is shown.")] = None,
) -> Content:
    """One piece of content: its ratings and their reasons, its users, and its text if that may be shown."""
    return contents.content(memory, content, start=start)


@router.get("/quadrants")
def get_memory_quadrants(memory: MemoryDep, _: Reader, kind: Kind = ContentKind.FILE) -> Quadrants:
    """R against Elo: how much there is of each quadrant, and up to 1,500 pieces as they are drawn."""
    return summary.quadrants_of(memory, kind)


@router.get("/echo")
def get_memory_echo(memory: MemoryDep, _: Reader, kind: Kind = ContentKind.FILE) -> EchoChambers:
    """Echo chambers: content of a low R that is rated high and used, and why it is."""
    return summary.echoes_of(memory, kind)


@router.get("/metrics")
def get_memory_metrics(memory: MemoryDep, _: Reader) -> MemoryMeasures:
    """The measures of success, each with its target, its evidence and its course by week."""
    return measuring.measures(memory)


@router.get("/histories")
def get_memory_histories(memory: MemoryDep, _: Reader) -> RatingHistories:
    """The rating histories of the highest rated files that were used."""
    return measuring.histories(memory)


@router.get("/search", responses=refusals(404, 501))
def search_memory(
    memory: MemoryDep,
    _: Reader,
    q: Annotated[str, Query(min_length=1, max_length=4_000, description="What to look for.")],
    how: Annotated[SearchMethod, Query(description="By meaning, by words, or by both.")] = "hybrid",
    what: Annotated[SearchTarget, Query(description="Chunks, files, symbols or decision records.")] = "chunk",
    mode: Annotated[SearchMode | None, Query(description="What orders results; as configured where none.")] = None,
    glob: Glob = None,
    limit: Annotated[int, Query(ge=1, le=100, description="Results of a page.")] = 10,
    offset: Annotated[int, Query(ge=0, le=10_000, description="How many to pass over.")] = 0,
) -> Search:
    """Search the memory; each result lists the parts of its score."""
    query = SearchQuery(query=q, how=how, what=what, mode=mode, glob=glob, limit=limit, offset=offset)
    return packs.search(memory, query)


@router.get("/pack", responses=refusals(404, 501))
def get_pack(
    memory: MemoryDep,
    _: Reader,
    budget: Annotated[int | None, Query(ge=1, le=packs.MOST, description="Tokens; as configured where none.")] = None,
    task: Annotated[str, Query(max_length=4_000, description="What it is for.")] = "",
    mode: Annotated[PackMode | None, Query(description="How forms are chosen; as configured where none.")] = None,
    text: Annotated[bool, Query(description="Whether to include the text of the pack.")] = False,
    limit: Limit = 100,
    cursor: Cursor = None,
) -> Pack:
    """What would go into a context window: each file with its form, its tokens and why, and where tokens go."""
    query = PackQuery(budget=budget, task=task.strip(), mode=mode, limit=limit, cursor=cursor, text=text)
    return packs.pack(memory, query)


@router.get("/prune")
def get_prune(
    memory: MemoryDep,
    _: Reader,
    scope: Annotated[
        Patterns | None,
        Query(description="Patterns of what is short-term memory, as in .gitignore; as configured where none."),
    ] = None,
    limit: Limit = 100,
    cursor: Cursor = None,
) -> PrunePlan:
    """Plan a pruning: what it would archive, what it would keep, and why. Nothing is changed."""
    return pruning.plan(memory, None if scope is None else tuple(scope), limit=limit, after=cursor)


@router.get("/archive")
def get_archive(memory: MemoryDep, _: Reader, limit: Limit = 100, cursor: Cursor = None) -> Archive:
    """The archive of pruned content that can be restored, newest first."""
    return pruning.archive(memory, limit=limit, after=cursor)


@router.get("/acts")
def get_acts(memory: MemoryDep, _: Admin, limit: Limit = 100, cursor: Cursor = None) -> Acts:
    """The log of admins' changes to the store over HTTP, newest first."""
    return pruning.acts(memory, limit=limit, after=cursor)
