"""Remembered content: one piece, and leaderboards."""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from paragone.domain.content import ContentKind, ContentTier, Quadrant, TruthSource
from paragone.wire.value import Value

ContentOrder = Literal["rating", "elo", "need", "usefulness", "r", "uses", "last_use", "id"]
"""Orders of a leaderboard of content."""


@dataclass(frozen=True, kw_only=True, slots=True)
class ContentRating(Value):
    """The rating of a piece of content. Ratings are Elo points.

    Attributes:
        kind: ``file``, ``symbol``, ``adr`` (a decision record) or ``vector`` (a chunk of text).
        id: Its id; that of a file is its path.
        path: The file that contains it; empty if unknown.
        rating: The one that counts: ``elo`` or ``need``, as the store is configured.
        elo: The running Elo, decayed since its last use.
        stored: The running Elo after its last change.
        need: How likely it is to be used next.
        usefulness: P(useful), from reports and from how searches ended.
        is_known: Whether there are reports; otherwise usefulness is a guess.
        tier: Of ``rating``.
        quadrant: Its quadrant by R and Elo.
        initial: Its initial rating.
        updates: How often its rating changed.
        uses: How often it was used.
        last_use: Its last use; None if it was never used.
        r: R, how true it is; None if unknown.
        r_source: Where R comes from.
        is_high: Whether R lies above its source's threshold; None if unknown.
        gate: The share of a change that R lets through.
        pinned: Whether it is never pruned and always packed.
    """

    kind: ContentKind
    id: str
    path: str
    rating: float
    elo: float
    stored: float
    need: float
    usefulness: float
    is_known: bool
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
        at: The time of the ratings, which decay.
        kind: The kind of content; None for all.
        by: The order, highest first; by ``id`` from A to Z. Content without such a value comes last. ``rating`` is the
            one that counts, Elo or need.
        total: Rows on all pages.
        rows: One page of rows.
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
        version: Version of the store, or a newer one.
        next: Cursor of the next page; None on the last.
    """

    version: int
    next: str | None


@dataclass(frozen=True, kw_only=True, slots=True)
class ContentMove(Value):
    """A change of a rating.

    Attributes:
        at: When it happened.
        old: The rating before, in Elo points.
        new: The rating after.
        delta: Elo points gained or lost.
        reason: The cause, such as ``file_read``.
        gate: The share of the change that R let through.
        r: R at that time; None if unknown.
        event: Id of the event that caused it.
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
    """One piece of content with the last changes of its rating.

    Attributes:
        at: The time of the rating, which decays.
        moves: The last changes of its rating, newest last.
    """

    at: datetime
    moves: list[ContentMove]


@dataclass(frozen=True, kw_only=True, slots=True)
class ContentFile(Value):
    """A file in the index.

    Attributes:
        size: In bytes.
        tokens: Of its text.
        lines: Number of lines.
        language: Such as ``python``; empty if unknown.
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
        start: The first line, from 1.
        end: The last line.
        lines: Lines of the file.
        text: The lines, without invisible characters.
        next: First line of the next page; None on the last one.
    """

    start: int
    end: int
    lines: int
    text: str
    next: int | None


@dataclass(frozen=True, kw_only=True, slots=True)
class ContentUsers(Value):
    """Who used content, and which searches returned it.

    Attributes:
        users: Uses by agent, or by session if no agent is named, for those with the most.
        shown: Searches that returned it.
        queries: Distinct queries among them.
    """

    users: dict[str, int]
    shown: int
    queries: int


@dataclass(frozen=True, kw_only=True, slots=True)
class Content(RatedContent):
    """One piece of content.

    Attributes:
        threshold: R above which it is high; None if R is unknown.
        high_above: R above which a supplied R is high.
        half_life: Days without a use after which half of a rating's height is gone.
        file: The file that it is or that contains it; None if it is not in the index.
        first: Its first line, from 1; None for a file.
        last: Its last line.
        used_by: Who used it; None while the logs are being read.
        inside: The highest rated symbols of a file.
        symbols: Number of symbols in it.
        text: Its text; None if it is not shown.
        hidden: Why it is not shown; empty if it is.
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
