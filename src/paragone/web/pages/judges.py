"""The judges of a tournament: agreement, position bias, ties and cost."""

from collections.abc import Sequence

from fastapi import APIRouter
from starlette.responses import HTMLResponse

from paragone.errors import InvalidConfig, NotFound
from paragone.presenting.figures import position_bias, sharpness
from paragone.presenting.page import Chart
from paragone.web.middleware.authorization import Reader
from paragone.web.pages.rendering import as_data, events_url, page, pages_of
from paragone.web.parameters import LedgerDep, Nth, PageNumber, PoolId
from paragone.web.views import judges as views
from paragone.web.views import pools
from paragone.wire.address import pool_url
from paragone.wire.judge import Judges

router = APIRouter()
MOST = 50
"""Rows of a page of each table."""


@router.get("/pools/{pool}/judges")
def judges(
    pool: PoolId, reader: LedgerDep, who: Reader, at: PageNumber = 1, spenders: Nth = 1, lists: Nth = 1
) -> HTMLResponse:
    """The judges of a pool; if there are no figures, why."""
    about, why = pools.pool(reader, pool), ""
    reliability: Judges | None = None
    try:
        reliability = views.judges(reader, pool)
    except (NotFound, InvalidConfig) as reason:
        why = str(reason)
    tables: dict[str, tuple[Sequence[object], int, int, str]] = {}
    if reliability is not None:
        tables["page"] = (reliability.judges, at, MOST, "")
        tables["spenders"] = (reliability.voices, spenders, MOST, "#spenders")
        tables["lists"] = (reliability.lists, lists, MOST, "#lists")
    return page(
        "judges.html",
        section="judges",
        who=who,
        pool=about,
        live=events_url(pool),
        data=as_data(pool, "verdicts", judges=pool_url(pool, "judges")) if reliability else None,
        charts=() if reliability is None else _charts(reliability),
        reliability=reliability,
        tables=pages_of(pool_url(pool, "judges"), tables),
        why=why,
    )


def _charts(judges: Judges) -> tuple[Chart, ...]:
    charts = []
    if any(report.position_bias is not None for report in judges.judges):
        note = "Right of 0 a judge favours the item shown first; grey where the interval holds 0, so that it may not."
        charts.append(
            Chart(
                id="position",
                section="judges",
                title="Does the order of showing sway the judges?",
                note=f"{note} Strengths are corrected for it.",
                figure=position_bias(judges.judges),
            )
        )
    if any(report.slope is not None for report in judges.judges):
        charts.append(
            Chart(
                id="sharpness",
                section="judges",
                title="How sharp are the judges?",
                note="How clearly each tells items apart, 1 being usual here; a sharper one counts for more.",
                figure=sharpness(judges.judges),
            )
        )
    return tuple(charts)
