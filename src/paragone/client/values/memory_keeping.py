"""What is found, packed and pruned of a memory, as a server tells of it; the fields are those of its answers."""

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, kw_only=True, slots=True)
class Breakdown:
    """What a score is made of.

    Attributes:
        mode: The formula: ``relevance``, ``bounded`` or ``document``.
        similarity: How well it answers the query, from 0 to 1.
        semantic: By its meaning; None where that was not asked for.
        keyword: By its words; None where that was not asked for.
        rated: Whose rating it is: its own once that has moved, its file's until then.
        rating: In Elo points.
        elo_norm: The same from 0 to 1.
        r: R; None where it is not known.
        r_source: Where R comes from, or empty.
        r_gate: 1, or 0.25 where R is low.
        flags: What to know besides: ``R unknown``, ``R low``, ``file gone``.
    """

    mode: str
    similarity: float
    semantic: float | None
    keyword: float | None
    rated: str
    rating: float
    elo_norm: float
    r: float | None
    r_source: str
    r_gate: float
    flags: list[str]


@dataclass(frozen=True, kw_only=True, slots=True)
class Found:
    """One result.

    Attributes:
        rank: From 1, over all pages.
        path: The file that it lies in.
        start: Its first line.
        end: Its last line.
        symbol: Id of the definition that it lies in, or that it is; or empty.
        adr: Id of the decision record that it lies in, or that it is; or empty.
        title: What that is called; or empty.
        snippet: Some lines of it.
        similarity: How well it answers the query, from 0 to 1.
        score: What orders results.
        why: What the score is made of.
    """

    rank: int
    path: str
    start: int
    end: int
    symbol: str
    adr: str
    title: str
    snippet: str
    similarity: float
    score: float
    why: Breakdown


@dataclass(frozen=True, kw_only=True, slots=True)
class Search:
    """What a search found.

    Attributes:
        query: What was asked, as it was understood.
        what: Chunks, files, symbols or decision records.
        how: By meaning, by words, or by both.
        mode: What ordered the results.
        total: How many there are, on all pages together.
        results: One page of them, the best first.
        next_offset: Where the next page begins; None on the last one.
    """

    query: str
    what: str
    how: str
    mode: str
    total: int
    results: list[Found]
    next_offset: int | None


@dataclass(frozen=True, kw_only=True, slots=True)
class Packed:
    """A file and what becomes of it.

    Attributes:
        path: Its path.
        tier: How it stands by its rating.
        form: ``full``, ``signatures``, ``pointer`` or ``excluded``.
        tokens: What that takes, with its heading.
        reason: Why that form.
    """

    path: str
    tier: str
    form: str
    tokens: int
    reason: str


@dataclass(frozen=True, kw_only=True, slots=True)
class PackFolder:
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
class Pack:
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
    mode: str
    task: str
    budget: int | None
    tokens: int
    full_tokens: int
    saving: float
    counts: dict[str, int]
    folders: list[PackFolder]
    files: list[Packed]
    next: str | None
    text: str | None


@dataclass(frozen=True, kw_only=True, slots=True)
class PruneCandidate:
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
    action: str
    reason: str
    size: int
    elo: float
    uses: int
    last_use: datetime | None
    r: float | None


@dataclass(frozen=True, kw_only=True, slots=True)
class Prune:
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
    scope: list[str]
    done: bool
    archive: int
    bytes: int
    keep: int
    below: float
    stale_days: float
    files: list[PruneCandidate]
    next: str | None
    confirm: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Archived:
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
class Archive:
    """The archive.

    Attributes:
        total: How many files it holds.
        files: One page of them, the newest first.
        next: Cursor of the next page; None on the last.
    """

    total: int
    files: list[Archived]
    next: str | None


@dataclass(frozen=True, kw_only=True, slots=True)
class Act:
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
class Acts:
    """What people did to the store.

    Attributes:
        total: How many acts.
        acts: One page of them, the newest first.
        next: Cursor of the next page; None on the last.
    """

    total: int
    acts: list[Act]
    next: str | None


@dataclass(frozen=True, kw_only=True, slots=True)
class Rebuilt:
    """What counting all logs anew came to.

    Attributes:
        lines: Lines of evidence that were counted.
        moves: Moves of ratings that came of them.
        same: Whether all standings are what they were, to the last bit.
    """

    lines: int
    moves: int
    same: bool
