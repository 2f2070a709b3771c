"""The best items against each other, and cycles among all."""

from collections.abc import Sequence

import numpy as np

from paragone.analysis.quality.cycles import tangles
from paragone.domain import Match
from paragone.domain.records import WinLossRecord
from paragone.presenting.figures.relations import MOST, records
from paragone.tournaments.results.quality import prediction
from paragone.tournaments.state import State
from paragone.tournaments.state.comparisons import counted_matches
from paragone.web.readers.ledger_reader import LedgerReader
from paragone.web.views.boards import BoardQuery, board
from paragone.wire.consistency import Cycles
from paragone.wire.head_to_head import HeadToHead, HeadToHeadCell

PATIENCE = 3.0
LATEST = 500
"""Latest matches of each item that count in pools that are no tournament or too large to be read whole."""


def compare(reader: LedgerReader, pool: str, count: int = 16) -> HeadToHead:
    """The first items of the board against each other, and the cycles among all.

    Raises:
        NotFound: If there is no such pool.
    """
    rows = board(reader, pool, BoardQuery(limit=min(count, MOST))).rows
    ids, small = [row.id for row in rows], reader.is_small(pool)
    meetings = records(_between(reader.state(pool), ids) if small else _latest(reader, pool, ids), ids)
    circles, pending = None, False
    if small:
        snapshot, pending = reader.newest("cycles", pool, lambda: _tangles(reader, pool), PATIENCE)
        circles = None if snapshot is None else snapshot.value
    return HeadToHead(
        pool=pool,
        items=rows,
        cells=[[_cell(meetings.get((item, other))) for other in ids] for item in ids],
        latest=not small,
        pending=pending,
        cycles=[] if circles is None else list(circles.cycles),
        complete=circles is not None and circles.complete,
        parts=[] if circles is None else list(circles.parts),
    )


def _between(state: State, ids: Sequence[str]) -> list[Match]:
    """The matches that stand between two of some items, and those of several."""
    played, numbers_of_ids = state.played, [state.played.items.known(id) for id in ids]
    numbers = [number for number in numbers_of_ids if number is not None]
    chosen = np.isin(played.played.column("a"), numbers) & np.isin(played.played.column("b"), numbers)
    chosen[list(played.list_matches)] = True
    return [played[index] for index in np.flatnonzero(chosen & counted_matches(played, state.rolled_back)).tolist()]


def _latest(reader: LedgerReader, pool: str, ids: Sequence[str]) -> list[Match]:
    matches = {
        recorded.match.id: recorded.match
        for item in ids
        for recorded in reader.ledger.matches.before(pool, None, LATEST, item)
        if not recorded.rolled_back
    }
    return list(matches.values())


def _tangles(reader: LedgerReader, pool: str) -> Cycles | None:
    state = reader.state(pool)
    if not state.has_evidence:
        return None
    predicted = prediction(state)
    rng = np.random.default_rng([state.settings.seed, len(predicted.contests)])
    return tangles(predicted.contests, rng, predicted.strength)


def _cell(record: WinLossRecord | None) -> HeadToHeadCell | None:
    if record is None:
        return None
    return HeadToHeadCell(wins=record.wins, draws=record.draws, losses=record.losses, share=record.share)
