"""What the checks of a tournament found, as a server tells of it; the fields are those of its answers."""

from dataclasses import dataclass

from paragone.client.values.compare import Beat
from paragone.client.values.judges import Judge


@dataclass(frozen=True, kw_only=True, slots=True)
class Transitivity:
    """How transitive results are.

    Attributes:
        triples: Decided triples that were looked at.
        circular: Of these, those that go round in a circle.
        exact: Whether these are all triples, or a sample of them.
        share: Share of decided triples that are transitive; None where there are none.
        expected: Circles that noise alone makes among them, on average; None without a fit.
        expected_low: Lower end of the 95 % interval of that.
        expected_high: Upper end.
        p_value: How often noise alone makes as many or more.
    """

    triples: int
    circular: int
    exact: bool
    share: float | None
    expected: float | None
    expected_low: float | None
    expected_high: float | None
    p_value: float | None


@dataclass(frozen=True, kw_only=True, slots=True)
class Ring:
    """Items of whom each beat the next, and the last the first.

    Attributes:
        beats: Who beat whom, the least likely of them last.
    """

    beats: list[Beat]


@dataclass(frozen=True, kw_only=True, slots=True)
class Tangles:
    """Circles.

    Attributes:
        cycles: The circles that are listed, the shortest first.
        complete: Whether these are all of that length or shorter.
        parts: Sizes of the parts within which everybody has beaten everybody by way of others.
    """

    cycles: list[Ring]
    complete: bool
    parts: list[int]


@dataclass(frozen=True, kw_only=True, slots=True)
class Outlier:
    """A match that ended as nobody would have thought.

    Attributes:
        match: Its id.
        a: One side.
        b: The other.
        winner: Who won; None for a draw.
        chance: Probability of that outcome by all the other evidence.
        p_value: Probability of an outcome as improbable as that, or more.
        q_value: Share of lucky ones among all results as surprising as this, at the most.
    """

    match: str
    a: str
    b: str
    winner: str | None
    chance: float | None
    p_value: float | None
    q_value: float | None


@dataclass(frozen=True, kw_only=True, slots=True)
class Outliers:
    """The surprising results.

    Attributes:
        listed: The matches, the most improbable first.
        improbable: P-value up to which they are listed.
        expected: How many of them luck alone makes.
    """

    listed: list[Outlier]
    improbable: float
    expected: float | None


@dataclass(frozen=True, kw_only=True, slots=True)
class BothOrders:
    """How answers about the same pair in both orders agree.

    Attributes:
        pairs: Pairs that were shown in both orders.
        contradicted: Of these, those with an answer for each side.
        expected: How many that would be by noise and position bias alone.
        p_value: Probability of as many or more.
        listed: Some of those pairs.
    """

    pairs: int
    contradicted: int
    expected: float | None
    p_value: float | None
    listed: list[tuple[str, str]]


@dataclass(frozen=True, kw_only=True, slots=True)
class Swing:
    """A swing of one rating that is worth a person's look.

    Attributes:
        id: Names it within its tournament.
        item: Id of the item.
        kind: ``spike``, ``drop``, or ``irregular``: a change that its own record does not explain.
        matches: Ids of the matches of the swing, in order.
        size: Elo points that the rating moved over them, signed.
        expected: Elo points that it was expected to move.
        p_value: Probability of results so one-sided.
        reason: In words.
    """

    id: str
    item: str
    kind: str
    matches: list[str]
    size: float | None
    expected: float | None
    p_value: float | None
    reason: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Consistency:
    """What the checks of a tournament found.

    Attributes:
        tournament: Its id.
        matches: Matches that were looked at: those between two that stand and have an answer.
        left_out: Matches that stand and were not: among several, or without an answer.
        transitivity: How transitive results are, beside what noise alone leaves.
        tangles: The circles.
        outliers: Matches that ended as nobody would have thought.
        both_orders: How answers in both orders agree.
        anomalies: Swings of the running Elo that fair results do not explain.
        judges: The judges, the one that tells most for its price first.
        consensus: Whom a judge's agreement is with: ``others``, ``all``, or ``none`` where there is one judge.
    """

    tournament: str
    matches: int
    left_out: int
    transitivity: Transitivity
    tangles: Tangles
    outliers: Outliers
    both_orders: BothOrders
    anomalies: list[Swing]
    judges: list[Judge]
    consensus: str
