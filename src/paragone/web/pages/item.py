"""One item: its text, where it stands, how its rating went, and its matches."""

from typing import Annotated

from fastapi import APIRouter, Query
from starlette.responses import HTMLResponse

from paragone.analysis.figures import History, rating_history
from paragone.domain import GLOBAL
from paragone.page import Chart
from paragone.web.guards.identity import Reader
from paragone.web.pages.radar import radar
from paragone.web.pages.scales import of_rows
from paragone.web.pages.shown import events_url, page, points
from paragone.web.reaching import Books
from paragone.web.views import items as views
from paragone.web.views import matches, pools
from paragone.web.views.boards import QUICK
from paragone.web.views.links import ItemId, PoolId
from paragone.wire.address import item_url
from paragone.wire.item import Item
from paragone.wire.match import RatingChange

router = APIRouter()
MOST = 25
"""Matches of a page."""


@router.get("/pools/{pool}/items/{item}")
def item(
    pool: PoolId, item: ItemId, books: Books, who: Reader, cursor: Annotated[str | None, Query()] = None
) -> HTMLResponse:
    """One item."""
    found = views.item(books, pool, item)
    played = matches.matches_of(books, pool, item, limit=MOST, cursor=cursor)
    here, about = item_url(pool, item), pools.pool(books, pool)
    return page(
        "item.html",
        here="board",
        who=who,
        pool=about,
        pending=found.standing.rating is None and about.tournament is not None and about.items <= QUICK,
        live=events_url(pool),
        charts=_charts(found),
        item=found,
        tiles=_tiles(found),
        scale=of_rows(found.around),
        radar=radar([(one.criterion, one.mean) for one in found.criteria]),
        played=played,
        first=here,
        next=None if played.next is None else f"{here}?cursor={played.next}#matches",
        is_first=cursor is None,
    )


def _charts(found: Item) -> tuple[Chart, ...]:
    """How the rating went, where there is more than a point of it."""
    tracks: dict[str, list[RatingChange]] = {}
    for move in found.progression:
        tracks.setdefault(move.track, []).append(move)
    histories = [_history(found.id if track == GLOBAL else track, moves) for track, moves in tracks.items()]
    if not any(len(history.rating) > 1 for history in histories):
        return ()
    note = "The running Elo after each move."
    if found.moves > len(found.progression):
        note += f" The last {len(found.progression):,} of {found.moves:,} moves."
    note += _in_words(tracks.get(GLOBAL, []))
    figure = rating_history(histories)
    return (Chart(id="progression", section="item", title="How its rating went", note=note, figure=figure),)


def _in_words(moves: list[RatingChange]) -> str:
    """What the figure shows, for those who do not see it."""
    if not moves:
        return ""
    ratings = [moves[0].old, *(move.new for move in moves)]
    went = f" It went from {points(ratings[0])} to {points(ratings[-1])}"
    return f"{went} and was between {points(min(ratings))} and {points(max(ratings))}."


def _history(name: str, moves: list[RatingChange]) -> History:
    return History(agent=name, rating=tuple(move.new for move in moves), causes=tuple(move.match for move in moves))


def _tiles(found: Item) -> list[tuple[str, str]]:
    standing = found.standing
    tiles = [("Rank", f"{standing.rank:,}")]
    if standing.rank_low is not None and standing.rank_high is not None:
        tiles.append(("Range of ranks", f"{standing.rank_low:,}–{standing.rank_high:,}"))
    if standing.rating is not None:
        tiles.append(("Strength", points(standing.rating)))
        tiles.append(("Interval", f"{points(standing.low)}–{points(standing.high)}"))
    tiles.append(("Running Elo", points(standing.elo)))
    tiles.append(("Won–lost–tied", f"{standing.wins}–{standing.losses}–{standing.ties}"))
    return tiles
