"""What happens to content, as the logs tell it. Times are seconds since 1970, UTC."""

from dataclasses import dataclass, field
from enum import StrEnum

from paragone.domain.content.content import Content, ContentKind


class Action(StrEnum):
    """What was done with content."""

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
        path: The file it lies in.
        hash: The vector's id; empty where a row is no chunk.
        symbol: The symbol's id, where a row is a symbol.
        adr: The decision record's id, where a row is one.
    """

    rank: int
    path: str
    hash: str = ""
    symbol: str = ""
    adr: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class Showing:
    """A search and what it showed.

    Attributes:
        id: Of the search.
        time: When.
        tool: ``semantic_search``, ``keyword_search``, ``hybrid_search``, ``grep_search`` or ``cortex_query``.
        results: Its rows by rank.
        session: In which session.
    """

    id: str
    time: float
    tool: str
    results: tuple[Shown, ...]
    session: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class Use:
    """An act upon content: everything that one act touched, such as a decision record and the file it lies in.

    Attributes:
        id: Of the act.
        time: When.
        action: What was done.
        contents: To what, one of a kind or, for a whole session, many.
        search: Id of the search that showed it, or empty.
        session: In which session.
    """

    id: str
    time: float
    action: Action
    contents: tuple[Content, ...]
    search: str = ""
    session: str = ""


class TruthSource(StrEnum):
    """Where R comes from; where an item has several, the first of these holds."""

    SUPPLIED = "supplied"
    VERIFICATION = "verification"
    AGREEMENT = "agreement"


@dataclass(frozen=True, kw_only=True, slots=True)
class TruthFound:
    """R of some content, from one source; the last one of a source holds. None takes it back."""

    id: str
    time: float
    content: Content
    source: TruthSource
    r: float | None


@dataclass(frozen=True, kw_only=True, slots=True)
class PoolSize:
    """How many there are of a kind, and the mean of their initial ratings in Elo points."""

    count: int
    mean_initial: float


@dataclass(frozen=True, kw_only=True, slots=True)
class Pooled:
    """What an index holds, by kind: the mean of a pool counts what was never touched, too."""

    id: str
    time: float
    pools: dict[ContentKind, PoolSize] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True, slots=True)
class Renamed:
    """A file has another path: its standing, and that of its symbols, goes with it."""

    id: str
    time: float
    old: str
    new: str


Event = Showing | Use | TruthFound | Pooled | Renamed
