"""Boards of an arena: by slice of the votes, and how often each item beat each other."""

from dataclasses import dataclass

from paragone.domain.side_column import PlainRow


@dataclass(frozen=True, kw_only=True, slots=True)
class SliceRow(PlainRow):
    """One item in a slice of the votes.

    Attributes:
        votes: How many votes of the slice it is in.
        apart: How much it is rated above what all slices have in common, in Elo points.
        apart_low: Lower end of that interval.
        apart_high: Upper end.
    """

    votes: int
    apart: float
    apart_low: float
    apart_high: float

    @property
    def differs(self) -> bool:
        """Whether the slice is clearly not like the others."""
        return self.apart_low > 0.0 or self.apart_high < 0.0


@dataclass(frozen=True, kw_only=True, slots=True)
class Slice:
    """The board of a slice.

    Attributes:
        name: The cell that its votes have in common; untrusted.
        votes: How many votes there are.
        rows: The items, best first.
    """

    name: str
    votes: int
    rows: tuple[SliceRow, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class SliceReport:
    """Boards by slice of the votes, each shrunk towards what all have in common as far as the votes support it.

    Attributes:
        by: The column that cuts the votes.
        slices: The slices, by name.
        spread: Standard deviation of what sets an item apart in a slice, in Elo points.
        spread_low: Lower end of its interval.
        spread_high: Upper end.
    """

    by: str
    slices: tuple[Slice, ...]
    spread: float
    spread_low: float
    spread_high: float


@dataclass(frozen=True, kw_only=True, slots=True)
class WinRates:
    """How often each item beat each other in the votes; a tie counts as half.

    Attributes:
        ids: The items, best first.
        rates: Share of the row's item against the column's; None where they never met.
        votes: How often they met.
    """

    ids: tuple[str, ...]
    rates: tuple[tuple[float | None, ...], ...]
    votes: tuple[tuple[int, ...], ...]
