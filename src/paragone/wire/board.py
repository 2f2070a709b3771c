"""Leaderboards."""

from dataclasses import dataclass, field
from typing import Any, Literal

from paragone.domain import ColumnReport, Direction, Forecast, PlainRow, PriorAgreement
from paragone.domain.board import Remark
from paragone.wire.spending import SpendingSummary
from paragone.wire.value import Value

BoardRanking = Literal["auto", "strength", "elo"]
"""What a leaderboard ranks by; ``auto`` is strength where that is quick."""
SortColumn = Literal["rank", "rating", "low", "high", "elo", "wins", "losses", "ties", "matches", "id", "text"]
"""Columns that a leaderboard can be sorted by."""


# ``domain.BoardRow`` has figures where this has None: a board of the running Elo comes without a fit.
@dataclass(frozen=True, kw_only=True, slots=True)
class BoardRow(Value):
    """An item on a board.

    Attributes:
        id: Its id.
        text: The beginning of its text.
        rank: Rank by the board's rating, from 1; ties share a rank.
        rank_shared: Whether another item of the pool has that rank, too, on this page or not.
        rank_low: Best rank in its credible interval; None on a board by Elo, as are all fields up to ``high``.
        rank_high: Worst rank.
        rating: Strength in Elo points.
        low: Lower end of its interval.
        high: Upper end.
        elo: The running Elo.
        wins: Matches won.
        losses: Matches lost.
        ties: Matches drawn.
        matches: Matches that counted.
        form: Results of its last matches, newest last: ``W``, ``L`` and ``T``.
        without: The item by answers alone, where columns have a part in the board.
    """

    id: str
    text: str
    rank: int
    rank_shared: bool = False
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
    without: PlainRow | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class SideSummary(Value):
    """What columns of the items have done to a board; its rows say where they would be without.

    Attributes:
        columns: Each column: its effect, in which direction, and whether it counts.
        tau: Kendall tau between the orders with and without the columns.
        notes: How the columns were read, in sentences.
    """

    columns: list[ColumnReport]
    tau: float
    notes: list[str] = field(default_factory=list)


@dataclass(frozen=True, kw_only=True, slots=True)
class Board(Value):
    """A page of a leaderboard, with figures about all of it.

    Attributes:
        pool: Id of the pool.
        version: Version of the pool that the rows describe.
        by: What it ranks by.
        pending: Whether a newer board by strength is being computed, or will be soon: ask again.
        age: Seconds since the first match that the rows may not include; 0.0 if they include all.
        sort: Column that the rows are sorted by.
        descending: Whether the highest value comes first.
        total: Items listed on all pages; None if a search stopped at its limit.
        rows: The items of this page.
        next: Cursor of the next page; None on the last.
        least: Lowest end of all intervals; None on a board by Elo.
        most: Highest end.
        level: Probability of the credible intervals.
        identified: Whether the evidence connects all items and so fixes the scale.
        spending: Cost of the tournament; None on a board by Elo.
        abstentions: Answers in which the judge abstained.
        position_bias: Log-odds in favour of the item shown first, of the judge with the most answers.
        forecast: How good this ranking is expected to be.
        outlook: The same forecast with twice as many answers.
        stopped: Why the tournament stopped; empty while it runs.
        method: Name and parameters of the fit.
        side: What columns of the items have done; None where there are none.
        direction: Whether the board can be told from its mirror image; None where nothing suggests otherwise.
        prior: How the ratings that were given as a prior go with the answers; None without a prior.
        remarks: What is unusual about the answers or the strengths, and bears on how to read the board.
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
    side: SideSummary | None = None
    direction: Direction | None = None
    prior: PriorAgreement | None = None
    remarks: list[Remark] = field(default_factory=list)
