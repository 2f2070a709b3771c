"""Items as values: one with where it stands and how its rating went, and lists of them."""

from collections import defaultdict
from collections.abc import Mapping
from statistics import fmean

from paragone.errors import NotFound
from paragone.tournaments.state.events import EventState
from paragone.web.books.library import Library
from paragone.web.views.alike import AlikeView, neighbours
from paragone.web.views.board_values import RowView
from paragone.web.views.boards import PATIENCE, row_of, strong
from paragone.web.views.cursors import cursor, place_of
from paragone.web.views.match_values import ChangeView
from paragone.web.views.matches import change_view
from paragone.web.views.small import is_small
from paragone.web.views.values import View, Words

LATEST = 200
"""Matches of an item whose criterion scores are averaged: the last ones."""
MOVES = 500
"""Moves of a rating that are shown: the last ones."""
AROUND = 3
"""Items on either side of one on the board that are shown as its neighbours there."""


class ItemLine(View):
    """An item in a listing.

    Attributes:
        id: Its id.
        kind: What it is.
        text: Its whole text.
    """

    id: Words
    kind: str
    text: Words


class ItemPage(View):
    """Items in the order in which they were added.

    Attributes:
        items: The items.
        next: Cursor of the next page; None on the last.
    """

    items: list[ItemLine]
    next: str | None = None


class ReviewView(View):
    """What a reviewer last said of an item.

    Attributes:
        reviewer: Who.
        score: Overall, from 0 to 1.
        scores: By criterion, each from 0 to 1.
        text: The review in words.
    """

    reviewer: Words
    score: float
    scores: dict[Words, float]
    text: Words


class CriterionView(View):
    """How an item did on one criterion, over the verdicts of its last matches.

    Attributes:
        criterion: The criterion.
        mean: Mean of its scores, from 0 to 1.
        verdicts: How many there were.
    """

    criterion: Words
    mean: float
    verdicts: int


class ItemView(ItemLine):
    """An item with what is known about it.

    Attributes:
        pool: Id of its pool.
        standing: Where it stands, as on the board.
        around: Those who stand next to it on the board by strength, best first, itself among them; empty without one.
        progression: The last moves of its running Elo, the oldest first; its interval is that of ``standing`` alone.
        moves: How many moves there were in all.
        criteria: How it did by criterion, where judges say so.
        reviews: What reviewers said of it.
        neighbours: The items most like it, where that is known.
        retired: Why it is not available; empty where it is.
    """

    pool: Words
    standing: RowView
    around: list[RowView]
    progression: list[ChangeView]
    moves: int
    criteria: list[CriterionView]
    reviews: list[ReviewView]
    neighbours: list[AlikeView]
    retired: Words = ""


def items(library: Library, pool: str, *, limit: int = 50, after: str | None = None) -> ItemPage:
    """The items of a pool, in the order in which they were added.

    Raises:
        NotFound: If there is no such pool.
        InvalidConfig: If the cursor belongs to another listing.
    """
    library.version(pool)  # refuses a pool that is not there
    listing = ("items", pool)
    last = place_of(after, listing)
    found = library.ledger.items_after(pool, 0 if last is None else int(last[0] or 0), limit + 1)
    shown = [ItemLine(id=item.id, kind=item.kind.value, text=item.text) for _, item in found[:limit]]
    return ItemPage(items=shown, next=cursor(listing, [found[limit - 1][0]]) if len(found) > limit else None)


def item(library: Library, pool: str, id: str) -> ItemView:
    """One item.

    Raises:
        NotFound: If there is no such pool, or no such item in it.
    """
    library.version(pool)
    found, standing = library.ledger.some_items(pool, [id]).get(id), row_of(library, pool, id)
    if found is None or standing is None:
        raise NotFound(f"there is no item {id!r} in pool {pool!r}")
    changes = library.ledger.changes(pool, id)
    return ItemView(
        id=id,
        kind=found.kind.value,
        text=found.text,
        pool=pool,
        standing=standing,
        around=_around(library, pool, id),
        progression=[change_view(change) for change in changes[-MOVES:]],
        moves=len(changes),
        criteria=_criteria(library, pool, id),
        reviews=_reviews(library, pool, id),
        neighbours=neighbours(library, pool, id),
        retired=_away(library, pool).get(id, ""),
    )


def _around(library: Library, pool: str, id: str) -> list[RowView]:
    if not is_small(library, pool):
        return []
    made, _ = library.newest_board(pool, PATIENCE)
    if made is None or id not in made.value.places:
        return []
    place = made.value.places[id]
    rows = made.value.board.items[max(0, place - AROUND) : place + AROUND + 1]
    return [strong(row) for row in rows]


def _criteria(library: Library, pool: str, item: str) -> list[CriterionView]:
    scores: defaultdict[str, list[float]] = defaultdict(list)
    for recorded in library.ledger.matches_before(pool, None, LATEST, item):
        for said in () if recorded.rolled_back else recorded.match.comparisons:
            for score in said.verdict.scores:
                scores[score.criterion].append(score.first if said.first == item else score.second)
    return [CriterionView(criterion=name, mean=fmean(own), verdicts=len(own)) for name, own in scores.items()]


def _reviews(library: Library, pool: str, item: str) -> list[ReviewView]:
    return [
        ReviewView(reviewer=one.reviewer, score=one.score, scores=dict(one.scores), text=one.text)
        for one in library.ledger.reviews_of(pool, item)
    ]


def _away(library: Library, pool: str) -> Mapping[str, str]:
    """Why items are not available, by id."""
    if not library.is_tournament(pool):
        return {}
    return library.kept("away", pool, lambda: EventState(library.ledger.events(pool)).retired)
