"""The best items against each other, and cycles among all."""

from dataclasses import dataclass

from paragone.wire.board import BoardRow
from paragone.wire.value import Value


@dataclass(frozen=True, kw_only=True, slots=True)
class HeadToHeadCell(Value):
    """How one item fared against another.

    Attributes:
        wins: Matches won.
        draws: Matches drawn.
        losses: Matches lost.
        share: Points won, a draw being a half, of those there were.
    """

    wins: int
    draws: int
    losses: int
    share: float


@dataclass(frozen=True, kw_only=True, slots=True)
class Beat(Value):
    """One item that won more of its matches against another than it lost.

    Attributes:
        winner: Its id.
        loser: The other's.
        matches: Ids of the matches between them.
        chance: Probability of the win by all other evidence; of several matches that were won, of the least likely.
    """

    winner: str
    loser: str
    matches: tuple[str, ...]
    chance: float | None


@dataclass(frozen=True, kw_only=True, slots=True)
class Cycle(Value):
    """A cycle: each item beat the next, and the last beat the first.

    Attributes:
        items: Their ids.
        beats: Who beat whom, the least likely of them last.
    """

    items: tuple[str, ...]
    beats: tuple[Beat, ...]

    @property
    def upset(self) -> Beat:
        """The win that the fit finds least likely: the one to look at."""
        return self.beats[-1]


@dataclass(frozen=True, kw_only=True, slots=True)
class HeadToHead(Value):
    """The best items against each other.

    Attributes:
        pool: Id of the pool.
        items: The items, best first.
        cells: The record of each against each; None if they never met.
        latest: Whether only the latest matches of each item were counted.
        pending: Whether newer circles are being looked for: ask again.
        cycles: Circles among all items, the shortest first; none of a pool that is too large.
        complete: Whether these are all there are.
        parts: Sizes of the parts within which everybody has beaten everybody by way of others.
    """

    pool: str
    items: list[BoardRow]
    cells: list[list[HeadToHeadCell | None]]
    latest: bool
    pending: bool
    cycles: list[Cycle]
    complete: bool
    parts: list[int]
