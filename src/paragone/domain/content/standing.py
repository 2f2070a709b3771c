"""Where content stands: its rating, the record of each move, and what a search is still owed."""

from dataclasses import dataclass, field

from paragone.domain.content.content import Content
from paragone.domain.content.event import Shown, TruthSource


@dataclass(frozen=True, kw_only=True, slots=True)
class Standing:
    """What is kept of one piece of content. All of it follows from the logs and the configuration.

    Attributes:
        content: Of what.
        elo: The running rating in Elo points, before decay, never rounded.
        initial: What it began at.
        updates: How often its rating moved.
        uses: How often it was used.
        first_use: Seconds since 1970; None before the first use.
        last_use: Seconds since 1970; None before the first use. Decay counts from here.
        recent: Times of the last uses, the oldest first; need goes by them exactly, and by the mean of those before.
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
    """One move of one rating of content: a row of document M's update log.

    Attributes:
        content: What moved.
        event: Id of the event that moved it.
        time: When, in seconds since 1970.
        old: Rating before, in Elo points.
        new: Rating after.
        reason: Why, in the document's words: ``semantic_search_rank_1``, ``file_read``, ``symbol_expansion``,
            ``adr_citation``, ``shown_unused``, ...
        gate: What R made of it: 1, or the share that a closed gate lets through.
        r: R at that time; None where it was unknown.
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
        time: When it was.
        tool: By which tool.
        results: What it showed.
        counted: What counted already, as (content, what was done): a use counts once a search.
        paid: Elo points that content shown and not used has paid for what was; used later, it has them back.
    """

    id: str
    time: float
    tool: str
    results: tuple[Shown, ...]
    counted: frozenset[tuple[Content, str]] = frozenset()
    paid: dict[Content, float] = field(default_factory=dict)
