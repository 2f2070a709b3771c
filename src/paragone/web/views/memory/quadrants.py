"""R against Elo, and the echo chambers among what is used: as values."""

from collections.abc import Iterator

from paragone.analysis.content import EchoChamber
from paragone.analysis.figures import sampled
from paragone.domain.content import ContentKind, TruthSource
from paragone.domain.text import counted
from paragone.web.books.remembered import Remembered
from paragone.web.views.memory.census import Census, census, instant
from paragone.web.views.memory.summary import quadrants
from paragone.wire import memory as wire_memory
from paragone.wire.memory import EchoChambers, QuadrantDot, Quadrants

USERS = 20
"""Users of an echo chamber that are named, those with the most uses."""


def quadrants_of(memory: Remembered, kind: ContentKind) -> Quadrants:
    """All content of a kind by R and Elo.

    Raises:
        Busy: If it is being read for the first time, and takes long.
    """
    made = census(memory, kind)
    dots = sampled(list(_dots(made.value)))
    return Quadrants(
        version=made.version,
        at=instant(made.value.at),
        kind=kind,
        total=len(made.value.pool.ratings),
        often=made.value.often,
        quadrants=quadrants(made.value),
        dots=dots,
    )


def echoes_of(memory: Remembered, kind: ContentKind) -> EchoChambers:
    """The echo chambers of a kind.

    Raises:
        Busy: If it is being read for the first time, and takes long.
    """
    made = census(memory, kind)
    return EchoChambers(
        version=made.version,
        at=instant(made.value.at),
        kind=kind,
        total=made.value.pool.loud,
        chambers=[_chamber(one) for one in made.value.pool.echoes],
    )


def _dots(found: Census) -> Iterator[QuadrantDot]:
    for one, where in zip(found.pool.ratings, found.pool.quadrants, strict=True):
        yield QuadrantDot(
            id=one.content.id,
            quadrant=where,
            elo=one.elo,
            need=one.need,
            r=one.r,
            threshold=found.thresholds[one.r_source or TruthSource.SUPPLIED],
            note=f"used {counted(one.uses, 'time')}" if one.uses else "never used",
        )


def _chamber(one: EchoChamber) -> wire_memory.EchoChamber:
    course = one.course
    most = sorted(course.users.items(), key=lambda entry: (-entry[1], entry[0]))[:USERS]
    return wire_memory.EchoChamber(
        id=course.content.id,
        path=course.content.path,
        elo=course.rating,
        r=course.r,
        uses=course.uses,
        share=one.share,
        users=dict(most),
        top_user=one.top_user,
        top_share=one.top_share,
        shown=course.shown,
        queries=course.queries,
        gained=course.gained,
        searched=one.searched,
        repeated=one.repeated,
        why=list(one.why),
    )
