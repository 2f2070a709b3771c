"""Items: listings, and single items with their board row and history."""

from dataclasses import dataclass

from paragone.wire.board import BoardRow
from paragone.wire.match import RatingChange
from paragone.wire.value import Value


@dataclass(frozen=True, kw_only=True, slots=True)
class ItemRow(Value):
    """An item in a listing.

    Attributes:
        id: Its id.
        kind: What it is.
        text: Its whole text.
    """

    id: str
    kind: str
    text: str


@dataclass(frozen=True, kw_only=True, slots=True)
class SimilarItem(Value):
    """An item with a similar text.

    Attributes:
        id: Its id.
        text: The beginning of its text.
        similarity: Cosine similarity, from -1 to 1.
    """

    id: str
    text: str
    similarity: float


@dataclass(frozen=True, kw_only=True, slots=True)
class ItemPage(Value):
    """Items in the order in which they were added.

    Attributes:
        items: The items.
        next: Cursor of the next page; None on the last.
    """

    items: list[ItemRow]
    next: str | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Review(Value):
    """A reviewer's latest review of an item.

    Attributes:
        reviewer: The reviewer.
        score: Overall score, from 0 to 1.
        scores: Scores by criterion, each from 0 to 1.
        text: Text of the review.
    """

    reviewer: str
    score: float
    scores: dict[str, float]
    text: str


@dataclass(frozen=True, kw_only=True, slots=True)
class CriterionMean(Value):
    """An item's mean score on one criterion over its last matches.

    Attributes:
        criterion: The criterion.
        mean: Mean of its scores, from 0 to 1.
        verdicts: Number of verdicts.
    """

    criterion: str
    mean: float
    verdicts: int


@dataclass(frozen=True, kw_only=True, slots=True)
class Item(ItemRow):
    """An item with its board row, history and reviews.

    Attributes:
        pool: Id of its pool.
        row: Its row on the board.
        around: Rows next to it on the board by strength, best first, its own included; empty without such a board.
        progression: The last changes of its running Elo, oldest first; the interval is in ``row`` only.
        moves: Number of changes in all.
        criteria: Mean scores by criterion, if judges give them.
        reviews: Reviews of it.
        neighbours: The most similar items, if known.
        retired: Why it is unavailable; empty if it is available.
    """

    pool: str
    row: BoardRow
    around: list[BoardRow]
    progression: list[RatingChange]
    moves: int
    criteria: list[CriterionMean]
    reviews: list[Review]
    neighbours: list[SimilarItem]
    retired: str = ""
