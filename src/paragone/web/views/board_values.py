"""What is told of boards, and what may be asked of one: the values; ``boards`` makes them."""

from typing import Any, Literal

from paragone.web.views.spending import SpentView
from paragone.web.views.values import Known, View, Words

By = Literal["auto", "strength", "elo"]
Sort = Literal["rank", "rating", "low", "high", "elo", "wins", "losses", "ties", "matches", "id", "text"]
_ASCENDING = frozenset({"rank", "id", "text"})
"""Columns that begin with the lowest value where nobody says otherwise."""


class RowView(View):
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

    id: Words
    text: Words
    rank: int
    rank_low: int | None = None
    rank_high: int | None = None
    rating: Known = None
    low: Known = None
    high: Known = None
    elo: float
    wins: int
    losses: int
    ties: int
    matches: int
    form: str = ""


class ForecastView(View):
    """How good a ranking is expected to be.

    Attributes:
        p_best: Probability that the item on top is the best.
        recall: Expected share of the true top k among the first k; k is ``top``.
        top: The k that ``recall`` speaks of.
        tau: Expected Kendall tau with the true order.
        no_signal: Probability that there is no signal beyond chance; it is part of the figures above.
        tau_given_signal: The expected tau should there be signal.
    """

    p_best: Known
    recall: Known
    top: int
    tau: Known
    no_signal: float = 0.0
    tau_given_signal: Known = None


class BoardView(View):
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

    pool: Words
    version: int
    by: Literal["strength", "elo"]
    pending: bool = False
    age: float = 0.0
    sort: Sort = "rank"
    descending: bool = False
    total: int | None
    rows: list[RowView]
    next: str | None = None
    least: Known = None
    most: Known = None
    level: float | None = None
    identified: bool | None = None
    spending: SpentView | None = None
    abstentions: int | None = None
    position_bias: Known = None
    forecast: ForecastView | None = None
    outlook: ForecastView | None = None
    stopped: Words = ""
    method: dict[str, Any] | None = None


class Wanted(View):
    """Which page of a board somebody wants.

    Attributes:
        by: Strength or Elo; ``auto`` is strength where that is quick.
        sort: Column to sort by; a board by Elo has one order.
        descending: Whether the highest value comes first; as is usual for the column where None.
        search: Only items with this in their id or text; empty for all.
        limit: Rows of a page.
        cursor: ``next`` of the page before.
    """

    by: By = "auto"
    sort: Sort = "rank"
    descending: bool | None = None
    search: str = ""
    limit: int = 50
    cursor: str | None = None

    @property
    def backwards(self) -> bool:
        """Whether the highest value comes first."""
        return self.sort not in _ASCENDING if self.descending is None else self.descending
