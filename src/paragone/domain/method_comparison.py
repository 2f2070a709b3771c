"""The scores of several methods side by side, and what explains where they differ."""

from collections.abc import Mapping
from dataclasses import dataclass

from paragone.domain.displayed import Displayed


@dataclass(frozen=True, kw_only=True, slots=True)
class ComparedMethod:
    """A method.

    Attributes:
        name: Its name.
        title: What it is, in words.
        by: What computed it, with its version.
        in_order: Whether the order of play counts.
        note: How it was computed; empty if there is nothing to add.
        explained: Spearman's correlation of what an item gains in rank against the first method, with each of three
            causes: ``opponents`` (how strong those that it met are), ``matches`` (how many) and ``form`` (how much
            better it did later than before). None where a column does not vary; empty for the first method.
    """

    name: str
    title: str
    by: str
    in_order: bool
    note: str = ""
    explained: Mapping[str, float | None]


@dataclass(frozen=True, kw_only=True, slots=True)
class ScoredItem:
    """An item under all methods.

    Attributes:
        id: Its id.
        matches: Votes that it is in.
        opponents: Mean strength of those that it met, in Elo points.
        ranks: Its rank by each method, from 1; equals share the better rank.
        scores: Its score by each method, in that method's own unit.
    """

    id: str
    matches: int
    opponents: float
    ranks: Mapping[str, int]
    scores: Mapping[str, float]

    @property
    def moves(self) -> int:
        """Ranks between the method that has it highest and the one that has it lowest."""
        return max(self.ranks.values()) - min(self.ranks.values())


@dataclass(frozen=True, kw_only=True, slots=True)
class MovedItem:
    """An item whose rank depends on the method, and why.

    Attributes:
        id: Its id.
        highest: Its best rank.
        lowest: Its worst rank.
        above: Methods that have it highest.
        below: Methods that have it lowest.
        reasons: What about it explains that, in sentences; empty where nothing stands out.
    """

    id: str
    highest: int
    lowest: int
    above: tuple[str, ...]
    below: tuple[str, ...]
    reasons: tuple[str, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class MethodComparison(Displayed):
    """Scores of the same votes by several methods.

    Attributes:
        methods: The methods, in the order asked for, without those that score all items alike.
        items: The items, best first by the first method.
        agreement: Kendall's tau-b between the scores of each two methods, shape (methods, methods); None where one
            scores all items alike.
        moved: The items whose rank moves most, at most ten.
        votes: Votes that were counted.
        notes: How the votes were read and what not all methods take, in sentences.
    """

    methods: tuple[ComparedMethod, ...]
    items: tuple[ScoredItem, ...]
    agreement: tuple[tuple[float | None, ...], ...]
    moved: tuple[MovedItem, ...]
    votes: int
    notes: tuple[str, ...] = ()
