"""What may be pruned, what is in the archive, and what people did to the store: as values."""

import hashlib
import json
from collections.abc import Sequence

from paragone.memory.parts import Parts
from paragone.memory.store.act_log import ActLine
from paragone.memory.store.act_log import acts as acts_of
from paragone.memory.upkeep.archive import Archive
from paragone.memory.upkeep.archive_manifest import ArchiveLine
from paragone.memory.upkeep.prune import PrunePlan, PruneRow
from paragone.web.books.remembered import Remembered
from paragone.web.views.cursors import cursor, place_of
from paragone.web.views.memory.census import instant, moment
from paragone.wire import prune as wire_prune
from paragone.wire.prune import Act, Acts, ArchivedFile, PruneCandidate

Scope = tuple[str, ...]


def plan(memory: Remembered, scope: Scope | None, *, limit: int, after: str | None = None) -> wire_prune.PrunePlan:
    """What pruning would do. Nothing is touched.

    Args:
        memory: Of what.
        scope: Patterns of what is short-term memory; the configuration's where None.
        limit: Files of a page.
        after: ``next`` of the page before.

    Raises:
        InvalidConfig: If a pattern cannot be, or the cursor is of another listing.
        NotFound: If nothing is indexed yet.
    """
    return memory.ask(lambda parts: shown_plan(parts, planned(parts, scope), limit=limit, after=after))


def planned(parts: Parts, scope: Scope | None) -> PrunePlan:
    """The plan of now."""
    return parts.pruner.plan(parts.moment(None), scope=scope)


def shown_plan(
    parts: Parts, found: PrunePlan, *, limit: int, after: str | None = None, done: bool = False
) -> wire_prune.PrunePlan:
    """A page of a plan, or of what was done."""
    rows = sorted(found.rows, key=lambda row: (row.action != "archive", row.path))
    listing = ("prune", *found.scope)
    place = place_of(after, listing)
    start = 0 if place is None else sum((row.action != "archive", row.path) <= (place[0], place[1]) for row in rows)
    page = rows[start : start + limit]
    config = parts.store.config.prune
    more = start + limit < len(rows)
    return wire_prune.PrunePlan(
        at=instant(found.as_of),
        scope=list(found.scope),
        done=done,
        archive=len(found.archived),
        bytes=sum(row.size for row in found.archived),
        keep=len(rows) - len(found.archived),
        below=config.below,
        stale_days=config.stale_days,
        files=[_candidate(row) for row in page],
        next=cursor(listing, [page[-1].action != "archive", page[-1].path]) if more else None,
        confirm="" if done else mark(found),
    )


def mark(found: PrunePlan) -> str:
    """What a plan comes to, as a short text: another one where anything else would be archived."""
    if not found.archived:
        return ""
    told = json.dumps([list(found.scope), [[row.path, row.sha256] for row in found.archived]])
    return hashlib.sha256(told.encode()).hexdigest()[:32]


def archive(memory: Remembered, *, limit: int, after: str | None = None) -> wire_prune.Archive:
    """A page of the archive.

    Raises:
        InvalidConfig: If the cursor is of another listing.
    """
    entries = memory.ask(lambda parts: Archive(parts.store).entries())[::-1]
    place = place_of(after, ("archive",))
    start = 0 if place is None else next((n for n, one in enumerate(entries, 1) if one.id == place[0]), len(entries))
    page = entries[start : start + limit]
    return wire_prune.Archive(
        total=len(entries),
        files=[archived_view(one) for one in page],
        next=cursor(("archive",), [page[-1].id]) if start + limit < len(entries) else None,
    )


def archived_view(one: ArchiveLine) -> ArchivedFile:
    """A file in the archive."""
    return ArchivedFile(
        path=one.path,
        at=instant(one.timestamp),
        reason=one.reason,
        size=one.size,
        sha256=one.sha256,
        elo=one.decayed,
        uses=one.uses,
        r=one.r,
    )


def acts(memory: Remembered, *, limit: int, after: str | None = None) -> Acts:
    """What people did to the store, the newest first.

    Raises:
        InvalidConfig: If the cursor is of another listing.
    """
    found: Sequence[ActLine] = memory.ask(lambda parts: acts_of(parts.store))
    place = place_of(after, ("acts",))
    end = len(found) if place is None else min(int(place[0] or 0), len(found))
    page = found[max(0, end - limit) : end][::-1]
    return Acts(
        total=len(found),
        acts=[Act(at=instant(one.timestamp), by=one.by, act=one.act, about=one.about) for one in page],
        next=cursor(("acts",), [end - limit]) if end > limit else None,
    )


def _candidate(row: PruneRow) -> PruneCandidate:
    return PruneCandidate(
        path=row.path,
        action=row.action,
        reason=row.reason,
        size=row.size,
        elo=row.rating.elo,
        uses=row.rating.uses,
        last_use=moment(row.rating.last_use),
        r=row.rating.r,
    )
