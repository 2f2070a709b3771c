"""One recorded comparison, and a collection of them."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Self

UNNAMED = "votes"
"""Who judged, where the votes do not say."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Vote:
    """One recorded comparison.

    Attributes:
        a: Id of the item named first; where the recording kept the order of presentation, the one shown first.
        b: Id of the other.
        score: 1 if ``a`` won, 0 if ``b`` did, 0.5 for a tie; anything between is a probability that ``a`` is better.
        tie: Whether it was called a tie. A score of 0.5 without it is a probability.
        weight: How much it counts; positive.
        judge: Who gave it, where that was recorded.
    """

    a: str
    b: str
    score: float
    tie: bool = False
    weight: float = 1.0
    judge: str | None = None

    @property
    def probability(self) -> float | None:
        """The probability that ``a`` is better, where one was given; None for a plain win, loss or tie."""
        return None if self.tie or self.score in (0.0, 1.0) else self.score


class Votes(tuple[Vote, ...]):  # noqa: SLOT001  # a tuple cannot have slots of its own
    """Votes in the order of their recording.

    Attributes:
        abstentions: Rows that were left out because nobody was named.
        skipped: Rows that were left out because they cannot be evidence.
        has_order: Whether ``a`` may be taken for the item shown first; False where winners stand first.
        notes: How the votes were read, in sentences.
        source: Where the votes came from, for messages.
    """

    abstentions: int
    skipped: int
    has_order: bool
    notes: tuple[str, ...]
    source: str

    def __new__(
        cls,
        votes: Iterable[Vote] = (),
        *,
        abstentions: int = 0,
        skipped: int = 0,
        has_order: bool = True,
        notes: tuple[str, ...] = (),
        source: str = "votes",
    ) -> Self:
        self = super().__new__(cls, votes)
        self.abstentions = abstentions
        self.skipped = skipped
        self.has_order = has_order
        self.notes = notes
        self.source = source
        return self
