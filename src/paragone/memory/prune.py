"""Pruning of short-term memory: stale files of low rating and low R are archived; others are kept, with the reason."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from paragone.domain.content import Content
from paragone.errors import Busy, NotFound, UsageError
from paragone.memory.archive import Archive, ArchiveLine
from paragone.memory.index import FileEntry, Index
from paragone.memory.index.globs import gitignore
from paragone.memory.store.config import PruneConfig
from paragone.memory.store.lines import instant, moment
from paragone.memory.truth.unknown import UNTRIED, unknown_reasons
from paragone.ratings.activation import SECONDS_A_DAY
from paragone.wire.prune import PruneAction, PruneCandidate, Pruning

if TYPE_CHECKING:
    from paragone.memory.scores import ContentRating, Scores
    from paragone.memory.store import Store


@dataclass(frozen=True, kw_only=True, slots=True)
class PruneRow:
    """A file in the scope, and what happens to it.

    Attributes:
        path: Below the root.
        action: ``archive`` or ``keep``.
        reason: Why.
        sha256: Of its bytes in the index; a file that has changed since is kept.
        size: In bytes.
        rating: Its rating.
    """

    path: str
    action: PruneAction
    reason: str
    sha256: str
    size: int
    rating: "ContentRating"

    @property
    def candidate(self) -> PruneCandidate:
        """The file as a value."""
        rating = self.rating
        return PruneCandidate.like(self, elo=rating.elo, uses=rating.uses, last_use=moment(rating.last_use), r=rating.r)


@dataclass(frozen=True, kw_only=True, slots=True)
class PrunePlan:
    """What pruning would do, or did.

    Attributes:
        as_of: The time of the ratings, in seconds since 1970.
        scope: Patterns of what may be archived.
        rows: Files in the scope, by path.
        config: Which files are stale and of low rating.
        done: Whether it was done.
    """

    as_of: float
    scope: tuple[str, ...]
    rows: tuple[PruneRow, ...]
    config: PruneConfig
    done: bool = False

    @property
    def archived(self) -> tuple[PruneRow, ...]:
        """The files to archive."""
        return tuple(row for row in self.rows if row.action == "archive")

    @property
    def pruning(self) -> Pruning:
        """The plan as a value."""
        return Pruning(
            at=instant(self.as_of),
            scope=list(self.scope),
            done=self.done,
            archive=len(self.archived),
            bytes=sum(row.size for row in self.archived),
            keep=len(self.rows) - len(self.archived),
            below=self.config.below,
            stale_days=self.config.stale_days,
            files=[row.candidate for row in sorted(self.rows, key=lambda row: (row.action != "archive", row.path))],
        )


class Pruner:
    """Plans what to prune, does it, and restores files."""

    def __init__(self, store: "Store", index: Index, scores: "Scores") -> None:
        self._store, self._index, self._scores = store, index, scores
        self._archive = Archive(store)

    def plan(self, *, scope: Sequence[str] | None = None, as_of: float | None = None) -> PrunePlan:
        """What pruning would do; nothing is changed.

        Args:
            scope: Patterns of short-term memory; by default the configuration's, which is empty.
            as_of: Rate files at this time, in seconds since 1970; now if None.

        Raises:
            NotFound: If nothing is indexed yet.
        """
        if self._index.updated() is None:
            raise NotFound("nothing is indexed yet; begin with: paragone memory index")
        config, now = self._store.config.prune, self._store.moment(as_of)
        chosen = config.scope if scope is None else tuple(scope)
        spec = gitignore(chosen)
        entries = [entry for entry in self._index.files() if spec.match_file(entry.path)]
        contents = [Content.file(entry.path) for entry in entries]
        ratings = self._scores.ratings(contents, as_of=now, since=self._index.first_seen())
        reasons = unknown_reasons(self._store.logs)
        rows = [
            _row(entry, ratings[of], config, now, reasons.get(of, UNTRIED))
            for entry, of in zip(entries, contents, strict=True)
        ]
        rows.sort(key=lambda row: row.path)
        return PrunePlan(as_of=now, scope=chosen, rows=tuple(rows), config=config)

    def prune(self, plan: PrunePlan) -> PrunePlan:
        """Archive what a plan says; returns what was done, and what was kept after all and why.

        A file written since it was indexed is kept. Archived files leave the index; their ratings stay.

        Raises:
            Unwritable: If a file cannot be archived and stays; those before it are archived.
            Busy: If another process archives or restores.
        """
        rows = tuple(self._done(row) for row in plan.rows)
        self._index_anew()
        return replace(plan, rows=rows, done=True)

    def archived(self) -> list[ArchiveLine]:
        """The files in the archive, oldest first."""
        return self._archive.entries()

    def restore(self, path: str, *, force: bool = False) -> ArchiveLine:
        """Restore the last archived file of a path, byte for byte, with its permissions and time.

        Args:
            path: Its path below the root.
            force: Whether another file in its place is archived first.

        Raises:
            NotFound: If the archive has no file of that path.
            UsageError: If another file is in its place.
            Corrupted: If the archived bytes have changed.
            Unwritable: If it cannot be written; then it is still in the archive.
            Busy: If another process archives or restores.
        """
        back = self._archive.take_out(path, force=force)
        self._index_anew()
        return back

    def _done(self, row: PruneRow) -> PruneRow:
        if row.action == "keep":
            return row
        try:
            done = self._archive.put(_line(row))
        except UsageError as error:
            return replace(row, action="keep", reason=str(error))
        return row if done is not None else replace(row, action="keep", reason="changed since it was indexed")

    def _index_anew(self) -> None:
        with suppress(Busy):  # whoever indexes now, or the next one, sees it
            self._index.update(vectors=False)  # a file that comes back has its vectors from the next run


def verdict(
    rating: "ContentRating", last_touch: float, as_of: float, config: PruneConfig, why_unknown: str
) -> tuple[PruneAction, str]:
    """What happens to a file, and why. Pinned files, and those of high or unknown R, are always kept.

    Args:
        rating: Its rating.
        last_touch: When it was last used, first seen or written, whichever was last, in seconds since 1970.
        as_of: The time of the rating.
        config: Below which rating it is low, and after how many days it is stale.
        why_unknown: Why R is unknown, if it is.
    """
    days = (as_of - last_touch) / SECONDS_A_DAY
    if rating.pinned:
        return "keep", "pinned by tiers.high"
    if rating.is_high is None:
        return "keep", f"R is unknown: {why_unknown}"
    if rating.is_high:
        return "keep", f"R is high: {rating.r:.2f}"
    if round(rating.elo) >= config.below:  # as it is shown, and as tiers go by it
        return "keep", f"Elo {rating.elo:.0f} is not below {config.below:g}"
    if days <= config.stale_days:
        return "keep", f"used, first seen or written {max(days, 0.0):.0f} days ago"
    return "archive", f"Elo {rating.elo:.0f}, R {rating.r:.2f} is low, untouched for {days:.0f} days"


def _row(entry: FileEntry, rating: "ContentRating", config: PruneConfig, as_of: float, why_unknown: str) -> PruneRow:
    touches = [entry.first_seen, entry.mtime, *([] if rating.last_use is None else [rating.last_use])]
    action, reason = verdict(rating, max(touches), as_of, config, why_unknown)
    return PruneRow(path=entry.path, action=action, reason=reason, sha256=entry.sha256, size=entry.size, rating=rating)


def _line(row: PruneRow) -> ArchiveLine:
    return ArchiveLine(
        event="archived",
        path=row.path,
        sha256=row.sha256,
        reason=row.reason,
        elo=row.rating.stored,
        decayed=row.rating.elo,
        need=row.rating.need,
        updates=row.rating.updates,
        uses=row.rating.uses,
        last_use=row.rating.last_use,
        r=row.rating.r,
    )
