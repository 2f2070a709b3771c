"""What is known of items beside the answers: columns of numbers, and which of them must not count."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

STANDARD = "one standard deviation"
"""The unit of most columns."""


@dataclass(frozen=True, kw_only=True, slots=True)
class SideColumn:
    """A number of each item.

    Attributes:
        group: What was asked for; columns of one group count together or not at all.
        name: What the column is called; untrusted.
        values: The numbers, by item; an item that is not among them counts as average.
        trait: The trait of the text that the numbers are, so that those of new items can be found; empty for others.
        counts: Whether it may count; if not, its effect is taken out of the ratings.
    """

    group: str
    name: str
    values: tuple[tuple[str, float], ...] = ()
    trait: str = ""
    counts: bool = True

    def as_json(self) -> dict[str, Any]:
        """Plain values, as the ledger stores them."""
        stored = {"group": self.group, "name": self.name, "values": dict(self.values), "counts": self.counts}
        return {**stored, "trait": self.trait} if self.trait else stored

    @classmethod
    def from_json(cls, values: Mapping[str, Any]) -> "SideColumn":
        """The column that ``as_json`` wrote."""
        return cls(**{**values, "values": tuple((str(id), float(value)) for id, value in values["values"].items())})


@dataclass(frozen=True, kw_only=True, slots=True)
class SideInformation:
    """All columns of a tournament or of a fit.

    Attributes:
        columns: The columns.
        notes: How they were read, in sentences.
    """

    columns: tuple[SideColumn, ...] = ()
    notes: tuple[str, ...] = ()

    def as_json(self) -> dict[str, Any]:
        """Plain values, as the ledger stores them."""
        return {"columns": [column.as_json() for column in self.columns], "notes": list(self.notes)}

    @classmethod
    def from_json(cls, values: Mapping[str, Any]) -> "SideInformation":
        """What ``as_json`` wrote."""
        return cls(columns=tuple(map(SideColumn.from_json, values["columns"])), notes=tuple(values["notes"]))


@dataclass(frozen=True, kw_only=True, slots=True)
class ColumnReport:
    """What a column of the items says about their ratings.

    Attributes:
        group: What was asked for; its columns count together or not at all.
        column: Its name; untrusted.
        points: What the rating rises by for one unit of the column, in Elo points.
        low: Lower end of its interval.
        high: Upper end.
        probability: Probability that the group counts at all; 1 where its effect is taken out.
        counts: Whether it counts; if not, its effect is taken out of the ratings.
        trait: Whether it is a trait of the text, such as its length.
        unit: What a unit is.
        contradicted: Whether it goes with the answers among most items, and the best are behind the others in it; it
            was then left out.
    """

    group: str
    column: str
    points: float
    low: float
    high: float
    probability: float
    counts: bool
    trait: bool
    unit: str = STANDARD
    contradicted: bool = False

    @property
    def is_clear(self) -> bool:
        """Whether the direction is known."""
        return self.low > 0.0 or self.high < 0.0


@dataclass(frozen=True, kw_only=True, slots=True)
class PlainRow:
    """What the fit says of one item.

    Attributes:
        id: The item's id.
        rank: Rank by strength; items of equal strength share one.
        rank_low: Best rank in the interval.
        rank_high: Worst rank.
        rating: Strength in Elo points.
        low: Lower end of its interval.
        high: Upper end.
    """

    id: str
    rank: int
    rank_low: int
    rank_high: int
    rating: float
    low: float
    high: float


@dataclass(frozen=True, kw_only=True, slots=True)
class SideReport:
    """How columns of the items, or of the votes, changed a board.

    Attributes:
        columns: Each column.
        without: The items by answers alone, in the order of the board's rows.
        tau: Kendall tau between the two orders.
        notes: How the columns were read, in sentences.
    """

    columns: tuple[ColumnReport, ...]
    without: tuple[PlainRow, ...]
    tau: float
    notes: tuple[str, ...] = ()
