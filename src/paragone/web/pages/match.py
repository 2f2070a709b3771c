"""Matches: the list of them, and one with everything that was said, what it cost and what it moved."""

from typing import Annotated

from fastapi import APIRouter, Query
from starlette.responses import HTMLResponse

from paragone.web.middleware.authentication import Reader
from paragone.web.pages.rendering import events_url, page, paging
from paragone.web.parameters import LedgerDep, MatchId, PoolId
from paragone.web.views import matches as views
from paragone.web.views import pools
from paragone.wire.address import api_url, match_url, pool_url
from paragone.wire.match import Match, RatingChange

router = APIRouter()
MOST = 50
"""Matches of a page."""
MOVED = 20
"""Ratings that one match moved, of a page."""


@router.get("/pools/{pool}/matches")
def matches(
    pool: PoolId, reader: LedgerDep, who: Reader, cursor: Annotated[str | None, Query()] = None
) -> HTMLResponse:
    """The matches of a pool, the newest first."""
    listing = views.matches(reader, pool, limit=MOST, cursor=cursor)
    return page(
        "matches.html",
        section="matches",
        who=who,
        pool=pools.pool(reader, pool),
        live=events_url(pool),
        played=listing,
        **paging(pool_url(pool, "matches"), cursor, listing.next),
    )


@router.get("/pools/{pool}/matches/{match}")
def match(pool: PoolId, match: MatchId, reader: LedgerDep, who: Reader) -> HTMLResponse:
    """One match."""
    detail = views.match(reader, pool, match)
    texts = {side.id: side.text for side in detail.entrants}
    return page(
        "match.html",
        section="matches",
        who=who,
        pool=pools.pool(reader, pool),
        live=events_url(pool),
        match=detail,
        texts=texts,
        tiles=_tiles(detail),
        result=_result(detail),
        farthest=_farthest,
        rollback=api_url(match_url(pool, match) + "/rollback"),
    )


def _tiles(detail: Match) -> list[tuple[str, str]]:
    tiles = [*detail.spending.tiles(), ("Time taken", f"{detail.spending.seconds:,.1f} s")]
    if detail.confidence != 1:
        tiles.append(("Weight in the running Elo", f"{detail.confidence:.2f}"))
    return tiles


def _farthest(changes: list[RatingChange]) -> list[RatingChange]:
    """The largest changes, where there are many: a rollback may move everybody who played since."""
    if len(changes) <= MOVED:
        return changes
    return sorted(changes, key=lambda change: abs(change.change), reverse=True)[:MOVED]


def _result(detail: Match) -> str:
    """What came of it, in a word; the winner is named beside it."""
    if len(detail.items) > 2:
        return "ranked"
    return {"a": "won", "b": "won", "draw": "tie"}.get(detail.outcome, "void")
