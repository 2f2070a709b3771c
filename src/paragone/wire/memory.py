"""The memory of a folder: summary, quadrants, echo chambers and measures of success."""

from dataclasses import dataclass
from datetime import datetime

from paragone.domain.content import ContentKind, ContentTier, Quadrant
from paragone.wire.value import Value


@dataclass(frozen=True, kw_only=True, slots=True)
class MeasurePoint(Value):
    """A measure at some time.

    Attributes:
        at: When its first session began.
        value: The share, from 0 to 1.
        evidence: How much it rests on.
    """

    at: datetime
    value: float
    evidence: int


@dataclass(frozen=True, kw_only=True, slots=True)
class MemoryMeasure(Value):
    """A measure.

    Attributes:
        name: Which.
        value: The share; None where there is nothing to measure yet.
        target: What it should come to; None where none is named.
        met: Whether it does; None where that cannot be said yet.
        evidence: How much it rests on.
        counted: What evidence counts.
        note: What to know of it.
        series: By week.
    """

    name: str
    value: float | None
    target: float | None
    met: bool | None
    evidence: int
    counted: str
    note: str
    series: list[MeasurePoint]


@dataclass(frozen=True, kw_only=True, slots=True)
class MemoryMeasures(Value):
    """All measures.

    Attributes:
        at: As of when.
        version: Of the store, or a newer one.
        sessions: How many sessions the logs have.
        measures: Each.
        pending: Whether newer ones are being computed.
    """

    at: datetime
    version: int
    sessions: int
    measures: list[MemoryMeasure]
    pending: bool


@dataclass(frozen=True, kw_only=True, slots=True)
class RatingStep(Value):
    """A move of a rating.

    Attributes:
        at: When.
        elo: The rating after it, in Elo points.
        reason: Why, such as ``file_read``.
    """

    at: datetime
    elo: float
    reason: str


@dataclass(frozen=True, kw_only=True, slots=True)
class RatingHistory(Value):
    """How a file came to its rating.

    Attributes:
        id: Its path.
        steps: The moves of its rating, the oldest first.
    """

    id: str
    steps: list[RatingStep]


@dataclass(frozen=True, kw_only=True, slots=True)
class RatingHistories(Value):
    """How those used files that are rated highest came to be so.

    Attributes:
        version: Of the store, or a newer one.
        histories: Each, the highest first.
    """

    version: int
    histories: list[RatingHistory]


@dataclass(frozen=True, kw_only=True, slots=True)
class QuadrantDot(Value):
    """A piece of content, as it is drawn.

    Attributes:
        id: Its id.
        quadrant: What it is by R and Elo.
        elo: Its rating, faded since its last use.
        need: How likely it is to be used next.
        r: R; None where it is not known.
        threshold: R above which it is high.
        note: How often it was used, in words.
    """

    id: str
    quadrant: Quadrant
    elo: float
    need: float
    r: float | None = None
    threshold: float = 1.0
    note: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class QuadrantCount(Value):
    """What is of one kind by R and Elo.

    Attributes:
        quadrant: What it is called.
        count: How many pieces.
        signals: High or low R and Elo.
        interpretation: What that says.
        action: What to do.
    """

    quadrant: Quadrant
    count: int
    signals: str
    interpretation: str
    action: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Quadrants(Value):
    """All content of a kind by R and Elo.

    Attributes:
        version: Of the store, or a newer one.
        at: As of when.
        kind: Of which kind.
        total: How much there is.
        often: Elo above which a rating is high.
        quadrants: How much there is of each.
        dots: What is drawn: of more than 1,500 as many, evenly over the ratings of each quadrant.
    """

    version: int
    at: datetime
    kind: ContentKind
    total: int
    often: float
    quadrants: list[QuadrantCount]
    dots: list[QuadrantDot]


@dataclass(frozen=True, kw_only=True, slots=True)
class EchoChamber(Value):
    """Content of a low R that is rated high and used, and why it is.

    Attributes:
        id: Its id.
        path: The file that it lies in.
        elo: Its rating in Elo points.
        r: Its R.
        uses: How often it was used.
        share: Share of all uses of its kind that are of it.
        users: Uses by who made them, those with the most.
        top_user: Who uses it most; empty where that is not known.
        top_share: Share of its uses that are that one's.
        shown: Searches that showed it.
        queries: Different queries among them.
        gained: Elo points that it gained in all.
        searched: Share of these that came by searches; None where it gained nothing.
        repeated: Share of those searches that had asked the same before; None where none showed it.
        why: The same in words.
    """

    id: str
    path: str
    elo: float
    r: float | None
    uses: int
    share: float
    users: dict[str, int]
    top_user: str
    top_share: float
    shown: int
    queries: int
    gained: float
    searched: float | None
    repeated: float | None
    why: list[str]


@dataclass(frozen=True, kw_only=True, slots=True)
class EchoChambers(Value):
    """The echo chambers of a kind.

    Attributes:
        version: Of the store, or a newer one.
        at: As of when.
        kind: Of which kind.
        total: How many there are; of more than 200 those with the most uses are listed.
        chambers: Each, that with the largest share of uses first.
    """

    version: int
    at: datetime
    kind: ContentKind
    total: int
    chambers: list[EchoChamber]


@dataclass(frozen=True, kw_only=True, slots=True)
class ContentCount(Value):
    """How much of a kind the index holds.

    Attributes:
        kind: Which.
        count: How much.
    """

    kind: ContentKind
    count: int


@dataclass(frozen=True, kw_only=True, slots=True)
class TierCount(Value):
    """A tier of files, by the rating that counts.

    Attributes:
        tier: Which.
        count: How many files.
        quadrants: How many of each quadrant.
    """

    tier: ContentTier
    count: int
    quadrants: dict[Quadrant, int]


@dataclass(frozen=True, kw_only=True, slots=True)
class Memory(Value):
    """What is remembered.

    Attributes:
        name: Name of the folder.
        version: Grows with whatever is written to the store.
        at: As of when: ratings fade with time.
        indexed: When the index was brought up to date last; None where nothing is indexed.
        rank_by: Which rating counts, ``elo`` or ``need``.
        mode: What orders the results of a search: ``relevance``, ``bounded`` or ``document``.
        files: How many files there are.
        used: How many of them were ever used.
        unknown: How many have no R.
        kinds: How much of each kind the index holds.
        tiers: Files by tier, the highest first.
        quadrants: Files by R and Elo.
        often: Elo above which a rating is high there.
        echo_chambers: Files of a low R that are rated high and used.
        archived: Files that were pruned.
        measures: The measures of success; None while they are being computed.
        pending: Whether something of this is being made anew.
    """

    name: str
    version: int
    at: datetime
    indexed: datetime | None
    rank_by: str
    mode: str
    files: int
    used: int
    unknown: int
    kinds: list[ContentCount]
    tiers: list[TierCount]
    quadrants: list[QuadrantCount]
    often: float
    echo_chambers: int
    archived: int
    measures: list[MemoryMeasure] | None
    pending: bool
