"""What an admin does to the store: prune, restore, supply R, count anew. Each is on record before it is done."""

from typing import Annotated

from pydantic import BaseModel, BeforeValidator, Field

from paragone.domain.content import Content
from paragone.errors import Conflict, InvalidConfig, NotFound
from paragone.memory import boards
from paragone.memory.components import Components
from paragone.memory.scores import ScoreUpdate
from paragone.memory.store.operation_log import log_operation
from paragone.memory.upkeep.archive import Archive, ArchiveLine
from paragone.web.books.remembered import Remembered
from paragone.web.guards.tokens import Caller
from paragone.web.views.memory.content import ContentView, content
from paragone.web.views.memory.pruning import (
    ArchivedView,
    PruneView,
    archived_view,
    mark,
    planned,
    shown_plan,
)
from paragone.web.views.values import Given, View

PATIENCE = 120.0
"""Seconds to wait for what is done; it goes on, whoever waits for it."""
SHOWN = 500
"""Files that an answer lists."""


def _lines(value: object) -> object:
    """What a form sends: a pattern a line."""
    return [line for line in value.splitlines() if line.strip()] if isinstance(value, str) else value


Pattern = Annotated[Given, Field(min_length=1, max_length=500)]
Patterns = Annotated[list[Pattern], Field(max_length=50), BeforeValidator(_lines)]


class PruneGiven(BaseModel, extra="forbid"):
    """Leave to archive what a plan said.

    Attributes:
        scope: Patterns of what is short-term memory; the configuration's where there are none.
        confirm: That of the plan for the same scope.
    """

    scope: Patterns | None = None
    confirm: Annotated[str, Field(max_length=100)] = ""


class RestoreGiven(BaseModel, extra="forbid"):
    """A file that is wanted back.

    Attributes:
        path: Where it was.
        force: Whether another file that lies there now goes into the archive first.
    """

    path: Annotated[Given, Field(min_length=1, max_length=4_000)]
    force: bool = False


class TruthGiven(BaseModel, extra="forbid"):
    """R that somebody knows.

    Attributes:
        content: Of what: a path, a symbol's id, a decision record's, or a chunk's hash.
        r: R.
        withdraw: Whether the one that was supplied is taken back instead.
        note: Why; kept in the log.
    """

    content: Annotated[Given, Field(min_length=1, max_length=4_000)]
    r: Annotated[float | None, Field(allow_inf_nan=False)] = None
    withdraw: bool = False
    note: Annotated[Given, Field(max_length=2_000)] = ""


class RebuiltView(View):
    """What counting all logs anew came to.

    Attributes:
        lines: Lines of evidence that were counted.
        moves: Moves of ratings that came of them.
        same: Whether all standings are what they were, to the last bit.
    """

    lines: int
    moves: int
    same: bool


def prune(memory: Remembered, who: Caller, given: PruneGiven) -> PruneView:
    """Archive what a plan said.

    Raises:
        Conflict: If there is no leave, or something else would be archived by now.
        InvalidConfig: If a pattern cannot be.
        NotFound: If nothing is indexed yet.
        Unwritable: If a file cannot be archived; those before it are.
    """
    scope = None if given.scope is None else tuple(given.scope)
    return memory.ask(lambda parts: _pruned(parts, who, scope, given.confirm), PATIENCE)


def restore(memory: Remembered, who: Caller, given: RestoreGiven) -> ArchivedView:
    """Bring a file back from the archive.

    Raises:
        NotFound: If the archive holds none of that path.
        UsageError: If another file lies there.
    """
    return archived_view(memory.ask(lambda parts: _restored(parts, who, given), PATIENCE))


def supply(memory: Remembered, who: Caller, given: TruthGiven) -> ContentView:
    """Write down R that somebody knows, or take it back.

    Raises:
        InvalidConfig: If neither is asked for, or both.
        NotFound: If neither the index nor the logs know the content.
    """
    if (given.r is None) != given.withdraw:
        raise InvalidConfig("give r, or withdraw: one of both", key="r")
    which = memory.ask(lambda parts: _supplied(parts, who, given), PATIENCE)
    return content(memory, which.id)


def rebuild(memory: Remembered, who: Caller) -> RebuiltView:
    """Count all logs anew, and say whether the standings are the same. Meanwhile nobody else counts.

    Raises:
        Busy: If it takes long; it goes on.
    """
    done, same = memory.ask(lambda parts: _rebuilt(parts, who), PATIENCE)
    return RebuiltView(lines=done.lines, moves=done.moves, same=same)


def _pruned(parts: Components, who: Caller, scope: tuple[str, ...] | None, confirm: str) -> PruneView:
    found = planned(parts, scope)
    wanted = mark(found)
    if not wanted:
        raise Conflict("there is nothing to archive")
    if confirm != wanted:
        raise Conflict(
            f"{len(found.archived):,} files would be archived, and that is not what was confirmed: look at the plan "
            "again, and send its confirm"
        )
    log_operation(parts.store, who.name, "prune", scope=list(found.scope), files=len(found.archived), confirm=confirm)
    return shown_plan(parts, parts.pruner.prune(found), limit=SHOWN, done=True)


def _restored(parts: Components, who: Caller, given: RestoreGiven) -> ArchiveLine:
    if all(one.path != given.path for one in Archive(parts.store).entries()):
        raise NotFound(f"the archive holds no {given.path!r}")
    log_operation(parts.store, who.name, "restore", path=given.path, force=given.force)
    return parts.pruner.restore(given.path, force=given.force)


def _supplied(parts: Components, who: Caller, given: TruthGiven) -> Content:
    which = boards.resolve(parts, given.content)
    log_operation(parts.store, who.name, "truth", content=which.id, r=given.r, note=given.note)
    words = f"{who.name}: {given.note}" if given.note else who.name
    parts.truth.supply(which, given.r, note=words)
    return which


def _rebuilt(parts: Components, who: Caller) -> tuple[ScoreUpdate, bool]:
    log_operation(parts.store, who.name, "rebuild")
    parts.scores.catch_up()
    before = {one.content: one for one in parts.scores.rated()}
    done = parts.scores.update(anew=True)
    return done, {one.content: one for one in parts.scores.rated()} == before
