"""Packs and searches of the memory."""

from collections import Counter
from dataclasses import asdict, dataclass
from pathlib import PurePosixPath

from paragone.memory.components import Components
from paragone.memory.packing import Pack
from paragone.memory.store.lines import instant
from paragone.web.readers.memory_reader import MemoryReader
from paragone.web.views.cursors import After, page_of_growing
from paragone.wire import pack as wire_pack
from paragone.wire.pack import PackedFile, PackFolder, PackForm, PackMode
from paragone.wire.search import Search, SearchMethod, SearchMode, SearchTarget

MOST = 200_000
"""Maximum tokens of a pack."""
PATIENCE = 20.0
"""Seconds to wait for a pack."""


@dataclass(frozen=True, kw_only=True, slots=True)
class PackQuery:
    """Which pack, and which page of its files.

    Attributes:
        budget: Tokens; the configuration's if None.
        task: The task that it is for: results of a search for it are worth more.
        mode: ``budget`` or ``tiers``; the configuration's if None.
        limit: Files of a page.
        cursor: ``next`` of the page before, or how many files come before this one.
        text: Whether to include the text of the pack.
    """

    budget: int | None = None
    task: str = ""
    mode: PackMode | None = None
    limit: int = 100
    cursor: After = None
    text: bool = False

    @property
    def listing(self) -> tuple[str, ...]:
        """What a cursor of it belongs to."""
        return "pack", str(self.budget), self.task, self.mode or ""


def pack(memory: MemoryReader, query: PackQuery) -> wire_pack.Pack:
    """A pack, by the ratings of now. Nothing is logged.

    Raises:
        InvalidConfig: If the budget is too small for pinned files, or the cursor is of another pack.
        NotFound: If nothing is indexed yet.
        Busy: If it takes long.
    """
    snapshot = memory.made(f"pack {query.listing}", lambda parts: _packed(parts, query), PATIENCE)
    packed = snapshot.value
    files, following = page_of_growing(packed.manifest, query.listing, query.limit, query.cursor)
    return wire_pack.Pack.like(
        packed,
        version=snapshot.version,
        at=instant(packed.as_of),
        task=packed.query,
        folders=_folders(packed),
        files=[PackedFile.like(file) for file in files],
        next=following,
        text=packed.text if query.text else None,
    )


def _packed(parts: Components, query: PackQuery) -> Pack:
    mode, budget = query.mode or parts.store.config.pack.mode, query.budget
    if mode == "tiers" and budget is None:
        budget = MOST  # by tiers nothing else bounds it
    return parts.packer.pack(tokens=budget, mode=mode, query=query.task or None)


def _folders(packed: Pack) -> list[PackFolder]:
    files, tokens = Counter[str](), Counter[str]()
    for file in packed.manifest:
        if file.form is not PackForm.EXCLUDED:
            folder = "/".join(PurePosixPath(file.path).parts[:-1][:2])
            files[folder] += 1
            tokens[folder] += file.tokens
    return [PackFolder(folder=folder, files=files[folder], tokens=count) for folder, count in tokens.most_common()]


@dataclass(frozen=True, kw_only=True, slots=True)
class SearchQuery:
    """What to look for, and how; see ``Memory.search``."""

    query: str
    how: SearchMethod = "hybrid"
    what: SearchTarget = "chunk"
    mode: SearchMode | None = None
    glob: str | None = None
    limit: int = 10
    offset: int = 0


def search(memory: MemoryReader, query: SearchQuery) -> Search:
    """Find what answers a query best.

    Raises:
        UsageError: If the query is empty, or there is nothing to search by.
        NotFound: If nothing is indexed yet.
        Busy: If the store does not answer.
    """
    options = asdict(query)
    text = options.pop("query")
    result = memory.ask(lambda components: components.searcher.search(text, **options))
    return Search.like(result)
