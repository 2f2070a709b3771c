"""How a tournament is doing: its status, and its history round by round."""

from dataclasses import dataclass

from paragone.domain.records import MatchRequest, RoundStats, SystemHealth, TournamentRoundResults
from paragone.wire.spending import SpendingSummary
from paragone.wire.task import Task, TaskQueue
from paragone.wire.value import Value


@dataclass(frozen=True, kw_only=True, slots=True)
class Leader(Value):
    """One of the best.

    Attributes:
        id: Its id.
        rating: Strength in Elo points.
        low: Lower end of its interval.
        high: Upper end.
        elo: The running Elo.
        matches: Matches that counted.
    """

    id: str
    rating: float | None
    low: float | None
    high: float | None
    elo: float
    matches: int


@dataclass(frozen=True, kw_only=True, slots=True)
class Status(Value):
    """Where a tournament is.

    Attributes:
        tournament: Its id.
        hypotheses: Items.
        matches: Matches that stand.
        current_round: The round that was planned last; 0 before the first.
        active_matches: Ids of its matches that were not recorded yet.
        pending_matches: Matches that were asked for and not planned yet.
        round_statistics: How that round is going.
        incomplete: Items that lack something.
        tasks: Tasks that wait or run.
        queue: Whether their queue is paused.
        to_review: Rating changes that a person should look at.
        leaders: The best.
        confidence: How many items have which confidence, by label.
        convergence: How far ranks have settled, in words.
        health: How it is doing; None before anything was played.
        spent: What it took.
        prompt_cache: How much of what was sent was in the caches of providers; empty where no provider said so.
        stopped: Why the last run ended; empty if none has.
    """

    tournament: str
    hypotheses: int
    matches: int
    current_round: int
    active_matches: list[str]
    pending_matches: list[MatchRequest]
    round_statistics: RoundStats | None
    incomplete: list[str]
    tasks: list[Task]
    queue: TaskQueue
    to_review: int
    leaders: list[Leader]
    confidence: dict[str, int]
    convergence: str
    health: SystemHealth | None
    spent: SpendingSummary
    prompt_cache: str
    stopped: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Round(Value, TournamentRoundResults):
    """What a round brought.

    Attributes:
        open: Whether some of its matches were not recorded yet.
    """

    open: bool


@dataclass(frozen=True, kw_only=True, slots=True)
class JudgePause(Value):
    """A judge or an advocate that was not asked for a while.

    Attributes:
        who: Its identity.
        reason: Why.
    """

    who: str
    reason: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class History(Value):
    """How a tournament went.

    Attributes:
        tournament: Its id.
        rounds: All rounds, the one that is still open too.
        rested: Judges and advocates that rested for a while, and why.
        stopped: Why the last run ended; empty if none has.
    """

    tournament: str
    rounds: list[Round]
    rested: list[JudgePause]
    stopped: str
