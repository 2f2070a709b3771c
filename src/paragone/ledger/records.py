"""What the ledger returns besides the values of the domain."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
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
from paragone.domain.agent_evidence import reference
from paragone.wire.text_search import MatchOutcome


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
        settings: Its settings, as plain JSON values.
        created: When.
    """

    id: str
    pool: str
    settings: Mapping[str, Any]
    created: datetime


@dataclass(frozen=True, kw_only=True, slots=True)
class Event:
    """An event of a tournament.

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
    """A recorded match.

    Attributes:
        match: The match.
        sequence: Its sequence number among all rows of the pool; matches count in this order.
        at: When it was recorded, by the recorder's clock.
        rolled_back: Whether a rollback voids it.
    """

    match: Match
    sequence: int
    at: datetime
    rolled_back: bool = False


@dataclass(frozen=True, kw_only=True, slots=True)
class MatchFilter:
    """Which matches are looked for; None for any.

    Attributes:
        item: An item that takes part.
        judge: Part of the identity of a judge who answered.
        outcome: Whether somebody won, it was a tie, it is void, or was rolled back.
        words: Part of a rationale.
    """

    item: str | None = None
    judge: str | None = None
    outcome: MatchOutcome | None = None
    words: str | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class MatchesFound:
    """Matches that meet a filter.

    Attributes:
        matches: Some of them, the newest first.
        total: How many there are among those that were looked through.
        older: Sequence number before which older ones were not looked through; None if all were.
    """

    matches: tuple[RecordedMatch, ...]
    total: int
    older: int | None


@dataclass(frozen=True, kw_only=True, slots=True)
class RecordedAdjustment:
    """A recorded adjustment.

    Attributes:
        adjustment: The adjustment.
        change: The change that it caused when it was recorded. A rollback of an earlier match may compensate for it,
            but does not alter it.
        sequence: Its sequence number among all rows of the pool; adjustments and matches count in this order.
        at: When it was recorded, by the recorder's clock.
    """

    adjustment: Adjustment
    change: RatingChange
    sequence: int
    at: datetime


@dataclass(frozen=True, kw_only=True, slots=True)
class Answered:
    """A judge's answer in a match of a single comparison.

    Attributes:
        match: Id of the match.
        judge: Identity of the judge.
        first: Id of the item that was shown first.
        second: Id of the other.
        choice: The answer.
    """

    match: str
    judge: str
    first: str
    second: str
    choice: Choice


@dataclass(frozen=True, kw_only=True, slots=True)
class AgentTally:
    """Counts of an agent besides its matches.

    Attributes:
        critiques_accepted: Its accepted critiques.
        critiques_total: All its critiques.
        calibration_correct: Its predictions that came true.
        calibration_total: Its predictions whose outcome is known, of tournaments and in domains.
        calibration_brier_sum: Their Brier scores, added up in the order in which the outcomes were recorded.
    """

    critiques_accepted: int = 0
    critiques_total: int = 0
    calibration_correct: int = 0
    calibration_total: int = 0
    calibration_brier_sum: float = 0.0


@dataclass(frozen=True, kw_only=True, slots=True)
class AgentRecord:
    """The ratings, counts and model of an agent.

    Attributes:
        rating: Its global rating.
        tracks: Its ratings in domains, in the order of their names.
        tally: Its other counts.
        model: The model behind it, as registered last; empty if unknown.
    """

    rating: Rating
    tracks: tuple[Rating, ...] = ()
    tally: AgentTally = AgentTally()
    model: str = ""


RatingRow = tuple[str, float, int, int, int, int]
"""Id of an agent, its global rating in Elo points, its matches, and those that it won, lost and drew."""

TallyRow = tuple[str, int, int, int, int, float]
"""Id of an agent, and the fields of its ``AgentTally``, in that order."""


@dataclass(frozen=True, kw_only=True, slots=True)
class AgentRows:
    """Many agents as plain rows, for boards of thousands.

    Attributes:
        standings: Their global ratings, in the order of the board.
        domains: Rows of an agent, a domain and the agent's Elo points there, in the order of the domains. These and the
            next two may contain agents that are not on the board.
        counted: Tallies of the agents that have one.
        models: Rows of an agent and its model, in the order of registration; the last one of each agent counts.
    """

    standings: Sequence[RatingRow]
    domains: Sequence[tuple[str, str, float]]
    counted: Sequence[TallyRow]
    models: Sequence[tuple[str, str]]


@dataclass(frozen=True, kw_only=True, slots=True)
class AgentStatistics:
    """A pool of agents in numbers.

    Attributes:
        agents: How many there are.
        matches: Matches that count.
        mean: Their mean global rating; None if there are no agents.
        highest: The highest; None if there are none.
        lowest: The lowest; None if there are none.
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
        correct: Whether it came true; None while unknown.
        brier: Its Brier score; None while unknown.
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
    """A recorded test of an agent.

    Attributes:
        test: The test.
        changes: The changes that it caused: the global one, then that of its domain if it has one.
        at: When it was recorded, by the recorder's clock.
        voided: Whether it no longer counts.
    """

    test: StrengthTest
    changes: tuple[RatingChange, ...]
    at: datetime
    voided: bool = False


