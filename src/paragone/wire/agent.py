"""Agents: leaderboards, one agent, its rating history, and domains."""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from paragone.wire.value import Value

AgentRanking = Literal["strength", "elo", "calibration"]
"""What a leaderboard of agents ranks by."""


@dataclass(frozen=True, kw_only=True, slots=True)
class AgentDomain(Value):
    """An agent in a domain.

    Attributes:
        domain: The domain.
        elo: Its running Elo there; None where nothing moved it.
        debates: Debates in which it took part there.
        wins: Debates with it as the only winner.
        losses: Debates with another agent as the only winner.
        ties: Debates without a single winner.
        rank: Rank by strength among all agents; None where no strengths are fitted, as are all up to ``high``.
        rank_shared: Whether another agent has that rank, too.
        rank_low: Best rank of its interval.
        rank_high: Worst rank.
        strength: How strong it is there, in Elo points; near the strength elsewhere where it debated little.
        low: Lower end of its interval.
        high: Upper end.
        predictions: Its predictions there.
        correct: Predictions that came true.
        score: Their calibration score; None below five predictions.
    """

    domain: str
    elo: float | None
    debates: int
    wins: int
    losses: int
    ties: int
    rank: int | None
    rank_shared: bool | None
    rank_low: int | None
    rank_high: int | None
    strength: float | None
    low: float | None
    high: float | None
    predictions: int
    correct: int
    score: float | None


@dataclass(frozen=True, kw_only=True, slots=True)
class AgentRow(Value):
    """An agent on a board.

    Attributes:
        agent: Its name.
        model: Its model; empty if unknown.
        rank: Rank by the board's rating, from 1; ties share a rank. None for one that has not debated, or has
            foretold too little.
        rank_shared: Whether another agent of the pool has that rank, too, on this page or not.
        rank_low: Best rank of its interval, by strength; None without a strength, as are all up to ``high``.
        rank_high: Worst rank.
        strength: How strong it is by all debates at once, in Elo points.
        low: Lower end of the interval of its strength.
        high: Upper end.
        elo: The running Elo; in a domain the global one where nothing moved that of the domain.
        debates: Debates in which it took part.
        wins: Debates with it as the only winner.
        losses: Debates with another agent as the only winner.
        ties: Debates without a single winner.
        form: Results of its last debates, newest last: ``W``, ``L`` and ``T``.
        predictions: Its predictions whose outcome is known.
        correct: Predictions that came true.
        brier: Their mean Brier score, from 0, perfect, to 1; None without one.
        score: The calibration score, from 0 to 1; None below five predictions.
        score_low: Lower end of its interval, where it was computed: of all predictions of those with the most.
        score_high: Upper end.
        bias: Mean confidence less accuracy, where that was computed.
        finding: ``overconfident``, ``underconfident``, ``miscalibrated`` or ``calibrated``, where that was computed.
    """

    agent: str
    model: str
    rank: int | None
    rank_shared: bool = False
    rank_low: int | None = None
    rank_high: int | None = None
    strength: float | None = None
    low: float | None = None
    high: float | None = None
    elo: float
    debates: int
    wins: int
    losses: int
    ties: int
    form: str
    predictions: int = 0
    correct: int = 0
    brier: float | None = None
    score: float | None = None
    score_low: float | None = None
    score_high: float | None = None
    bias: float | None = None
    finding: str | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Agent(Value):
    """An agent with its ratings and records.

    Attributes:
        pool: Id of the pool.
        version: The pool's version that it is of: Elo and all that is counted.
        fitted: The earliest version that the strengths shown were fitted to; None if there are none.
        pending: Whether newer figures are being computed: ask again.
        row: Its row on the board by strength.
        around: Rows next to it there, best first, its own included; empty without strengths.
        domains: Its record by domain, most debates first.
        critiques: Critiques that it made.
        accepted: Critiques that were accepted.
        unresolved: Predictions of tournaments whose winner is not known yet.
        level: Probability of the credible intervals.
    """

    pool: str
    version: int
    fitted: int | None = None
    pending: bool
    row: AgentRow
    around: list[AgentRow]
    domains: list[AgentDomain]
    critiques: int
    accepted: int
    unresolved: int
    level: float


@dataclass(frozen=True, kw_only=True, slots=True)
class AgentBoard(Value):
    """A page of a board of agents.

    Attributes:
        pool: Id of the pool.
        version: The pool's version that the rows are of: their Elo and all that is counted.
        fitted: The version that the strengths were fitted to, which may be an earlier one; None if there are none.
            An agent that came after it has no strength.
        examined: The version of the predictions that ``score_low`` up to ``finding`` are of; None if there are none.
        pending: Whether a newer one is being made: ask again.
        by: What it ranks by.
        domain: The domain that it is about; empty for all.
        agents: Agents in the pool.
        debates: Debates that stand; of the domain, where one was asked for.
        total: Agents that are listed, on all pages.
        rows: The agents of this page.
        next: Cursor of the next page; None on the last.
        least: Lowest end of all intervals of strength; None if there are none.
        most: Highest end.
        level: Probability of the credible intervals.
    """

    pool: str
    version: int
    fitted: int | None = None
    examined: int | None = None
    pending: bool
    by: AgentRanking
    domain: str
    agents: int
    debates: int
    total: int
    rows: list[AgentRow]
    next: str | None = None
    least: float | None = None
    most: float | None = None
    level: float = 0.95


@dataclass(frozen=True, kw_only=True, slots=True)
class Domain(Value):
    """A domain.

    Attributes:
        domain: Its name.
        debates: Debates in it that stand.
        agents: Agents that debated in it.
        predictions: Predictions in it.
        leader: Who leads of those who debated there: by strength, or by the running Elo if no strengths are fitted;
            None where nobody did.
        rating: The leader's strength, or its running Elo.
        low: Lower end of the interval of the strength; None without one.
        high: Upper end.
        may_lead: How many may be the best, by the intervals of their ranks; None without strengths.
    """

    domain: str
    debates: int
    agents: int
    predictions: int
    leader: str | None
    rating: float | None
    low: float | None
    high: float | None
    may_lead: int | None


@dataclass(frozen=True, kw_only=True, slots=True)
class DomainPage(Value):
    """Domains, those with the most debates first.

    Attributes:
        pool: Id of the pool.
        domains: The domains of this page.
        total: Number of them in all.
        version: The pool's version that they are of: all that is counted, and the running Elo.
        fitted: The version that the strengths were fitted to; None if there are none.
        pending: Whether newer strengths are being fitted: ask again.
        next: Cursor of the next page; None on the last.
    """

    pool: str
    domains: list[Domain]
    total: int
    version: int
    fitted: int | None = None
    pending: bool
    next: str | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class AgentMove(Value):
    """A change of a rating.

    Attributes:
        number: Its place among the moves of the rating, from 1.
        at: When it was recorded.
        elo: The rating afterwards.
        change: Elo points that it brought; None of the first in a domain, which began where the global rating was.
        cause: Id of the debate, the test or the adjustment that moved it; of a rollback, of the debate that it voids.
    """

    number: int
    at: datetime
    elo: float
    change: float | None
    cause: str


@dataclass(frozen=True, kw_only=True, slots=True)
class AgentHistory(Value):
    """Moves of a rating, the newest first.

    Attributes:
        agent: Whose.
        track: Which of its ratings: ``global``, or a domain.
        moves: The moves of this page.
        total: Number of them in all.
        next: Cursor of the next page; None on the last.
    """

    agent: str
    track: str
    moves: list[AgentMove]
    total: int
    next: str | None = None
