"""Who beat whom as values: the best against each other, and the circles among all."""

from collections.abc import Sequence

import numpy as np

from paragone.analysis.figures.meetings import MOST, records
from paragone.analysis.head_to_head import Record
from paragone.analysis.quality.cycles import Cycle, Tangles, tangles
from paragone.domain import Match
from paragone.tournaments.results.quality import prediction
from paragone.tournaments.state import State
from paragone.tournaments.state.comparisons import counted_matches
from paragone.web.books.library import Library
from paragone.web.views.board_values import RowView, Wanted
from paragone.web.views.boards import board
from paragone.web.views.small import is_small
from paragone.web.views.values import Known, View, Words

PATIENCE = 3.0
LATEST = 500
"""Matches of each item that are counted in pools that are no tournament or too large to be read whole."""


class CellView(View):
    """How one item fared against another.

    Attributes:
        wins: Matches won.
        draws: Matches drawn.
        losses: Matches lost.
        share: Points won, a draw being a half, of those there were.
    """

    wins: int
    draws: int
    losses: int
    share: float


class BeatView(View):
    """One item that won more of its matches against another than it lost.

    Attributes:
        winner: Its id.
        loser: The other's.
        matches: Ids of the matches between them.
        chance: Probability that the winner is preferred, by the strengths alone.
    """

    winner: Words
    loser: Words
    matches: list[Words]
    chance: Known


class CycleView(View):
    """Items of whom each beat the next, and the last the first.

    Attributes:
        items: Their ids.
        beats: Who beat whom, the least likely of them last.
    """

    items: list[Words]
    beats: list[BeatView]


class CompareView(View):
    """The best items against each other.

    Attributes:
        pool: Id of the pool.
        items: The items, best first.
        cells: For each of them against each of them what came of it; None where they never met.
        latest: Whether only the latest matches of each item were counted.
        pending: Whether newer circles are being looked for: ask again.
        cycles: Circles among all items, the shortest first; none of a pool that is too large.
        complete: Whether these are all there are.
        parts: Sizes of the parts within which everybody has beaten everybody by way of others.
    """

    pool: Words
    items: list[RowView]
    cells: list[list[CellView | None]]
    latest: bool
    pending: bool
    cycles: list[CycleView]
    complete: bool
    parts: list[int]


def compare(library: Library, pool: str, count: int = 16) -> CompareView:
    """The first so many items of the board against each other, and the circles among all.

    Raises:
        NotFound: If there is no such pool.
    """
    rows = board(library, pool, Wanted(limit=min(count, MOST))).rows
    ids, small = [row.id for row in rows], is_small(library, pool)
    met = records(_between(library.state(pool), ids) if small else _latest(library, pool, ids), ids)
    found, pending = None, False
    if small:
        made, pending = library.newest("cycles", pool, lambda: _tangles(library, pool), PATIENCE)
        found = None if made is None else made.value
    return CompareView(
        pool=pool,
        items=rows,
        cells=[[_cell(met.get((one, other))) for other in ids] for one in ids],
        latest=not small,
        pending=pending,
        cycles=[] if found is None else [_cycle(ring) for ring in found.cycles],
        complete=found is not None and found.complete,
        parts=[] if found is None else list(found.parts),
    )


def _between(state: State, ids: Sequence[str]) -> list[Match]:
    """The matches that stand between two of some items, and those among several."""
    played, known = state.played, [state.played.items.known(id) for id in ids]
    numbers = [number for number in known if number is not None]
    chosen = np.isin(played.played.column("a"), numbers) & np.isin(played.played.column("b"), numbers)
    chosen[list(played.list_matches)] = True
    return [played[place] for place in np.flatnonzero(chosen & counted_matches(played, state.rolled_back)).tolist()]


def _latest(library: Library, pool: str, ids: Sequence[str]) -> list[Match]:
    found = {
        recorded.match.id: recorded.match
        for item in ids
        for recorded in library.ledger.matches_before(pool, None, LATEST, item)
        if not recorded.rolled_back
    }
    return list(found.values())


def _tangles(library: Library, pool: str) -> Tangles | None:
    state = library.state(pool)
    if not state.has_evidence:
        return None
    predicted = prediction(state)
    rng = np.random.default_rng([state.settings.seed, len(predicted.contests)])
    return tangles(predicted.contests, rng, predicted.strength)


def _cell(record: Record | None) -> CellView | None:
    if record is None:
        return None
    return CellView(wins=record.wins, draws=record.draws, losses=record.losses, share=record.share)


def _cycle(ring: Cycle) -> CycleView:
    beats = [
        BeatView(winner=beat.winner, loser=beat.loser, matches=list(beat.matches), chance=beat.chance)
        for beat in ring.beats
    ]
    return CycleView(items=list(ring.items), beats=beats)