@dataclass(frozen=True, kw_only=True, slots=True)
class ScoredMatch:
    """A recorded match with a scorecard.

    Attributes:
        match: The match.
        at: When it was recorded, by the recorder's clock.
        sequence: Its sequence number among all rows of the pool.
        rolled_back: Whether a rollback voids it.
        changes: The changes that it caused: the global ones in the order of its participants, then those of its domain.
    """

    match: Match
    at: datetime
    sequence: int
    rolled_back: bool
    changes: tuple[RatingChange, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class RatingPoint:
    """A rating after one of its changes.

    Attributes:
        at: When the change was recorded, by the recorder's clock.
        elo: The rating after it.
        cause: Id of the match, test or adjustment that changed it; for a void, the voided match or test.
    """

    at: datetime
    elo: float
    cause: str


@dataclass(frozen=True, kw_only=True, slots=True)
class RecordedEvidence:
    """A recorded piece of evidence about agents.

    Attributes:
        kind: Its kind.
        id: The id that it was recorded under (for a resolution, its tournament), or else its reference.
        sequence: Its sequence number in the pool.
        at: When it was recorded, by the recorder's clock.
        agents: The agents it is about.
        content: Its fields, by name.
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


@dataclass(frozen=True, kw_only=True, slots=True)
class AskedQuestion:
    """A question in the form in which a worker gets it: ids, no texts.

    Attributes:
        call: Its call.
        judge: Name of the judge, as workers announce it.
        shown: Ids of the items, in the order in which they are shown.
        turns: Turns a side in the debate before the verdict.
        panel: Whether experts are to argue and vote within the answer.
        level: Which judge of a cascade is asked, from 0.
    """

    call: str
    judge: str
    shown: tuple[str, ...]
    turns: int = 0
    panel: bool = False
    level: int = 0


@dataclass(frozen=True, kw_only=True, slots=True)
class JudgingTerms:
    """How a tournament is judged by workers.

    Attributes:
        judge: Name of the judge.
        options: How calls are made, as plain values.
        max_tokens: Limit of tokens; None for none.
        max_cost: Limit in US dollars; None for none.
        outages: Judges that are paused: for how many seconds more, and why.
    """

    judge: str
    options: Mapping[str, Any]
    max_tokens: int | None = None
    max_cost: float | None = None
    outages: Mapping[str, tuple[float, str]] = field(default_factory=dict)


@dataclass(kw_only=True, slots=True)
class SharedSpending:
    """What a tournament's workers have spent and may still spend, while one of them holds it.

    Attributes:
        max_tokens: Limit of tokens; None for none.
        max_cost: Limit in US dollars; None for none.
        tokens: Tokens spent.
        cost: US dollars spent.
        kinds: By kind of call: how many were made, and the most that one took beyond its first guess.
        reserved: Attempts under way: kind, tokens and US dollars.
        begun: Attempts that begin now, with the same.
        ended: Attempts that are over.
    """

    max_tokens: int | None
    max_cost: float | None
    tokens: int
    cost: float
    kinds: dict[str, list[float]]
    reserved: Mapping[str, tuple[str, int, float]]
    begun: dict[str, tuple[str, int, float]] = field(default_factory=dict)
    ended: list[str] = field(default_factory=list)


@dataclass(frozen=True, kw_only=True, slots=True)
class AnnouncedJudge:
    """A judge that a worker has.

    Attributes:
        name: Its name.
        card: Its card, as plain values.
        advocate: Identity of its model as an advocate in debates; empty if it has none.
        price: US dollars of a call of usual length; None where unknown.
    """

    name: str
    card: Mapping[str, Any]
    advocate: str = ""
    price: float | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class WorkerRecord:
    """A worker.

    Attributes:
        worker: Its id.
        host: The machine.
        process: Its process there.
        concurrency: Calls that it has in flight at the most.
        judges: Names of its judges.
        uptime: Seconds since it started.
        silence: Seconds since its last sign of life.
        calls: Calls in flight.
        answered: Questions that it has answered.
        failed: Questions that it could not answer.
        tournaments: Those of whose questions it has some now, with how many.
    """

    worker: str
    host: str
    process: int
    concurrency: int
    judges: tuple[str, ...] = ()
    uptime: float = 0.0
    silence: float = 0.0
    calls: int = 0
    answered: int = 0
    failed: int = 0
    tournaments: Mapping[str, int] = field(default_factory=dict)
