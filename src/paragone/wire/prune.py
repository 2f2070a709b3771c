"""Pruning, the archive, and what admins did to the store."""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from paragone.wire.value import Value

PruneAction = Literal["archive", "keep"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Rebuild(Value):
    """What counting all logs anew came to.

    Attributes:
        lines: Lines of evidence that were counted.
        moves: Moves of ratings that came of them.
        same: Whether all standings are what they were, to the last bit.
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
        elo: Its rating, faded since its last use.
        uses: How often it was used.
        last_use: When, at the last time; None where never.
        r: Its R; None where it is not known.
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
        at: As of when.
        scope: Patterns of what is short-term memory; where there is none, nothing is ever pruned.
        done: Whether it was done.
        archive: How many files go into the archive.
        bytes: What they take.
        keep: How many files in the scope are kept.
        below: Elo below which a rating is low.
        stale_days: Days without a use after which a file is stale.
        files: The files in the scope: first those that go, each by path.
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
        confirm: What an admin sends to have this done, and nothing else; empty if there is nothing to do.
    """

    next: str | None
    confirm: str


@dataclass(frozen=True, kw_only=True, slots=True)
class ArchivedFile(Value):
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
        total: How many files it holds.
        files: One page of them, the newest first.
        next: Cursor of the next page; None on the last.
    """

    total: int
    files: list[ArchivedFile]
    next: str | None


@dataclass(frozen=True, kw_only=True, slots=True)
class Act(Value):
    """What somebody did to the store.

    Attributes:
        at: When.
        by: Who.
        act: What: ``prune``, ``restore``, ``truth`` or ``rebuild``.
        about: Of what, and with which options.
    """

    at: datetime
    by: str
    act: str
    about: dict[str, str | bool | int | float | list[str] | None]


@dataclass(frozen=True, kw_only=True, slots=True)
class Acts(Value):
    """What people did to the store.

    Attributes:
        total: How many acts.
        acts: One page of them, the newest first.
        next: Cursor of the next page; None on the last.
    """

    total: int
    acts: list[Act]
    next: str | None
