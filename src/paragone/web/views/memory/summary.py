"""The memory at a glance: how much there is of what, tiers, quadrants, and the measures of success."""

from collections import Counter
from dataclasses import dataclass

from paragone.analysis.content import MEANINGS, sizes
from paragone.domain.content import ContentKind, ContentTier, Quadrant
from paragone.errors import Failure
from paragone.memory.report.dashboard import ORDER
from paragone.memory.store.lines import instant, moment
from paragone.web.readers.memory_reader import MemoryReader
from paragone.web.views.memory.census import Census, census, newest_census
from paragone.web.views.memory.measures import newest_measures
from paragone.wire.memory import ContentCount, Memory, QuadrantCount, TierCount

GLANCE = 0.5
"""Seconds that the summary waits for measures that are being made."""


def summary(memory: MemoryReader) -> Memory:
    """The memory at a glance.

    Raises:
        Busy: If it is being read for the first time, and takes long.
    """
    snapshot = census(memory, ContentKind.FILE)
    measured, is_measuring = newest_measures(memory, GLANCE)
    content, files = snapshot.value, snapshot.value.pool
    return Memory(
        name=memory.name,
        version=snapshot.version,
        at=instant(content.at),
        indexed=moment(content.indexed),
        rank_by=content.rank_by,
        mode=content.mode,
        files=len(files.ratings),
        used=files.used,
        unknown=files.unknown,
        kinds=[ContentCount(kind=kind, count=content.sizes[kind]) for kind in ORDER if kind in content.sizes],
        tiers=tiers(content),
        quadrants=quadrants(content),
        often=content.often,
        echo_chambers=files.loud,
        archived=content.archived,
        measures=None if measured is None else measured.measures,
        pending=is_measuring or snapshot.version < memory.version(),
    )


@dataclass(frozen=True, kw_only=True, slots=True)
class MemoryOverview:
    """What the overview says of the memory.

    Attributes:
        name: Name of the folder; empty where the store does not answer.
        files: How many files there are; None where that is not known yet.
        used: How many of them were ever used.
        echo_chambers: Files of a low R that are rated high and used.
    """

    name: str
    files: int | None = None
    used: int = 0
    echo_chambers: int = 0


def glance(memory: MemoryReader) -> MemoryOverview:
    """What the overview says of the memory, without waiting for it."""
    try:
        snapshot = newest_census(memory, ContentKind.FILE, GLANCE)
    except Failure:
        return MemoryOverview(name="")
    if snapshot is None:
        return MemoryOverview(name=memory.name)
    files = snapshot.value.pool
    return MemoryOverview(name=memory.name, files=len(files.ratings), used=files.used, echo_chambers=files.loud)


def tiers(content: Census) -> list[TierCount]:
    """Content by tier and quadrant."""
    counts = {tier: Counter[Quadrant]() for tier in ContentTier}
    for rating, where in zip(content.pool.ratings, content.pool.quadrants, strict=True):
        counts[rating.tier][where] += 1
    return [TierCount(tier=tier, count=own.total(), quadrants=dict(own)) for tier, own in counts.items()]


def quadrants(content: Census) -> list[QuadrantCount]:
    """How much there is of each quadrant, in document M's order and words."""
    counts = sizes(content.pool.quadrants)
    return [
        QuadrantCount(
            quadrant=name,
            count=counts[name],
            signals=meaning.signals,
            interpretation=meaning.interpretation,
            action=meaning.action,
        )
        for name, meaning in MEANINGS.items()
    ]
