"""What the ledger hands out besides the nouns of the domain."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from paragone.domain import (
    Adjustment,
    Choice,
    DomainPrediction,
    EvidenceKind,
    ItemKind,
    Match,
    Planned,
    Prediction,
    Rating,
    RatingChange,
    RatingConfig,
    StrengthTest,
)
from paragone.domain.evidence import reference


@dataclass(frozen=True, kw_only=True, slots=True)
class PoolRecord:
    """A pool: a named set of items under one rating configuration."""

    id: str
    kind: ItemKind
    config: RatingConfig
    created: datetime


@dataclass(frozen=True, kw_only=True, slots=True)
class TournamentRecord:
    """A tournament as it was created.

    Attributes:
        id: Readable id, such as ``ideas-2``.
        pool: Id of its pool; the same.
        settings: What it was asked to do, as plain JSON values.
        created: When.
    """

    id: str
    pool: str
    settings: Mapping[str, Any]
    created: datetime


@dataclass(frozen=True, kw_only=True, slots=True)
class Event:
    """Something that happened to a tournament.

    Attributes:
        kind: ``started``, ``resumed``, ``stopped``, ``extended``, ...
        detail: Plain JSON values.
        at: When.
    """

    kind: str
    detail: Mapping[str, Any]
    at: datetime


@dataclass(frozen=True, kw_only=True, slots=True)
class PlannedRound:
    """The pairings and lineups of one round, in the order of the plan; rounds count from 1."""

    number: int
    pairings: tuple[Planned, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class RecordedMatch:
    """A match as it stands in the ledger.

    Attributes:
        match: The match.
        sequence: Its place among all rows of the pool; matches count in this order.
        at: When it was recorded, by the recorder's clock.
        rolled_back: Whether a rollback voids it.
    """

    match: Match
    sequence: int
    at: datetime
    rolled_back: bool = False


@dataclass(frozen=True, kw_only=True, slots=True)
class RecordedAdjustment:
    """An adjustment as it stands in the ledger.

    Attributes:
        adjustment: The adjustment.
        change: What it came to when it was made. A rollback of an earlier match compensates for what it would have
            come to without that match; this stays.
        sequence: Its place among all rows of the pool; adjustments and matches count in this order.
        at: When it was recorded, by the recorder's clock.
    """

    adjustment: Adjustment
    change: RatingChange
    sequence: int
    at: datetime


@dataclass(frozen=True, kw_only=True, slots=True)
class Answered:
    """What a judge said in a match, where it was asked once.

    Attributes:
        match: Id of the match.
        judge: Identity of the judge.
        first: Id of the item that was shown first.
        second: Id of the other.
        choice: What was said.
    """

    match: str
    judge: str
    first: str
    second: str
    choice: Choice


@dataclass(frozen=True, kw_only=True, slots=True)
class AgentTally:
    """What is counted of an agent beside its matches.

    Attributes:
        critiques_accepted: Of its critiques those that were accepted.
        critiques_total: Critiques that it made.
        calibration_correct: Of its predictions those that came true.
        calibration_total: Predictions of it whose outcome is known, of tournaments and in domains.
        calibration_brier_sum: Their Brier scores, added up in the order in which the outcomes were recorded.
    """

    critiques_accepted: int = 0
    critiques_total: int = 0
    calibration_correct: int = 0
    calibration_total: int = 0
    calibration_brier_sum: float = 0.0


@dataclass(frozen=True, kw_only=True, slots=True)
class AgentRecord:
    """All that is kept of an agent.

    Attributes:
        rating: Its global rating.
        tracks: Its ratings in domains, in the order of their names.
        tally: What else is counted of it.
        model: The model behind it, as it was registered last; empty where nobody said.
    """

    rating: Rating
    tracks: tuple[Rating, ...] = ()
    tally: AgentTally = AgentTally()
    model: str = ""


Standing = tuple[str, float, int, int, int, int]
"""Id of an agent, its global rating in Elo points, its matches, and those that it won, lost and drew."""

Counted = tuple[str, int, int, int, int, float]
"""Id of an agent, and what ``AgentTally`` has of it, in that order."""


@dataclass(frozen=True, kw_only=True, slots=True)
class AgentRows:
    """What is kept of many agents as rows, for boards of thousands, whose nouns nobody would look at.

    Attributes:
        standings: Their global ratings, in the order of the board.
        domains: An agent, a domain and its rating there in Elo points each, in the order of the domains. As with the
            next two, rows of agents that are not on the board may be among them.
        counted: What else is counted of an agent, of those of which anything is.
        models: An agent and its model each, in the order in which they were registered: the last one counts.
    """

    standings: Sequence[Standing]
    domains: Sequence[tuple[str, str, float]]
    counted: Sequence[Counted]
    models: Sequence[tuple[str, str]]


@dataclass(frozen=True, kw_only=True, slots=True)
class AgentStatistics:
    """A pool of agents in numbers.

    Attributes:
        agents: How many there are.
        matches: Matches that stand.
        mean: Their mean global rating; None where there are no agents.
        highest: The highest of these; None where there are none.
        lowest: The lowest; None where there are none.
    """

    agents: int
    matches: int
    mean: float | None
    highest: float | None
    lowest: float | None


@dataclass(frozen=True, kw_only=True, slots=True)
class RecordedPrediction:
    """A prediction of a tournament's winner that counts: its predictor's last one on it.

    Attributes:
        prediction: The prediction.
        at: When it was recorded, by the recorder's clock.
        correct: Whether it came true; None while nobody knows.
        brier: Its Brier score; None while nobody knows.
    """

    prediction: Prediction
    at: datetime
    correct: bool | None
    brier: float | None


@dataclass(frozen=True, kw_only=True, slots=True)
class RecordedDomainPrediction:
    """A prediction within a domain, and when it was recorded, by the recorder's clock."""

    prediction: DomainPrediction
    at: datetime


