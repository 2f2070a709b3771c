"""What is rated by use: a piece of content, its kind, and the tiers of its rating."""

import math
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Self


class ContentKind(StrEnum):
    """Document M's entity types; each is a pool of its own."""

    VECTOR = "vector"
    FILE = "file"
    SYMBOL = "symbol"
    ADR = "adr"


class ContentTier(StrEnum):
    """How content stands by its rating.

    Source: document M, "ELO Tier Thresholds"; lower bounds are inclusive.
    """

    HIGH = "high"
    MEDIUM = "medium"
    LOW = "low"
    VERY_LOW = "very low"


class Quadrant(StrEnum):
    """What content is by R and Elo; where R is unknown, nothing is said."""

    BEST = "best content"
    LATENT = "latent value"
    ECHO = "echo chamber"
    PRUNE = "prune candidate"
    UNKNOWN = "R unknown"


@dataclass(frozen=True, kw_only=True, slots=True)
class Content:
    """One piece of content. Two are the same when kind and id are.

    Attributes:
        kind: What it is.
        id: A file's path below the root, with slashes; a symbol's ``@path::Qualified.name``; a decision record's name,
            such as ``ADR-027``; a vector's SHA-256, which is that of the chunk's text.
        path: The file it lies in, where that is known: tiers go by it, and R falls back to it.
    """

    kind: ContentKind
    id: str
    path: str = field(default="", compare=False)

    @classmethod
    def file(cls, path: str) -> Self:
        """The file at a path below the root."""
        return cls(kind=ContentKind.FILE, id=path, path=path)

    def __hash__(self) -> int:
        """That of the id, which text keeps; ids of two kinds are hardly ever the same."""
        return hash(self.id)


_BOUNDS = ((1600.0, ContentTier.HIGH), (1200.0, ContentTier.MEDIUM), (800.0, ContentTier.LOW))


def content_tier(elo: float) -> ContentTier:
    """The tier of a rating in Elo points, as it is shown: by whole points, which the document's bounds are.

    Decay is never quite 0: 1199.998 a second after a file was indexed at 1200 is medium.
    """
    points = math.floor(elo + 0.5)
    return next((tier for bound, tier in _BOUNDS if points >= bound), ContentTier.VERY_LOW)
