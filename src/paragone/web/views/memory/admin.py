"""What an admin does to the store: prune, restore, supply R, count anew. Each is on record before it is done."""

from typing import Annotated

from pydantic import BeforeValidator, Field

from paragone.domain.content import Content
from paragone.errors import Conflict, InvalidConfig, NotFound
from paragone.memory import boards
from paragone.memory.components import Components
from paragone.memory.upkeep.archive import Archive, ArchiveLine
from paragone.web.middleware.tokens import Caller
from paragone.web.readers.memory_reader import MemoryReader
from paragone.web.views.body import Body, StorableText
from paragone.web.views.memory.content import content
from paragone.web.views.memory.pruning import mark, planned, shown_plan
from paragone.wire import content as wire_content
from paragone.wire.prune import ArchivedFile, PrunePlan, Rebuild

PATIENCE = 120.0
"""Seconds to wait for what is done; it goes on, whoever waits for it."""
SHOWN = 500
"""Files that an answer lists."""


def _lines(value: object) -> object:
    """What a form sends: a pattern a line."""
    return [line for line in value.splitlines() if line.strip()] if isinstance(value, str) else value


Pattern = Annotated[StorableText, Field(min_length=1, max_length=500)]
Patterns = Annotated[list[Pattern], Field(max_length=50), BeforeValidator(_lines)]


class PruneRequest(Body):
    """Leave to archive what a plan said.

    Attributes:
        scope: Patterns of what is short-term memory; the configuration's where there are none.
        confirm: That of the plan for the same scope.
    """

    scope: Patterns | None = None
    confirm: Annotated[str, Field(max_length=100)] = ""


class RestoreRequest(Body):
    """A file that is wanted back.

    Attributes:
        path: Where it was.
        force: Whether another file that lies there now goes into the archive first.
    """

    path: Annotated[StorableText, Field(min_length=1, max_length=4_000)]
    force: bool = False


class TruthRequest(Body):
    """R that somebody knows.

    Attributes:
        content: Of what: a path, a symbol's id, a decision record's, or a chunk's hash.
        r: R.
        withdraw: Whether the one that was supplied is taken back instead.
        note: Why; kept in the log.
    """

    content: Annotated[StorableText, Field(min_length=1, max_length=4_000)]
    r: Annotated[float | None, Field(allow_inf_nan=False)] = None
    withdraw: bool = False
    note: Annotated[StorableText, Field(max_length=2_000)] = ""


def prune(memory: MemoryReader, who: Caller, request: PruneRequest) -> PrunePlan:
    """Archive what a plan said.

    Raises:
        Conflict: If there is no leave, or something else would be archived by now.
        InvalidConfig: If a pattern cannot be.
        NotFound: If nothing is indexed yet.
        Unwritable: If a file cannot be archived; those before it are.
    """
    scope = None if request.scope is None else tuple(request.scope)
    return memory.ask(lambda parts: _pruned(parts, who, scope, request.confirm), PATIENCE)


def restore(memory: MemoryReader, who: Caller, request: RestoreRequest) -> ArchivedFile:
    """Bring a file back from the archive.

    Raises:
        NotFound: If the archive holds none of that path.
        UsageError: If another file lies there.
    """
    return memory.ask(lambda parts: _restored(parts, who, request), PATIENCE).file


def supply(memory: MemoryReader, who: Caller, request: TruthRequest) -> wire_content.Content:
    """Write down R that somebody knows, or take it back.

    Raises:
        InvalidConfig: If neither is asked for, or both.
        NotFound: If neither the index nor the logs know the content.
    """
    if (request.r is None) != request.withdraw:
        raise InvalidConfig("give r, or withdraw: one of both", key="r")
    which = memory.ask(lambda parts: _supplied(parts, who, request), PATIENCE)
    return content(memory, which.id)


def rebuild(memory: MemoryReader, who: Caller) -> Rebuild:
    """Count all logs anew, and say whether the standings are the same. Meanwhile nobody else counts.

    Raises:
        Busy: If it takes long; it goes on.
    """
    return memory.ask(lambda parts: _rebuilt(parts, who), PATIENCE)


def _pruned(parts: Components, who: Caller, scope: tuple[str, ...] | None, confirm: str) -> PrunePlan:
    plan = planned(parts, scope)
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


def _restored(parts: Components, who: Caller, request: RestoreRequest) -> ArchiveLine:
    if all(entry.path != request.path for entry in Archive(parts.store).entries()):
        raise NotFound(f"the archive holds no {request.path!r}")
    parts.store.logs.record_operation(who.name, "restore", path=request.path, force=request.force)
    return parts.pruner.restore(request.path, force=request.force)


def _supplied(parts: Components, who: Caller, request: TruthRequest) -> Content:
    which = boards.resolve(parts, request.content)
    parts.store.logs.record_operation(who.name, "truth", content=which.id, r=request.r, note=request.note)
    words = f"{who.name}: {request.note}" if request.note else who.name
    parts.truth.supply(which, request.r, note=words)
    return which


def _rebuilt(parts: Components, who: Caller) -> Rebuild:
    parts.store.logs.record_operation(who.name, "rebuild")
    return parts.scores.rebuild()
