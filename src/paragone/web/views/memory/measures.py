"""The measures of success, with their course; and how the ratings that are highest came to be so."""

from dataclasses import replace

from paragone.domain.content import ContentKind
from paragone.errors import Busy
from paragone.memory.report.metrics import Metric, Metrics, measure
from paragone.web.books.library import Made
from paragone.web.books.remembered import Remembered
from paragone.web.views.memory.census import census, instant
from paragone.wire.memory import MeasurePoint, MemoryMeasure, MemoryMeasures, RatingHistories, RatingHistory, RatingStep


def measures(memory: Remembered) -> MemoryMeasures:
    """The measures of success, as things stand or stood a moment ago.

    Raises:
        Busy: If they are being computed for the first time, and take long.
    """
    made, is_pending = newest_measures(memory, memory.patience)
    if made is None:
        raise Busy("the measures are being computed: ask again in a moment")
    return replace(made, pending=is_pending)


def newest_measures(memory: Remembered, patience: float) -> tuple[MemoryMeasures | None, bool]:
    """The newest measures that there are, and whether newer ones are being computed."""
    made, is_pending = memory.newest(
        "measures", lambda parts: measure(parts.store, parts.index, parts.scores), patience
    )
    return None if made is None else _all(made, is_pending=is_pending), is_pending


def histories(memory: Remembered) -> RatingHistories:
    """How those used files that are rated highest came to be so.

    Raises:
        Busy: If it is being read for the first time, and takes long.
    """
    made = census(memory, ContentKind.FILE)
    rows = [
        RatingHistory(
            id=one.content.id,
            steps=[RatingStep(at=instant(move.time), elo=move.new, reason=move.reason) for move in moves],
        )
        for one, moves in made.value.histories
        if moves
    ]
    return RatingHistories(version=made.version, histories=rows)


def _all(made: Made[Metrics], *, is_pending: bool) -> MemoryMeasures:
    return MemoryMeasures(
        at=instant(made.value.as_of),
        version=made.version,
        sessions=made.value.sessions,
        measures=[_one(one) for one in made.value.metrics],
        pending=is_pending,
    )


def _one(one: Metric) -> MemoryMeasure:
    return MemoryMeasure(
        name=one.name,
        value=one.value,
        target=one.target,
        met=one.met,
        evidence=one.evidence,
        counted=one.counted,
        note=one.note,
        series=[MeasurePoint(at=instant(at.time), value=at.value, evidence=at.evidence) for at in one.series],
    )
