"""Which ranking is asked for, and how certain it must be."""

from dataclasses import dataclass
from enum import StrEnum

from paragone.errors import InvalidConfig


class Aim(StrEnum):
    """What the comparisons should settle.

    ``BALANCED`` serves the whole order and looks harder at the top; ``ORDER`` serves the whole order alone; ``TOP``
    settles who belongs to the top k; ``WINNER`` settles who is best.
    """

    BALANCED = "balanced"
    ORDER = "order"
    TOP = "top"
    WINNER = "winner"


@dataclass(frozen=True, kw_only=True, slots=True)
class Goal:
    """The ranking asked for, and how certain it must be.

    Attributes:
        aim: What to settle.
        k: How many belong to the top; only for ``Aim.TOP``.
        confidence: Stop once the forecast reaches this. For a winner, the probability that the first is the best; for
            a top k, the expected share of the true top k in the reported one; for the whole order, the expected Kendall
            tau between the reported order and the true one; balanced, both that tau and the expected share of the true
            top ten (a third of fewer than thirty items).
    """

    aim: Aim = Aim.BALANCED
    k: int | None = None
    confidence: float = 0.9

    def __post_init__(self) -> None:
        if (self.k is not None) != (self.aim is Aim.TOP):
            raise InvalidConfig("k belongs to the aim 'top', and only to it")
        if self.k is not None and self.k < 1:
            raise InvalidConfig(f"the top k needs k of at least 1, not {self.k}")
        if not 0.0 < self.confidence < 1.0:
            raise InvalidConfig(f"confidence lies strictly between 0 and 1, not {self.confidence}")
