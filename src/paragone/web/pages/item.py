"""One item: its text, where it stands, how its rating went, and its matches."""

from typing import Annotated

from fastapi import APIRouter, Query
from starlette.responses import HTMLResponse

from paragone.domain import GLOBAL
from paragone.presenting.figures import History, rating_history
from paragone.presenting.page import Chart
from paragone.web.dependencies import LedgerDep
from paragone.web.middleware.authentication import Reader
from paragone.web.pages.radar import radar
from paragone.web.pages.rendering import events_url, page, points
from paragone.web.pages.scales import of_rows
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
    pool: PoolId, item: ItemId, reader: LedgerDep, who: Reader, cursor: Annotated[str | None, Query()] = None
) -> HTMLResponse:
    """One item."""
    detail = views.item(reader, pool, item)
    played = matches.matches_of(reader, pool, item, limit=MOST, cursor=cursor)
    url, about = item_url(pool, item), pools.pool(reader, pool)
    return page(
        "item.html",
        section="board",
        who=who,
        pool=about,
        pending=detail.row.rating is None and about.tournament is not None and about.items <= QUICK,
        live=events_url(pool),
        charts=_charts(detail),
        item=detail,
        tiles=_tiles(detail),
        scale=of_rows(detail.around),
        radar=radar([(score.criterion, score.mean) for score in detail.criteria]),
        played=played,
        first=url,
        next=None if played.next is None else f"{url}?cursor={played.next}#matches",
        is_first=cursor is None,
    )


def _charts(detail: Item) -> tuple[Chart, ...]:
    """How the rating went, where there is more than a point of it."""
    tracks: dict[str, list[RatingChange]] = {}
    for move in detail.progression:
        tracks.setdefault(move.track, []).append(move)
    histories = [_history(detail.id if track == GLOBAL else track, moves) for track, moves in tracks.items()]
    if not any(len(history.rating) > 1 for history in histories):
        return ()
    note = "The running Elo after each move."
    if detail.moves > len(detail.progression):
        note += f" The last {len(detail.progression):,} of {detail.moves:,} moves."
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


def _tiles(detail: Item) -> list[tuple[str, str]]:
    rating = detail.row
    tiles = [("Rank", f"{rating.rank:,}")]
    if rating.rank_low is not None and rating.rank_high is not None:
        tiles.append(("Range of ranks", f"{rating.rank_low:,}–{rating.rank_high:,}"))
    if rating.rating is not None:
        tiles.append(("Strength", points(rating.rating)))
        tiles.append(("Interval", f"{points(rating.low)}–{points(rating.high)}"))
    tiles.append(("Running Elo", points(rating.elo)))
    tiles.append(("Won–lost–tied", f"{rating.wins}–{rating.losses}–{rating.ties}"))
    return tiles
