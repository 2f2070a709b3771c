"""The report of a tournament as one HTML page; ``paragone.page`` lays it out."""

from collections.abc import Mapping, Sequence

from paragone.page import Page
from paragone.page import as_html as page_as_html
from paragone.tournaments.report.charts import charts
from paragone.tournaments.report.gathering import Report
from paragone.tournaments.report.tables import tables
from paragone.tournaments.report.wording import summary, tiles

SECTIONS: Mapping[str, str] = {
    "ranking": "Ranking",
    "progress": "Progress",
    "judges": "Judges",
    "consistency": "Consistency",
    "findings": "Findings",
    "costs": "Costs",
    "method": "How it was made",
}
"""Names of the sections, in the order of the page."""


def as_html(report: Report, *, top: int = 100, chosen: Sequence[str] = ()) -> str:
    """The report as a page.

    Args:
        report: What to say.
        top: Items in tables at the most, the best; JSON and CSV have all.
        chosen: Items to follow round by round besides the best.

    Raises:
        MissingExtra: If plotly is not installed.
    """
    made = Page(
        kind="Tournament report",
        title=report.state.id,
        about=report.state.settings.criteria,
        at=report.at,
        tiles=tiles(report),
        summary=summary(report),
        sections=SECTIONS,
        charts=charts(report, top=top, chosen=chosen),
        tables=tables(report, top=top),
    )
    return page_as_html(made)
