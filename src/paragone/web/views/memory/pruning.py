"""Pruning plans, the archive, and the log of admins' operations."""

import hashlib
import json
from collections.abc import Sequence

from paragone.memory.archive import Archive
from paragone.memory.prune import PrunePlan
from paragone.memory.store.lines import instant
from paragone.memory.store.logs import OperationLine
from paragone.web.readers.memory_reader import MemoryReader
from paragone.web.views.cursors import After, cursor, page_of_newest, place_of
from paragone.wire import prune as wire_prune
from paragone.wire.prune import Act, Acts
from paragone.wire.value import shallow

Scope = tuple[str, ...]


def plan(memory: MemoryReader, scope: Scope | None, *, limit: int, after: After = None) -> wire_prune.PrunePlan:
    """A plan of what pruning would do. Nothing is changed.

    Args:
        memory: Of what.
        scope: Patterns of short-term memory; the configuration's if None.
        limit: Files of a page.
        after: Where the page begins.

    Raises:
        InvalidConfig: If a pattern is invalid, or the cursor is of another listing.
        NotFound: If nothing is indexed yet.
    """
    return memory.ask(lambda parts: page_of_plan(parts.pruner.plan(scope=scope), limit=limit, after=after))


def page_of_plan(plan: PrunePlan, *, limit: int, after: After = None) -> wire_prune.PrunePlan:
    """A page of a plan, or of what was done."""
    value, listing = plan.pruning, ("prune", *plan.scope)
    position = None if isinstance(after, int) else place_of(after, listing)
    start = after if isinstance(after, int) else 0
    if position is not None:
        start = sum((file.action != "archive", file.path) <= (position[0], position[1]) for file in value.files)
    page = value.files[start : start + limit]
    more = start + limit < len(value.files)
    return wire_prune.PrunePlan(
        **shallow(value) | {"files": page},
        next=cursor(listing, [page[-1].action != "archive", page[-1].path]) if more else None,
        confirm="" if plan.done else mark(plan),
    )


def mark(plan: PrunePlan) -> str:
    """A digest of a plan, different if anything else would be archived."""
    if not plan.archived:
        return ""
    digested = json.dumps([list(plan.scope), [[row.path, row.sha256] for row in plan.archived]])
    return hashlib.sha256(digested.encode()).hexdigest()[:32]


def archive(memory: MemoryReader, *, limit: int, after: After = None) -> wire_prune.Archive:
    """A page of the archive.

    Raises:
        InvalidConfig: If the cursor is of another listing.
    """
    entries = memory.ask(lambda parts: Archive(parts.store).entries())[::-1]
    position = None if isinstance(after, int) else place_of(after, ("archive",))
    start = after if isinstance(after, int) else 0
    if position is not None:
        start = next((n for n, entry in enumerate(entries, 1) if entry.id == position[0]), len(entries))
    page = entries[start : start + limit]
    return wire_prune.Archive(
        total=len(entries),
        files=[entry.file for entry in page],
        next=cursor(("archive",), [page[-1].id]) if start + limit < len(entries) else None,
    )


def acts(memory: MemoryReader, *, limit: int, after: After = None) -> Acts:
    """The operations of admins, newest first.

    Raises:
        InvalidConfig: If the cursor is of another listing.
    """
    lines: Sequence[OperationLine] = memory.ask(lambda parts: parts.store.logs.operations())
    page, following = page_of_newest(lines, ("acts",), limit, after)
    return Acts(
        total=len(lines),
        acts=[Act.like(line, at=instant(line.timestamp)) for line in page],
        next=following,
    )
