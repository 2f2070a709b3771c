"""The report of a tournament as a page of the live board, and every file that can be downloaded."""

from typing import get_args

from fastapi import APIRouter
from starlette.responses import HTMLResponse

from paragone.errors import InvalidConfig, NotFound
from paragone.presenting.page import Page, sections_of, typeset
from paragone.web.middleware.authorization import Reader
from paragone.web.pages.rendering import as_data, events_url, page
from paragone.web.parameters import LedgerDep, PoolId
from paragone.web.views import exports, pools, reports
from paragone.wire.address import pool_url

router = APIRouter()


@router.get("/pools/{pool}/report")
def report(pool: PoolId, reader: LedgerDep, who: Reader) -> HTMLResponse:
    """The report; if there is none, why."""
    about, why = pools.pool(reader, pool), ""
    content: Page | None = None
    pending = False
    try:
        content, pending = reports.report_page(reader, pool)
    except (NotFound, InvalidConfig) as reason:
        why = str(reason)
    return page(
        "report.html",
        section="report",
        who=who,
        pool=about,
        live=events_url(pool),
        data=as_data(**{name: pool_url(pool, name) for name in ("consistency", "patterns", "anomalies", "judges")})
        if content is not None
        else None,
        charts=() if content is None else content.charts,
        content=content,
        sections=[] if content is None else sections_of(content),
        pending=pending,
        why=why,
        typeset=typeset,
        records=get_args(exports.What),
        formats=get_args(exports.Format),
        files=get_args(reports.ReportFormat),
    )
