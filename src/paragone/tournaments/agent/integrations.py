"""Protocols of the agents that a Ranking Agent works with (T21). Each is optional.

Source: document R, "Integration Patterns".
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from paragone.domain import Item, Review
from paragone.domain.records import EloUpdate, PatternAnalysis, ResourceMetrics
from paragone.tournaments.proximity import ProximityProvider


class Supervisor(Protocol):
    """Gives the tasks, and is told of their results.

    Messages are sent at least once: after a crash the same may come again. The ledger has everything once.
    """

    async def ranking_updated(self, updates: Sequence[EloUpdate]) -> None:
        """Ratings have changed: the changes of a round, in the order of record."""
        ...

    async def resources_needed(self, task: str, needed: ResourceMetrics) -> None:
        """The maximum cost of the round of a task, which begins once this returns."""
        ...

    async def prioritized(self, hypothesis_ids: Sequence[str]) -> None:
        """The present ranking, the best hypothesis first."""
        ...


class ReviewProvider(Protocol):
    """Provides reviews: the Reflection Agent."""

    async def reviews(self, hypotheses: Sequence[Item]) -> Sequence[Review]:
        """The reviews of some hypotheses, where there are any."""
        ...


class MetaReviewConsumer(Protocol):
    """Learns from what wins and what loses: the Meta-review Agent."""

    async def patterns(self, analysis: PatternAnalysis) -> str | None:
        """Take an analysis; its confidence says how far to trust it. After a crash the same may come again.

        Returns:
            Insights about what makes a hypothesis good, if any, in words. They are recorded with the tournament and
            shown in its report. Untrusted.
        """
        ...


@dataclass(frozen=True, kw_only=True, slots=True)
class Integrations:
    """The agents that are connected."""

    supervisor: Supervisor | None = None
    proximity: ProximityProvider | None = None
    reviews: ReviewProvider | None = None
    meta_review: MetaReviewConsumer | None = None
