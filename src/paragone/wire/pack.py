"""Packs for a context window."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Literal

from paragone.domain.content import ContentTier
from paragone.wire.value import Value

PackMode = Literal["budget", "tiers"]
PackLayout = Literal["markdown", "xml"]


class PackForm(StrEnum):
    """How much of a file a pack holds, the most first."""

    FULL = "full"
    SIGNATURES = "signatures"
    POINTER = "pointer"
    EXCLUDED = "excluded"


@dataclass(frozen=True, kw_only=True, slots=True)
class PackedFile(Value):
    """A file and what becomes of it.

    Attributes:
        path: Its path.
        tier: How it stands by its rating.
        form: ``full``, ``signatures``, ``pointer`` or ``excluded``.
        tokens: What that takes, with its heading.
        reason: Why that form.
    """

    path: str
    tier: ContentTier
    form: PackForm
    tokens: int
    reason: str


@dataclass(frozen=True, kw_only=True, slots=True)
class PackFolder(Value):
    """What of a pack lies in a folder.

    Attributes:
        folder: Its path, of one or two levels; empty for the root.
        files: How many files of it are in the pack.
        tokens: What they take.
    """

    folder: str
    files: int
    tokens: int


@dataclass(frozen=True, kw_only=True, slots=True)
class Pack(Value):
    """A pack.

    Attributes:
        version: Of the store, or a newer one.
        at: For which time files were rated.
        mode: ``budget`` or ``tiers``.
        task: What it is for; empty where nothing was said.
        budget: Tokens that it may have; None where nothing bounds it.
        tokens: What it takes.
        full_tokens: What all files take, whole.
        saving: How much smaller it is than these, as a share.
        counts: Files in each form.
        folders: Where its tokens go, the most first.
        files: One page of all files: those that are in, in their order, then the others by path.
        next: Cursor of the next page; None on the last.
        text: The pack itself, where it was asked for.
    """

    version: int
    at: datetime
    mode: PackMode
    task: str
    budget: int | None
    tokens: int
    full_tokens: int
    saving: float
    counts: dict[PackForm, int]
    folders: list[PackFolder]
    files: list[PackedFile]
    next: str | None
    text: str | None
