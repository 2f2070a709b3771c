"""The thing rated, and what reviewers think of it."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from paragone.domain.displayed import Displayed
from paragone.domain.record import FrozenDict


class ItemKind(StrEnum):
    """What an item is; a pool holds one kind."""

    TEXT = "text"
    HYPOTHESIS = "hypothesis"
    AGENT = "agent"
    VECTOR = "vector"
    FILE = "file"
    SYMBOL = "symbol"
    ADR = "adr"


@dataclass(frozen=True, kw_only=True, slots=True)
class Item(Displayed):
    """One thing to be compared with others.

    Attributes:
        id: Names the item within its pool.
        text: What a judge sees. Untrusted: it is data, never instructions.
        kind: What the item is.
    """

    id: str
    text: str
    kind: ItemKind = ItemKind.TEXT

    @property
    def content_hash(self) -> str:
        """SHA-256 of the text, in hexadecimal."""
        return hashlib.sha256(self.text.encode("utf-8", "surrogatepass")).hexdigest()


@dataclass(frozen=True, kw_only=True, slots=True)
class Review:
    """What a reviewer thinks of an item.

    Attributes:
        item: Id of the item.
        reviewer: Who reviewed it.
        score: Overall, from 0 to 1.
        scores: By criterion, each from 0 to 1.
        text: The review in words. Untrusted.

    Source: the Ranking Agent specification.
    """

    item: str
    reviewer: str
    score: float
    scores: Mapping[str, float] = field(default_factory=FrozenDict)
    text: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "scores", FrozenDict(self.scores))
        for name, value in (("score", self.score), *self.scores.items()):
            if not 0.0 <= value <= 1.0:
                raise ValueError(f"a review's {name} lies in [0, 1], not {value}")
