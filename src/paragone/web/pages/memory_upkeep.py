"""What is kept and what goes: the pack explorer, pruning with its archive, and what admins did."""

from typing import Annotated

from fastapi import APIRouter, Query
from starlette.responses import HTMLResponse

from paragone.errors import Busy, MissingExtra, UsageError
from paragone.web.dependencies import MemoryDep
from paragone.web.middleware.authentication import Reader
from paragone.web.middleware.tokens import Role
from paragone.web.pages.memory import EVENTS
from paragone.web.pages.memory_charts import pack_picture
from paragone.web.pages.rendering import page, query
from paragone.web.readers.memory_reader import MemoryReader
from paragone.web.views.memory import packs, pruning
from paragone.web.views.memory.packs import PackQuery
from paragone.wire.address import api_url, memory_url
from paragone.wire.pack import Pack, PackForm, PackMode
from paragone.wire.prune import PrunePlan

router = APIRouter()
MOST = 100
"""Rows of a page."""
PICTURED = 200
"""Files of a pack's picture, and of its first page."""


@router.get("/memory/pack")
def memory_pack(
    memory: MemoryDep,
    who: Reader,
    budget: Annotated[str, Query(max_length=20)] = "",
    task: Annotated[str, Query(max_length=4_000)] = "",
    mode: Annotated[PackMode | None, Query()] = None,
    cursor: Annotated[str | None, Query(max_length=2_000)] = None,
) -> HTMLResponse:
    """What would go into a context window, and where its tokens go."""
    parameters = {"budget": budget.strip(), "task": task.strip(), "mode": mode}
    pack, why = _packed(memory, parameters["budget"] or "", parameters["task"] or "", mode, cursor)
    url = memory_url("pack")
    return page(
        "memory/pack.html",
        section="memory",
        part="pack",
        who=who,
        charts=() if pack is None or cursor or not pack.tokens else (pack_picture(pack),),
        pack=pack,
        why=why,
        kept=parameters,
        most=packs.MOST,
        forms=PackForm,
        first=f"{url}?{query(parameters)}",
        next=f"{url}?{query(parameters, cursor=pack.next)}" if pack and pack.next else None,
        is_first=cursor is None,
        text=f"{api_url(url)}?{query(parameters, text='true', limit=1)}",
    )


@router.get("/memory/prune")
def memory_prune(
    memory: MemoryDep,
    who: Reader,
    scope: Annotated[str, Query(max_length=4_000)] = "",
    cursor: Annotated[str | None, Query(max_length=2_000)] = None,
    back: Annotated[str | None, Query(max_length=2_000, description="Page of the archive.")] = None,
) -> HTMLResponse:
    """What may be archived and why, what the archive holds, and what admins did."""
    patterns = tuple(line.strip() for line in scope.splitlines() if line.strip())
    plan, why = _planned(memory, patterns, cursor)
    gone = pruning.archive(memory, limit=MOST, after=back)
    url = memory_url("prune")
    return page(
        "memory/prune.html",
        section="memory",
        part="prune",
        who=who,
        live=EVENTS,
        plan=plan,
        why=why,
        scope="\n".join(patterns),
        gone=gone,
        acts=pruning.acts(memory, limit=20).acts if who.role >= Role.ADMIN else [],
        first=f"{url}?{query(scope=scope)}" if scope else url,
        next=f"{url}?{query(scope=scope, cursor=plan.next)}" if plan and plan.next else None,
        is_first=cursor is None,
        older=f"{url}?{query(scope=scope, back=gone.next)}" if gone.next else None,
        prune=api_url(url),
        restore=api_url(memory_url("restore")),
    )


def _packed(
    memory: MemoryReader, budget: str, task: str, mode: PackMode | None, cursor: str | None
) -> tuple[Pack | None, str]:
    """A pack; where there can be none, why; neither while it is being made."""
    if budget and not (budget.isascii() and budget.isdigit() and 1 <= int(budget) <= packs.MOST):
        return None, f"a budget is a number of tokens from 1 to {packs.MOST:,}"
    request = PackQuery(budget=int(budget) if budget else None, task=task, mode=mode, limit=PICTURED, cursor=cursor)
    try:
        return packs.pack(memory, request), ""
    except Busy:
        return None, ""
    except (UsageError, MissingExtra) as reason:
        return None, str(reason)


def _planned(memory: MemoryReader, patterns: tuple[str, ...], cursor: str | None) -> tuple[PrunePlan | None, str]:
    """What pruning would do; where that cannot be told, why."""
    try:
        return pruning.plan(memory, patterns or None, limit=MOST, after=cursor), ""
    except UsageError as reason:
        return None, str(reason)
