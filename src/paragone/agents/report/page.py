"""The report on agents as one HTML page; ``paragone.page`` lays it out."""

from collections.abc import Mapping

from paragone.agents.report.charts import charts
from paragone.agents.report.gathering import Report
from paragone.agents.report.tables import tables
from paragone.agents.report.wording import summary, tiles
from paragone.page import Page
from paragone.page import as_html as page_as_html

TOP = 50
"""Agents in tables, where nothing else is said."""
SECTIONS: Mapping[str, str] = {
    "ranking": "Ranking",
    "history": "History",
    "domains": "Domains",
    "calibration": "Calibration",
    "relations": "Relationships",
    "tests": "Tests",
    "method": "How it was made",
}
"""Names of the sections, in the order of the page."""


def as_html(report: Report, *, top: int = TOP) -> str:
    """The report as a page.

    Args:
        report: What to say.
        top: Agents in tables at the most, the best and those that were asked for; JSON and CSV have all.

    Raises:
        MissingExtra: If plotly or networkx is not installed.
    """
    made = Page(
        kind="Report on agents",
        title=report.pool.id,
        about=f"In the domain {report.domain}" if report.domain else "",
        at=report.at,
        tiles=tiles(report),
        summary=summary(report),
        sections=SECTIONS,
        charts=charts(report, top=top),
        tables=tables(report, top=top),
    )
    return page_as_html(made)
