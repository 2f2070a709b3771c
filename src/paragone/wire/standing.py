"""Why an item is where it is: what its matches brought, how surprising they were, whom it met, and what comes next."""

from dataclasses import dataclass
from typing import Literal

from paragone.wire.board import BoardRow
from paragone.wire.item import ItemRow
from paragone.wire.match import Match
from paragone.wire.value import Value


@dataclass(frozen=True, kw_only=True, slots=True)
class CarryingMatch(Value):
    """A match of an item, and what it does to its strength.

    Attributes:
        match: Id of the match.
        opponent: Id of the other item; None in a match among several.
        result: ``won``, ``lost``, ``tie``, or the place among several, such as ``2 of 5``.
        change: Elo points of strength that the item has by it: it would have so many fewer without it; None
            where it was not computed.
        chance: Probability of that result by all other evidence, from 0 to 1; None among several.
    """

    match: str
    opponent: str | None
    result: str
    change: float | None
    chance: float | None


@dataclass(frozen=True, kw_only=True, slots=True)
class OpponentRecord(Value):
    """An item that was met, and how that went.

    Attributes:
        id: Its id.
        rating: Its strength in Elo points.
        wins: Matches that the item won against it.
        losses: Matches that the item lost.
        ties: Ties.
    """

    id: str
    rating: float
    wins: int
    losses: int
    ties: int


@dataclass(frozen=True, kw_only=True, slots=True)
class NextResult(Value):
    """What one more answer would change.

    Attributes:
        opponent: Id of the item beside it on the board that it would meet.
        result: What the judge would answer, for the item.
        rating: Strength in Elo points then.
        rank: Rank then.
    """

    opponent: str
    result: Literal["won", "lost"]
    rating: float
    rank: int


@dataclass(frozen=True, kw_only=True, slots=True)
class Standing(Value):
    """Why an item is where it is.

    Attributes:
        item: Id of the item.
        rating: Its strength in Elo points.
        rank: Its rank by strength.
        matches: Matches of it that count.
        carrying: Its matches that move its strength most, the largest effect first.
        upsets: Its matches whose result was improbable by all other evidence, the most improbable first.
        opponents: The items it met, the strongest first.
        opponents_rating: Mean strength of its opponents, each as often as it was met; None without any.
        next: What one more win or loss against its neighbours on the board would change.
        alone: Its strength by the answers alone, where columns have a part in it; None where they have not.
        unknown: Why effects of single matches are not known; empty if they are.
    """

    item: str
    rating: float
    rank: int
    matches: int
    carrying: list[CarryingMatch]
    upsets: list[CarryingMatch]
    opponents: list[OpponentRecord]
    opponents_rating: float | None
    next: list[NextResult]
    alone: float | None = None
    unknown: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class SideOfTwo(ItemRow):
    """One of two items that are shown side by side.

    Attributes:
        row: Its row on the board.
    """

    row: BoardRow


@dataclass(frozen=True, kw_only=True, slots=True)
class SideBySide(Value):
    """Two items side by side, with all that was said about them.

    Attributes:
        pool: Id of their pool.
        a: One of them.
        b: The other.
        a_better: Probability that ``a`` is the stronger; None without a board by strength.
        wins: Matches between them that ``a`` won.
        losses: Matches between them that ``b`` won.
        ties: Ties between them.
        matches: Matches in which both took part, the newest first.
        more: Whether there are more of these than are listed.
    """

    pool: str
    a: SideOfTwo
    b: SideOfTwo
    a_better: float | None
    wins: int
    losses: int
    ties: int
    matches: list[Match]
    more: bool
