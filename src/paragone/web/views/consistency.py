"""Whether the results of a tournament hang together, as values: circles, surprises, swings, both orders, judges."""

from typing import Any

from pydantic import field_validator

from paragone.tournaments.results.quality import quality_of
from paragone.web.readers.ledger_reader import Library
from paragone.web.views.compare import BeatView
from paragone.web.views.judges import JudgeView
from paragone.web.views.small import of_whole
from paragone.web.views.values import Known, View, Words


class TransitivityView(View):
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
    share: Known
    expected: Known
    expected_low: Known
    expected_high: Known
    p_value: Known


class RingView(View):
    """Items of whom each beat the next, and the last the first.

    Attributes:
        beats: Who beat whom, the least likely of them last.
    """

    beats: list[BeatView]


class TanglesView(View):
    """Circles.

    Attributes:
        cycles: The circles that are listed, the shortest first.
        complete: Whether these are all of that length or shorter.
        parts: Sizes of the parts within which everybody has beaten everybody by way of others.
    """

    cycles: list[RingView]
    complete: bool
    parts: list[int]


class OutlierView(View):
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

    match: Words
    a: Words
    b: Words
    winner: Words | None
    chance: Known
    p_value: Known
    q_value: Known


class OutliersView(View):
    """The surprising results.

    Attributes:
        listed: The matches, the most improbable first.
        improbable: P-value up to which they are listed.
        expected: How many of them luck alone makes.
    """

    listed: list[OutlierView]
    improbable: float
    expected: Known


class BothOrdersView(View):
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
    expected: Known
    p_value: Known
    listed: list[tuple[Words, Words]]


class SwingView(View):
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

    id: Words
    item: Words
    kind: str
    matches: list[Words]
    size: Known
    expected: Known
    p_value: Known
    reason: Words

    @field_validator("kind", mode="before")
    @classmethod
    def _named(cls, kind: Any) -> str:  # noqa: ANN401 - an enumeration of the analysis
        return str(kind)


class ConsistencyView(View):
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

    tournament: Words
    matches: int
    left_out: int
    transitivity: TransitivityView
    tangles: TanglesView
    outliers: OutliersView
    both_orders: BothOrdersView
    anomalies: list[SwingView]
    judges: list[JudgeView]
    consensus: str


def consistency(library: Library, pool: str) -> ConsistencyView:
    """Put a tournament to all checks.

    Raises:
        NotFound: If there is no such tournament.
        InvalidConfig: If it is too large.
        Busy: If they are still being made.
    """
    found = of_whole(library, "consistency", pool, lambda: quality_of(library.ledger, library.state(pool)))
    return ConsistencyView.model_validate(found, from_attributes=True)
