"""Leaderboards."""

from dataclasses import dataclass
from typing import Any, Literal

from paragone.domain import Forecast
from paragone.wire.spending import SpendingSummary
from paragone.wire.value import Value

BoardRanking = Literal["auto", "strength", "elo"]
"""What a leaderboard ranks by; ``auto`` is strength where that is quick."""
SortColumn = Literal["rank", "rating", "low", "high", "elo", "wins", "losses", "ties", "matches", "id", "text"]
"""Columns that a leaderboard can be sorted by."""


@dataclass(frozen=True, kw_only=True, slots=True)
class BoardRow(Value):
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
class Board(Value):
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
    sort: SortColumn = "rank"
    descending: bool = False
    total: int | None
    rows: list[BoardRow]
    next: str | None = None
    least: float | None = None
    most: float | None = None
    level: float | None = None
    identified: bool | None = None
    spending: SpendingSummary | None = None
    abstentions: int | None = None
    position_bias: float | None = None
    forecast: Forecast | None = None
    outlook: Forecast | None = None
    stopped: str = ""
    method: dict[str, Any] | None = None
