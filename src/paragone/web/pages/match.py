"""Matches: the list of them, and one with everything that was said, what it cost and what it moved."""

from typing import Annotated

from fastapi import APIRouter, Query
from starlette.responses import HTMLResponse

from paragone.web.guards.identity import Reader
from paragone.web.pages.shown import events_url, page
from paragone.web.reaching import Books
from paragone.web.views import matches as views
from paragone.web.views import pools
from paragone.web.views.links import MatchId, PoolId
from paragone.wire.address import api_url, match_url, pool_url
from paragone.wire.match import Match, RatingChange

router = APIRouter()
MOST = 50
"""Matches of a page."""
MOVED = 20
"""Ratings that one match moved, of a page."""


@router.get("/pools/{pool}/matches")
def matches(pool: PoolId, books: Books, who: Reader, cursor: Annotated[str | None, Query()] = None) -> HTMLResponse:
    """The matches of a pool, the newest first."""
    found = views.matches(books, pool, limit=MOST, cursor=cursor)
    here = pool_url(pool, "matches")
    return page(
        "matches.html",
        here="matches",
        who=who,
        pool=pools.pool(books, pool),
        live=events_url(pool),
        played=found,
        first=here,
        next=None if found.next is None else f"{here}?cursor={found.next}",
        is_first=cursor is None,
    )


@router.get("/pools/{pool}/matches/{match}")
def match(pool: PoolId, match: MatchId, books: Books, who: Reader) -> HTMLResponse:
    """One match."""
    found = views.match(books, pool, match)
    texts = {side.id: side.text for side in found.entrants}
    return page(
        "match.html",
        here="matches",
        who=who,
        pool=pools.pool(books, pool),
        live=events_url(pool),
        match=found,
        texts=texts,
        tiles=_tiles(found),
        result=_result(found),
        farthest=_farthest,
        rollback=api_url(match_url(pool, match) + "/rollback"),
    )


def _tiles(found: Match) -> list[tuple[str, str]]:
    tiles = [*found.spending.tiles(), ("Time taken", f"{found.spending.seconds:,.1f} s")]
    if found.confidence != 1:
        tiles.append(("Weight in the running Elo", f"{found.confidence:.2f}"))
    return tiles


def _farthest(changes: list[RatingChange]) -> list[RatingChange]:
    """The largest changes, where there are many: a rollback may move everybody who played since."""
    if len(changes) <= MOVED:
        return changes
    return sorted(changes, key=lambda change: abs(change.change), reverse=True)[:MOVED]


def _result(found: Match) -> str:
    """What came of it, in a word; the winner is named beside it."""
    if len(found.items) > 2:
        return "ranked"
    return {"a": "won", "b": "won", "draw": "tie"}.get(found.outcome, "void")
