"""Boards under a what-if, beside the board as it is."""

from fastapi import APIRouter
from starlette.responses import HTMLResponse

from paragone.errors import InvalidConfig, NotFound
from paragone.tournaments.results.tournament_board import WhatIf
from paragone.web.api.tournaments import LeftOut
from paragone.web.middleware.authorization import Reader
from paragone.web.pages.rendering import as_data, link, numbered_pages, page
from paragone.web.parameters import LedgerDep, PageNumber, PoolId
from paragone.web.views import pools
from paragone.web.views.board import rows_of
from paragone.web.views.what_if import what_if_board
from paragone.wire.address import pool_url

router = APIRouter()
MOST = 50
"""Rows of a page."""


@router.get("/pools/{pool}/whatif")
def what_if(
    pool: PoolId,
    reader: LedgerDep,
    who: Reader,
    without_match: LeftOut = (),
    without_judge: LeftOut = (),
    at: PageNumber = 1,
) -> HTMLResponse:
    """The board without a match or a judge, beside the one that there is."""
    about, why = pools.pool(reader, pool), ""
    rows: list[tuple[object, object]] = []
    url, total = pool_url(pool, "whatif"), 0
    left_out = {"without_match": without_match, "without_judge": without_judge}
    try:
        assumptions = WhatIf(without_matches=without_match, without_judges=without_judge)
        supposed = what_if_board(reader, pool, assumptions, MOST, MOST * (at - 1))
        now, total = rows_of(reader, pool, [row.id for row in supposed.rows]), supposed.total or 0
        rows = [(row, now.get(row.id)) for row in supposed.rows]
    except (NotFound, InvalidConfig) as reason:
        why = str(reason)
    return page(
        "what_if.html",
        status=422 if why else 200,
        section="board",
        who=who,
        pool=about,
        rows=rows,
        pages=numbered_pages(url, at, total, MOST, left_out),
        data=None if why else as_data(board=link(url, left_out)),
        why=why,
        matches=without_match,
        judges=without_judge,
    )
