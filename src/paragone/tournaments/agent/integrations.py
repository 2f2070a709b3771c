"""What plugs into a Ranking Agent (T21). Each is small, and each may be left out.

Source: document R, "Integration Patterns".
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from paragone.domain import Item, Review
from paragone.domain.records import EloUpdate, PatternAnalysis, ResourceMetrics
from paragone.tournaments.state.proximity import Proximity


class Supervisor(Protocol):
    """Whoever gives the tasks; told of what comes of them.

    What it is told may be told again after a crash: the ledger has everything once, messages are sent at least once.
    """

    async def ranking_updated(self, updates: Sequence[EloUpdate]) -> None:
        """Ratings have moved: the changes of a round, in the order of record."""
        ...

    async def resources_needed(self, task: str, needed: ResourceMetrics) -> None:
        """What the round of a task is going to take at the most; it begins once this returns."""
        ...

    async def prioritized(self, hypothesis_ids: Sequence[str]) -> None:
        """The hypotheses from the best to the last, as things stand."""
        ...


class ProximityProvider(Protocol):
    """Knows which hypotheses are alike: the Proximity Agent."""

    async def graph(self, hypotheses: Sequence[Item]) -> Proximity:
        """The similarity of these hypotheses; asked again when there are new ones."""
        ...


class ReviewProvider(Protocol):
    """Has reviews: the Reflection Agent."""

    async def reviews(self, hypotheses: Sequence[Item]) -> Sequence[Review]:
        """The reviews of these hypotheses; none of one that nobody has reviewed."""
        ...


class MetaReviewConsumer(Protocol):
    """Learns from what wins and what loses: the Meta-review Agent."""

    async def patterns(self, analysis: PatternAnalysis) -> str | None:
        """Take in an analysis; its confidence says how far to trust it. The same one may be told again after a crash.

        Returns:
            Insights about what makes a hypothesis good, in words, where there are any: they are kept with the
            tournament and shown in its report. Untrusted.
        """
        ...


@dataclass(frozen=True, kw_only=True, slots=True)
class Integrations:
    """Whoever is plugged in; None where nobody is."""

    supervisor: Supervisor | None = None
    proximity: ProximityProvider | None = None
    reviews: ReviewProvider | None = None
    meta_review: MetaReviewConsumer | None = None
