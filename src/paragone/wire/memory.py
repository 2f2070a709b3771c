"""The memory of a folder: summary, quadrants, echo chambers and measures of success."""

from dataclasses import dataclass
from datetime import datetime

from paragone.domain.content import ContentKind, ContentTier, Quadrant
from paragone.wire.value import Value


@dataclass(frozen=True, kw_only=True, slots=True)
class MeasurePoint(Value):
    """One measurement in a series.

    Attributes:
        at: When the first session of the period began.
        value: The share, from 0 to 1.
        evidence: Number of observations behind it.
    """

    at: datetime
    value: float
    evidence: int


@dataclass(frozen=True, kw_only=True, slots=True)
class MemoryMeasure(Value):
    """A measure of success of the memory.

    Attributes:
        name: Name of the measure.
        value: The share; None while there is nothing to measure.
        target: The value to reach; None without a target.
        met: Whether the target is reached; None while that is undecided.
        evidence: Number of observations behind it.
        counted: What ``evidence`` counts.
        note: A remark on how to read it.
        series: The measure by week.
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
class Measures(Value):
    """All measures of success.

    Attributes:
        at: The time the measures describe.
        sessions: Number of sessions in the logs.
        measures: The measures.
    """

    at: datetime
    sessions: int
    measures: list[MemoryMeasure]


@dataclass(frozen=True, kw_only=True, slots=True)
class MemoryMeasures(Measures):
    """All measures of success of a memory that is served.

    Attributes:
        version: Version of the store, or a newer one.
        pending: Whether newer figures are being computed.
    """

    version: int
    pending: bool


@dataclass(frozen=True, kw_only=True, slots=True)
class RatingStep(Value):
    """A change of a rating.

    Attributes:
        at: When it happened.
        elo: The rating afterwards, in Elo points.
        reason: The cause, such as ``file_read``.
    """

    at: datetime
    elo: float
    reason: str


@dataclass(frozen=True, kw_only=True, slots=True)
class RatingHistory(Value):
    """The rating history of a file.

    Attributes:
        id: Path of the file.
        steps: Changes of its rating, oldest first.
    """

    id: str
    steps: list[RatingStep]


@dataclass(frozen=True, kw_only=True, slots=True)
class RatingHistories(Value):
    """Rating histories of the highest rated files that were used.

    Attributes:
        version: Version of the store, or a newer one.
        histories: The histories, highest rating first.
    """

    version: int
    histories: list[RatingHistory]


@dataclass(frozen=True, kw_only=True, slots=True)
class QuadrantDot(Value):
    """A piece of content as a dot in the chart.

    Attributes:
        id: Id of the content.
        quadrant: Its quadrant by R and Elo.
        elo: Its rating, decayed since its last use.
        need: Probability that it is used next.
        r: R; None if unknown.
        threshold: R above which it counts as high.
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
    """A quadrant of R and Elo with the number of its contents.

    Attributes:
        quadrant: Name of the quadrant.
        count: Pieces of content in it.
        signals: Whether R and Elo are high or low.
        interpretation: What that combination means.
        action: The recommended action.
    """

    quadrant: Quadrant
    count: int
    signals: str
    interpretation: str
    action: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Quadrants(Value):
    """All content of one kind by R and Elo.

    Attributes:
        version: Version of the store, or a newer one.
        at: The time the values describe.
        kind: Kind of the content.
        total: Pieces of content in all.
        often: Elo above which a rating counts as high.
        quadrants: The quadrants with their counts.
        dots: The dots to draw; at most 1,500, sampled evenly over the ratings of each quadrant.
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
    """An echo chamber: content with a low R that is rated high and often used, and why.

    Attributes:
        id: Its id.
        path: File that contains it.
        elo: Its rating in Elo points.
        r: Its R.
        uses: How often it was used.
        share: Its share of all uses of its kind.
        users: Uses by user, for the users with the most.
        top_user: The user with the most uses; empty if unknown.
        top_share: Share of its uses by that user.
        shown: Searches that returned it.
        queries: Distinct queries among them.
        gained: Elo points gained in all.
        searched: Share of these gained through searches; None if it gained nothing.
        repeated: Share of those searches that repeated an earlier query; None if no search returned it.
        why: The explanation in words.
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
    """The echo chambers among content of one kind.

    Attributes:
        version: Version of the store, or a newer one.
        at: The time the values describe.
        kind: Kind of the content.
        total: Number of echo chambers; at most the 200 with the most uses are listed.
        chambers: The echo chambers, largest share of uses first.
    """

    version: int
    at: datetime
    kind: ContentKind
    total: int
    chambers: list[EchoChamber]


@dataclass(frozen=True, kw_only=True, slots=True)
class ContentCount(Value):
    """Number of indexed contents of a kind.

    Attributes:
        kind: The kind.
        count: Contents of that kind.
    """

    kind: ContentKind
    count: int


@dataclass(frozen=True, kw_only=True, slots=True)
class TierCount(Value):
    """A tier of files by their rating.

    Attributes:
        tier: Name of the tier.
        count: Files in it.
        quadrants: Files by quadrant.
    """

    tier: ContentTier
    count: int
    quadrants: dict[Quadrant, int]


@dataclass(frozen=True, kw_only=True, slots=True)
class Memory(Value):
    """Summary of the memory of a folder.

    Attributes:
        name: Name of the folder.
        version: Version of the store; grows with every write.
        at: As of when: ratings decay over time.
        indexed: When the index was last updated; None if nothing is indexed.
        rank_by: Rating that ranks content, ``elo`` or ``need``.
        mode: What orders the results of a search: ``learned`` or ``document``.
        files: Number of files.
        used: Files that were ever used.
        unknown: Files without R.
        kinds: Indexed contents by kind.
        tiers: Files by tier, the highest first.
        quadrants: Files by R and Elo.
        often: Elo above which a rating is high there.
        echo_chambers: Files with a low R that are rated high and often used.
        archived: Files that were archived by pruning.
        measures: The measures of success; None while they are being computed.
        pending: Whether newer figures are being computed.
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
