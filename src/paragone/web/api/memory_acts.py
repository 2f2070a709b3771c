"""Changes to the memory by admins over HTTP. Each is logged before it is made."""

from typing import Annotated

from fastapi import APIRouter
from pydantic import BeforeValidator, Field

from paragone.domain import content as domain
from paragone.errors import Conflict, InvalidConfig, NotFound
from paragone.memory import boards
from paragone.memory.archive import Archive, ArchiveLine
from paragone.memory.components import Components
from paragone.web.api.answers import refusals
from paragone.web.api.runs import EmptyBody
from paragone.web.middleware.authentication import Admin
from paragone.web.middleware.tokens import Caller
from paragone.web.parameters import Body, MemoryDep, StorableText
from paragone.web.views.memory.content import content
from paragone.web.views.memory.pruning import mark, shown_plan
from paragone.wire.content import Content
from paragone.wire.prune import ArchivedFile, PrunePlan, Rebuild

router = APIRouter(prefix="/memory", tags=["memory"], responses=refusals(404))

PATIENCE = 120.0
"""Seconds to wait for a change; it goes on after that."""
SHOWN = 500
"""Files that an answer lists."""


def _lines(value: object) -> object:
    """What a form sends: a pattern a line."""
    return [line for line in value.splitlines() if line.strip()] if isinstance(value, str) else value


Pattern = Annotated[StorableText, Field(min_length=1, max_length=500)]
Patterns = Annotated[list[Pattern], Field(max_length=50), BeforeValidator(_lines)]


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
    return content(memory, memory.ask(lambda parts: _supply_truth(parts, who, body), PATIENCE).id)


@router.post("/rebuild")
def rebuild_memory(memory: MemoryDep, who: Admin, _: EmptyBody | None = None) -> Rebuild:
    """Count all logs anew, and say whether the ratings are the same to the last bit. Nobody else counts meanwhile."""
    return memory.ask(lambda parts: _rebuild(parts, who), PATIENCE)


def _prune(parts: Components, who: Caller, scope: tuple[str, ...] | None, confirm: str) -> PrunePlan:
    plan = parts.pruner.plan(scope=scope)
    expected = mark(plan)
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
    return shown_plan(parts.pruner.prune(plan), limit=SHOWN)


def _restore(parts: Components, who: Caller, request: RestoreRequest) -> ArchiveLine:
    if all(entry.path != request.path for entry in Archive(parts.store).entries()):
        raise NotFound(f"the archive holds no {request.path!r}")
    parts.store.logs.record_operation(who.name, "restore", path=request.path, force=request.force)
    return parts.pruner.restore(request.path, force=request.force)


def _supply_truth(parts: Components, who: Caller, request: TruthRequest) -> domain.Content:
    which = boards.resolve(parts, request.content)
    parts.store.logs.record_operation(who.name, "truth", content=which.id, r=request.r, note=request.note)
    note = f"{who.name}: {request.note}" if request.note else who.name
    parts.truth.supply(which, request.r, note=note)
    return which


def _rebuild(parts: Components, who: Caller) -> Rebuild:
    parts.store.logs.record_operation(who.name, "rebuild")
    return parts.scores.rebuild()