@dataclass(frozen=True, kw_only=True, slots=True)
class RecordedTest:
    """A test of an agent as it stands in the ledger.

    Attributes:
        test: The test.
        changes: What it came to when it was recorded: the global move, then the domain's where one was named.
        at: When it was recorded, by the recorder's clock.
        voided: Whether it no longer counts.
    """

    test: StrengthTest
    changes: tuple[RatingChange, ...]
    at: datetime
    voided: bool = False


@dataclass(frozen=True, kw_only=True, slots=True)
class ScoredMatch:
    """A match that rests on a scorecard, as it stands in the ledger.

    Attributes:
        match: The match.
        at: When it was recorded, by the recorder's clock.
        sequence: Its place among all rows of the pool.
        rolled_back: Whether a rollback voids it.
        changes: What it did when it was recorded: the global moves in the order of its participants, then those of its
            domain.
    """

    match: Match
    at: datetime
    sequence: int
    rolled_back: bool
    changes: tuple[RatingChange, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class Progress:
    """A rating after one of its moves.

    Attributes:
        at: When the move was recorded, by the recorder's clock.
        elo: The rating after it.
        cause: Id of the match, the test or the adjustment that moved it; of a void, the match or test that is void.
    """

    at: datetime
    elo: float
    cause: str


@dataclass(frozen=True, kw_only=True, slots=True)
class RecordedEvidence:
    """A piece of evidence about agents as it stands in the ledger.

    Attributes:
        kind: Its kind.
        id: The id that it was recorded under (of a resolution, its tournament); else its reference.
        sequence: Its place in the record of the pool.
        at: When it was recorded, by the recorder's clock.
        agents: The agents that it is about.
        content: What it says, by name.
        void: Why it was voided; None while it counts.
    """

    kind: EvidenceKind
    id: str
    sequence: int
    at: datetime
    agents: tuple[str, ...]
    content: Mapping[str, Any]
    void: str | None

    @property
    def reference(self) -> str:
        """The name that every piece of evidence has, such as ``critique#17``."""
        return reference(self.kind, self.sequence)
