"""The memory at a glance: how much there is of what, tiers, quadrants, and the measures of success."""

from collections import Counter
from datetime import datetime

from paragone.analysis.content import MEANINGS, Quadrant, sizes
from paragone.domain.content import ContentKind, ContentTier
from paragone.errors import Failure
from paragone.memory.report.dashboard import ORDER
from paragone.web.readers.memory_reader import Remembered
from paragone.web.views.memory.census import Census, census, instant, moment, newest_census
from paragone.web.views.memory.measures import MemoryMeasureView, newest_measures
from paragone.web.views.values import View, Words

GLANCE = 0.5
"""Seconds that the summary waits for measures that are being made."""


class MemoryKindView(View):
    """How much of a kind the index holds.

    Attributes:
        kind: Which.
        count: How much.
    """

    kind: ContentKind
    count: int


class MemoryTierView(View):
    """A tier of files, by the rating that counts.

    Attributes:
        tier: Which.
        count: How many files.
        quadrants: How many of each quadrant.
    """

    tier: ContentTier
    count: int
    quadrants: dict[Quadrant, int]


class QuadrantView(View):
    """What is of one kind by R and Elo.

    Attributes:
        quadrant: What it is called.
        count: How many pieces.
        signals: High or low R and Elo.
        interpretation: What that says.
        action: What to do.
    """

    quadrant: Quadrant
    count: int
    signals: str
    interpretation: str
    action: str


class MemoryView(View):
    """What is remembered.

    Attributes:
        name: Name of the folder.
        version: Grows with whatever is written to the store.
        at: As of when: ratings fade with time.
        indexed: When the index was brought up to date last; None where nothing is indexed.
        rank_by: Which rating counts, ``elo`` or ``need``.
        mode: What orders the results of a search: ``relevance``, ``bounded`` or ``document``.
        files: How many files there are.
        used: How many of them were ever used.
        unknown: How many have no R.
        kinds: How much of each kind the index holds.
        tiers: Files by tier, the highest first.
        quadrants: Files by R and Elo.
        often: Elo above which a rating is high there.
        echo_chambers: Files of a low R that are rated high and used.
        archived: Files that were pruned.
        measures: The measures of success; None while they are being computed.
        pending: Whether something of this is being made anew.
    """

    name: Words
    version: int
    at: datetime
    indexed: datetime | None
    rank_by: str
    mode: str
    files: int
    used: int
    unknown: int
    kinds: list[MemoryKindView]
    tiers: list[MemoryTierView]
    quadrants: list[QuadrantView]
    often: float
    echo_chambers: int
    archived: int
    measures: list[MemoryMeasureView] | None
    pending: bool


def summary(memory: Remembered) -> MemoryView:
    """The memory at a glance.

    Raises:
        Busy: If it is being read for the first time, and takes long.
    """
    made = census(memory, ContentKind.FILE)
    measured, is_measuring = newest_measures(memory, GLANCE)
    found, files = made.value, made.value.pool
    return MemoryView(
        name=memory.name,
        version=made.version,
        at=instant(found.at),
        indexed=moment(found.indexed),
        rank_by=found.rank_by,
        mode=found.mode,
        files=len(files.ratings),
        used=files.used,
        unknown=files.unknown,
        kinds=[MemoryKindView(kind=kind, count=found.sizes[kind]) for kind in ORDER if kind in found.sizes],
        tiers=tiers(found),
        quadrants=quadrants(found),
        often=found.often,
        echo_chambers=files.loud,
        archived=found.archived,
        measures=None if measured is None else measured.measures,
        pending=is_measuring or made.version < memory.version(),
    )


class GlanceView(View):
    """What the overview says of the memory.

    Attributes:
        name: Name of the folder; empty where the store does not answer.
        files: How many files there are; None where that is not known yet.
        used: How many of them were ever used.
        echo_chambers: Files of a low R that are rated high and used.
    """

    name: Words
    files: int | None = None
    used: int = 0
    echo_chambers: int = 0


def glance(memory: Remembered) -> GlanceView:
    """What the overview says of the memory, without waiting for it."""
    try:
        made = newest_census(memory, ContentKind.FILE, GLANCE)
    except Failure:
        return GlanceView(name="")
    if made is None:
        return GlanceView(name=memory.name)
    files = made.value.pool
    return GlanceView(name=memory.name, files=len(files.ratings), used=files.used, echo_chambers=files.loud)


def tiers(found: Census) -> list[MemoryTierView]:
    """Content by tier and quadrant."""
    counts = {tier: Counter[Quadrant]() for tier in ContentTier}
    for one, where in zip(found.pool.ratings, found.pool.quadrants, strict=True):
        counts[one.tier][where] += 1
    return [MemoryTierView(tier=tier, count=own.total(), quadrants=dict(own)) for tier, own in counts.items()]


def quadrants(found: Census) -> list[QuadrantView]:
    """How much there is of each quadrant, in document M's order and words."""
    counts = sizes(found.pool.quadrants)
    return [
        QuadrantView(
            quadrant=one,
            count=counts[one],
            signals=meaning.signals,
            interpretation=meaning.interpretation,
            action=meaning.action,
        )
        for one, meaning in MEANINGS.items()
    ]
