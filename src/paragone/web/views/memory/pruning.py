"""What may be pruned, what is in the archive, and what people did to the store: as values."""

import hashlib
import json
from collections.abc import Sequence
from datetime import datetime

from paragone.memory.components import Components
from paragone.memory.store.operation_log import OperationLine, operations
from paragone.memory.upkeep.archive import Archive, ArchiveLine
from paragone.memory.upkeep.prune import PruneAction, PrunePlan, PruneRow
from paragone.web.books.remembered import Remembered
from paragone.web.views.cursors import cursor, place_of
from paragone.web.views.memory.census import instant, moment
from paragone.web.views.values import View, Words

Scope = tuple[str, ...]


class PruneCandidateView(View):
    """A file in the scope of pruning.

    Attributes:
        path: Its path.
        action: ``archive`` or ``keep``.
        reason: Why.
        size: In bytes.
        elo: Its rating, faded since its last use.
        uses: How often it was used.
        last_use: When, at the last time; None where never.
        r: Its R; None where it is not known.
    """

    path: Words
    action: PruneAction
    reason: Words
    size: int
    elo: float
    uses: int
    last_use: datetime | None
    r: float | None


class PruneView(View):
    """What pruning would do, or did.

    Attributes:
        at: As of when.
        scope: Patterns of what is short-term memory; where there is none, nothing is ever pruned.
        done: Whether it was done.
        archive: How many files go into the archive.
        bytes: What they take.
        keep: How many files in the scope are kept.
        below: Elo below which a rating is low.
        stale_days: Days without a use after which a file is stale.
        files: One page of them: those that go first, each by path.
        next: Cursor of the next page; None on the last.
        confirm: What an admin sends to have this done, and nothing else; empty where there is nothing to do.
    """

    at: datetime
    scope: list[Words]
    done: bool
    archive: int
    bytes: int
    keep: int
    below: float
    stale_days: float
    files: list[PruneCandidateView]
    next: str | None
    confirm: str


class ArchivedView(View):
    """A file in the archive.

    Attributes:
        path: Where it was.
        at: When it went in.
        reason: Why.
        size: In bytes.
        sha256: Of its bytes.
        elo: Its rating then, faded since its last use; None where it was not known.
        uses: How often it had been used.
        r: Its R then; None where it was not known.
    """

    path: Words
    at: datetime
    reason: Words
    size: int
    sha256: str
    elo: float | None
    uses: int
    r: float | None


class ArchiveView(View):
    """The archive.

    Attributes:
        total: How many files it holds.
        files: One page of them, the newest first.
        next: Cursor of the next page; None on the last.
    """

    total: int
    files: list[ArchivedView]
    next: str | None


class ActView(View):
    """What somebody did to the store.

    Attributes:
        at: When.
        by: Who.
        act: What: ``prune``, ``restore``, ``truth`` or ``rebuild``.
        about: Of what, and with which options.
    """

    at: datetime
    by: Words
    act: str
    about: dict[str, Words | bool | int | float | list[Words] | None]


class ActsView(View):
    """What people did to the store.

    Attributes:
        total: How many acts.
        acts: One page of them, the newest first.
        next: Cursor of the next page; None on the last.
    """

    total: int
    acts: list[ActView]
    next: str | None


def plan(memory: Remembered, scope: Scope | None, *, limit: int, after: str | None = None) -> PruneView:
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


def planned(parts: Components, scope: Scope | None) -> PrunePlan:
    """The plan of now."""
    return parts.pruner.plan(scope=scope)


def shown_plan(
    parts: Components, found: PrunePlan, *, limit: int, after: str | None = None, done: bool = False
) -> PruneView:
    """A page of a plan, or of what was done."""
    rows = sorted(found.rows, key=lambda row: (row.action != "archive", row.path))
    listing = ("prune", *found.scope)
    place = place_of(after, listing)
    start = 0 if place is None else sum((row.action != "archive", row.path) <= (place[0], place[1]) for row in rows)
    page = rows[start : start + limit]
    config = parts.store.config.prune
    more = start + limit < len(rows)
    return PruneView(
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


def archive(memory: Remembered, *, limit: int, after: str | None = None) -> ArchiveView:
    """A page of the archive.

    Raises:
        InvalidConfig: If the cursor is of another listing.
    """
    entries = memory.ask(lambda parts: Archive(parts.store).entries())[::-1]
    place = place_of(after, ("archive",))
    start = 0 if place is None else next((n for n, one in enumerate(entries, 1) if one.id == place[0]), len(entries))
    page = entries[start : start + limit]
    return ArchiveView(
        total=len(entries),
        files=[archived_view(one) for one in page],
        next=cursor(("archive",), [page[-1].id]) if start + limit < len(entries) else None,
    )


def archived_view(one: ArchiveLine) -> ArchivedView:
    """A file in the archive."""
    return ArchivedView(
        path=one.path,
        at=instant(one.timestamp),
        reason=one.reason,
        size=one.size,
        sha256=one.sha256,
        elo=one.decayed,
        uses=one.uses,
        r=one.r,
    )


def acts(memory: Remembered, *, limit: int, after: str | None = None) -> ActsView:
    """What people did to the store, the newest first.

    Raises:
        InvalidConfig: If the cursor is of another listing.
    """
    found: Sequence[OperationLine] = memory.ask(lambda parts: operations(parts.store))
    place = place_of(after, ("acts",))
    end = len(found) if place is None else min(int(place[0] or 0), len(found))
    page = found[max(0, end - limit) : end][::-1]
    return ActsView(
        total=len(found),
        acts=[ActView(at=instant(one.timestamp), by=one.by, act=one.act, about=one.about) for one in page],
        next=cursor(("acts",), [end - limit]) if end > limit else None,
    )


def _candidate(row: PruneRow) -> PruneCandidateView:
    return PruneCandidateView(
        path=row.path,
        action=row.action,
        reason=row.reason,
        size=row.size,
        elo=row.rating.elo,
        uses=row.rating.uses,
        last_use=moment(row.rating.last_use),
        r=row.rating.r,
    )
