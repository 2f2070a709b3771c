"""R against Elo, and the echo chambers among what is used: as values."""

from collections.abc import Iterator
from datetime import datetime

from paragone.analysis.content import EchoChamber, Quadrant
from paragone.analysis.figures import Dot, sampled
from paragone.domain.content import ContentKind, TruthSource
from paragone.domain.text import counted
from paragone.web.readers.memory_reader import Remembered
from paragone.web.views.memory.census import Census, census, instant
from paragone.web.views.memory.summary import QuadrantView, quadrants
from paragone.web.views.values import View, Words

USERS = 20
"""Users of an echo chamber that are named, those with the most uses."""


class DotView(View):
    """A piece of content, as it is drawn.

    Attributes:
        id: Its id.
        quadrant: What it is by R and Elo.
        elo: Its rating, faded since its last use.
        need: How likely it is to be used next.
        r: R; None where it is not known.
        threshold: R above which it is high.
        note: How often it was used, in words.
    """

    id: Words
    quadrant: Quadrant
    elo: float
    need: float
    r: float | None
    threshold: float
    note: str


class QuadrantsView(View):
    """All content of a kind by R and Elo.

    Attributes:
        version: Of the store, or a newer one.
        at: As of when.
        kind: Of which kind.
        total: How much there is.
        often: Elo above which a rating is high.
        quadrants: How much there is of each.
        dots: What is drawn: of more than 1,500 as many, evenly over the ratings of each quadrant.
    """

    version: int
    at: datetime
    kind: ContentKind
    total: int
    often: float
    quadrants: list[QuadrantView]
    dots: list[DotView]


class EchoView(View):
    """Content of a low R that is rated high and used, and why it is.

    Attributes:
        id: Its id.
        path: The file that it lies in.
        elo: Its rating in Elo points.
        r: Its R.
        uses: How often it was used.
        share: Share of all uses of its kind that are of it.
        users: Uses by who made them, those with the most.
        top_user: Who uses it most; empty where that is not known.
        top_share: Share of its uses that are that one's.
        shown: Searches that showed it.
        queries: Different queries among them.
        gained: Elo points that it gained in all.
        searched: Share of these that came by searches; None where it gained nothing.
        repeated: Share of those searches that had asked the same before; None where none showed it.
        why: The same in words.
    """

    id: Words
    path: Words
    elo: float
    r: float | None
    uses: int
    share: float
    users: dict[Words, int]
    top_user: Words
    top_share: float
    shown: int
    queries: int
    gained: float
    searched: float | None
    repeated: float | None
    why: list[Words]


class EchoesView(View):
    """The echo chambers of a kind.

    Attributes:
        version: Of the store, or a newer one.
        at: As of when.
        kind: Of which kind.
        total: How many there are; of more than 200 those with the most uses are listed.
        chambers: Each, that with the largest share of uses first.
    """

    version: int
    at: datetime
    kind: ContentKind
    total: int
    chambers: list[EchoView]


def quadrants_of(memory: Remembered, kind: ContentKind) -> QuadrantsView:
    """All content of a kind by R and Elo.

    Raises:
        Busy: If it is being read for the first time, and takes long.
    """
    made = census(memory, kind)
    dots = sampled(list(_dots(made.value)))
    return QuadrantsView(
        version=made.version,
        at=instant(made.value.at),
        kind=kind,
        total=len(made.value.pool.ratings),
        often=made.value.often,
        quadrants=quadrants(made.value),
        dots=[DotView(**{name: getattr(dot, name) for name in DotView.model_fields}) for dot in dots],
    )


def echoes_of(memory: Remembered, kind: ContentKind) -> EchoesView:
    """The echo chambers of a kind.

    Raises:
        Busy: If it is being read for the first time, and takes long.
    """
    made = census(memory, kind)
    return EchoesView(
        version=made.version,
        at=instant(made.value.at),
        kind=kind,
        total=made.value.pool.loud,
        chambers=[_chamber(one) for one in made.value.pool.echoes],
    )


def _dots(found: Census) -> Iterator[Dot]:
    for one, where in zip(found.pool.ratings, found.pool.quadrants, strict=True):
        yield Dot(
            id=one.content.id,
            quadrant=where,
            elo=one.elo,
            need=one.need,
            r=one.r,
            threshold=found.thresholds[one.r_source or TruthSource.SUPPLIED],
            note=f"used {counted(one.uses, 'time')}" if one.uses else "never used",
        )


def _chamber(one: EchoChamber) -> EchoView:
    course = one.course
    most = sorted(course.users.items(), key=lambda entry: (-entry[1], entry[0]))[:USERS]
    return EchoView(
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
