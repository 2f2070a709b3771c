"""A tournament while it is played, and what a run would take."""

from dataclasses import dataclass
from typing import Literal, TypedDict

from paragone.domain import Forecast
from paragone.wire.spending import SpendingSummary
from paragone.wire.value import Value

RunCondition = Literal[
    "new",
    "beginning",
    "running",
    "pausing",
    "stopping",
    "elsewhere",
    "paused",
    "stopped",
    "interrupted",
    "finished",
]
RunAction = Literal["run", "resume", "pause", "stop"]


class RunLimits(TypedDict, total=False):
    """Limits of a run, where they differ from the tournament's own.

    Attributes:
        budget: A new total of judge calls.
        confidence: How sure the ranking has to be.
        max_cost: A new limit in US dollars.
        max_tokens: A new limit in tokens.
    """

    budget: int
    confidence: float
    max_cost: float
    max_tokens: int


@dataclass(frozen=True, kw_only=True, slots=True)
class OpenMatch(Value):
    """A match that was planned and not recorded yet.

    Attributes:
        id: Its id.
        items: Ids of its items.
        calls: Calls that it takes.
        in_flight: Whether this process is waiting for an answer to one of them.
        seconds: For how long it has been waiting; None where none does.
    """

    id: str
    items: list[str]
    calls: int
    in_flight: bool
    seconds: float | None


@dataclass(frozen=True, kw_only=True, slots=True)
class RoundProgress(Value):
    """A round, as it goes.

    Attributes:
        number: From 1.
        planned: Matches of its plan.
        played: Matches of these that were recorded.
    """

    number: int
    planned: int
    played: int


@dataclass(frozen=True, kw_only=True, slots=True)
class Budget(Value):
    """What was spent and what is left.

    Attributes:
        answered: Comparisons that have an answer; these count towards the budget.
        most: Comparisons at the most.
        remaining: How many of them remain.
        limited: Whether a budget was set; else ``most`` is what the pairing comes to by itself.
        spending: What was spent.
        max_tokens: Tokens at the most; None for no limit.
        max_cost: Money at the most; None for no limit.
    """

    answered: int
    most: int
    remaining: int
    limited: bool
    spending: SpendingSummary
    max_tokens: int | None
    max_cost: float | None


@dataclass(frozen=True, kw_only=True, slots=True)
class Settling(Value):
    """How much the ranking still moved in a round.

    Attributes:
        round: Its number.
        rank_stability: Rank correlation of the running Elo with that of the round before; None in the first.
        top_stability: Share of the ten on top that were there before; None in the first.
        mean_change: Mean size of the moves of ratings, in Elo points.
        tau: Expected Kendall tau with the true order; None where it was not looked at.
    """

    round: int
    rank_stability: float | None
    top_stability: float | None
    mean_change: float | None
    tau: float | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class PositionBias(Value):
    """How a judge leans to the item that is shown first.

    Attributes:
        judge: Its identity.
        comparisons: Answers that this is known from.
        bias: Log-odds in favour of the item shown first, in nats; None where it is not known.
        low: Lower end of its interval.
        high: Upper end.
    """

    judge: str
    comparisons: int
    bias: float | None
    low: float | None
    high: float | None


@dataclass(frozen=True, kw_only=True, slots=True)
class Pace(Value):
    """How fast a run is that this process plays.

    Attributes:
        rate: Comparisons a second.
        seconds_left: Time left if every comparison is asked; None before a rate is known.
        notes: What whoever watches should know: who is not asked any more, and why.
    """

    rate: float
    seconds_left: float | None
    notes: list[str]


@dataclass(frozen=True, kw_only=True, slots=True)
class LiveTournament(Value):
    """A tournament as it is being played.

    Attributes:
        pool: Its id.
        condition: ``new``; ``beginning``, ``running``, ``pausing`` or ``stopping`` by this server; ``elsewhere`` where
            another program runs it; ``paused``, ``stopped``, ``interrupted`` where whoever ran it was killed, or
            ``finished``.
        by: Who began the run; empty where no server did.
        acts: What an admin may do now, of ``run``, ``resume``, ``pause`` and ``stop``.
        cannot: Why a server cannot run it, and what to do; empty where one can.
        stopped: Why the last run ended; empty where none did.
        failure: What broke the last run of this process; empty where nothing did.
        will_stop: What will end it, each with how far that is.
        round: The round that was planned last; 0 before the first.
        rounds: The last rounds.
        open: Matches of the last round that are not recorded yet, those that wait for an answer first.
        open_count: How many there are in all.
        in_flight: How many calls wait for an answer now, as far as this process knows.
        pace: How fast the run is; None where another process plays it, or none.
        budget: What was spent and what is left.
        pending: Whether newer figures of the following are being made: ask again.
        convergence: How far ranks have settled, in words.
        threshold: Rank stability from which they count as settled.
        settling: The same round by round.
        forecast: How good the ranking is expected to be; None before anything was told.
        outlook: The same with as many answers again.
        bias: How each judge leans.
        level: Probability that intervals are meant to hold.
    """

    pool: str
    condition: RunCondition
    by: str
    acts: list[RunAction]
    cannot: str
    stopped: str
    failure: str
    will_stop: list[str]
    round: int
    rounds: list[RoundProgress]
    open: list[OpenMatch]
    open_count: int
    in_flight: int
    pace: Pace | None
    budget: Budget
    pending: bool
    convergence: str
    threshold: float
    settling: list[Settling]
    forecast: Forecast | None
    outlook: Forecast | None
    bias: list[PositionBias]
    level: float


@dataclass(frozen=True, kw_only=True, slots=True)
class RunForecast(Value):
    """What a run would take.

    Attributes:
        pool: Its tournament.
        sentence: All of it in a line.
        judge: Who decides.
        items: Items.
        expected: Decisions still to come at the most, and the requests, tokens and dollars that they will take.
        done: Comparisons that were answered before; nobody pays for them again.
        confirm: What begins this run, at this price, and no other.
    """

    pool: str
    sentence: str
    judge: str
    items: int
    expected: SpendingSummary
    done: int
    confirm: str
