"""The thing rated."""

import hashlib
from dataclasses import dataclass
from enum import StrEnum


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
class Item:
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
