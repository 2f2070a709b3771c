"""Packs as values: what would go into a context window, in which form, what it takes, and why."""

from collections import Counter
from dataclasses import dataclass
from datetime import datetime
from pathlib import PurePosixPath

from paragone.domain.content import ContentTier
from paragone.memory.components import Components
from paragone.memory.packing import Pack, PackForm
from paragone.memory.store.config import PackMode
from paragone.web.books.remembered import Remembered
from paragone.web.views.cursors import cursor, place_of
from paragone.web.views.memory.census import instant
from paragone.web.views.values import View, Words

MOST = 200_000
"""Tokens of a pack at the most."""
PATIENCE = 20.0
"""Seconds to wait for a pack."""


class PackedView(View):
    """A file and what becomes of it.

    Attributes:
        path: Its path.
        tier: How it stands by its rating.
        form: ``full``, ``signatures``, ``pointer`` or ``excluded``.
        tokens: What that takes, with its heading.
        reason: Why that form.
    """

    path: Words
    tier: ContentTier
    form: PackForm
    tokens: int
    reason: Words


class PackFolderView(View):
    """What of a pack lies in a folder.

    Attributes:
        folder: Its path, of one or two levels; empty for the root.
        files: How many files of it are in the pack.
        tokens: What they take.
    """

    folder: Words
    files: int
    tokens: int


class PackView(View):
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
    task: Words
    budget: int | None
    tokens: int
    full_tokens: int
    saving: float
    counts: dict[PackForm, int]
    folders: list[PackFolderView]
    files: list[PackedView]
    next: str | None
    text: Words | None


@dataclass(frozen=True, kw_only=True, slots=True)
class PackWanted:
    """Which pack, and which page of its files.

    Attributes:
        budget: Tokens; the configuration's where None.
        task: What it is for: what a search for it finds is worth more.
        mode: ``budget`` or ``tiers``; the configuration's where None.
        limit: Files of a page.
        cursor: ``next`` of the page before.
        text: Whether the pack itself is wanted.
    """

    budget: int | None = None
    task: str = ""
    mode: PackMode | None = None
    limit: int = 100
    cursor: str | None = None
    text: bool = False

    @property
    def listing(self) -> tuple[str, ...]:
        """What a cursor of it belongs to."""
        return "pack", str(self.budget), self.task, self.mode or ""


def pack(memory: Remembered, wanted: PackWanted) -> PackView:
    """A pack, by the ratings of now. Nothing is logged.

    Raises:
        InvalidConfig: If the budget has no room for what is pinned, or the cursor is of another pack.
        NotFound: If nothing is indexed yet.
        Busy: If it takes long.
    """
    place = place_of(wanted.cursor, wanted.listing)
    start = int(place[0] or 0) if place else 0
    made = memory.made(f"pack {wanted.listing}", lambda parts: _packed(parts, wanted), PATIENCE)
    found = made.value
    end = start + wanted.limit
    return PackView(
        version=made.version,
        at=instant(found.as_of),
        mode=found.mode,
        task=found.query,
        budget=found.budget,
        tokens=found.tokens,
        full_tokens=found.full_tokens,
        saving=found.saving,
        counts=dict(found.counts),
        folders=_folders(found),
        files=[
            PackedView(path=one.path, tier=one.tier, form=one.form, tokens=one.tokens, reason=one.reason)
            for one in found.manifest[start:end]
        ],
        next=cursor(wanted.listing, [end]) if end < len(found.manifest) else None,
        text=found.text if wanted.text else None,
    )


def _packed(parts: Components, wanted: PackWanted) -> Pack:
    mode, budget = wanted.mode or parts.store.config.pack.mode, wanted.budget
    if mode == "tiers" and budget is None:
        budget = MOST  # by tiers nothing else bounds it
    return parts.packer.pack(as_of=parts.moment(None), tokens=budget, mode=mode, query=wanted.task or None)


def _folders(found: Pack) -> list[PackFolderView]:
    files, tokens = Counter[str](), Counter[str]()
    for one in found.manifest:
        if one.form is not PackForm.EXCLUDED:
            folder = "/".join(PurePosixPath(one.path).parts[:-1][:2])
            files[folder] += 1
            tokens[folder] += one.tokens
    return [PackFolderView(folder=folder, files=files[folder], tokens=count) for folder, count in tokens.most_common()]
