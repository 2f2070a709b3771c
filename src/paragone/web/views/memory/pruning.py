"""Pruning plans, the archive, and the log of admins' operations."""

import hashlib
import json
from collections.abc import Sequence

from paragone.memory.components import Components
from paragone.memory.store.operation_log import OperationLine, operations
from paragone.memory.upkeep.archive import Archive, ArchiveLine
from paragone.memory.upkeep.prune import PrunePlan, PruneRow
from paragone.web.readers.memory_reader import MemoryReader
from paragone.web.views.cursors import cursor, number_of, place_of
from paragone.web.views.memory.census import instant, moment
from paragone.wire import prune as wire_prune
from paragone.wire.prune import Act, Acts, ArchivedFile, PruneCandidate

Scope = tuple[str, ...]


def plan(memory: MemoryReader, scope: Scope | None, *, limit: int, after: str | None = None) -> wire_prune.PrunePlan:
    """A plan of what pruning would do. Nothing is changed.

    Args:
        memory: Of what.
        scope: Patterns of short-term memory; the configuration's if None.
        limit: Files of a page.
        after: ``next`` of the page before.

    Raises:
        InvalidConfig: If a pattern is invalid, or the cursor is of another listing.
        NotFound: If nothing is indexed yet.
    """
    return memory.ask(lambda parts: shown_plan(parts, parts.pruner.plan(scope=scope), limit=limit, after=after))


def shown_plan(
    parts: Components, plan: PrunePlan, *, limit: int, after: str | None = None, done: bool = False
) -> wire_prune.PrunePlan:
    """A page of a plan, or of what was done."""
    rows = sorted(plan.rows, key=lambda row: (row.action != "archive", row.path))
    listing = ("prune", *plan.scope)
    position = place_of(after, listing)
    start = (
        0
        if position is None
        else sum((row.action != "archive", row.path) <= (position[0], position[1]) for row in rows)
    )
    page = rows[start : start + limit]
    config = parts.store.config.prune
    more = start + limit < len(rows)
    return wire_prune.PrunePlan(
        at=instant(plan.as_of),
        scope=list(plan.scope),
        done=done,
        archive=len(plan.archived),
        bytes=sum(row.size for row in plan.archived),
        keep=len(rows) - len(plan.archived),
        below=config.below,
        stale_days=config.stale_days,
        files=[_candidate(row) for row in page],
        next=cursor(listing, [page[-1].action != "archive", page[-1].path]) if more else None,
        confirm="" if done else mark(plan),
    )


def mark(plan: PrunePlan) -> str:
    """A digest of a plan, different if anything else would be archived."""
    if not plan.archived:
        return ""
    digested = json.dumps([list(plan.scope), [[row.path, row.sha256] for row in plan.archived]])
    return hashlib.sha256(digested.encode()).hexdigest()[:32]


def archive(memory: MemoryReader, *, limit: int, after: str | None = None) -> wire_prune.Archive:
    """A page of the archive.

    Raises:
        InvalidConfig: If the cursor is of another listing.
    """
    entries = memory.ask(lambda parts: Archive(parts.store).entries())[::-1]
    position = place_of(after, ("archive",))
    start = (
        0
        if position is None
        else next((n for n, entry in enumerate(entries, 1) if entry.id == position[0]), len(entries))
    )
    page = entries[start : start + limit]
    return wire_prune.Archive(
        total=len(entries),
        files=[archived_view(entry) for entry in page],
        next=cursor(("archive",), [page[-1].id]) if start + limit < len(entries) else None,
    )


def archived_view(entry: ArchiveLine) -> ArchivedFile:
    """A file in the archive."""
    return ArchivedFile.like(entry, at=instant(entry.timestamp), elo=entry.decayed)


def acts(memory: MemoryReader, *, limit: int, after: str | None = None) -> Acts:
    """The operations of admins, newest first.

    Raises:
        InvalidConfig: If the cursor is of another listing.
    """
    lines: Sequence[OperationLine] = memory.ask(lambda parts: operations(parts.store))
    before = number_of(after, ("acts",))
    end = len(lines) if before is None else min(before, len(lines))
    page = lines[max(0, end - limit) : end][::-1]
    return Acts(
        total=len(lines),
        acts=[Act.like(line, at=instant(line.timestamp)) for line in page],
        next=cursor(("acts",), [end - limit]) if end > limit else None,
    )


def _candidate(row: PruneRow) -> PruneCandidate:
    rating = row.rating
    return PruneCandidate.like(row, elo=rating.elo, uses=rating.uses, last_use=moment(rating.last_use), r=rating.r)
