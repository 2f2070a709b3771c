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
    PARTIAL = "partial"
    SIGNATURES = "signatures"
    POINTER = "pointer"
    EXCLUDED = "excluded"


@dataclass(frozen=True, kw_only=True, slots=True)
class PackedFile(Value):
    """A file and its form in a pack.

    Attributes:
        path: Its path.
        tier: Its tier by rating.
        form: ``full``, ``partial``, ``signatures``, ``pointer`` or ``excluded``.
        tokens: Tokens of that form, with its heading.
        reason: Why that form.
    """

    path: str
    tier: ContentTier
    form: PackForm
    tokens: int
    reason: str


@dataclass(frozen=True, kw_only=True, slots=True)
class PackFolder(Value):
    """The part of a pack that comes from a folder.

    Attributes:
        folder: Its path, of one or two levels; empty for the root.
        files: Number of its files in the pack.
        tokens: Tokens of these files.
    """

    folder: str
    files: int
    tokens: int


@dataclass(frozen=True, kw_only=True, slots=True)
class Pack(Value):
    """A pack.

    Attributes:
        version: Version of the store, or a newer one.
        at: The time of the ratings.
        mode: ``budget`` or ``tiers``.
        task: The purpose; may be empty.
        budget: The token budget; None without one.
        tokens: Tokens of the pack.
        full_tokens: Tokens of all files, whole.
        saving: How much smaller it is than these, as a share.
        counts: Files in each form.
        folders: Folders by their tokens, the most first.
        files: One page of all files: those in the pack, in order, then the others by path.
        next: Cursor of the next page; None on the last.
        text: The text of the pack, if requested.
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
