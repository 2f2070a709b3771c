"""Items: listings, and single items with their board row and history."""

from dataclasses import dataclass, field
from typing import Literal

from paragone.domain import Review
from paragone.wire.board import BoardRow
from paragone.wire.match import RatingChange
from paragone.wire.value import Value

ReadAs = Literal["plain", "markdown"]
"""How pages read the texts of a pool: as they are, or as Markdown."""


@dataclass(frozen=True, kw_only=True, slots=True)
class TextSettings(Value):
    """How the texts of a pool are shown. What judges see is the text as it is.

    Attributes:
        read_as: ``plain`` or ``markdown``.
        images: Names of the images that texts may show.
    """

    read_as: ReadAs
    images: list[str]


@dataclass(frozen=True, kw_only=True, slots=True)
class ShownPair(Value):
    """The texts of a pair as HTML, in a pool whose texts are Markdown. It was sanitised.

    Attributes:
        left: The text of the item shown first.
        right: The text of the other.
    """

    left: str
    right: str


# Not ``domain.Item``: its kind is a word here, so that clients read those of newer servers, and it shows no plots.
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
class ReviewPage(Value):
    """Reviews by item and reviewer.

    Attributes:
        reviews: The latest review of each item by each reviewer.
        next: Cursor of the next page; None on the last.
    """

    reviews: list[Review]
    next: str | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class AddedReviews(Value):
    """Reviews that were added.

    Attributes:
        added: The new reviews.
    """

    added: list[Review]


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
        attributes: Its attributes by name, as the dossier has them.
        evidence: What it cites, one source each.
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
    attributes: dict[str, str] = field(default_factory=dict)
    evidence: list[str] = field(default_factory=list)
