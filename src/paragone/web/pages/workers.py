"""The workers: who judges what, how quickly, and what failed."""

from fastapi import APIRouter
from starlette.responses import HTMLResponse

from paragone.web.middleware.authorization import Admin
from paragone.web.pages.rendering import as_data, events_url, page
from paragone.web.parameters import LedgerDep
from paragone.workers.overview import overview

router = APIRouter()


@router.get("/workers")
def workers(reader: LedgerDep, who: Admin) -> HTMLResponse:
    """The workers of the ledger, and the tournaments that they judge."""
    data, workers_now = as_data(workers="/workers"), overview(reader.ledger)
    return page("workers.html", section="workers", who=who, live=events_url(), data=data, shown=workers_now)
