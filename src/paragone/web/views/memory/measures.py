"""The measures of success, with their course; and how the ratings that are highest came to be so."""

from datetime import datetime

from paragone.domain.content import ContentKind
from paragone.errors import Busy
from paragone.memory.report.metrics import Metric, Metrics, measure
from paragone.web.readers.ledger_reader import Made
from paragone.web.readers.memory_reader import Remembered
from paragone.web.views.memory.census import census, instant
from paragone.web.views.values import View, Words


class MeasurePointView(View):
    """A measure at some time.

    Attributes:
        at: When its first session began.
        value: The share, from 0 to 1.
        evidence: How much it rests on.
    """

    at: datetime
    value: float
    evidence: int


class MemoryMeasureView(View):
    """A measure.

    Attributes:
        name: Which.
        value: The share; None where there is nothing to measure yet.
        target: What it should come to; None where none is named.
        met: Whether it does; None where that cannot be said yet.
        evidence: How much it rests on.
        counted: What evidence counts.
        note: What to know of it.
        series: By week.
    """

    name: str
    value: float | None
    target: float | None
    met: bool | None
    evidence: int
    counted: str
    note: Words
    series: list[MeasurePointView]


class MemoryMeasuresView(View):
    """All measures.

    Attributes:
        at: As of when.
        version: Of the store, or a newer one.
        sessions: How many sessions the logs have.
        measures: Each.
        pending: Whether newer ones are being computed.
    """

    at: datetime
    version: int
    sessions: int
    measures: list[MemoryMeasureView]
    pending: bool


class CourseStepView(View):
    """A move of a rating.

    Attributes:
        at: When.
        elo: The rating after it, in Elo points.
        reason: Why, such as ``file_read``.
    """

    at: datetime
    elo: float
    reason: str


class CourseView(View):
    """How a file came to its rating.

    Attributes:
        id: Its path.
        steps: The moves of its rating, the oldest first.
    """

    id: Words
    steps: list[CourseStepView]


class CoursesView(View):
    """How those used files that are rated highest came to be so.

    Attributes:
        version: Of the store, or a newer one.
        courses: Each, the highest first.
    """

    version: int
    courses: list[CourseView]


def measures(memory: Remembered) -> MemoryMeasuresView:
    """The measures of success, as things stand or stood a moment ago.

    Raises:
        Busy: If they are being computed for the first time, and take long.
    """
    made, is_pending = newest_measures(memory, memory.patience)
    if made is None:
        raise Busy("the measures are being computed: ask again in a moment")
    return made.model_copy(update={"pending": is_pending})


def newest_measures(memory: Remembered, patience: float) -> tuple[MemoryMeasuresView | None, bool]:
    """The newest measures that there are, and whether newer ones are being computed."""
    made, is_pending = memory.newest(
        "measures", lambda parts: measure(parts.store, parts.index, parts.scores), patience
    )
    return None if made is None else _all(made, is_pending=is_pending), is_pending


def courses(memory: Remembered) -> CoursesView:
    """How those used files that are rated highest came to be so.

    Raises:
        Busy: If it is being read for the first time, and takes long.
    """
    made = census(memory, ContentKind.FILE)
    found = [
        CourseView(
            id=one.content.id,
            steps=[CourseStepView(at=instant(move.time), elo=move.new, reason=move.reason) for move in moves],
        )
        for one, moves in made.value.histories
        if moves
    ]
    return CoursesView(version=made.version, courses=found)


def _all(made: Made[Metrics], *, is_pending: bool) -> MemoryMeasuresView:
    return MemoryMeasuresView(
        at=instant(made.value.as_of),
        version=made.version,
        sessions=made.value.sessions,
        measures=[_one(one) for one in made.value.metrics],
        pending=is_pending,
    )


def _one(one: Metric) -> MemoryMeasureView:
    return MemoryMeasureView(
        name=one.name,
        value=one.value,
        target=one.target,
        met=one.met,
        evidence=one.evidence,
        counted=one.counted,
        note=one.note,
        series=[MeasurePointView(at=instant(at.time), value=at.value, evidence=at.evidence) for at in one.series],
    )
