"""Changes to the memory by admins over HTTP. Each is logged before it is made."""

from fastapi import APIRouter

from paragone.web.api.answers import refusals
from paragone.web.api.runs import EmptyBody
from paragone.web.dependencies import MemoryDep
from paragone.web.middleware.authentication import Admin
from paragone.web.views.memory import admin
from paragone.web.views.memory.admin import PruneRequest, RestoreRequest, TruthRequest
from paragone.wire.content import Content
from paragone.wire.prune import ArchivedFile, PrunePlan, Rebuild

router = APIRouter(prefix="/memory", tags=["memory"], responses=refusals(404))


@router.post("/prune", responses=refusals(404, 409))
def prune(body: PruneRequest, memory: MemoryDep, who: Admin) -> PrunePlan:
    """Archive what the plan for the same `scope` lists; `confirm` comes from that plan.

    Where something else would be archived by now, or nothing, nothing is done. What is archived can be brought back.
    """
    return admin.prune(memory, who, body)


@router.post("/restore")
def restore(body: RestoreRequest, memory: MemoryDep, who: Admin) -> ArchivedFile:
    """Bring a file back from the archive, byte for byte, with its permissions and its time."""
    return admin.restore(memory, who, body)


@router.post("/truth")
def supply_truth(body: TruthRequest, memory: MemoryDep, who: Admin) -> Content:
    """Set a known R, or remove one that was set before; `note` is stored as `NAME: NOTE`."""
    return admin.supply(memory, who, body)


@router.post("/rebuild")
def rebuild_memory(memory: MemoryDep, who: Admin, _: EmptyBody | None = None) -> Rebuild:
    """Count all logs anew, and say whether the standings are the same to the last bit."""
    return admin.rebuild(memory, who)
