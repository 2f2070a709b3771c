"""How alike the items of a tournament are, as a provider says, and a cache of what it said.

Providers are in ``tournaments/proximity.py``, which loads what reads files and embeds texts; a board needs none of it.
"""

from collections.abc import Iterable, Sequence
from contextlib import suppress
from typing import Protocol

from paragone.errors import NotFound


class Proximity(Protocol):
    """A provider of similarity; ``paragone.similarity.SimilarityGraph`` is one.

    It raises ``NotFound`` for an unknown item, which then counts as unlike all others.
    """

    def similarity(self, a: str, b: str) -> float:
        """How alike two items are, from -1 to 1."""
        ...

    def neighbours(self, id: str) -> tuple[tuple[str, float], ...]:
        """The items most like one, with their similarity, the likest first."""
        ...

    def cluster_of(self, id: str) -> int:
        """Number of an item's cluster."""
        ...


REMEMBERED = 100_000
"""Maximum number of cached similarities, so that a long tournament among many items does not fill the memory."""


class SimilarityCache:
    """The similarities of a provider, asked once for each pair; 0 for unknown items.

    Args:
        proximity: The provider; without one, no items are alike.
    """

    def __init__(self, proximity: Proximity | None = None) -> None:
        self.proximity = proximity
        self._similarity: dict[tuple[str, str], float] = {}

    def of(self, pairs: Sequence[tuple[str, str]]) -> list[float]:
        """The similarity of each pair, from 0 to 1; opposite items are as unlike as unrelated ones."""
        if self.proximity is None:
            return [0.0] * len(pairs)
        if len(self._similarity) > REMEMBERED:
            self._similarity.clear()
        return [self._similarity[pair] if pair in self._similarity else self._ask(pair) for pair in pairs]

    def neighbours(self, ids: Iterable[str]) -> list[tuple[str, str]]:
        """Pairs of some items with those that are most like them."""
        return [(id, other) for id in ids for other in self._near(id)]

    def cluster_of(self, id: str) -> int | None:
        """Number of an item's cluster; None where nobody knows."""
        if self.proximity is None:
            return None
        try:
            return self.proximity.cluster_of(id)
        except NotFound:
            return None

    def _near(self, id: str) -> list[str]:
        if self.proximity is None:
            return []
        try:
            return [other for other, _ in self.proximity.neighbours(id)]
        except NotFound:
            return []

    def _ask(self, pair: tuple[str, str]) -> float:
        similarity = 0.0
        if self.proximity is not None:
            with suppress(NotFound):
                similarity = max(0.0, min(1.0, self.proximity.similarity(*pair)))
        self._similarity[pair] = similarity
        return similarity
