"""The best against each other, and the circles in which each beat the next."""

from fastapi import APIRouter
from starlette.responses import HTMLResponse

from paragone.web.dependencies import LedgerDep
from paragone.web.middleware.authentication import Reader
from paragone.web.pages.rendering import events_url, page
from paragone.web.views import compare as views
from paragone.web.views import pools
from paragone.web.views.links import PoolId

router = APIRouter()
MOST = 20
"""Items in the table."""


@router.get("/pools/{pool}/compare")
def compare(pool: PoolId, reader: LedgerDep, who: Reader) -> HTMLResponse:
    """The first of the board against each other."""
    return page(
        "compare.html",
        section="compare",
        who=who,
        pool=pools.pool(reader, pool),
        live=events_url(pool),
        comparison=views.compare(reader, pool, MOST),
    )
