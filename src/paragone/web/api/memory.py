"""The memory over HTTP. Reading and searching it here is not logged as use, and moves no rating.

Each change by an admin is logged before it is made.
"""

from typing import Annotated

from fastapi import Query
from pydantic import BeforeValidator, Field

from paragone.domain import content as domain
from paragone.domain.content import ContentKind, ContentTier, Quadrant
from paragone.errors import Conflict, InvalidConfig, NotFound
from paragone.memory import archive
from paragone.memory.components import Components
from paragone.memory.content_board import resolve
from paragone.web.api.tournaments import EmptyBody
from paragone.web.api_router import api_router
from paragone.web.middleware.access_tokens import Caller
from paragone.web.middleware.authorization import Admin, Reader
from paragone.web.parameters import Body, ContentId, Cursor, Limit, MemoryDep, StorableText
from paragone.web.problems import refusals
from paragone.web.views.memory import board as boards
from paragone.web.views.memory import content as contents
from paragone.web.views.memory import packs, pruning, summary
from paragone.web.views.memory.board import ContentBoardQuery
from paragone.web.views.memory.packs import PackQuery, SearchQuery
from paragone.wire.content import Content, ContentBoard, ContentOrder
from paragone.wire.memory import EchoChambers, Memory, MemoryMeasures, Quadrants, RatingHistories
from paragone.wire.pack import Pack, PackMode
from paragone.wire.prune import Acts, Archive, ArchivedFile, PrunePlan, Rebuild
from paragone.wire.search import Search, SearchMethod, SearchMode, SearchTarget

router = api_router(404, prefix="/memory", tags=["memory"])

PATIENCE = 120.0
"""Seconds to wait for a change; it goes on after that."""
MOST_FILES = 500
"""Files that an answer lists."""

Kind = Annotated[ContentKind, Query(description="Kind of content; decision records are `adr`, chunks `vector`.")]


def _lines(value: object) -> object:
    """What a form sends: a pattern a line."""
    return [line for line in value.splitlines() if line.strip()] if isinstance(value, str) else value


Pattern = Annotated[StorableText, Field(min_length=1, max_length=500)]
Patterns = Annotated[list[Pattern], Field(max_length=50), BeforeValidator(_lines)]

Glob = Annotated[str | None, Query(max_length=500, description="Only in files that match this pattern.")]


@router.get("")
def get_memory(memory: MemoryDep, _: Reader) -> Memory:
    """The memory at a glance: how much of each kind, tiers, quadrants and measures."""
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
    quadrant: Annotated[Quadrant | None, Query(description="Only of this quadrant of R and Elo.")] = None,
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
    start: Annotated[int | None, Query(ge=1, le=10_000_000, description="The first line of the text.")] = None,
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
    """The measures of success, each with its target, its evidence and its values by week."""
    return summary.measures(memory)


@router.get("/histories")
def get_memory_histories(memory: MemoryDep, _: Reader) -> RatingHistories:
    """The rating histories of the highest rated files that were used."""
    return summary.histories(memory)


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
    offset: Annotated[int, Query(ge=0, le=10_000, description="Results to skip.")] = 0,
) -> Search:
    """Search the memory; each result lists the parts of its score."""
    query = SearchQuery(query=q, how=how, what=what, mode=mode, glob=glob, limit=limit, offset=offset)
    return packs.search(memory, query)


