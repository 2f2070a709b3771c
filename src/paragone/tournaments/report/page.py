"""The report as one HTML page: it needs no other file and no network, and takes nothing written in it for code.

Three things keep untrusted texts harmless, each by itself: every text is escaped where it stands, and figures are JSON
without a single ``<``; the page's own policy runs no script but the two of this page, by their hashes, and fetches
nothing; and characters that cannot be seen are taken out.
"""

import base64
import hashlib
import json
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.metadata import version
from importlib.resources import files
from typing import Any

from paragone.analysis.figures import TEMPLATES, visible
from paragone.errors import MissingExtra
from paragone.tournaments.report.cells import Table
from paragone.tournaments.report.charts import Chart, charts
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
    from jinja2 import Environment, PackageLoader
    from markupsafe import Markup

    library, script = plotly_js(), _script()
    drawn, listed = charts(report, top=top, chosen=chosen), tables(report, top=top)
    sections = [_section(id, drawn, listed) for id in SECTIONS]
    shown = [section for section in sections if section["charts"] or section["tables"]]
    pages = Environment(loader=PackageLoader("paragone.tournaments.report"), autoescape=True)
    return pages.get_template("report.html").render(
        policy=_policy(library, script),
        title=visible(report.state.id),
        criteria=visible(report.state.brief.criteria),
        at=report.at.strftime("%d %B %Y, %H:%M UTC"),
        contents=[("summary", "Summary"), *((section["id"], section["name"]) for section in shown)],
        tiles=tiles(report),
        summary=[(about, visible(sentence)) for about, sentence in summary(report)],
        sections=shown,
        version=version("paragone"),
        # All of it is ours, or JSON without a "<": nothing here can end its element.
        data=Markup(_embedded(drawn)),  # noqa: S704
        plotly=Markup(library),  # noqa: S704
        script=Markup(script),  # noqa: S704
    )


def _section(id: str, drawn: Sequence[Chart], listed: Sequence[Table]) -> dict[str, Any]:
    return {
        "id": id,
        "name": SECTIONS[id],
        "charts": [chart for chart in drawn if chart.section == id],
        "tables": [table for table in listed if table.section == id],
    }


def _embedded(drawn: Sequence[Chart]) -> str:
    """The figures as JSON in a page: what could end the element, or begin another, is written in numbers."""
    told = {"figures": {chart.id: chart.figure for chart in drawn}, "templates": TEMPLATES}
    text = json.dumps(told, allow_nan=False, separators=(",", ":"))
    return text.replace("<", r"\u003c").replace(">", r"\u003e").replace("&", r"\u0026")


def _policy(*scripts: str) -> str:
    """What the browser may do with the page: run these scripts and nothing else, fetch nothing, send nothing."""
    hashes = " ".join(f"'sha256-{_digest(script)}'" for script in scripts)
    return (
        f"default-src 'none'; script-src {hashes}; style-src 'unsafe-inline'; img-src data: blob:; base-uri 'none'; "
        "form-action 'none'"
    )


def _digest(script: str) -> str:
    return base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()


def _script() -> str:
    return files("paragone.tournaments.report").joinpath("templates", "report.js").read_text("utf-8")


@cache
def plotly_js() -> str:
    """The library that draws, as the package plotly brings it.

    Raises:
        MissingExtra: If plotly is not installed.
    """
    try:
        folder = files("plotly")
    except ModuleNotFoundError:
        raise MissingExtra(
            "the charts of an HTML report need the package plotly; install it with: pip install 'paragone[report]', "
            "or write the report as .json or .csv"
        ) from None
    return folder.joinpath("package_data", "plotly.min.js").read_text("utf-8")
