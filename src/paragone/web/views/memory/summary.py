"""The memory at a glance: counts, tiers, quadrants, echo chambers and measures of success."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace

from paragone.analysis.content import MEANINGS, EchoChamber, sizes
from paragone.domain.content import ContentKind, ContentTier, Quadrant, TruthSource
from paragone.domain.text import counted
from paragone.errors import Busy, Failure
from paragone.memory.dashboard import ORDER
from paragone.memory.metrics import measure
from paragone.memory.store.lines import instant, moment
from paragone.presenting.figures import sampled
from paragone.web.readers.memory_reader import MemoryReader
from paragone.web.views.memory.board import Census, census, newest_census
from paragone.wire import memory as wire_memory
from paragone.wire.memory import (
    ContentCount,
    EchoChambers,
    Memory,
    MemoryMeasures,
    QuadrantCount,
    QuadrantDot,
    Quadrants,
    RatingHistories,
    RatingHistory,
    RatingStep,
    TierCount,
)


def measures(memory: MemoryReader) -> MemoryMeasures:
    """The measures of success, as they are now or were a moment ago.

    Raises:
        Busy: If they are being computed for the first time, which takes long.
    """
    newest, is_pending = newest_measures(memory, memory.patience)
    if newest is None:
        raise Busy("the measures are being computed: ask again in a moment")
    return replace(newest, pending=is_pending)


def newest_measures(memory: MemoryReader, patience: float) -> tuple[MemoryMeasures | None, bool]:
    """The newest measures, and whether newer ones are being computed."""
    snapshot, is_pending = memory.newest(
        "measures", lambda parts: measure(parts.store, parts.index, parts.scores), patience
    )
    if snapshot is None:
        return None, is_pending
    return MemoryMeasures.like(snapshot.value, version=snapshot.version, pending=is_pending), is_pending


def histories(memory: MemoryReader) -> RatingHistories:
    """Rating histories of the highest rated files that were used.

    Raises:
        Busy: If it is being read for the first time, which takes long.
    """
    snapshot = census(memory, ContentKind.FILE)
    rows = [
        RatingHistory(
            id=rating.content.id,
            steps=[RatingStep(at=instant(move.time), elo=move.new, reason=move.reason) for move in moves],
        )
        for rating, moves in snapshot.value.histories
        if moves
    ]
    return RatingHistories(version=snapshot.version, histories=rows)


GLANCE = 0.5
"""Seconds that the summary waits for measures that are being made."""


def summary(memory: MemoryReader) -> Memory:
    """The memory at a glance.

    Raises:
        Busy: If it is being read for the first time, which takes long.
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
    """The memory for the overview.

    Attributes:
        name: Name of the folder; empty if the store does not answer.
        files: Number of files; None if not known yet.
        used: Number of those that were ever used.
        echo_chambers: Files of a low R that are rated high and used.
    """

    name: str
    files: int | None = None
    used: int = 0
    echo_chambers: int = 0


def glance(memory: MemoryReader) -> MemoryOverview:
    """The memory for the overview, without waiting for it."""
    try:
        snapshot = newest_census(memory, ContentKind.FILE, GLANCE)
    except Failure:
        return MemoryOverview(name="")
    if snapshot is None:
        return MemoryOverview(name=memory.name)
    files = snapshot.value.pool
    return MemoryOverview(name=memory.name, files=len(files.ratings), used=files.used, echo_chambers=files.loud)


def tiers(content: Census) -> list[TierCount]:
    """Content by the tier of its Elo, and quadrant."""
    counts = {tier: Counter[Quadrant]() for tier in ContentTier}
    for rating, where in zip(content.pool.ratings, content.pool.quadrants, strict=True):
        counts[rating.elo_tier][where] += 1
    return [TierCount(tier=tier, count=own.total(), quadrants=dict(own)) for tier, own in counts.items()]


def quadrants(content: Census) -> list[QuadrantCount]:
    """Number of pieces in each quadrant, in the memory specification's order and words."""
    counts = sizes(content.pool.quadrants)
    return [QuadrantCount.like(meaning, quadrant=name, count=counts[name]) for name, meaning in MEANINGS.items()]


USERS = 20
"""Maximum users listed for an echo chamber, the most uses first."""


def quadrants_of(memory: MemoryReader, kind: ContentKind) -> Quadrants:
    """All content of a kind by R and Elo.

    Raises:
        Busy: If it is being read for the first time, which takes long.
    """
    snapshot = census(memory, kind)
    dots = sampled(list(_dots(snapshot.value)))
    return Quadrants(
        version=snapshot.version,
        at=instant(snapshot.value.at),
        kind=kind,
        total=len(snapshot.value.pool.ratings),
        often=snapshot.value.often,
        quadrants=quadrants(snapshot.value),
        dots=dots,
    )


def echoes_of(memory: MemoryReader, kind: ContentKind) -> EchoChambers:
    """The echo chambers of a kind.

    Raises:
        Busy: If it is being read for the first time, which takes long.
    """
    snapshot = census(memory, kind)
    return EchoChambers(
        version=snapshot.version,
        at=instant(snapshot.value.at),
        kind=kind,
        total=snapshot.value.pool.loud,
        chambers=[_chamber(chamber) for chamber in snapshot.value.pool.echoes],
    )


def _dots(content: Census) -> Iterator[QuadrantDot]:
    for rating, where in zip(content.pool.ratings, content.pool.quadrants, strict=True):
        yield QuadrantDot(
            id=rating.content.id,
            quadrant=where,
            elo=rating.elo,
            need=rating.need,
            r=rating.r,
            threshold=content.thresholds[rating.r_source or TruthSource.SUPPLIED],
            note=f"used {counted(rating.uses, 'time')}" if rating.uses else "never used",
        )


def _chamber(chamber: EchoChamber) -> wire_memory.EchoChamber:
    usage = chamber.usage
    users = sorted(usage.users.items(), key=lambda entry: (-entry[1], entry[0]))[:USERS]
    return wire_memory.EchoChamber.like(
        chamber,
        id=usage.content.id,
        path=usage.content.path,
        elo=usage.rating,
        r=usage.r,
        uses=usage.uses,
        users=dict(users),
        shown=usage.shown,
        queries=usage.queries,
        gained=usage.gained,
    )
