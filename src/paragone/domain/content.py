"""Nouns of content: what agents read, what they did with it, and the ratings that follow. Standard library only."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from enum import StrEnum
from typing import Self

from paragone.errors import InvalidConfig


class ContentKind(StrEnum):
    """The memory specification's entity types. Each is a pool of its own."""

    VECTOR = "vector"
    FILE = "file"
    SYMBOL = "symbol"
    ADR = "adr"


class ContentTier(StrEnum):
    """Tiers by rating.

    Source: the memory specification, "ELO Tier Thresholds"; lower bounds are inclusive.
    """

    HIGH = "high"
    MEDIUM = "medium"
    LOW = "low"
    VERY_LOW = "very low"


class Quadrant(StrEnum):
    """What content is by R and Elo."""

    BEST = "best content"
    LATENT = "latent value"
    ECHO = "echo chamber"
    PRUNE = "prune candidate"
    UNKNOWN = "R unknown"


@dataclass(frozen=True, kw_only=True, slots=True)
class Content:
    """One piece of content. Two are equal if kind and id are.

    Attributes:
        kind: Its kind.
        id: A file's path below the root, with slashes; a symbol's ``@path::Qualified.name``; a decision record's name,
            such as ``ADR-027``; a vector's SHA-256, which is that of the chunk's text.
        path: The file that contains it, if known: its tier depends on it, and it has the file's R unless it has its
            own.
    """

    kind: ContentKind
    id: str
    path: str = field(default="", compare=False)

    @classmethod
    def file(cls, path: str) -> Self:
        """The file at a path below the root."""
        return cls(kind=ContentKind.FILE, id=path, path=path)

    def moved(self, old: str, new: str) -> "Content":
        """The same content after a file was renamed."""
        is_file = self.kind is ContentKind.FILE and self.id == old
        id = new if is_file else moved_symbol(self.id, old, new) if self.kind is ContentKind.SYMBOL else self.id
        path = new if is_file or self.path == old or id != self.id else self.path
        return Content(kind=self.kind, id=id, path=path)

    def __hash__(self) -> int:
        """The hash of the id, which strings cache; ids of two kinds are hardly ever equal."""
        return hash(self.id)


def moved_symbol(id: str, old: str, new: str) -> str:
    """The id of a symbol after a file was renamed."""
    prefix = f"@{old}::"
    return f"@{new}::{id[len(prefix) :]}" if id.startswith(prefix) else id


_BOUNDS = ((1600.0, ContentTier.HIGH), (1200.0, ContentTier.MEDIUM), (800.0, ContentTier.LOW))


def content_tier(elo: float) -> ContentTier:
    """The tier of a rating in Elo points, rounded to whole points as shown.

    Decay is never quite 0: 1199.998 a second after a file was indexed at 1200 is medium.
    """
    points = math.floor(elo + 0.5)
    return next((tier for bound, tier in _BOUNDS if points >= bound), ContentTier.VERY_LOW)


class Action(StrEnum):
    """Uses of content."""

    READ = "read"
    OPENED = "opened"
    EXPANDED = "expanded"
    CITED = "cited"
    USED = "used"
    CONTRADICTED = "contradicted"


@dataclass(frozen=True, kw_only=True, slots=True)
class Shown:
    """One row of a search's results.

    Attributes:
        rank: From 1.
        path: The file that contains it.
        hash: The vector's id; empty if the row is not a chunk.
        symbol: The symbol's id, if the row is a symbol.
        adr: The decision record's id, if the row is one.
    """

    rank: int
    path: str
    hash: str = ""
    symbol: str = ""
    adr: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class Showing:
    """A search and its results.

    Attributes:
        id: Of the search.
        time: In seconds since 1970, as everywhere.
        tool: ``semantic_search``, ``keyword_search``, ``hybrid_search``, ``grep_search`` or ``cortex_query``.
        results: Its rows by rank.
        session: Its session.
    """

    id: str
    time: float
    tool: str
    results: tuple[Shown, ...]
    session: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class Use:
    """A use of content: everything that was touched at once, such as a decision record and its file.

    Attributes:
        id: Of the use.
        time: In seconds since 1970.
        action: What was done.
        contents: With which content: one of a kind, or many for a whole session.
        search: Id of the search that showed it, or empty.
        session: Its session.
    """

    id: str
    time: float
    action: Action
    contents: tuple[Content, ...]
    search: str = ""
    session: str = ""


