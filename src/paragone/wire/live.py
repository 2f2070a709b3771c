"""A running tournament, and the forecast of what a run would cost."""

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
        confidence: Probability to reach for the ranking.
        max_cost: A new limit in US dollars.
        max_tokens: A new limit in tokens.
    """

    budget: int
    confidence: float
    max_cost: float
    max_tokens: int


@dataclass(frozen=True, kw_only=True, slots=True)
class OpenMatch(Value):
    """A planned match that is not recorded yet.

    Attributes:
        id: Its id.
        items: Ids of its items.
        calls: Judge calls that it takes.
        in_flight: Whether this process is waiting for an answer to one of them.
        seconds: Seconds since that call was sent; None if none is in flight.
    """

    id: str
    items: list[str]
    calls: int
    in_flight: bool
    seconds: float | None


@dataclass(frozen=True, kw_only=True, slots=True)
class RoundProgress(Value):
    """Progress of a round.

    Attributes:
        number: From 1.
        planned: Matches planned.
        played: Matches recorded.
    """

    number: int
    planned: int
    played: int


@dataclass(frozen=True, kw_only=True, slots=True)
class Budget(Value):
    """What was spent, and the limits.

    Attributes:
        answered: Comparisons answered; these count towards the budget.
        most: Maximum number of comparisons.
        remaining: Comparisons that remain.
        limited: Whether a budget was set; otherwise ``most`` is what the pairing would use.
        spending: What was spent.
        max_tokens: Token limit; None for no limit.
        max_cost: Cost limit in US dollars; None for no limit.
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
    """How much the ranking changed in a round.

    Attributes:
        round: Its number.
        rank_stability: Rank correlation of the running Elo with the previous round; None in the first.
        top_stability: Share of the top ten that was in it a round earlier; None in the first.
        mean_change: Mean absolute change of the ratings, in Elo points.
        tau: Expected Kendall tau with the true order; None if it was not computed.
    """

    round: int
    rank_stability: float | None
    top_stability: float | None
    mean_change: float | None
    tau: float | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class PositionBias(Value):
    """Position bias of a judge: its preference for the item shown first.

    Attributes:
        judge: Its identity.
        comparisons: Answers it is estimated from.
        bias: Log-odds in favour of the item shown first, in nats; None if unknown.
        low: Lower end of its credible interval.
        high: Upper end.
    """

    judge: str
    comparisons: int
    bias: float | None
    low: float | None
    high: float | None


@dataclass(frozen=True, kw_only=True, slots=True)
class Pace(Value):
    """Speed of a run in this process.

    Attributes:
        rate: Comparisons a second.
        seconds_left: Time left if every comparison is made; None until the rate is known.
        notes: Remarks for people watching, such as a judge that is no longer asked, and why.
    """

    rate: float
    seconds_left: float | None
    notes: list[str]


@dataclass(frozen=True, kw_only=True, slots=True)
class LiveTournament(Value):
    """The live state of a tournament.

    Attributes:
        pool: Its id.
        condition: ``new``; ``beginning``, ``running``, ``pausing`` or ``stopping`` by this server; ``elsewhere`` where
            another program runs it; ``paused``, ``stopped``, ``interrupted`` where whoever ran it was killed, or
            ``finished``.
        by: Who started the run; empty if no server did.
        acts: Actions open to an admin now, of ``run``, ``resume``, ``pause`` and ``stop``.
        cannot: Why a server cannot run it, and what to do; empty if it can.
        stopped: Why the last run ended; empty if none has.
        failure: Error that ended the last run of this process; empty if there was none.
        will_stop: Stopping rules, each with its progress.
        round: The latest planned round; 0 before the first.
        rounds: The last rounds.
        open: Matches of the last round that are not recorded yet, those in flight first.
        open_count: Number of these in all.
        in_flight: Judge calls of this process that are in flight.
        pace: Speed of the run; None unless this process runs it.
        budget: What was spent, and the limits.
        pending: Whether newer figures for the fields below are being computed: ask again.
        convergence: How far the ranks have settled, in words.
        threshold: Rank stability from which they count as settled.
        settling: The same round by round.
        forecast: Expected quality of the ranking; None before the first answers.
        outlook: The same forecast with twice as many answers.
        bias: Position bias of each judge.
        level: Probability of the credible intervals.
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
    """Forecast of what a run would cost.

    Attributes:
        pool: Id of the tournament.
        sentence: The forecast in a sentence.
        judge: Identity of the judge.
        items: Number of items.
        expected: Decisions still to come at the most, and the requests, tokens and dollars that they will take.
        done: Comparisons already answered, which are not paid for again.
        confirm: Token that confirms this run at this price.
    """

    pool: str
    sentence: str
    judge: str
    items: int
    expected: SpendingSummary
    done: int
    confirm: str
