"""Boards by strength, sorted by any column, if that is quick, else by the running Elo; and items head to head."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from itertools import zip_longest
from typing import Any

import numpy as np

from paragone.analysis.quality.cycles import tangles
from paragone.analysis.quality.outliers import chance_of_result
from paragone.domain import Board, BoardRow, Match, Rating
from paragone.domain.records import WinLossRecord
from paragone.errors import InvalidConfig
from paragone.ledger import Ledger
from paragone.presenting.figures.relations import MOST as MOST_COMPARED
from paragone.presenting.figures.relations import records
from paragone.tournaments.results.quality import prediction
from paragone.tournaments.state import TournamentState
from paragone.tournaments.state.matches import counted_matches
from paragone.web.readers.ledger_reader import TOP, Computed, LedgerReader, RankedBoard
from paragone.web.views.cursors import After, Place, cursor, place_of
from paragone.wire import board as wire_board
from paragone.wire.board import BoardRanking, SortColumn
from paragone.wire.consistency import Cycles
from paragone.wire.head_to_head import HeadToHead, HeadToHeadCell
from paragone.wire.spending import SpendingSummary

QUICK = 20_000
"""Maximum items for which ``auto`` means strength."""
PATIENCE = 2.0
"""Seconds to wait for a board by strength; after these the running Elo is used. Nobody waits where it takes longer."""
FORM = 5
"""Matches in the form of an item."""
SHOWN = 400
"""Characters of a text in a listing."""
FOUND = 100
"""Maximum items found by a search of the index."""
MOST_FOUND = 500
"""Maximum items found by such a search whose pages are numbered."""

_ROW = tuple(field.name for field in fields(BoardRow) if field.name != "text")

_ASCENDING = frozenset({"rank", "id", "text"})
"""Columns sorted ascending by default."""


@dataclass(frozen=True, kw_only=True, slots=True)
class BoardQuery:
    """Which page of a leaderboard.

    Attributes:
        by: Strength or Elo; ``auto`` is strength if that is quick.
        sort: Column to sort by; a board by Elo has one order.
        descending: Whether the highest value comes first; the default of the column if None.
        search: Only items with this in their id or text; empty for all.
        limit: Rows of a page.
        cursor: ``next`` of the page before, or how many rows come before this one.
    """

    by: BoardRanking = "auto"
    sort: SortColumn = "rank"
    descending: bool | None = None
    search: str = ""
    limit: int = 50
    cursor: After = None

    @property
    def backwards(self) -> bool:
        """Whether the highest value comes first."""
        return self.sort not in _ASCENDING if self.descending is None else self.descending


PLAIN = BoardQuery()
"""The first page of the board."""


def board(reader: LedgerReader, pool: str, query: BoardQuery = PLAIN) -> wire_board.Board:
    """A page of a board.

    Raises:
        NotFound: If there is no such pool.
        InvalidConfig: If the cursor belongs to another listing, or the board is by Elo and cannot be sorted so.
    """
    items = reader.items(pool)
    by_strength = query.by == "strength" or (query.by == "auto" and items <= QUICK)
    pending = False
    if by_strength and items and reader.is_tournament(pool):
        snapshot, pending = reader.newest_board(pool, PATIENCE if items <= QUICK else 0.0)
        if snapshot is not None:
            return _by_strength(reader, pool, snapshot, pending, query)
    return _by_elo(reader, pool, items, pending, query)


def row_of(reader: LedgerReader, pool: str, item: str) -> wire_board.BoardRow | None:
    """The board row of an item, by strength if such a board is ready, else by Elo; None if there is no such item."""
    ratings = reader.ledger.ratings.by_id(pool, [item])
    if item not in ratings:
        return None
    texts = {id: stored.text for id, stored in reader.ledger.items.by_id(pool, [item]).items()}
    form = _form(reader.ledger, pool, [item])
    if reader.items(pool) <= QUICK and reader.is_tournament(pool):
        snapshot, _ = reader.newest_board(pool, PATIENCE)
        position = None if snapshot is None else snapshot.value.positions.get(item)
        if snapshot is not None and position is not None:
            return board_rows([snapshot.value.board.items[position]], snapshot.value.board, form)[0]
    (ranked,) = _ranked(reader.ledger, pool, [ratings[item]])
    return _plain(ranked, texts.get(item, ""), form)


def _by_strength(
    reader: LedgerReader, pool: str, snapshot: Computed[RankedBoard], pending: bool, query: BoardQuery
) -> wire_board.Board:
    fitted = snapshot.value.board
    listing = ("board", pool, query.sort, str(query.backwards), query.search)
    rows = _sorted(fitted, query)
    if isinstance(query.cursor, int):
        start = query.cursor
    else:
        start = _start(rows, place_of(query.cursor, listing), query.backwards)
    page = rows[start : start + query.limit]
    more = start + query.limit < len(rows)
    form = _form(reader.ledger, pool, [row.id for _, row in page])
    return _fitted(
        fitted,
        pool=pool,
        version=snapshot.version,
        pending=pending,
        age=reader.clock() - snapshot.started if pending else 0.0,
        sort=query.sort,
        descending=query.backwards,
        total=len(rows),
        rows=board_rows([row for _, row in page], fitted, form),
        next=cursor(listing, [page[-1][0], page[-1][1].id]) if more else None,
    )


def supposed(reader: LedgerReader, pool: str, fitted: Board, limit: int, passed: int = 0) -> wire_board.Board:
    """Some rows of a what-if board, after those that are passed over."""
    rows = board_rows(fitted.items[passed : passed + limit], fitted, {})
    return _fitted(fitted, pool=pool, version=reader.version(pool), total=len(fitted.items), rows=rows)


def rows_of(reader: LedgerReader, pool: str, ids: Iterable[str]) -> dict[str, wire_board.BoardRow]:
    """Rows of the board by strength, by id; none while there is no such board."""
    snapshot, _ = reader.newest_board(pool, PATIENCE)
    if snapshot is None:
        return {}
    board, positions = snapshot.value.board, snapshot.value.positions
    rows = board_rows([board.items[positions[id]] for id in ids if id in positions], board, {})
    return {row.id: row for row in rows}


def board_rows(rows: Sequence[BoardRow], fitted: Board, form: Mapping[str, str]) -> list[wire_board.BoardRow]:
    """Some rows of a board by strength, with where they would be without columns."""
    without = {} if fitted.side is None else {row.id: row for row in fitted.side.without}
    items = fitted.items
    return [
        wire_board.BoardRow(
            **{name: getattr(row, name) for name in _ROW},
            text=row.text[:SHOWN],
            rank_shared=row.rank < len(items) and items[row.rank].rank == row.rank,  # equals follow one another
            form=form.get(row.id, ""),
            without=without.get(row.id),
        )
        for row in rows
    ]


def _fitted(fitted: Board, **page: Any) -> wire_board.Board:  # noqa: ANN401 - fields of the view
    """A page of a board by strength, with the figures of the whole board."""
    return wire_board.Board.like(
        fitted,
        by="strength",
        least=min((row.low for row in fitted.items), default=None),
        most=max((row.high for row in fitted.items), default=None),
        spending=SpendingSummary.of(fitted.spending),
        **page,
    )


Sorted = list[tuple[int | float | str, BoardRow]]


def _sorted(fitted: Board, query: BoardQuery) -> Sorted:
    """The rows with their sort keys; equal ones by id."""
    pattern = query.search.casefold()
    rows = [
        (position if query.sort == "rank" else getattr(row, query.sort), row)
        for position, row in enumerate(fitted.items)
        if not pattern or pattern in row.id.casefold() or pattern in row.text.casefold()
    ]
    rows.sort(key=lambda entry: entry[1].id)
    rows.sort(key=lambda entry: entry[0], reverse=query.backwards)
    return rows


def _start(rows: Sorted, last: Place | None, backwards: bool) -> int:
    """Index of the first row after a position, whose row may be gone."""
    if last is None:
        return 0
    value, id = last

    def is_later(entry: tuple[Any, BoardRow]) -> bool:
        if entry[0] == value:
            return entry[1].id > str(id)
        return bool(entry[0] < value) if backwards else bool(entry[0] > value)

    return next((at for at, entry in enumerate(rows) if is_later(entry)), len(rows))


def _by_elo(reader: LedgerReader, pool: str, items: int, pending: bool, query: BoardQuery) -> wire_board.Board:
    if (
        replace(query, cursor=query.cursor or None) == PLAIN and not pending
    ):  # what nearly everybody asks for, of large pools above all
        # Items are counted within, so that all of it is of the version under which it is kept.
        return reader.kept(TOP, pool, lambda: _read_by_elo(reader, pool, reader.items(pool), pending, query))
    return _read_by_elo(reader, pool, items, pending, query)


def _read_by_elo(reader: LedgerReader, pool: str, items: int, pending: bool, query: BoardQuery) -> wire_board.Board:
    if query.sort not in {"rank", "elo"} or (query.sort == "rank") == query.backwards:
        raise InvalidConfig(
            f"{pool} is listed by its running Elo, the highest first, and by nothing else: sort=rank", key="sort"
        )
    with reader.ledger.snapshot() as ledger:
        version = ledger.pools.version(pool) or 0
        if query.search:
            rows, following, total = _found(ledger, pool, query)
        else:
            rows, following = _page(ledger, pool, query)
            total = items
        ids = [rating.item for *_, rating in rows]
        texts, form = ledger.items.by_id(pool, ids), _form(ledger, pool, ids)
    return wire_board.Board(
        pool=pool,
        version=version,
        by="elo",
        pending=pending,
        sort=query.sort,
        descending=query.backwards,
        total=total,
        rows=[_plain(ranked, texts[ranked[-1].item].text if ranked[-1].item in texts else "", form) for ranked in rows],
        next=following,
    )


RankedRating = tuple[int, bool, Rating]
"""A rank, whether others of the pool have it, too, and the rating."""


def _page(ledger: Ledger, pool: str, query: BoardQuery) -> tuple[list[RankedRating], str | None]:
    """A page of the index: by its number, or by the last rating before it, whose rank its ranks continue."""
    listing = ("elo", pool)
    if isinstance(query.cursor, int):
        position, rank = query.cursor, 0
        ratings = ledger.ratings.leaderboard(pool, after=position, count=query.limit + 1)
        elo = ratings[0].elo if ratings and position else None
        if elo is not None:
            rank = 1 + ledger.ratings.count_higher(pool, elo)
    else:
        last = place_of(query.cursor, listing)
        last_elo, item, *numbers = (None, "", 0, 0) if last is None else last
        elo = None if last_elo is None else float(last_elo)
        below = None if elo is None else Rating(item=str(item), elo=elo)
        ratings = ledger.ratings.leaderboard(pool, count=query.limit + 1, below=below)
        position, rank = (int(number or 0) for number in numbers)
    ranked: list[RankedRating] = []
    for rating, following in zip_longest(ratings[: query.limit], ratings[1 : query.limit + 1]):
        position += 1
        rank = rank if rating.elo == elo else position
        elo = rating.elo
        shared = rank < position or (following is not None and following.elo == elo)
        ranked.append((rank, shared, rating))
    more = len(ratings) > query.limit
    return ranked, cursor(listing, [elo, ranked[-1][-1].item, position, rank]) if more else None


def _found(ledger: Ledger, pool: str, query: BoardQuery) -> tuple[list[RankedRating], None, int | None]:
    """Search results with their ranks among all, and how many there are; None if there may be more."""
    start, most = (query.cursor, MOST_FOUND) if isinstance(query.cursor, int) else (0, min(query.limit, FOUND))
    ratings = ledger.ratings.search(pool, query.search, most)
    page = ratings[start : start + query.limit]
    return _ranked(ledger, pool, page), None, len(ratings) if len(ratings) < most else None


def _ranked(ledger: Ledger, pool: str, ratings: Sequence[Rating]) -> list[RankedRating]:
    """Ratings with their ranks among all of the pool."""
    just_below = {rating.elo: math.nextafter(rating.elo, -math.inf) for rating in ratings}
    higher = ledger.ratings.count_higher_than(pool, [*just_below, *just_below.values()])
    return [
        (1 + higher[rating.elo], higher[just_below[rating.elo]] - higher[rating.elo] > 1, rating) for rating in ratings
    ]


def _form(ledger: Ledger, pool: str, ids: list[str]) -> dict[str, str]:
    scores = ledger.ratings.latest_scores(pool, ids, FORM) if ids else {}
    return {
        id: "".join("W" if score > 0.5 else "L" if score < 0.5 else "T" for score in reversed(latest))
        for id, latest in scores.items()
    }


def _plain(ranked: RankedRating, text: str, form: Mapping[str, str]) -> wire_board.BoardRow:
    rank, shared, rating = ranked
    return wire_board.BoardRow(
        id=rating.item,
        text=text[:SHOWN],
        rank=rank,
        rank_shared=shared,
        elo=rating.elo,
        wins=rating.wins,
        losses=rating.losses,
        ties=rating.ties,
        matches=rating.matches,
        form=form.get(rating.item, ""),
    )


PATIENCE_FOR_CYCLES = 3.0
"""Seconds to wait for the cycles; after these the page says that they are being computed."""
LATEST = 500
"""Latest matches of each item that count in pools that are no tournament or too large to be read whole."""


def compare(reader: LedgerReader, pool: str, count: int = 16) -> HeadToHead:
    """The first items of the board against each other, and the cycles among all.

    Raises:
        NotFound: If there is no such pool.
    """
    rows = board(reader, pool, BoardQuery(limit=min(count, MOST_COMPARED))).rows
    ids, small = [row.id for row in rows], reader.is_small(pool)
    meetings = records(_between(reader.state(pool), ids) if small else _latest(reader, pool, ids), ids)
    circles, pending = None, False
    if small:
        snapshot, pending = reader.newest("cycles", pool, lambda: _tangles(reader, pool), PATIENCE_FOR_CYCLES)
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


def _between(state: TournamentState, ids: Sequence[str]) -> list[Match]:
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
    return tangles(predicted.contests, rng, predicted.strength, chance=chance_of_result(predicted))


def _cell(record: WinLossRecord | None) -> HeadToHeadCell | None:
    if record is None:
        return None
    return HeadToHeadCell(wins=record.wins, draws=record.draws, losses=record.losses, share=record.share)
