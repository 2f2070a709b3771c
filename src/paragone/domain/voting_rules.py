"""How people vote on a pool: how many judge a pair, the guidelines for them, and pairs whose answer is known."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from paragone.domain.gold import GoldPair
from paragone.errors import InvalidConfig

MOST_OVERLAP = 1_000
LONGEST_GUIDELINES = 20_000
MOST_KNOWN = 1_000


@dataclass(frozen=True, kw_only=True, slots=True)
class VotingRules:
    """How people vote on a pool.

    Attributes:
        overlap: How many people judge a pair before another one is given; 1 plans for the ranking alone.
        guidelines: What voters read beside the ballot, as plain text.
        known: Pairs whose better item is known, mixed in for everybody.
        known_share: Share of a voter's pairs that are known ones, until they have seen all of them.
    """

    overlap: int = 1
    guidelines: str = ""
    known: tuple[GoldPair, ...] = ()
    known_share: float = 0.1

    def __post_init__(self) -> None:
        if not 1 <= self.overlap <= MOST_OVERLAP:
            raise InvalidConfig(f"overlap must be from 1 to {MOST_OVERLAP:,}, not {self.overlap}", key="overlap")
        if len(self.guidelines) > LONGEST_GUIDELINES:
            raise InvalidConfig(f"guidelines may have {LONGEST_GUIDELINES:,} characters", key="guidelines")
        if len(self.known) > MOST_KNOWN:
            raise InvalidConfig(f"at most {MOST_KNOWN:,} known pairs are mixed in: a few are enough", key="known")
        if not 0 < self.known_share <= 1:
            raise InvalidConfig(f"known_share must be above 0 and at most 1, not {self.known_share}", key="known_share")
        pairs = [frozenset((pair.better, pair.worse)) for pair in self.known]
        if any(len(pair) < 2 for pair in pairs) or len(set(pairs)) < len(pairs):
            raise InvalidConfig("each known pair needs two different items, and may be listed only once", key="known")

    @classmethod
    def of(cls, stored: Mapping[str, Any]) -> "VotingRules":
        """From the values of JSON; what is absent has its default."""
        pairs = tuple(GoldPair(better=better, worse=worse) for better, worse in stored.get("known", ()))
        return cls(**{**stored, "known": pairs})

    def as_json(self) -> dict[str, Any]:
        """As values of JSON."""
        pairs = [[pair.better, pair.worse] for pair in self.known]
        return {
            "overlap": self.overlap,
            "guidelines": self.guidelines,
            "known": pairs,
            "known_share": self.known_share,
        }
