"""The lines of the logs: their fields, the events they tell of, their JSON form, and times (ISO 8601 in UTC)."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Annotated, Any, ClassVar, Literal, TypeVar

from paragone.domain.content import (
    Action,
    Content,
    ContentEvent,
    ContentKind,
    PooledContent,
    PoolSize,
    Renamed,
    Showing,
    Shown,
    TruthFound,
    TruthSource,
    UsageMove,
    Use,
)
from paragone.domain.parameter import Count
from paragone.errors import InvalidRecord

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def as_iso(seconds: float) -> str:
    """A time as in the logs, to the millisecond, such as ``2026-01-02T03:04:05.678Z``.

    Raises:
        ValueError: If no date can express it.
    """
    try:
        moment = _EPOCH + timedelta(milliseconds=round(seconds * 1000.0))
    except OverflowError as error:
        raise ValueError(f"{seconds} is outside the range of dates") from error
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def from_iso(text: object) -> float:
    """Seconds since 1970, to the millisecond. A time without a zone is UTC.

    Raises:
        ValueError: If it is not a time in ISO 8601.
    """
    try:
        moment = datetime.fromisoformat(text) if isinstance(text, str) else None
        aware = moment if moment is None or moment.tzinfo is UTC else _in_utc(moment)
    except (ValueError, OverflowError):  # such as midnight of the year 1, east of Greenwich
        aware = None
    if aware is None:
        raise ValueError(f"{text!r} is not a time in ISO 8601, such as 2026-01-02T03:04:05.678Z")
    since = aware - _EPOCH
    return ((since.days * 86_400 + since.seconds) * 1000 + since.microseconds // 1000) / 1000.0


def _in_utc(moment: datetime) -> datetime:
    return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)


def moment(seconds: float | None) -> datetime | None:
    """A time as values have it; None if it is unknown, or no date can be so far away."""
    try:
        return None if seconds is None else datetime.fromtimestamp(seconds, UTC)
    except (ValueError, OverflowError, OSError):
        return None


def instant(seconds: float) -> datetime:
    """A known time as values have it; 1970 if no date can be so far away."""
    return moment(seconds) or _EPOCH


class _Iso:
    """Tells pydantic how to write and read a time."""

    def __get_pydantic_core_schema__(self, source: object, handler: object) -> Any:  # noqa: ANN401 - pydantic's own
        from pydantic_core import core_schema

        out = core_schema.plain_serializer_function_ser_schema(as_iso, return_schema=core_schema.str_schema())
        return core_schema.no_info_plain_validator_function(from_iso, serialization=out)

    def __get_pydantic_json_schema__(self, schema: object, handler: object) -> dict[str, Any]:
        return {"type": "string", "format": "date-time"}


Instant = Annotated[float, _Iso()]
"""Seconds since 1970, UTC; ISO 8601 in a log."""


Tool = Literal["semantic_search", "keyword_search", "hybrid_search", "grep_search", "cortex_query"]
Outcome = Literal["success", "failure", "unknown"]

WIRE = {"extra": "ignore", "allow_inf_nan": False, "ser_json_inf_nan": "constants"}
"""For pydantic: fields that a newer paragone adds are ignored, and NaN is refused, not written as null."""


@dataclass(frozen=True, kw_only=True, slots=True)
class LogLine:
    """What every line has. The store fills in what is empty when it writes one.

    Attributes:
        id: A unique name; a line whose id is in the logs already is not written again.
        seq: Its number in the order of writing, over all logs, from 1; 0 before it is written.
        timestamp: When it happened; the time of writing if empty (0 in Python).
        session_id: The session in which it happened.
    """

    __pydantic_config__: ClassVar[dict[str, Any]] = WIRE

    id: str = ""
    seq: int = 0
    timestamp: Instant = 0.0
    session_id: str = ""

    def events(self) -> tuple[ContentEvent, ...]:
        """The events that it tells of, in order."""
        return ()


@dataclass(frozen=True, kw_only=True, slots=True)
class ResultRow:
    """One row of a search's results.

    Attributes:
        hash: SHA-256 of the chunk's text, which is the vector's id; empty if the row is not a chunk.
        file_path: The file that contains it.
        rank: From 1.
        similarity: How near it is to the query; null if the search does not say.
        symbol: Id of the symbol, if the row is one.
        adr: Id of the decision record, if the row is one.
    """

    __pydantic_config__: ClassVar[dict[str, Any]] = WIRE

    hash: str = ""
    file_path: str
    rank: Count
    similarity: float | None = None
    symbol: str = ""
    adr: str = ""

    def __post_init__(self) -> None:
        if self.rank < 1:
            raise InvalidRecord(f"a rank counts from 1, and this one is {self.rank}")


@dataclass(frozen=True, kw_only=True, slots=True)
class SearchLine(LogLine):
    """A line of the memory specification's search log: a search and its results.

    Attributes:
        tool: Which search.
        query: The query.
        results: The results shown.
        mode: How they were ordered: learned or document.
        agent_id: Who searched.
    """

    tool: Tool
    query: str
    results: tuple[ResultRow, ...] = ()
    mode: str = ""
    agent_id: str = ""

    def events(self) -> tuple[ContentEvent, ...]:
        rows = tuple(
            Shown(rank=row.rank, path=row.file_path, hash=row.hash, symbol=row.symbol, adr=row.adr)
            for row in self.results
        )
        return (Showing(id=self.id, time=self.timestamp, tool=self.tool, results=rows, session=self.session_id),)


@dataclass(frozen=True, kw_only=True, slots=True)
class AccessLine(LogLine):
    """A line of the access log: one access to content.

    Attributes:
        action: What was done.
        entity_type: The kind of content.
        entity_id: Which: a path, a symbol's or decision record's id, a hash.
        file_path: The file that contains it; may be empty for a file.
        also: What else was touched, as pairs of type and id: a record's file, a symbol's file.
        search_id: Id of the search that showed it.
        tool: By which tool.
        part: 0 for the access itself; later pages of the same read have higher numbers and do not count.
        tokens: How many tokens it took; null if nobody counted.
        agent_id: Who did it.
    """

    action: Action
    entity_type: ContentKind
    entity_id: str
    file_path: str = ""
    also: tuple[tuple[ContentKind, str], ...] = ()
    search_id: str = ""
    tool: str = ""
    part: int = 0
    tokens: int | None = None
    agent_id: str = ""

    def events(self) -> tuple[ContentEvent, ...]:
        """The use; none for a later page."""
        if self.part:
            return ()
        touched = ((self.entity_type, self.entity_id), *self.also)
        contents = tuple(dict.fromkeys(_content(kind, name, self.file_path) for kind, name in touched))
        return (
            Use(
                id=self.id,
                time=self.timestamp,
                action=self.action,
                contents=contents,
                search=self.search_id,
                session=self.session_id,
            ),
        )


@dataclass(frozen=True, kw_only=True, slots=True)
class SessionLine(LogLine):
    """A line of the memory specification's session audit: a session that has ended.

    Attributes:
        agent_id: Whose session.
        start_time: When it began.
        end_time: When it ended.
        files_accessed: Paths, including those of the symbols and decision records.
        symbols_expanded: Ids of symbols.
        adrs_read: Ids of decision records.
        search_queries: Number of searches.
        semantic_searches: Semantic ones among them.
        keyword_searches: Keyword searches among them.
        outcome: How it ended; after a success, what was accessed counts as used too.
        accesses_logged: Whether each access has its own line in the access log, and so is not counted again here.
        source: Where the line comes from; a commit of "git" is one use of each of its files.
        renamed: Files renamed in it, as pairs of old and new path.
        removed: Files that it deleted.
        contradicted: Paths and ids of what turned out to be wrong; a success does not raise them.
        query: What it was about, such as a commit's message.
        changed: Definitions that a commit changed, as pairs of path and name; known of the last commits.
    """

    agent_id: str = ""
    start_time: Instant
    end_time: Instant
    files_accessed: tuple[str, ...] = ()
    symbols_expanded: tuple[str, ...] = ()
    adrs_read: tuple[str, ...] = ()
    search_queries: int = 0
    semantic_searches: int = 0
    keyword_searches: int = 0
    outcome: Outcome = "unknown"
    accesses_logged: bool = False
    source: str = ""
    renamed: tuple[tuple[str, str], ...] = ()
    removed: tuple[str, ...] = ()
    contradicted: tuple[str, ...] = ()
    query: str = ""
    changed: tuple[tuple[str, str], ...] = ()

    def events(self) -> tuple[ContentEvent, ...]:
        """Renames, then one read of everything, then, after a success, one use of everything."""
        return (*_renames(self.id, self.end_time, self.renamed), *self._uses())

    def _uses(self) -> Iterator[Use]:
        contents = self._contents()
        if contents and not self.accesses_logged:
            yield self._use(self.id, Action.READ, contents)
        served = tuple(content for content in contents if content.id not in self.contradicted)
        if served and self.outcome == "success" and self.source != "git":
            yield self._use(f"{self.id}:used", Action.USED, served)

    def _use(self, id: str, action: Action, contents: tuple[Content, ...]) -> Use:
        return Use(id=id, time=self.end_time, action=action, contents=contents, session=self.session_id)

    def _contents(self) -> tuple[Content, ...]:
        contents = [
            *(_content(ContentKind.FILE, path) for path in self.files_accessed),
            *(_content(ContentKind.SYMBOL, name) for name in self.symbols_expanded),
            *(_content(ContentKind.ADR, name) for name in self.adrs_read),
        ]
        return tuple(dict.fromkeys(contents))


@dataclass(frozen=True, kw_only=True, slots=True)
class TruthLine(LogLine):
    """A line of the truth log: R of some content, by one source. The last line of a source applies.

    Attributes:
        entity_type: The kind of content.
        entity_id: Which.
        file_path: The file that contains it; may be empty for a file.
        source: Where R comes from.
        r: R; null withdraws what the source said before.
        detail: What it was computed from, such as the number of pieces of evidence.
    """

    entity_type: ContentKind
    entity_id: str
    file_path: str = ""
    source: TruthSource
    r: float | None
    detail: Mapping[str, Any] = field(default_factory=dict)

    def events(self) -> tuple[ContentEvent, ...]:
        content = _content(self.entity_type, self.entity_id, self.file_path)
        return (TruthFound(id=self.id, time=self.timestamp, content=content, source=self.source, r=self.r),)


@dataclass(frozen=True, kw_only=True, slots=True)
class IndexLine(LogLine):
    """A line of the index log: a run of the indexer that changed something.

    Attributes:
        pools: What the index holds afterwards, by kind: how many, and the mean of their initial ratings.
        renamed: Files renamed, as pairs of old and new path.
        added: Number of new files.
        changed: Number of changed files.
        removed: Number of deleted files.
    """

    pools: dict[ContentKind, PoolSize] = field(default_factory=dict)
    renamed: tuple[tuple[str, str], ...] = ()
    added: int = 0
    changed: int = 0
    removed: int = 0

    def events(self) -> tuple[ContentEvent, ...]:
        """Renames, then the sizes of the pools."""
        renames = _renames(self.id, self.timestamp, self.renamed)
        return (*renames, PooledContent(id=self.id, time=self.timestamp, pools=dict(self.pools)))


@dataclass(frozen=True, kw_only=True, slots=True)
class UpdateLine(LogLine):
    """A line of the memory specification's update log: one change of one rating.

    Attributes:
        entity_type: The kind of content.
        entity_id: Which.
        elo_old: Rating before, in Elo points.
        elo_new: Rating after.
        delta: Elo points gained or lost.
        reason: Why, such as ``file_read``.
        event: Id of the event that caused it.
        r: R at that time; null if unknown.
        gate: The share of the change that R let through.
        clamped: Elo points that the floor or the ceiling took away.
        basis: Name of the constants by which it was computed.
    """

    entity_type: ContentKind
    entity_id: str
    elo_old: float
    elo_new: float
    delta: float
    reason: str
    event: str = ""
    r: float | None = None
    gate: float = 1.0
    clamped: float = 0.0
    basis: str = ""

    @classmethod
    def of(cls, move: UsageMove, *, seq: int, basis: str, session: str = "") -> "UpdateLine":
        """The line of a change.

        Args:
            move: The change.
            seq: ``seq`` of the line whose event caused it.
            basis: Name of the constants.
            session: The session of the event.
        """
        return cls(
            id=f"{move.event}/{move.content.kind}/{move.content.id}/{move.reason}",
            seq=seq,
            timestamp=move.time,
            session_id=session,
            entity_type=move.content.kind,
            entity_id=move.content.id,
            elo_old=move.old,
            elo_new=move.new,
            delta=move.delta,
            reason=move.reason,
            event=move.event,
            r=move.r,
            gate=move.gate,
            clamped=move.clamped,
            basis=basis,
        )


def _renames(id: str, time: float, renamed: Iterable[tuple[str, str]]) -> tuple[Renamed, ...]:
    return tuple(Renamed(id=id, time=time, old=old, new=new) for old, new in renamed)


def _content(kind: ContentKind, id: str, path: str = "") -> Content:
    return Content(kind=kind, id=id, path=path_of(kind, id, path))


def path_of(kind: ContentKind, id: str, path: str = "") -> str:
    """The file that contains content; empty if unknown. A file's path is its id; a symbol's id begins with its path."""
    if kind is ContentKind.FILE:
        return id
    if kind is ContentKind.SYMBOL and not path and "::" in id:
        return id.removeprefix("@").partition("::")[0]
    return path


L = TypeVar("L", bound=LogLine)

EVIDENCE: dict[str, type[LogLine]] = {
    "search_log": SearchLine,
    "access_log": AccessLine,
    "session_audit": SessionLine,
    "truth_log": TruthLine,
    "index_log": IndexLine,
}
"""The logs that are evidence, with the type of their lines."""

UPDATES = "elo_updates"
"""The log that follows from the others."""

LOGS: dict[str, type[LogLine]] = {**EVIDENCE, UPDATES: UpdateLine}
