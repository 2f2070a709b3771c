"""R against Elo, and the echo chambers among what is used: as values."""

from collections.abc import Iterator

from paragone.analysis.content import EchoChamber
from paragone.domain.content import ContentKind, TruthSource
from paragone.domain.text import counted
from paragone.memory.store.lines import instant
from paragone.presenting.figures import sampled
from paragone.web.readers.memory_reader import MemoryReader
from paragone.web.views.memory.census import Census, census
from paragone.web.views.memory.summary import quadrants
from paragone.wire import memory as wire_memory
from paragone.wire.memory import EchoChambers, QuadrantDot, Quadrants

USERS = 20
"""Users of an echo chamber that are named, those with the most uses."""


def quadrants_of(memory: MemoryReader, kind: ContentKind) -> Quadrants:
    """All content of a kind by R and Elo.

    Raises:
        Busy: If it is being read for the first time, and takes long.
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
        Busy: If it is being read for the first time, and takes long.
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
    usage = chamber.course
    most = sorted(usage.users.items(), key=lambda entry: (-entry[1], entry[0]))[:USERS]
    return wire_memory.EchoChamber(
        id=usage.content.id,
        path=usage.content.path,
        elo=usage.rating,
        r=usage.r,
        uses=usage.uses,
        share=chamber.share,
        users=dict(most),
        top_user=chamber.top_user,
        top_share=chamber.top_share,
        shown=usage.shown,
        queries=usage.queries,
        gained=usage.gained,
        searched=chamber.searched,
        repeated=chamber.repeated,
        why=list(chamber.why),
    )
