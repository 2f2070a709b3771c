"""The best against each other, and the circles in which each beat the next."""

from fastapi import APIRouter
from starlette.responses import HTMLResponse

from paragone.web.dependencies import Books
from paragone.web.middleware.authentication import Reader
from paragone.web.pages.rendering import events_url, page
from paragone.web.views import compare as views
from paragone.web.views import pools
from paragone.web.views.links import PoolId

router = APIRouter()
MOST = 20
"""Items in the table."""


@router.get("/pools/{pool}/compare")
def compare(pool: PoolId, books: Books, who: Reader) -> HTMLResponse:
    """The first of the board against each other."""
    return page(
        "compare.html",
        section="compare",
        who=who,
        pool=pools.pool(books, pool),
        live=events_url(pool),
        found=views.compare(books, pool, MOST),
    )
