"""Who met whom among those who may play, as the course of the tournament has it."""

from array import array
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from paragone.pairing.least_met import Meetings
from paragone.pairing.weighted import Flags, Ints
from paragone.tournaments.planning.weighted.situation import Situation
from paragone.tournaments.planning.weighted.turns import are_debates
from paragone.tournaments.state.opponents import OTHER_FIRST, OWN_FIRST


def met_by(now: Situation, who: Ints) -> Meetings:
    """Whom some items met, of those who may play.

    Args:
        now: Who may play.
        who: Places of the items.
    """
    rows = [now.course.opponents_of(now.ids[place]) for place in who.tolist()]
    place = np.array([now.place.get(id, -1) for id in now.course.items.texts], dtype=np.int64)
    item = np.repeat(who, [len(row) for row in rows])
    other = place[_joined([row.who for row in rows], np.int32)] if place.size else item
    here = other >= 0
    item, other = item[here], other[here]
    times, marks = (_joined([row.times for row in rows], np.int32), _joined([row.said for row in rows], np.uint8))
    return Meetings(
        item=item, other=other, times=times[here].astype(np.int64), spent=_spent(now, item, other, marks[here])
    )


def _spent(now: Situation, item: Ints, other: Ints, marks: NDArray[np.uint8]) -> Flags:
    """Pairs that would be answered from earlier verdicts in either order, so that playing them would tell nothing."""
    either = np.array([own | their for own, their in zip(OWN_FIRST, OTHER_FIRST, strict=True)], dtype=np.uint8)
    debates = np.zeros(item.size, dtype=np.int64)
    if now.debates:
        rating = now.field.rating
        debates[:] = are_debates(rating[item], rating[other], now.system)
    wanted = either[debates]
    return np.asarray(marks & wanted == wanted)


def _joined(columns: Sequence["array[Any]"], kind: type[np.generic]) -> NDArray[Any]:
    return np.concatenate([np.frombuffer(column, dtype=kind) for column in columns if column] or [np.zeros(0, kind)])