@router.get("/pack", responses=refusals(404, 501))
def get_pack(
    memory: MemoryDep,
    _: Reader,
    budget: Annotated[int | None, Query(ge=1, le=packs.MOST, description="Tokens; as configured where none.")] = None,
    task: Annotated[str, Query(max_length=4_000, description="The task that it is for.")] = "",
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


class PruneRequest(Body):
    """Confirmation to archive what a plan lists.

    Attributes:
        scope: Patterns of short-term memory; the configuration's if None.
        confirm: ``confirm`` of the plan for the same scope.
    """

    scope: Patterns | None = None
    confirm: Annotated[str, Field(max_length=100)] = ""


class RestoreRequest(Body):
    """A file to be restored.

    Attributes:
        path: Its path.
        force: Whether another file that is there now is archived first.
    """

    path: Annotated[StorableText, Field(min_length=1, max_length=4_000)]
    force: bool = False


class TruthRequest(Body):
    """A known R.

    Attributes:
        content: A path, the id of a symbol or a decision record, or the hash of a chunk.
        r: R.
        withdraw: Whether to remove the R that was supplied instead.
        note: Why; kept in the log.
    """

    content: Annotated[StorableText, Field(min_length=1, max_length=4_000)]
    r: Annotated[float | None, Field(allow_inf_nan=False)] = None
    withdraw: bool = False
    note: Annotated[StorableText, Field(max_length=2_000)] = ""


@router.post("/prune", responses=refusals(404, 409))
def prune(body: PruneRequest, memory: MemoryDep, who: Admin) -> PrunePlan:
    """Archive what the plan for the same `scope` lists; `confirm` comes from that plan.

    If something else would be archived by now, or nothing, nothing is done. What is archived can be restored.
    """
    scope = None if body.scope is None else tuple(body.scope)
    return memory.ask(lambda parts: _prune(parts, who, scope, body.confirm), PATIENCE)


@router.post("/restore")
def restore(body: RestoreRequest, memory: MemoryDep, who: Admin) -> ArchivedFile:
    """Bring a file back from the archive, byte for byte, with its permissions and its time."""
    return memory.ask(lambda parts: _restore(parts, who, body), PATIENCE).file


@router.post("/truth")
def supply_truth(body: TruthRequest, memory: MemoryDep, who: Admin) -> Content:
    """Set a known R, or remove one that was set before; `note` is stored as `NAME: NOTE`."""
    if (body.r is None) != body.withdraw:
        raise InvalidConfig("give r, or withdraw: one of both", key="r")
    return contents.content(memory, memory.ask(lambda parts: _supply_truth(parts, who, body), PATIENCE).id)


@router.post("/rebuild")
def rebuild_memory(memory: MemoryDep, who: Admin, _: EmptyBody | None = None) -> Rebuild:
    """Recompute all ratings from the logs, and say whether they are the same to the last bit. Others wait meanwhile."""
    return memory.ask(lambda parts: _rebuild(parts, who), PATIENCE)


def _prune(parts: Components, who: Caller, scope: tuple[str, ...] | None, confirm: str) -> PrunePlan:
    plan = parts.pruner.plan(scope=scope)
    expected = pruning.mark(plan)
    if not expected:
        raise Conflict("there is nothing to archive")
    if confirm != expected:
        raise Conflict(
            f"{len(plan.archived):,} files would be archived, and that is not what was confirmed: look at the plan "
            "again, and send its confirm"
        )
    parts.store.logs.record_operation(
        who.name, "prune", scope=list(plan.scope), files=len(plan.archived), confirm=confirm
    )
    return pruning.page_of_plan(parts.pruner.prune(plan), limit=MOST_FILES)


def _restore(parts: Components, who: Caller, request: RestoreRequest) -> archive.ArchiveLine:
    if all(entry.path != request.path for entry in archive.Archive(parts.store).entries()):
        raise NotFound(f"the archive holds no {request.path!r}")
    parts.store.logs.record_operation(who.name, "restore", path=request.path, force=request.force)
    return parts.pruner.restore(request.path, force=request.force)


def _supply_truth(parts: Components, who: Caller, request: TruthRequest) -> domain.Content:
    which = resolve(parts, request.content)
    parts.store.logs.record_operation(who.name, "truth", content=which.id, r=request.r, note=request.note)
    note = f"{who.name}: {request.note}" if request.note else who.name
    parts.truth.supply(which, request.r, note=note)
    return which


def _rebuild(parts: Components, who: Caller) -> Rebuild:
    parts.store.logs.record_operation(who.name, "rebuild")
    return parts.scores.rebuild()
