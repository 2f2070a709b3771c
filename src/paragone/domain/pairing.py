"""Who meets whom: how opponents are chosen, and a planned match between two items or among several."""

from dataclasses import dataclass
from enum import StrEnum


class PairingPolicy(StrEnum):
    """How opponents are chosen. ``tournaments/planning`` has a module for each, which bears its name."""

    INFORMATIVE = "informative"
    SWISS = "swiss"
    ROUND_ROBIN = "round-robin"
    WEIGHTED = "weighted"


class Draws(StrEnum):
    """What a drawn match means in Swiss."""

    LOSS = "loss"  # for both
    REPLAY = "replay"  # played again in the next round; the third draw in a row is a loss for both
    NONE = "none"  # neither a win nor a loss; the pair is not asked again


class Order(StrEnum):
    """The order in which the two sides of a match are shown."""

    AB = "AB"
    BA = "BA"

    @property
    def reverse(self) -> "Order":
        """The other order."""
        return Order.BA if self is Order.AB else Order.AB


class MatchProtocol(StrEnum):
    """How a match is judged."""

    SINGLE_TURN = "single_turn"
    MULTI_TURN = "multi_turn"
    PANEL = "panel"  # experts argue for both sides and vote, in one answer

    @property
    def is_debate(self) -> bool:
        """Whether both sides were argued, in turns or in one answer."""
        return self is not MatchProtocol.SINGLE_TURN


def protocol_of(turns: int, *, panel: bool) -> MatchProtocol:
    """The protocol of a comparison with so many turns a side before it, or with a panel's arguments in its answer."""
    if turns:
        return MatchProtocol.MULTI_TURN
    return MatchProtocol.PANEL if panel else MatchProtocol.SINGLE_TURN


@dataclass(frozen=True, kw_only=True, slots=True)
class Pairing:
    """A match to be played: two items and the orders in which they are shown, one comparison each.

    Attributes:
        a: Id of one side.
        b: Id of the other.
        orders: The order of presentation of each comparison.
        turns: Turns a side in a debate before each comparison; 0 for none.
        degraded: Whether it would have been a debate, or a longer one, had there been the means.
        panel: Whether experts argue and vote within each answer.
        level: Which judge of a cascade answers, from 0; always 0 for other judges.
    """

    a: str
    b: str
    orders: tuple[Order, ...] = (Order.AB,)
    turns: int = 0
    degraded: bool = False
    panel: bool = False
    level: int = 0

    def __post_init__(self) -> None:
        if self.a == self.b:
            raise ValueError(f"an item cannot meet itself: {self.a!r}")
        if not self.orders:
            raise ValueError(f"a pairing needs at least one order of presentation: {self.a!r}, {self.b!r}")
        if self.turns < 0:
            raise ValueError(f"the turns of a debate must be at least 0, not {self.turns}")
        if self.panel and self.turns:
            raise ValueError(f"a match is a debate in turns or in one answer, not both: {self.a!r}, {self.b!r}")
        if self.level < 0:
            raise ValueError(f"the judges of a cascade are counted from 0, not {self.level}")

    @property
    def items(self) -> tuple[str, str]:
        """The two ids."""
        return (self.a, self.b)

    @property
    def calls(self) -> int:
        """Judge calls that it takes."""
        return len(self.orders)

    @property
    def protocol(self) -> MatchProtocol:
        """How it is judged."""
        return protocol_of(self.turns, panel=self.panel)

    @property
    def units(self) -> int:
        """Compute units: a judge call is one, and so is each turn of a debate."""
        return len(self.orders) * (2 * self.turns + 1)

    @property
    def key(self) -> tuple[str, str]:
        """The two ids in sorted order, the same for both orders."""
        return (self.a, self.b) if self.a < self.b else (self.b, self.a)

    def shown(self, order: Order) -> tuple[str, str]:
        """The ids in the order of presentation: first, second."""
        return (self.a, self.b) if order is Order.AB else (self.b, self.a)


@dataclass(frozen=True, kw_only=True, slots=True)
class Lineup:
    """A match of several to be played: the ids in the order in which they are shown."""

    items: tuple[str, ...]

    def __post_init__(self) -> None:
        if len(self.items) < 2 or len(set(self.items)) < len(self.items):
            raise ValueError(f"a lineup takes two or more different items, not {self.items}")

    @property
    def calls(self) -> int:
        """Judge calls that it takes: one, whatever its length."""
        return 1


Planned = Pairing | Lineup
"""What a round consists of before it is played."""
