"""The measures of success, with their course; and how the ratings that are highest came to be so."""

from dataclasses import replace

from paragone.domain.content import ContentKind
from paragone.errors import Busy
from paragone.memory.report.metrics import measure
from paragone.memory.store.lines import instant
from paragone.web.readers.memory_reader import MemoryReader
from paragone.web.views.memory.census import census
from paragone.wire.memory import MemoryMeasures, RatingHistories, RatingHistory, RatingStep
from paragone.wire.value import shallow


def measures(memory: MemoryReader) -> MemoryMeasures:
    """The measures of success, as things stand or stood a moment ago.

    Raises:
        Busy: If they are being computed for the first time, and take long.
    """
    newest, is_pending = newest_measures(memory, memory.patience)
    if newest is None:
        raise Busy("the measures are being computed: ask again in a moment")
    return replace(newest, pending=is_pending)


def newest_measures(memory: MemoryReader, patience: float) -> tuple[MemoryMeasures | None, bool]:
    """The newest measures that there are, and whether newer ones are being computed."""
    snapshot, is_pending = memory.newest(
        "measures", lambda parts: measure(parts.store, parts.index, parts.scores), patience
    )
    if snapshot is None:
        return None, is_pending
    return MemoryMeasures(**shallow(snapshot.value), version=snapshot.version, pending=is_pending), is_pending


def histories(memory: MemoryReader) -> RatingHistories:
    """How those used files that are rated highest came to be so.

    Raises:
        Busy: If it is being read for the first time, and takes long.
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
