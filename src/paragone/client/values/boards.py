"""Boards as a server tells of them; the fields are those of its answers."""

from dataclasses import dataclass
from typing import Any, Literal

from paragone.client.values.spending import Spent


@dataclass(frozen=True, kw_only=True, slots=True)
class Row:
    """An item on a board.

    Attributes:
        id: Its id.
        text: The beginning of its text.
        rank: Rank by what the board goes by, from 1; equal ones share one.
        rank_low: Best rank in the interval; None on a board by Elo, as are all up to ``high``.
        rank_high: Worst rank.
        rating: Strength in Elo points.
        low: Lower end of its interval.
        high: Upper end.
        elo: The running Elo.
        wins: Matches won.
        losses: Matches lost.
        ties: Matches drawn.
        matches: Matches that counted.
        form: What its last matches brought, the newest last: ``W``, ``L`` and ``T``.
    """

    id: str
    text: str
    rank: int
    rank_low: int | None = None
    rank_high: int | None = None
    rating: float | None = None
    low: float | None = None
    high: float | None = None
    elo: float
    wins: int
    losses: int
    ties: int
    matches: int
    form: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class Forecast:
    """How good a ranking is expected to be.

    Attributes:
        p_best: Probability that the item on top is the best.
        recall: Expected share of the true top k among the first k; k is ``top``.
        top: The k that ``recall`` speaks of.
        tau: Expected Kendall tau with the true order.
        no_signal: Probability that there is no signal beyond chance; it is part of the figures above.
        tau_given_signal: The expected tau should there be signal.
    """

    p_best: float | None
    recall: float | None
    top: int
    tau: float | None
    no_signal: float = 0.0
    tau_given_signal: float | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Board:
    """A page of a board, with what there is to say about the whole.

    Attributes:
        pool: Id of the pool.
        version: The pool's version that the rows are of.
        by: What it ranks by.
        pending: Whether a newer board by strength is being made, or will be soon: ask again.
        age: Seconds for which matches have come in that the rows do not know of, at the most; 0.0 where none have.
        sort: Column that the rows are sorted by.
        descending: Whether the highest value comes first.
        total: Items that are listed, on all pages; None where a search stopped at its limit.
        rows: The items of this page.
        next: Cursor of the next page; None on the last.
        least: Lowest end of all intervals; None on a board by Elo.
        most: Highest end.
        level: Probability that intervals are meant to hold.
        identified: Whether the evidence ties all items together and fixes the scale.
        spending: What it took; None on a board by Elo.
        abstentions: Answers that declined to say.
        position_bias: Log-odds in favour of the item shown first, of the judge with the most answers.
        forecast: How good this ranking is expected to be.
        outlook: The same with as many answers again.
        stopped: Why the tournament stopped; empty while it runs.
        method: Name and parameters of the fit.
    """

    pool: str
    version: int
    by: Literal["strength", "elo"]
    pending: bool = False
    age: float = 0.0
    sort: str = "rank"
    descending: bool = False
    total: int | None
    rows: list[Row]
    next: str | None = None
    least: float | None = None
    most: float | None = None
    level: float | None = None
    identified: bool | None = None
    spending: Spent | None = None
    abstentions: int | None = None
    position_bias: float | None = None
    forecast: Forecast | None = None
    outlook: Forecast | None = None
    stopped: str = ""
    method: dict[str, Any] | None = None
