"""Pruning, the archive, and operations of admins on the store."""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from paragone.wire.value import Value

PruneAction = Literal["archive", "keep"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Rebuild(Value):
    """The result of counting all logs again.

    Attributes:
        lines: Lines of evidence that were counted.
        moves: Rating changes that followed.
        same: Whether all ratings are the same as before, to the last bit.
    """

    lines: int
    moves: int
    same: bool


@dataclass(frozen=True, kw_only=True, slots=True)
class PruneCandidate(Value):
    """A file in the scope of pruning.

    Attributes:
        path: Its path.
        action: ``archive`` or ``keep``.
        reason: Why.
        size: In bytes.
        elo: Its rating, decayed since its last use.
        uses: How often it was used.
        last_use: Its last use; None if it was never used.
        r: Its R; None if unknown.
    """

    path: str
    action: PruneAction
    reason: str
    size: int
    elo: float
    uses: int
    last_use: datetime | None
    r: float | None


@dataclass(frozen=True, kw_only=True, slots=True)
class Pruning(Value):
    """What pruning would do, or did.

    Attributes:
        at: The time of the ratings.
        scope: Patterns of short-term memory; if empty, nothing is ever pruned.
        done: Whether it was done.
        archive: Number of files to archive.
        bytes: Their size.
        keep: Number of files in the scope that are kept.
        below: Elo below which a rating is low.
        stale_days: Days without a use after which a file is stale.
        files: The files in the scope, those to archive first, each by path.
    """

    at: datetime
    scope: list[str]
    done: bool
    archive: int
    bytes: int
    keep: int
    below: float
    stale_days: float
    files: list[PruneCandidate]


@dataclass(frozen=True, kw_only=True, slots=True)
class PrunePlan(Pruning):
    """One page of what pruning would do, or did.

    Attributes:
        next: Cursor of the next page; None on the last.
        confirm: What an admin sends to have exactly this done; empty if there is nothing to do.
    """

    next: str | None
    confirm: str


@dataclass(frozen=True, kw_only=True, slots=True)
class ArchivedFile(Value):
    """A file in the archive.

    Attributes:
        path: Its former path.
        at: When it was archived or restored.
        reason: Why.
        size: In bytes.
        sha256: Of its bytes.
        elo: Its rating then, decayed since its last use; None if unknown.
        uses: How often it had been used.
        r: Its R then; None if unknown.
    """

    path: str
    at: datetime
    reason: str
    size: int
    sha256: str
    elo: float | None
    uses: int
    r: float | None


@dataclass(frozen=True, kw_only=True, slots=True)
class Archive(Value):
    """The archive.

    Attributes:
        total: Number of files in it.
        files: One page of them, newest first.
        next: Cursor of the next page; None on the last.
    """

    total: int
    files: list[ArchivedFile]
    next: str | None


@dataclass(frozen=True, kw_only=True, slots=True)
class Act(Value):
    """An operation of an admin on the store.

    Attributes:
        at: When it happened.
        by: Who did it.
        act: What: ``prune``, ``restore``, ``truth`` or ``rebuild``.
        about: To what, and with which options.
    """

    at: datetime
    by: str
    act: str
    about: dict[str, str | bool | int | float | list[str] | None]


@dataclass(frozen=True, kw_only=True, slots=True)
class Acts(Value):
    """Operations of admins on the store.

    Attributes:
        total: Number of operations.
        acts: One page of them, newest first.
        next: Cursor of the next page; None on the last.
    """

    total: int
    acts: list[Act]
    next: str | None
