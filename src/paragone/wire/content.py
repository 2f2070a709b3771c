"""Remembered content: one piece, and leaderboards."""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from paragone.domain.content import ContentKind, ContentTier, Quadrant, TruthSource
from paragone.wire.value import Value

ContentOrder = Literal["rating", "elo", "need", "r", "uses", "last_use", "id"]
"""What a leaderboard of content can be sorted by."""


@dataclass(frozen=True, kw_only=True, slots=True)
class ContentRating(Value):
    """Where a piece of content stands. Ratings are Elo points.

    Attributes:
        kind: ``file``, ``symbol``, ``adr`` (a decision record) or ``vector`` (a chunk of text).
        id: Its id: a file's is its path.
        path: The file that it lies in; empty where nothing says.
        rating: The one that counts: ``elo`` or ``need``, as the store is configured.
        elo: The running Elo, faded since its last use.
        stored: The running Elo as the last move left it.
        need: How likely it is to be used next.
        tier: Of ``rating``.
        quadrant: What it is by R and Elo.
        initial: What it began at.
        updates: How often its rating moved.
        uses: How often it was used.
        last_use: When, at the last time; None where never.
        r: How true it is; None where that is not known.
        r_source: Where R comes from.
        is_high: Whether R lies above its source's threshold; None where it is not known.
        gate: What R lets through of a change.
        pinned: Whether it is never pruned and always packed.
    """

    kind: ContentKind
    id: str
    path: str
    rating: float
    elo: float
    stored: float
    need: float
    tier: ContentTier
    quadrant: Quadrant
    initial: float
    updates: int
    uses: int
    last_use: datetime | None
    r: float | None
    r_source: TruthSource | None
    is_high: bool | None
    gate: float
    pinned: bool


@dataclass(frozen=True, kw_only=True, slots=True)
class ContentRatings(Value):
    """Some content by its rating.

    Attributes:
        at: As of when: ratings fade with time.
        kind: Of which kind; None for all.
        by: What it is ordered by, the highest first; by ``id`` from A to Z. What has no value there comes last.
            ``rating`` is the one that counts, Elo or need.
        total: How much there is on all pages.
        rows: One page of it.
    """

    at: datetime
    kind: ContentKind | None
    by: ContentOrder
    total: int
    rows: list[ContentRating]


@dataclass(frozen=True, kw_only=True, slots=True)
class ContentBoard(ContentRatings):
    """A page of content of a kind.

    Attributes:
        version: Of the store, or a newer one.
        next: Cursor of the next page; None on the last.
    """

    version: int
    next: str | None


@dataclass(frozen=True, kw_only=True, slots=True)
class ContentMove(Value):
    """A move of a rating.

    Attributes:
        at: When.
        old: The rating before, in Elo points.
        new: The rating after.
        delta: What it gained or lost.
        reason: Why, such as ``file_read``.
        gate: The share of the change that R let through.
        r: R at that time; None where it was not known.
        event: Id of the event that moved it.
        clamped: Elo points that the floor or the ceiling took away.
    """

    at: datetime
    old: float
    new: float
    delta: float
    reason: str
    gate: float
    r: float | None
    event: str
    clamped: float


@dataclass(frozen=True, kw_only=True, slots=True)
class RatedContent(ContentRating):
    """One piece of content, and how its rating moved.

    Attributes:
        at: As of when: ratings fade with time.
        moves: The last moves of its rating, the newest last.
    """

    at: datetime
    moves: list[ContentMove]


@dataclass(frozen=True, kw_only=True, slots=True)
class ContentFile(Value):
    """A file as the index has it.

    Attributes:
        size: In bytes.
        tokens: Of its text.
        lines: How many.
        language: Such as ``python``; empty where nobody knows.
        written: When it was last written.
        first_seen: When the index first held it.
        sha256: Of its bytes.
    """

    size: int
    tokens: int
    lines: int
    language: str
    written: datetime | None
    first_seen: datetime | None
    sha256: str


@dataclass(frozen=True, kw_only=True, slots=True)
class ContentText(Value):
    """Some lines of a file as it is now.

    Attributes:
        start: The first, from 1.
        end: The last.
        lines: How many the file has.
        text: The lines; what cannot be seen is taken out.
        next: The line that the next page begins with; None on the last one.
    """

    start: int
    end: int
    lines: int
    text: str
    next: int | None


@dataclass(frozen=True, kw_only=True, slots=True)
class ContentUsers(Value):
    """Who used it, and which searches showed it.

    Attributes:
        users: Uses by agent, or by session where no agent is named; those with the most.
        shown: Searches that showed it.
        queries: Different queries among them.
    """

    users: dict[str, int]
    shown: int
    queries: int


@dataclass(frozen=True, kw_only=True, slots=True)
class Content(RatedContent):
    """One piece of content.

    Attributes:
        threshold: R above which it is high; None where R is not known.
        high_above: R above which one that somebody supplies is high.
        half_life: Days without a use after which half of a rating's height is gone.
        file: The file that it is or lies in; None where the index does not hold it.
        first: The first of the lines that it is, from 1; None for a file.
        last: The last of them.
        used_by: Who used it; None while the logs are still being read.
        inside: Of a file: the symbols in it that are rated highest.
        symbols: How many symbols it has.
        text: What it says; None where that is not shown.
        hidden: Why it is not shown; empty where it is.
    """

    threshold: float | None
    high_above: float
    half_life: float
    file: ContentFile | None
    first: int | None
    last: int | None
    used_by: ContentUsers | None
    inside: list[ContentRating]
    symbols: int
    text: ContentText | None
    hidden: str
