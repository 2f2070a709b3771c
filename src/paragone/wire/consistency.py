"""Whether the results of a tournament are consistent."""

from dataclasses import dataclass

from paragone.domain import JudgeReport
from paragone.wire.head_to_head import Cycle
from paragone.wire.value import Value


@dataclass(frozen=True, kw_only=True, slots=True)
class Transitivity(Value):
    """How transitive results are.

    Attributes:
        triples: Decided triples that were looked at.
        circular: Of these, those that go round in a circle.
        exact: Whether these are all triples, or a sample of them.
        expected: Cycles that noise alone makes among them, on average; None without a fit.
        expected_low: Lower end of the 95 % interval of that.
        expected_high: Upper end.
        p_value: How often noise alone makes as many or more.
        share: Share of decided triples that are transitive; None if there are none.
    """

    triples: int
    circular: int
    exact: bool
    expected: float | None = None
    expected_low: float | None = None
    expected_high: float | None = None
    p_value: float | None = None
    share: float | None


@dataclass(frozen=True, kw_only=True, slots=True)
class Cycles(Value):
    """Cycles: each item beat the next, and the last beat the first.

    Attributes:
        cycles: The cycles that are listed, the shortest first.
        complete: Whether these are all of that length or shorter.
        parts: Sizes of the parts within which everybody has beaten everybody by way of others.
    """

    cycles: tuple[Cycle, ...]
    complete: bool
    parts: tuple[int, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class Outlier(Value):
    """A match with a surprising result.

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
    chance: float
    p_value: float
    q_value: float

    @property
    def result(self) -> str:
        """How it ended, in words."""
        if self.winner is None:
            return f"{self.a} and {self.b} drew"
        return f"{self.winner} beat {self.b if self.winner == self.a else self.a}"


@dataclass(frozen=True, kw_only=True, slots=True)
class Outliers(Value):
    """The surprising results.

    Attributes:
        listed: The matches, the most improbable first.
        improbable: P-value up to which they are listed.
        expected: How many of them luck alone makes.
    """

    listed: tuple[Outlier, ...]
    improbable: float
    expected: float


@dataclass(frozen=True, kw_only=True, slots=True)
class BothOrders(Value):
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
    expected: float
    p_value: float | None
    listed: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class Swing(Value):
    """A swing of one rating that is worth a person's look.

    Attributes:
        item: Id of the item.
        kind: ``spike``, ``drop``, or ``irregular``: a change that its own record does not explain.
        matches: Ids of the matches of the swing, in order.
        size: Elo points that the rating moved over them, signed.
        expected: Elo points that it was expected to move.
        p_value: Probability of results so one-sided; 0 for a change that its record does not explain.
        reason: In words.
        id: Names it within its tournament: the same swing has the same id.
    """

    item: str
    kind: str
    matches: tuple[str, ...]
    size: float
    expected: float
    p_value: float
    reason: str
    id: str

    @property
    def match(self) -> str:
        """The match that it ended with."""
        return self.matches[-1]


@dataclass(frozen=True, kw_only=True, slots=True)
class Consistency(Value):
    """What the checks of a tournament found.

    Attributes:
        tournament: Its id.
        matches: Matches that were looked at: those between two that stand and have an answer.
        left_out: The other matches that stand: among several, or without an answer.
        transitivity: How transitive results are, beside what noise alone leaves.
        tangles: The cycles.
        outliers: Matches with a surprising result.
        both_orders: How answers in both orders agree.
        anomalies: Swings of the running Elo that fair results do not explain.
        judges: The judges, the one that tells most for its price first.
        consensus: What a judge's agreement is with: ``others``, by a fit without it; ``all``, if the evidence is too
            large for that; ``none`` if there is one judge.
    """

    tournament: str
    matches: int
    left_out: int
    transitivity: Transitivity
    tangles: Cycles
    outliers: Outliers
    both_orders: BothOrders
    anomalies: tuple[Swing, ...]
    judges: tuple[JudgeReport, ...]
    consensus: str
