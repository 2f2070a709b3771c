"""Items: one with its standing and history, and listings."""

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
    """An item that is like another, by their texts.

    Attributes:
        id: Its id.
        text: The beginning of its text.
        similarity: How alike they are, from -1 to 1.
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
    """What a reviewer last said of an item.

    Attributes:
        reviewer: Who.
        score: Overall, from 0 to 1.
        scores: By criterion, each from 0 to 1.
        text: The review in words.
    """

    reviewer: str
    score: float
    scores: dict[str, float]
    text: str


@dataclass(frozen=True, kw_only=True, slots=True)
class CriterionMean(Value):
    """How an item did on one criterion, over the verdicts of its last matches.

    Attributes:
        criterion: The criterion.
        mean: Mean of its scores, from 0 to 1.
        verdicts: How many there were.
    """

    criterion: str
    mean: float
    verdicts: int


@dataclass(frozen=True, kw_only=True, slots=True)
class Item(ItemRow):
    """An item with what is known about it.

    Attributes:
        pool: Id of its pool.
        row: Where it stands, as on the board.
        around: Those who stand next to it on the board by strength, best first, itself among them; empty without one.
        progression: The last moves of its running Elo, the oldest first; its interval is that of ``standing`` alone.
        moves: How many moves there were in all.
        criteria: How it did by criterion, where judges say so.
        reviews: What reviewers said of it.
        neighbours: The items most like it, where that is known.
        retired: Why it is not available; empty where it is.
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
