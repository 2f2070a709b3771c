"""Items as values: one with where it stands and how its rating went, and lists of them."""

from collections import defaultdict
from collections.abc import Mapping
from statistics import fmean

from paragone.errors import NotFound
from paragone.tournaments.state.history import EventState
from paragone.web.readers.ledger_reader import LedgerReader
from paragone.web.views.boards import PATIENCE, row_of, strong
from paragone.web.views.cursors import cursor, place_of
from paragone.web.views.matches import change_view
from paragone.web.views.similar_items import neighbours
from paragone.web.views.whole_tournament import is_small
from paragone.wire.board import BoardRow
from paragone.wire.item import CriterionMean, Item, ItemPage, ItemRow, Review

LATEST = 200
"""Matches of an item whose criterion scores are averaged: the last ones."""
MOVES = 500
"""Moves of a rating that are shown: the last ones."""
AROUND = 3
"""Items on either side of one on the board that are shown as its neighbours there."""


def items(reader: LedgerReader, pool: str, *, limit: int = 50, after: str | None = None) -> ItemPage:
    """The items of a pool, in the order in which they were added.

    Raises:
        NotFound: If there is no such pool.
        InvalidConfig: If the cursor belongs to another listing.
    """
    reader.version(pool)  # refuses a pool that is not there
    listing = ("items", pool)
    last = place_of(after, listing)
    records = reader.ledger.items.after(pool, 0 if last is None else int(last[0] or 0), limit + 1)
    rows = [ItemRow(id=item.id, kind=item.kind.value, text=item.text) for _, item in records[:limit]]
    return ItemPage(items=rows, next=cursor(listing, [records[limit - 1][0]]) if len(records) > limit else None)


def item(reader: LedgerReader, pool: str, id: str) -> Item:
    """One item.

    Raises:
        NotFound: If there is no such pool, or no such item in it.
    """
    reader.version(pool)
    stored, own_row = reader.ledger.items.by_id(pool, [id]).get(id), row_of(reader, pool, id)
    if stored is None or own_row is None:
        raise NotFound(f"there is no item {id!r} in pool {pool!r}")
    changes = reader.ledger.ratings.changes(pool, id)
    return Item(
        id=id,
        kind=stored.kind.value,
        text=stored.text,
        pool=pool,
        row=own_row,
        around=_around(reader, pool, id),
        progression=[change_view(change) for change in changes[-MOVES:]],
        moves=len(changes),
        criteria=_criteria(reader, pool, id),
        reviews=_reviews(reader, pool, id),
        neighbours=neighbours(reader, pool, id),
        retired=_away(reader, pool).get(id, ""),
    )


def _around(reader: LedgerReader, pool: str, id: str) -> list[BoardRow]:
    if not is_small(reader, pool):
        return []
    snapshot, _ = reader.newest_board(pool, PATIENCE)
    if snapshot is None or id not in snapshot.value.positions:
        return []
    position = snapshot.value.positions[id]
    rows = snapshot.value.board.items[max(0, position - AROUND) : position + AROUND + 1]
    return [strong(row) for row in rows]


def _criteria(reader: LedgerReader, pool: str, item: str) -> list[CriterionMean]:
    scores: defaultdict[str, list[float]] = defaultdict(list)
    for recorded in reader.ledger.matches.before(pool, None, LATEST, item):
        for comparison in () if recorded.rolled_back else recorded.match.comparisons:
            for score in comparison.verdict.scores:
                scores[score.criterion].append(score.first if comparison.first == item else score.second)
    return [CriterionMean(criterion=name, mean=fmean(own), verdicts=len(own)) for name, own in scores.items()]


def _reviews(reader: LedgerReader, pool: str, item: str) -> list[Review]:
    return [
        Review(reviewer=review.reviewer, score=review.score, scores=dict(review.scores), text=review.text)
        for review in reader.ledger.items.reviews_of(pool, item)
    ]


def _away(reader: LedgerReader, pool: str) -> Mapping[str, str]:
    """Why items are not available, by id."""
    if not reader.is_tournament(pool):
        return {}
    return reader.kept("away", pool, lambda: EventState(reader.ledger.tournaments.events(pool)).retired)