class TruthSource(StrEnum):
    """Sources of R, by priority."""

    SUPPLIED = "supplied"
    TESTS = "tests"
    JUDGE = "judge"
    HISTORY = "history"
    VERIFICATION = "verification"
    AGREEMENT = "agreement"


@dataclass(frozen=True, kw_only=True, slots=True)
class TruthFound:
    """R of content from one source, which replaces the one before; None withdraws it."""

    id: str
    time: float
    content: Content
    source: TruthSource
    r: float | None


@dataclass(frozen=True, kw_only=True, slots=True)
class PoolSize:
    """The number of contents of a kind, and the mean of their initial ratings in Elo points."""

    count: int
    mean_initial: float


@dataclass(frozen=True, kw_only=True, slots=True)
class PooledContent:
    """The content of an index, by kind; the mean of a pool includes what was never used."""

    id: str
    time: float
    pools: dict[ContentKind, PoolSize] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True, slots=True)
class Renamed:
    """A file was renamed: its state and those of its symbols move to the new path."""

    id: str
    time: float
    old: str
    new: str


ContentEvent = Showing | Use | TruthFound | PooledContent | Renamed


@dataclass(frozen=True, kw_only=True, slots=True)
class ContentState:
    """The state of one piece of content, which follows from the logs and the configuration.

    Attributes:
        content: The content.
        elo: The running rating in Elo points, before decay, never rounded.
        initial: Its initial rating.
        updates: How often its rating changed.
        uses: How often it was used.
        first_use: Seconds since 1970; None before the first use.
        last_use: Seconds since 1970; None before the first use. Decay counts from here.
        recent: Times of the last uses, oldest first. Need uses them exactly, and the mean of those before.
        truth: R by source.
    """

    content: Content
    elo: float
    initial: float
    updates: int = 0
    uses: int = 0
    first_use: float | None = None
    last_use: float | None = None
    recent: tuple[float, ...] = ()
    truth: tuple[tuple[TruthSource, float], ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class UsageMove:
    """A change of one rating: a row of the memory specification's update log.

    Attributes:
        content: The content.
        event: Id of the event that caused it.
        time: In seconds since 1970.
        old: Rating before, in Elo points.
        new: Rating after.
        reason: Why, in the specification's words: ``semantic_search_rank_1``, ``file_read``, ``symbol_expansion``,
            ``adr_citation``, ``shown_unused``, ...
        gate: The share of the change that R let through: 1, or less if the gate is closed.
        r: R at that time; None if unknown.
        clamped: Elo points that the floor or the ceiling took away (signed: intended change minus applied change).
    """

    content: Content
    event: str
    time: float
    old: float
    new: float
    reason: str
    gate: float = 1.0
    r: float | None = None
    clamped: float = 0.0

    @property
    def delta(self) -> float:
        """Elo points gained or lost."""
        return self.new - self.old


@dataclass(frozen=True, kw_only=True, slots=True)
class OpenSearch:
    """A search whose results may still be used.

    Attributes:
        id: Of the search.
        time: In seconds since 1970.
        tool: By which tool.
        results: Its results.
        counted: Uses counted already, as (content, action): a use counts once per search.
        paid: Elo points that unused results have paid for used ones; they get them back if they are used later.
    """

    id: str
    time: float
    tool: str
    results: tuple[Shown, ...]
    counted: frozenset[tuple[Content, str]] = frozenset()
    paid: dict[Content, float] = field(default_factory=dict)


DEFAULT_THRESHOLDS = {
    TruthSource.SUPPLIED: math.sqrt(3.0),
    TruthSource.TESTS: 0.5,
    TruthSource.JUDGE: 0.5,
    TruthSource.HISTORY: 0.5,
    TruthSource.VERIFICATION: 0.5,
    TruthSource.AGREEMENT: math.sqrt(3.0),
}
"""R above which the gate is open, by source; calibrate that of agreement for the embedder in use."""


@dataclass(frozen=True, kw_only=True, slots=True)
class UsageConfig:
    """How ratings of content change. The defaults are the memory specification's, and those of its settled readings.

    Attributes:
        zero_sum: Whether content that was shown and not used pays for what was; False gives the specification's literal
            boosts.
        k_new: K of content with few updates, in Elo points.
        k_established: K afterwards.
        established: Updates after which content is established.
        floor: No rating falls below this.
        ceiling: No rating rises above this.
        boost_first: Elo points for rank 1 of a search, at the K of new content.
        boost_near: For ranks 2 to 5.
        boost_far: For ranks 6 to 10.
        cited_bonus: Weight of a citation; a read weighs 1.
        used_bonus: Weight of a use in a successful run.
        gated: The share of a change that passes a closed gate.
        thresholds: R above which the gate is open, by source; a source that is left out has its default.
        half_life: The specification's name for the time constant of decay, in days; half is gone after ``ln 2`` of it.
        decay_base: What decay approaches from above, in Elo points.
        fold_decay: Whether a change starts from the decayed rating; by default decay is only shown.
        search_days: For how many days a use may refer to a search.
        need_decay: The exponent of base-level activation.
        need_recent: How many uses need remembers exactly.
    """

    zero_sum: bool = True
    k_new: float = 16.0
    k_established: float = 8.0
    established: int = 10
    floor: float = 100.0
    ceiling: float = 4000.0
    boost_first: float = 16.0
    boost_near: float = 8.0
    boost_far: float = 4.0
    cited_bonus: float = 1.5
    used_bonus: float = 2.0
    gated: float = 0.25
    thresholds: dict[TruthSource, float] = field(default_factory=lambda: dict(DEFAULT_THRESHOLDS), hash=False)
    half_life: float = 30.0
    decay_base: float = 800.0
    fold_decay: bool = False
    search_days: float = 1.0
    need_decay: float = 0.6
    need_recent: int = 16

    def __post_init__(self) -> None:
        for name in (own.name for own in fields(self) if own.type is float or own.type == "float"):
            if not math.isfinite(getattr(self, name)):
                raise InvalidConfig(f"{name} must be a finite number, not {getattr(self, name)}", key=name)
        object.__setattr__(self, "thresholds", _thresholds(self.thresholds))
        self._refuse_below(0.0, "boost_first", "boost_near", "boost_far", "cited_bonus", "used_bonus", "search_days")
        self._refuse_below(1, "established", "need_recent")
        for name in ("k_new", "k_established", "half_life"):
            if getattr(self, name) <= 0.0:
                raise InvalidConfig(f"{name} must be positive, not {getattr(self, name)}", key=name)
        for name in ("gated", "need_decay"):
            if not 0.0 <= getattr(self, name) < 1.0:
                raise InvalidConfig(f"{name} lies in [0, 1), not {getattr(self, name)}", key=name)
        if not self.floor <= self.decay_base <= self.ceiling:
            raise InvalidConfig(
                f"decay_base {self.decay_base:g} lies outside of what ratings may be, floor {self.floor:g} to ceiling "
                f"{self.ceiling:g}",
                key="decay_base",
            )

    def _refuse_below(self, least: float, *names: str) -> None:
        for name in names:
            if getattr(self, name) < least:
                raise InvalidConfig(f"{name} is {least:g} or more, not {getattr(self, name)}", key=name)


def _thresholds(thresholds: Mapping[TruthSource, float]) -> dict[TruthSource, float]:
    """All thresholds, in the order of the sources.

    Raises:
        InvalidConfig: If a source is none, or a threshold no finite number.
    """
    for source, threshold in thresholds.items():
        key = f"thresholds.{source}"
        if source not in set(TruthSource):
            raise InvalidConfig(f"R has no source {source!r}; there are {', '.join(TruthSource)}", key=key)
        if not math.isfinite(threshold):
            raise InvalidConfig(f"{key} must be a finite number, not {threshold}", key=key)
    return {source: float(thresholds.get(source, DEFAULT_THRESHOLDS[source])) for source in TruthSource}
